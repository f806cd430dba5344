import { later } from "../../ui/later";
import { ApprovalCard } from "../shared/approval/asked";
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../../api/client";
import { on } from "../../api/events";
import type { ApprovalView, ServerBuiltin } from "../../api/types";
import { useData } from "../../ui/data";
import { Because } from "../../ui/because";
import { Foreign } from "../../ui/hostile";
import { pretty, Tree } from "../../ui/json";
import { Button, Link, Loading, ms, ProblemView } from "../../ui/parts";
import { Level } from "../../ui/risk";
import { Result } from "./result";
import { argsOf, type Call } from "./turns";

const Again = later(async () => (await import("./chatpanels")).Again);

const stateWords: Record<string, string> = {
  PROPOSED: "writing arguments…",
  AWAITING_APPROVAL: "waiting for you",
  IN_PROGRESS: "running",
  COMPLETED: "done",
  FAILED: "failed",
  DECLINED: "declined",
  SKIPPED: "blocked",
  CANCELLED: "cancelled",
};
const whyWords: Record<string, string> = {
  "unknown-tool": "not available: no pass, no run",
  repeated: "the same call too often",
  limit: "too many calls",
  interrupted: "the program ended while it ran",
  "bad-arguments": "arguments that do not fit",
};

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
  const [item, set] = useState<ApprovalView | null>(null);
  const [failure, fail] = useState<unknown>(null);
  useEffect(() => {
    const stop = new AbortController();
    const look = () =>
      void get<ApprovalView>("/api/approvals/" + encodeURIComponent(id), stop.signal).then(
        (i) => (set(i), fail(null)),
        (e: unknown) => !stop.signal.aborted && fail(e),
      );
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
  return Object.entries(args)
    .map(([k, v]) => k + ": " + (typeof v === "string" ? v : JSON.stringify(v)))
    .join(", ")
    .slice(0, 120);
}

/** Ways lead from a call to its tool, which this program may have or not. */
function Ways({ call }: { call: Call }) {
  const [again, open] = useState(false);
  const served = useData<ServerBuiltin>((s) => get("/api/mcp/builtin", s), []);
  const tool = served.data?.tools.find((t) => t.name === call.name)?.toolId;
  if (!tool)
    return served.data ? (
      <p class="hint">This tool is not live here any more, or another server has it.</p>
    ) : null;
  return (
    <div class="row">
      <Button tid="tool-card-again" small onClick={() => open(true)}>
        Edit and run again
      </Button>
      <Link tid="tool-card-studio" href={"/tools/" + encodeURIComponent(tool)}>
        Open in Tool Studio
      </Link>
      {again && (
        <Again tool={tool} name={call.name} args={call.edited ?? argsOf(call)} onClose={() => open(false)} />
      )}
    </div>
  );
}

const over = (c: Call) => ["COMPLETED", "FAILED", "DECLINED", "SKIPPED", "CANCELLED"].includes(c.state);

function Inside({ call }: { call: Call }) {
  const args = call.edited ?? argsOf(call);
  return (
    <div class="stack tight">
      {call.because && <Because tid="tool-card-because" why={call.because} by={call.decidedBy} />}
      <h4>Arguments</h4>
      {args === undefined ? <p class="muted">None yet.</p> : <Tree tid="tool-card-arguments" value={args} />}
      {call.edited !== undefined && (
        <div class="note mid" data-testid="tool-card-edited">
          <span>A person changed the arguments. The model asked for:</span>
          <pre class="wrap">
            <Foreign text={pretty(argsOf(call))} />
          </pre>
        </div>
      )}
      {call.result !== "" && (
        <Result tid="tool-card-result" text={call.result} bytes={call.bytes} cut={call.cut} />
      )}
      {over(call) && <Ways call={call} />}
    </div>
  );
}

export function ToolCard({ call, live }: { call: Call; live: boolean }) {
  const bad = call.state === "FAILED" || call.state === "DECLINED" || call.state === "SKIPPED";
  const waits = call.state === "AWAITING_APPROVAL" && call.approval !== "" && live;
  const [opened, open] = useState(bad);
  useEffect(() => {
    if (bad) open(true);
  }, [bad]);
  const top = useRef<HTMLElement>(null);
  useEffect(() => {
    // the answered question had the focus
    if (waits) return () => document.activeElement === document.body && top.current?.focus();
  }, [waits]);
  const word =
    call.state === "IN_PROGRESS" && live && call.began ? (
      <>
        running <Clock since={call.began} />
      </>
    ) : (
      (stateWords[call.state] ?? call.state.toLowerCase())
    );
  return (
    <>
      <details
        class={"toolcard " + call.state.toLowerCase()}
        data-testid="tool-card"
        data-id={call.name}
        data-state={call.state}
        open={opened}
        onToggle={(e) => open(e.currentTarget.open)}
      >
        <summary ref={top} data-testid="tool-card-open">
          <span class="t">{call.name || "…"}</span>
          {call.server && <span class="hint">{call.server}</span>}
          {call.level && <Level level={call.level} />}
          <span class={"hint num" + (bad ? " err" : "")} data-testid="tool-card-state">
            {word}
            {call.state === "COMPLETED" && call.ms > 0 ? " " + ms(call.ms) : ""}
            {call.why && call.why !== "executed" && call.why !== word
              ? ": " + (whyWords[call.why] ?? call.why)
              : ""}
          </span>
          <span class="hint sum">
            <Foreign text={summary(call.edited ?? argsOf(call))} />
          </span>
        </summary>
        {opened && <Inside call={call} />}
      </details>
      {call.progress && !over(call) && (
        <label class="axis" data-testid="tool-card-progress">
          <span class="num">
            {call.progress.text ? <Foreign text={call.progress.text} /> : "Progress"}
            {call.progress.total > 0 ? ", " + call.progress.done + " of " + call.progress.total : ""}
          </span>
          <progress
            value={call.progress.total > 0 ? call.progress.done : undefined}
            max={call.progress.total || undefined}
            aria-label={"Progress of " + call.name}
          />
        </label>
      )}
      {waits && <Asked id={call.approval} />}
    </>
  );
}

/** ToolGroup is calls that a model made at once. */
export function ToolGroup({ calls, live }: { calls: Call[]; live: boolean }) {
  const count = (state: string, words: string) => {
    const n = calls.filter((c) => c.state === state).length;
    return n > 0 ? ", " + n + " " + words : "";
  };
  return (
    <div
      class="stack tight"
      role={calls.length > 1 ? "group" : undefined}
      aria-label={calls.length > 1 ? calls.length + " tools" : undefined}
    >
      {calls.length > 1 && (
        <span class="hint num" data-testid="tool-group">
          {calls.length} tools{count("IN_PROGRESS", "running")}
          {live ? count("AWAITING_APPROVAL", "waiting for you") : ""}
          {count("FAILED", "failed")}
        </span>
      )}
      {calls.map((c) => (
        <ToolCard key={c.id} call={c} live={live} />
      ))}
    </div>
  );
}
