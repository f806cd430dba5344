import { memo } from "../ui/memo";
import { useEffect, useState } from "preact/hooks";
import { get } from "../api/client";
import { on } from "../api/events";
import type { ApprovalItem } from "../api/types";
import { Foreign } from "../ui/hostile";
import { pretty, Tree } from "../ui/json";
import { bytes, Button, Copy, Loading, ms, ProblemView } from "../ui/parts";
import { Level } from "../ui/risk";
import { ApprovalCard } from "./approvalcard";
import { Markdown } from "./markup";
import { answerOf, argsOf, type Call, type Part, type Turn } from "./turns";

const stateWords: Record<string, string> = { PROPOSED: "writing arguments…", AWAITING_APPROVAL: "waiting for you", IN_PROGRESS: "running", COMPLETED: "done", FAILED: "failed", DECLINED: "declined", SKIPPED: "blocked", CANCELLED: "cancelled" };
const whyWords: Record<string, string> = { "unknown-tool": "not available: no pass, no run", repeated: "the same call too often", limit: "too many calls", interrupted: "the program ended while it ran", "bad-arguments": "arguments that do not fit" };

function Clock({ since }: { since: number }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 100);
    return () => clearInterval(timer);
  }, []);
  return <span class="num">{((Date.now() - since) / 1000).toFixed(1)} s</span>;
}

/** Asked is the question about a call, where the call stands. */
function Asked({ id }: { id: string }) {
  const [item, set] = useState<ApprovalItem | null>(null);
  const [failure, fail] = useState<unknown>(null);
  useEffect(() => {
    const stop = new AbortController();
    const look = () => void get<ApprovalItem>("/api/approvals/" + encodeURIComponent(id), stop.signal).then((i) => (set(i), fail(null)), (e: unknown) => !stop.signal.aborted && fail(e));
    look();
    const off = on(["approvals"], look);
    return () => {
      stop.abort();
      off();
    };
  }, [id]);
  if (item) return <ApprovalCard item={item} />;
  return failure !== null ? <ProblemView error={failure} /> : <Loading what="the question" lines={3} />;
}

function summary(args: unknown): string {
  if (args === undefined || args === null) return "";
  if (typeof args !== "object") return String(args).slice(0, 120);
  return Object.entries(args).map(([k, v]) => k + ": " + (typeof v === "string" ? v : JSON.stringify(v))).join(", ").slice(0, 120);
}

function ToolCard({ call, live }: { call: Call; live: boolean }) {
  const bad = call.state === "FAILED" || call.state === "DECLINED" || call.state === "SKIPPED";
  const waits = call.state === "AWAITING_APPROVAL" && call.approval !== "" && live;
  const args = argsOf(call);
  const word = call.state === "IN_PROGRESS" && live && call.began ? <>running <Clock since={call.began} /></> : (stateWords[call.state] ?? call.state.toLowerCase());
  return (
    <>
      <details class={"toolcard " + call.state.toLowerCase()} data-testid="tool-card" data-id={call.name} data-state={call.state} open={bad}>
        <summary data-testid="tool-card-open">
          <span class="t">{call.name || "…"}</span>
          {call.server && <span class="hint">{call.server}</span>}
          {call.level && <Level level={call.level} />}
          <span class={"hint num" + (bad ? " err" : "")} data-testid="tool-card-state">
            {word}
            {call.state === "COMPLETED" && call.ms > 0 ? " " + ms(call.ms) : ""}
            {call.why ? ": " + (whyWords[call.why] ?? call.why) : ""}
          </span>
          <span class="hint sum"><Foreign text={summary(args)} /></span>
        </summary>
        <div class="stack tight">
          <h4>Arguments</h4>
          {args === undefined ? <p class="muted">None yet.</p> : <Tree tid="tool-card-arguments" value={args} />}
          {call.edited !== undefined && (
            <div class="note mid" data-testid="tool-card-edited">
              <span>A person changed the arguments. What ran:</span>
              <pre class="wrap"><Foreign text={pretty(call.edited)} /></pre>
            </div>
          )}
          {call.progress && (
            <label class="axis">
              <span class="num">{call.progress.text || "Progress"}</span>
              <progress value={call.progress.done} max={call.progress.total || undefined} aria-label="Progress of the call" />
            </label>
          )}
          {call.result !== "" && (
            <>
              <div class="row spread">
                <h4>Result{call.bytes ? ", " + bytes(call.bytes) : ""}</h4>
                <Copy tid="tool-card-copy" text={call.result} />
              </div>
              <pre class="code" tabIndex={0} data-testid="tool-card-result"><Foreign text={call.result.slice(0, 20_000)} /></pre>
              {call.cut && <p class="hint">The model saw the first {call.cut.kept.toLocaleString("en")} of {call.cut.total.toLocaleString("en")} characters.</p>}
            </>
          )}
        </div>
      </details>
      {waits && <Asked id={call.approval} />}
    </>
  );
}

function Thinking({ part, busy }: { part: Extract<Part, { kind: "thinking" }>; busy: boolean }) {
  return (
    <details class="thinking" data-testid="thinking" open={busy && part.open}>
      <summary data-testid="thinking-open">{part.open ? "Thinking…" : "Thought" + (part.ms ? " for " + ms(part.ms) : "")}</summary>
      <div class="wrap" dir="auto">{part.text}</div>
    </details>
  );
}

function Pieces({ turn }: { turn: Turn }) {
  const out = [];
  const parts = turn.parts;
  for (let i = 0; i < parts.length; i++) {
    const p = parts[i]!;
    if (p.kind === "tool") {
      let n = i;
      while (n < parts.length && parts[n]!.kind === "tool") n++;
      const group = parts.slice(i, n) as Call[];
      const running = group.filter((c) => c.state === "IN_PROGRESS").length;
      out.push(
        <div class="stack tight" key={"g" + i}>
          {group.length > 1 && <span class="hint">{group.length} tools{running ? ", " + running + " running" : ""}</span>}
          {group.map((c) => <ToolCard key={c.id} call={c} live={turn.live} />)}
        </div>,
      );
      i = n - 1;
    } else if (p.kind === "thinking") out.push(<Thinking key={i} part={p} busy={turn.live} />);
    else if (p.kind === "notice") out.push(<div key={i} class={"note " + p.tone}><Foreign text={p.text} /></div>);
    else if (p.kind === "card") out.push(<Tree key={i} tid="card" value={p.payload} />);
    else out.push(<div key={i} class={p.kind === "refusal" ? "note mid" : ""}><Markdown text={p.text} done={!p.open} /></div>);
  }
  return <>{out}</>;
}

const endWords: Record<string, string> = { cancelled: "Stopped.", incomplete: "Interrupted.", paused: "Paused: it waits for a decision.", length: "Cut: the answer reached its longest length.", content_filter: "Filtered by the provider.", tool_calls: "" };
const costOf = (t: Turn) => (t.provider === "demo" ? "no cost" : t.provider === "ollama" ? "local, free" : "unpriced");

function Footer({ turn }: { turn: Turn }) {
  const u = turn.usage;
  const bits = [
    turn.firstMs ? "first word " + ms(turn.firstMs) : "",
    turn.ms ? ms(turn.ms) : "",
    u ? u.input.toLocaleString("en") + " in, " + u.output.toLocaleString("en") + " out" + (u.reasoning ? ", " + u.reasoning + " thinking" : "") + (u.cacheRead ? ", " + u.cacheRead + " cached" : "") + (u.estimated ? " (estimated)" : "") : "",
    u ? costOf(turn) : "",
    turn.provider ? turn.provider + " · " + turn.model : "",
  ].filter(Boolean);
  return <p class="hint" data-testid="turn-usage">{bits.join(" · ")}</p>;
}

interface Props {
  turn: Turn;
  /** It changes when the turn or what its buttons stand on does. */
  version: string;
  owner: unknown;
  last: boolean;
  busy: boolean;
  /** Other ways to go on from here: conversations, and which of them this is. */
  branches: string[];
  here: string;
  onEdit: (turn: Turn) => void;
  onRetry: (turn: Turn) => void;
  onBranch: (to: string) => void;
  onResume: (turn: Turn) => void;
  onDrop: (turn: Turn) => void;
}

export const TurnView = memo(TurnShown, (a, b) => a.turn === b.turn && a.version === b.version && a.owner === b.owner && a.last === b.last && a.busy === b.busy && a.here === b.here);

function TurnShown({ turn, last, busy, branches, here, onEdit, onRetry, onBranch, onResume, onDrop }: Props) {
  const [raw, setRaw] = useState(false);
  const [left, count] = useState(0);
  useEffect(() => {
    if (turn.retryMs <= 0) return;
    const end = Date.now() + turn.retryMs;
    const timer = setInterval(() => count(Math.max(0, Math.ceil((end - Date.now()) / 1000))), 500);
    return () => clearInterval(timer);
  }, [turn.retryMs]);
  const answer = answerOf(turn);
  const empty = turn.status === "completed" && answer === "";
  const at = branches.indexOf(here);
  const end = turn.live ? "" : (endWords[turn.status] ?? endWords[turn.finish] ?? "");
  return (
    <article class="turn" data-testid="turn" data-id={turn.id} data-seq={turn.seq} data-status={turn.status || (turn.live ? "running" : "open")}>
      <div class="asked">
        <div class="bubble wrap" dir="auto" data-testid="question">
          {turn.question}
          {turn.pictures.length > 0 && (
            <div class="row">
              {turn.pictures.map((p) => p.data && /^image\/(png|jpeg|gif|webp)$/.test(p.mimeType ?? "") ? <img class="thumb" alt={p.name || "A picture of the question"} src={"data:" + p.mimeType + ";base64," + p.data} /> : <span class="hint">a picture</span>)}
            </div>
          )}
        </div>
        <div class="row end tools">
          {branches.length > 1 && at >= 0 && (
            <span class="row nowrap" data-testid="branch-switch" role="group" aria-label="Branches">
              <Button tid="branch-back" small kind="quiet" icon="fold" label="The branch before" disabled={at === 0} onClick={() => onBranch(branches[at - 1]!)} />
              <span class="num">{at + 1}/{branches.length}</span>
              <Button tid="branch-next" small kind="quiet" icon="unfold" label="The next branch" disabled={at === branches.length - 1} onClick={() => onBranch(branches[at + 1]!)} />
            </span>
          )}
          <Button tid="turn-edit" small kind="quiet" disabled={busy} onClick={() => onEdit(turn)}>Edit</Button>
          <Button tid="turn-retry" small kind="quiet" disabled={busy} onClick={() => onRetry(turn)}>Retry</Button>
        </div>
      </div>
      <div class="answer stack" data-testid="answer" aria-busy={turn.live}>
        {turn.provider === "demo" && <span class="demo" data-testid="demo-label">demo</span>}
        {raw ? <pre class="code" tabIndex={0}>{answer}</pre> : <Pieces turn={turn} />}
        {turn.live && turn.parts.length === 0 && <p class="muted" data-testid="turn-waiting">Waiting for the model…</p>}
        {end && <p class="hint" data-testid="turn-end">{end}</p>}
        {empty && <p class="hint">The model returned nothing. Finish reason: {turn.finish || "none"}.</p>}
        {turn.problem && turn.status !== "cancelled" && (
          <div class="note bad" data-testid="turn-error">
            <strong>{turn.code.replaceAll("_", " ") || "The turn failed"}</strong>
            <Foreign text={turn.problem} />
            {left > 0 && <span class="hint">The provider wants {left} s of rest.</span>}
          </div>
        )}
        {!turn.live && (
          <>
            <Footer turn={turn} />
            <div class="row">
              {answer && <Copy tid="answer-copy" text={answer} />}
              {answer && <Button tid="answer-raw" small kind="quiet" onClick={() => setRaw(!raw)}>{raw ? "Rendered" : "Raw"}</Button>}
              {last && (turn.status === "incomplete" || turn.status === "paused" || turn.status === "") && !busy && (
                <>
                  <Button tid="turn-resume" small kind="primary" onClick={() => onResume(turn)}>Resume</Button>
                  {turn.status !== "incomplete" && <Button tid="turn-drop" small onClick={() => onDrop(turn)}>Cancel the turn</Button>}
                </>
              )}
            </div>
          </>
        )}
      </div>
    </article>
  );
}
