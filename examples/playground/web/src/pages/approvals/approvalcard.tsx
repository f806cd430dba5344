import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, post } from "../../api/client";
import type { ApprovalView } from "../../api/types";
import { Foreign } from "../../ui/hostile";
import { parse, pretty } from "../../ui/json";
import { announce, Button, Check, Loading, ProblemView, Select, Text } from "../../ui/parts";
import { levelWords, levelOf, Level, rankOf } from "../../ui/risk";
import type { ArgumentEditor } from "./approvaledit";
import { Changed, Similar } from "./approvalparts";

/** How long a card is looked at before a yes counts. */
const arming = 600;
const foldAt = 400;

const scopeWords: Record<string, string> = {
  once: "This once",
  arguments: "Whenever the arguments are the same",
  conversation: "In this conversation",
  calls: "For the next calls",
  time: "For an hour",
  always: "Always",
};
const sideWords: Record<string, string> = {
  chat: "a chat or the inspector",
  server: "an MCP client",
  studio: "a test in the Tool Studio",
};

const minutes = (item: ApprovalView) =>
  Math.max(1, Math.round((Date.parse(item.latest!) - Date.parse(item.deadline)) / 60_000)) + " min";
/** clock is seconds as people read a timer: 4:05, or 1:04:05. */
const clock = (s: number) =>
  [s / 3600, (s / 60) % 60, s % 60]
    .map(Math.floor)
    .filter((n, i) => i + n > 0)
    .map((n, i) => (i > 0 ? String(n).padStart(2, "0") : n))
    .join(":");
const remaining = (deadline: string) => Math.max(0, Date.parse(deadline) - Date.now());

/** lockedBy says why a card takes no answer any more. */
function lockedBy(item: ApprovalView, own: boolean): string {
  if (item.state === "expired" || (item.state === "pending" && remaining(item.deadline) === 0))
    return "The time is up. Nobody answered, so the call was declined.";
  if (item.state === "pending" && item.changed === "risk")
    return (
      "The risk of " +
      item.tool +
      " rose while this waited. This call will not run, whatever the answer: it must be asked for again."
    );
  if (item.state === "pending" && item.changed)
    return (
      item.tool +
      " was changed while this waited, and is not the tool that was asked about. This call will not run: it must be asked for again."
    );
  if (item.state === "pending") return "";
  if (item.closed) return "Closed: " + item.closed + ". Approving it runs nothing.";
  const last = item.decisions[item.decisions.length - 1];
  return (
    (own || last?.via !== "http" ? "Answered: " : "Answered in another tab: ") +
    (item.outcome ?? item.state) +
    (last ? " by " + (last.by.subject ?? "somebody") + (last.via ? " via " + last.via : "") : "") +
    "."
  );
}

function Argument({
  name,
  value,
  open,
  onOpen,
  masked,
}: {
  name: string;
  value: unknown;
  open: boolean;
  onOpen: () => void;
  masked: boolean;
}) {
  const text = typeof value === "string" ? value : pretty(value);
  const long = text.length > foldAt;
  return (
    <div class="kv">
      <dt class="mono">{name}</dt>
      <dd>
        <pre class="wrap">
          <Foreign text={long && !open ? text.slice(0, foldAt) + "…" : text} />
        </pre>
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

const Targets = ({ list }: { list: string[] }) => (
  <>
    {list.map((t, i) => (
      <>
        {i > 0 && ", "}
        <code>
          <Foreign text={t} />
        </code>
      </>
    ))}
  </>
);

/**
 * ApprovalCard asks a person about one call. What the level is decides how much
 * it takes to say yes; to say no takes one click, and to go away is no answer.
 */
export function ApprovalCard({
  item: given,
  onDone,
}: {
  item: ApprovalView;
  onDone?: (item: ApprovalView) => void;
}) {
  const [item, setItem] = useState(given);
  const [armed, arm] = useState(false);
  const [open, setOpen] = useState<Set<string>>(new Set());
  const [scope, setScope] = useState("once");
  const [note, setNote] = useState("");
  const [name, setName] = useState("");
  const [sure, setSure] = useState(false);
  const [editing, setEditing] = useState<string | null>(null);
  const [Editor, setEditor] = useState<typeof ArgumentEditor | null>(null);
  const [busy, setBusy] = useState("");
  const [failure, fail] = useState<unknown>(null);
  const [, tick] = useState(0);
  const box = useRef<HTMLElement>(null);
  const own = useRef(false); // it was answered here
  const [more, setMore] = useState({ calls: "5", hours: "1" });
  const told = useRef({ minute: false, quarter: false });
  useEffect(
    () => setItem(given),
    [given.state, given.id, given.decisions.length, given.deadline, given.changed],
  );
  useEffect(() => {
    const timer = setTimeout(() => arm(true), arming);
    const beat = setInterval(() => tick((n) => n + 1), 1000);
    return () => {
      clearTimeout(timer);
      clearInterval(beat);
    };
  }, [given.id]);
  const locked = lockedBy(item, own.current);
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
  const args =
    item.arguments !== null && typeof item.arguments === "object"
      ? (item.arguments as Record<string, unknown>)
      : {};
  const folded = Object.entries(args).filter(
    ([k, v]) => (typeof v === "string" ? v : pretty(v)).length > foldAt && !open.has(k),
  );
  const edited = editing === null ? null : parse(editing);
  const ran = item.decisions[item.decisions.length - 1]?.arguments;
  const needsName = item.confirm ?? "";
  const effect = (item.changes ?? []).join(" ");
  const targets = editing === null ? (item.targets ?? []) : []; // edited, they are others
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
      if (scope === "calls") body.calls = Number(more.calls);
      if (scope === "time")
        body.until = new Date(Date.now() + Number(more.hours) * 3600_000 - 5000).toISOString();
      if (needsName) body.confirmName = name;
      if (edited && "value" in edited) body.arguments = edited.value;
    }
    try {
      const now = await post<ApprovalView>("/api/approvals/" + encodeURIComponent(item.id), body);
      own.current = true;
      box.current?.focus(); // the button goes away
      setItem(now);
      announce(item.tool + ": " + decision);
      onDone?.(now);
    } catch (e) {
      const other = e instanceof ApiError ? (e.problem["approval"] as ApprovalView | undefined) : undefined;
      if (other) setItem(other);
      else fail(e);
    } finally {
      setBusy("");
    }
  };
  const extend = async () => {
    setBusy("more");
    fail(null);
    try {
      const now = await post<ApprovalView>("/api/approvals/" + encodeURIComponent(item.id) + "/more-time");
      told.current = { minute: false, quarter: false };
      setItem(now);
      announce("You have until " + new Date(now.deadline).toLocaleTimeString());
    } catch (e) {
      const other = e instanceof ApiError ? (e.problem["approval"] as ApprovalView | undefined) : undefined;
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
    <article
      ref={box}
      class="card stack"
      data-testid="approval-card"
      data-id={item.id}
      data-state={item.state}
      tabIndex={0}
      aria-label={"Approval of " + item.tool}
      onKeyDown={keys}
    >
      <div class="row spread">
        <h3 class="wrap">
          <Foreign text={item.prompt} />
        </h3>
        <Level level={item.level} proposed={item.proposed} full />
      </div>
      <dl class="kv">
        <dt>Tool</dt>
        <dd>
          {item.tool} {item.server ? "of the server " + item.server : "of this program"}
        </dd>
        <dt>Asked by</dt>
        <dd>
          {sideWords[item.side] ?? item.side}
          {item.principal.subject
            ? ", " + item.principal.subject + (item.principal.via ? " via " + item.principal.via : "")
            : ""}
          {item.client && (
            <>
              , client{" "}
              <Foreign
                text={[
                  item.client.name,
                  item.client.version,
                  item.client.session && "(session " + item.client.session + ")",
                ]
                  .filter(Boolean)
                  .join(" ")}
              />
            </>
          )}
        </dd>
        <dt>Why it asks</dt>
        <dd>{(item.why ?? []).join("; ") || "Row " + item.rule + " of the precedence table."}</dd>
        {effect && (
          <>
            <dt>What it may touch</dt>
            <dd class="wrap" data-testid="approval-effect">
              <Foreign text={effect} />
            </dd>
          </>
        )}
        {targets.length > 0 && (
          <>
            <dt>This call names</dt>
            <dd class="wrap" data-testid="approval-targets">
              <Targets list={targets} />
            </dd>
          </>
        )}
        {item.state === "pending" && <Similar item={item} />}
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
              <Argument
                name={k}
                value={v}
                open={open.has(k)}
                onOpen={() => setOpen(new Set([...open, k]))}
                masked={item.masked ?? false}
              />
            ))}
            {Object.keys(args).length === 0 && <p class="muted">None.</p>}
          </dl>
        ) : (
          <>
            {Editor ? (
              <Editor
                schema={item.schema}
                text={editing}
                onText={setEditing}
                error={edited && "error" in edited ? edited.error : undefined}
              />
            ) : (
              <Loading what="the editor" lines={3} />
            )}
            {edited && "value" in edited && <Changed before={item.arguments} after={edited.value} />}
          </>
        )}
        {locked && ran !== undefined && (
          <>
            <h4>Ran with other arguments</h4>
            <Changed before={item.arguments} after={ran} />
          </>
        )}
      </div>
      {locked ? (
        <div class="note row spread" data-testid="approval-locked" data-changed={item.changed ?? ""}>
          <span>{locked}</span>
          {item.state === "pending" && item.changed && (
            <Button
              tid="approval-decline"
              small
              busy={busy === "declined"}
              onClick={() => void answer("declined")}
            >
              Tell the caller now
            </Button>
          )}
        </div>
      ) : (
        <>
          <div class="row spread nowrap">
            <label class="axis grow">
              <span class="num" data-testid="approval-left">
                {clock(seconds)} left
              </span>
              <meter min={0} max={total} value={seconds} aria-label="Time left to answer" />
            </label>
            {item.latest && (
              <Button tid="approval-more" small busy={busy === "more"} onClick={() => void extend()}>
                Give me more time (+{minutes(item)})
              </Button>
            )}
          </div>
          {rank <= 4 && !needsName && item.scopes.length > 1 && (
            <Select
              tid="approval-scope"
              label="Approve for"
              value={scope}
              options={item.scopes.map((s): [string, string] => [s, scopeWords[s] ?? s])}
              onChange={setScope}
            />
          )}
          {scope === "calls" && (
            <Select
              tid="approval-calls"
              label="How many calls"
              value={more.calls}
              options={["2", "5", "10", "50"].map((n): [string, string] => [n, n])}
              onChange={(calls) => setMore({ ...more, calls })}
            />
          )}
          {scope === "time" && (
            <Select
              tid="approval-hours"
              label="For how long"
              value={more.hours}
              options={[
                ["1", "1 hour"],
                ["4", "4 hours"],
                ["8", "8 hours"],
              ]}
              onChange={(hours) => setMore({ ...more, hours })}
            />
          )}
          {rank === 4 && !needsName && (
            <Check tid="approval-sure" checked={sure} onChange={setSure}>
              {effect ? (
                <span class="wrap">
                  I have read it: <Foreign text={effect} />
                  {targets.length > 0 && (
                    <>
                      {" "}
                      This call names <Targets list={targets} />.
                    </>
                  )}
                </span>
              ) : (
                <>
                  I have read what this {levelWords[levelOf(item.level)]?.toLowerCase()}-risk call of{" "}
                  {item.tool} does.
                </>
              )}
            </Check>
          )}
          {needsName && (
            <Text
              tid="approval-name"
              label={"Type " + needsName + " to approve"}
              hint={effect}
              mono
              value={name}
              onInput={setName}
            />
          )}
          <Text
            tid="approval-note"
            label="Note to the model, when you decline (optional)"
            value={note}
            onInput={setNote}
          />
          {failure !== null && <ProblemView error={failure} />}
          <div class="row">
            <Button tid="approval-decline" busy={busy === "declined"} onClick={() => void answer("declined")}>
              Decline
            </Button>
            {item.schema !== undefined && !item.masked && (
              <Button
                tid="approval-edit-open"
                onClick={() => {
                  setEditing(editing === null ? pretty(item.arguments) : null);
                  if (!Editor)
                    void import("./approvaledit").then((m) => setEditor(() => m.ArgumentEditor), fail);
                }}
              >
                {editing === null ? "Edit arguments" : "Discard edits"}
              </Button>
            )}
            <Button
              tid="approval-approve"
              kind="primary"
              busy={busy === "approved"}
              disabled={reason !== ""}
              describedBy={"why-" + item.id}
              onClick={() => void answer("approved")}
            >
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
