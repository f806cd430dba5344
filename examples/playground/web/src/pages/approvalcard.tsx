import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, post } from "../api/client";
import type { ApprovalItem } from "../api/types";
import { Foreign } from "../ui/hostile";
import { parse, pretty } from "../ui/json";
import { announce, Button, Check, ProblemView, Select, Text } from "../ui/parts";
import { levelWords, levelOf, Level, rankOf } from "../ui/risk";

/** How long a card is looked at before a yes counts. */
const arming = 600;
const foldAt = 400;

const scopeWords: Record<string, string> = { once: "This once", arguments: "Whenever the arguments are the same", conversation: "In this conversation", calls: "For the next calls", time: "For an hour", always: "Always" };
const sideWords: Record<string, string> = { chat: "a chat", server: "an MCP client", studio: "a test in the Tool Studio" };

const remaining = (deadline: string) => Math.max(0, Date.parse(deadline) - Date.now());

/** lockedBy says why a card takes no answer any more. */
function lockedBy(item: ApprovalItem): string {
  if (item.state === "expired" || (item.state === "pending" && remaining(item.deadline) === 0)) return "The time is up. Nobody answered, which is a no.";
  if (item.state === "pending") return "";
  const last = item.decisions[item.decisions.length - 1];
  return "Answered: " + (item.outcome ?? item.state) + (last ? " by " + (last.by.subject ?? "somebody") + (last.via ? " via " + last.via : "") : "") + ".";
}

function Argument({ name, value, open, onOpen, masked }: { name: string; value: unknown; open: boolean; onOpen: () => void; masked: boolean }) {
  const text = typeof value === "string" ? value : pretty(value);
  const long = text.length > foldAt;
  return (
    <div>
      <dt class="mono">{name}</dt>
      <dd>
        <pre class="wrap"><Foreign text={long && !open ? text.slice(0, foldAt) + "…" : text} /></pre>
        {long && !open && (
          <Button tid="approval-unfold" dataId={name} small onClick={onOpen}>
            Show all {text.length.toLocaleString("en")} characters
          </Button>
        )}
        {masked && text.includes("***") && <span class="hint">A secret is masked.</span>}
      </dd>
    </div>
  );
}

/**
 * ApprovalCard asks a person about one call. What the level is decides how much
 * it takes to say yes; to say no takes one click, and to go away is no answer.
 */
export function ApprovalCard({ item: given, onDone }: { item: ApprovalItem; onDone?: (item: ApprovalItem) => void }) {
  const [item, setItem] = useState(given);
  const [armed, arm] = useState(false);
  const [open, setOpen] = useState<Set<string>>(new Set());
  const [scope, setScope] = useState("once");
  const [note, setNote] = useState("");
  const [name, setName] = useState("");
  const [sure, setSure] = useState(false);
  const [editing, setEditing] = useState<string | null>(null);
  const [busy, setBusy] = useState("");
  const [failure, fail] = useState<unknown>(null);
  const [, tick] = useState(0);
  const told = useRef({ minute: false, quarter: false });
  useEffect(() => setItem(given), [given.state, given.id, given.decisions.length]);
  useEffect(() => {
    const timer = setTimeout(() => arm(true), arming);
    const clock = setInterval(() => tick((n) => n + 1), 1000);
    return () => {
      clearTimeout(timer);
      clearInterval(clock);
    };
  }, [given.id]);
  const locked = lockedBy(item);
  const left = remaining(item.deadline);
  if (!locked && left < 60_000 && !told.current.minute) {
    told.current.minute = true;
    if (left > 30_000) announce("One minute left to answer about " + item.tool);
  }
  if (!locked && left < 15_000 && !told.current.quarter) {
    told.current.quarter = true;
    announce("15 seconds left to answer about " + item.tool, true);
  }
  const rank = rankOf(item.level);
  const args = item.arguments !== null && typeof item.arguments === "object" ? (item.arguments as Record<string, unknown>) : {};
  const folded = Object.entries(args).filter(([k, v]) => (typeof v === "string" ? v : pretty(v)).length > foldAt && !open.has(k));
  const edited = editing === null ? null : parse(editing);
  const needsName = item.confirm ?? "";
  const reason = locked
    ? locked
    : !armed
      ? "A moment: read it first."
      : rank >= 4 && folded.length > 0
        ? "Show all arguments first."
        : edited && "error" in edited
          ? edited.error
          : rank === 4 && !needsName && !sure
            ? "Tick that you have read what it does."
            : needsName && name !== needsName
              ? "Type " + needsName + " to approve."
              : "";
  const answer = async (decision: "approved" | "declined") => {
    setBusy(decision);
    fail(null);
    const body: Record<string, unknown> = { decision };
    if (note) body.note = note;
    if (decision === "approved") {
      body.scope = scope;
      if (scope === "calls") body.calls = 5;
      if (scope === "time") body.until = new Date(Date.now() + 3600_000).toISOString();
      if (needsName) body.confirmName = name;
      if (edited && "value" in edited) body.arguments = edited.value;
    }
    try {
      const now = await post<ApprovalItem>("/api/approvals/" + encodeURIComponent(item.id), body);
      setItem(now);
      announce(item.tool + ": " + decision);
      onDone?.(now);
    } catch (e) {
      const other = e instanceof ApiError ? (e.problem["approval"] as ApprovalItem | undefined) : undefined;
      if (other) setItem(other);
      else fail(e);
    } finally {
      setBusy("");
    }
  };
  const keys = (e: KeyboardEvent) => {
    if (e.target !== e.currentTarget || rank > 3 || needsName || e.repeat) return;
    if (e.key === "a" && reason === "") void answer("approved");
    if (e.key === "d" && !locked) void answer("declined");
  };
  const seconds = Math.ceil(left / 1000);
  const total = Math.max(1, (Date.parse(item.deadline) - Date.parse(item.created)) / 1000);
  return (
    <article class="card stack" data-testid="approval-card" data-id={item.id} data-state={item.state} tabIndex={0} aria-label={"Approval of " + item.tool} onKeyDown={keys}>
      <div class="row spread">
        <h3 class="wrap">
          <Foreign text={item.prompt} />
        </h3>
        <Level level={item.level} />
      </div>
      <dl class="kv">
        <dt>Tool</dt>
        <dd>
          {item.tool} {item.server ? "of the server " + item.server : "of this program"}
        </dd>
        <dt>Asked by</dt>
        <dd>
          {sideWords[item.side] ?? item.side}
          {item.principal.subject ? ", " + item.principal.subject + (item.principal.via ? " via " + item.principal.via : "") : ""}
        </dd>
        <dt>Why it asks</dt>
        <dd>{(item.why ?? []).join(" ") || "Row " + item.rule + " of the precedence table."}</dd>
      </dl>
      {(item.findings ?? []).length > 0 && (
        <div class="note mid">
          {item.findings!.map((f) => (
            <Foreign text={pretty(f)} />
          ))}
        </div>
      )}
      <div class="stack tight">
        <h4>Arguments</h4>
        {editing === null ? (
          <dl class="stack tight" data-testid="approval-arguments">
            {Object.entries(args).map(([k, v]) => (
              <Argument name={k} value={v} open={open.has(k)} onOpen={() => setOpen(new Set([...open, k]))} masked={item.masked ?? false} />
            ))}
            {Object.keys(args).length === 0 && <p class="muted">None.</p>}
          </dl>
        ) : (
          <Text tid="approval-edit" label="Edited arguments; the model is told that you changed them" mono lines={6} value={editing} onInput={setEditing} error={edited && "error" in edited ? edited.error : undefined} />
        )}
      </div>
      {locked ? (
        <p class="note" data-testid="approval-locked">
          {locked}
        </p>
      ) : (
        <>
          <label class="axis">
            <span class="num" data-testid="approval-left">
              {Math.floor(seconds / 60)}:{String(seconds % 60).padStart(2, "0")} left
            </span>
            <meter min={0} max={total} value={seconds} aria-label="Time left to answer" />
          </label>
          {rank <= 4 && !needsName && item.scopes.length > 1 && (
            <Select tid="approval-scope" label="A yes counts" value={scope} options={item.scopes.map((s): [string, string] => [s, scopeWords[s] ?? s])} onChange={setScope} />
          )}
          {rank === 4 && !needsName && (
            <Check tid="approval-sure" checked={sure} onChange={setSure}>
              I have read what this {levelWords[levelOf(item.level)]?.toLowerCase()}-risk call does.
            </Check>
          )}
          {needsName && <Text tid="approval-name" label={"Type " + needsName + " to approve"} mono value={name} onInput={setName} />}
          <Text tid="approval-note" label="Note to the model, when you decline (optional)" value={note} onInput={setNote} />
          {failure !== null && <ProblemView error={failure} />}
          <div class="row">
            <Button tid="approval-decline" busy={busy === "declined"} onClick={() => void answer("declined")}>
              Decline
            </Button>
            {item.schema !== undefined && !item.masked && (
              <Button tid="approval-edit-open" onClick={() => setEditing(editing === null ? pretty(item.arguments) : null)}>
                {editing === null ? "Edit arguments" : "Do not edit"}
              </Button>
            )}
            <Button tid="approval-approve" kind="primary" busy={busy === "approved"} disabled={reason !== ""} describedBy={"why-" + item.id} onClick={() => void answer("approved")}>
              Approve
            </Button>
            <span class="hint" id={"why-" + item.id} data-testid="approval-reason">
              {reason}
            </span>
          </div>
        </>
      )}
    </article>
  );
}
