import { useEffect, useRef, useState } from "preact/hooks";
import { del, get, send } from "../../api/client";
import { live, on } from "../../api/events";
import type {
  ApprovalView,
  ApprovalItemList,
  StudioConsoleLine,
  StudioRun,
  StudioRunEvent,
} from "../../api/types";
import { Foreign } from "../../ui/hostile";
import { Tree, parse } from "../../ui/json";
import type { Place } from "../../ui/code";
import { later } from "../../ui/later";
import { announce, bytes, Button, ms, ProblemView, Tabs } from "../../ui/parts";
import { Level } from "../../ui/risk";
import { Json } from "../shared/params";
import { others, tried } from "./runattempts";
import { asTestValues, fixes } from "./fixes";
import { same } from "./studioparts";
import { argument, blankParams, type Spec } from "./spec";
import { adopt } from "../../ui/style";
import css from "../../styles/editor.css" with { type: "text" };

adopt(css);

const Attempts = later(async () => (await import("./studioextras")).Attempts, "what it tried");
const Console = later(async () => (await import("./studioextras")).Console, "the console");
const Limits = later(async () => (await import("./studioextras")).Limits, "the limits");
const ApprovalCard = later(async () => (await import("./studioextras")).ApprovalCard, "the question");

interface Props {
  spec: Spec;
  /** before makes sure that what is on the page is stored, and gives its id. */
  before: () => Promise<string | null>;
  onRun: (run: StudioRun) => void;
  onLine: (place: Place) => void;
  /** edit changes the document; it runs nothing. */
  edit: (change: (spec: Spec) => Spec) => void;
  /** start begins a run from elsewhere on the page; it brings the panel into view when asked to. */
  start: { current: ((show?: boolean) => void) | null };
  errors: string[];
}

const final = (s: string) => s !== "queued" && s !== "running";

/** What the kinds of failure mean to the person who wrote the code. */
const kindWords: Record<string, string> = {
  JS_ERROR: "The code threw an error.",
  SECURITY: "The sandbox refused something.",
  TIMEOUT: "It took longer than it may.",
  RESOURCE_LIMIT: "It used more than it may.",
  VALIDATION: "The arguments do not fit the parameters.",
  CANCELLED: "It was stopped.",
};

export function RunPanel({ spec, before, onRun, onLine, edit, start, errors }: Props) {
  const [run, setRun] = useState<StudioRun | null>(null);
  const [id, setId] = useState("");
  const [lines, setLines] = useState<StudioConsoleLine[]>([]);
  const [tab, setTab] = useState("result");
  const [failure, fail] = useState<unknown>(null);
  const [began, setBegan] = useState(0);
  const [, tick] = useState(0);
  const [own, setOwn] = useState(false);
  const [args, setArgs] = useState<Record<string, unknown>>({});
  const [sieve, setSieve] = useState({ text: "", level: "" });
  const ran = useRef(""); // the code of the run
  const asked = useRef({}); // what it was started with
  const [waiting, setWaiting] = useState<ApprovalView[]>([]);
  const current = useRef("");
  const panel = useRef<HTMLElement>(null);
  const watched = useRef(false);
  const running = id !== "" && (!run || !final(run.state));

  const finish = async (runId: string) => {
    try {
      const r = await get<StudioRun>("/api/runs/" + encodeURIComponent(runId));
      if (current.current !== runId) return;
      setRun(r);
      if (final(r.state)) {
        setLines(r.console);
        setWaiting([]);
        announce("The run " + (r.state === "passed" ? "passed" : "ended: " + r.state));
        onRun(r);
        const at = r.cases.find((c) => !c.ok)?.error;
        if (at?.line) onLine({ line: at.line, col: at.col });
      }
    } catch (e) {
      fail(e);
    }
  };
  useEffect(
    () =>
      on(["runs"], (e) => {
        const d = e.data as StudioRunEvent | null;
        if (e.type === "resync") {
          if (current.current) void finish(current.current);
          return;
        }
        if (!d || d.runId !== current.current) return;
        if (e.type === "run.console" && d.line) setLines((l) => (l.length < 1000 ? [...l, d.line!] : l));
        if (e.type === "run.finished") void finish(d.runId);
      }),
    [],
  );
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => {
      tick((n) => n + 1);
      if (!live.value) void finish(current.current);
    }, 500);
    // An event may have come before this page knew the id.
    const once = setTimeout(() => void finish(current.current), 1500);
    return () => {
      clearInterval(timer);
      clearTimeout(once);
    };
  }, [running, id]);
  useEffect(() => {
    if (!running) return;
    const look = async () => {
      const list = await get<ApprovalItemList>("/api/approvals?state=pending&limit=50");
      setWaiting(list.items.filter((i) => i.tool === spec.name && i.side === "studio"));
    };
    void look().catch(() => {});
    return on(["approvals"], () => void look().catch(() => {}));
  }, [running, id]);

  const blankNames = blankParams(spec);
  const reason =
    spec.name === ""
      ? "Give the tool a name first."
      : blankNames.length > 0
        ? "A test value is missing: " + blankNames.join(", ") + "."
        : errors.length > 0
          ? errors[0]!
          : "";
  const begin = async (body: object) => {
    if (running) return;
    fail(null);
    setRun(null);
    setLines([]);
    ran.current = spec.code;
    asked.current = body;
    setBegan(Date.now());
    try {
      const tool = await before();
      if (tool === null) return;
      const { data } = await send<{ runId: string }>(
        "POST",
        "/api/tools/" + encodeURIComponent(tool) + "/runs",
        body,
      );
      current.current = data.runId;
      setId(data.runId);
    } catch (e) {
      fail(e);
      setId("");
    }
  };
  start.current = (show) => {
    watched.current = show ?? false;
    if (show || reason !== "") panel.current?.scrollIntoView({ block: "nearest" });
    if (reason !== "") announce(reason, true);
    else void begin({});
  };
  // Somebody who pressed the button at the foot of the page wants to see what comes.
  useEffect(() => {
    if (run && final(run.state) && watched.current) panel.current?.scrollIntoView({ block: "nearest" });
  }, [run?.state]);
  const stop = () => void del("/api/runs/" + encodeURIComponent(id)).catch(fail);
  const failed = run?.cases.find((c) => !c.ok);
  const shown = run?.cases ?? [];
  const repairs = run && final(run.state) && run.state !== "passed" ? fixes(run, spec) : [];
  const given = Object.keys(args).length > 0 ? args : fromTests(spec);
  return (
    <section class="card stack runpanel" aria-labelledby="run-title" ref={panel}>
      <div class="row spread">
        <h2 id="run-title">Test</h2>
        <span class="row">
          {running ? (
            <Button tid="tool-stop" icon="stop" onClick={stop} disabled={id === ""}>
              Stop
            </Button>
          ) : null}
          <Button
            tid="tool-run"
            icon="play"
            busy={running}
            disabled={reason !== ""}
            describedBy="run-reason"
            onClick={() => ((watched.current = true), void begin({}))}
          >
            Run test
          </Button>
        </span>
      </div>
      <p class={reason ? "warn" : "vh"} id="run-reason" data-testid="tool-run-reason">
        {reason}
      </p>
      <details open={own} onToggle={(e) => setOwn(e.currentTarget.open)}>
        <summary data-testid="run-own">Other arguments, for this run only</summary>
        {own && (
          <div class="stack tight">
            <Json tid="run-args" label="Arguments" value={given} onValue={setArgs} />
            <div class="row">
              <Button
                tid="run-try"
                small
                disabled={running || spec.name === ""}
                onClick={() => void begin({ args: given })}
              >
                Run with these
              </Button>
              <Button
                tid="run-keep"
                small
                disabled={same(fromTests(spec), given)}
                onClick={() => (
                  edit((s) => asTestValues(s, given)),
                  announce("These are the test values now.")
                )}
              >
                Save as test values
              </Button>
              <span class="hint">Nothing is recorded: this earns no pass.</span>
            </div>
          </div>
        )}
      </details>
      {failure !== null && <ProblemView error={failure} />}
      {waiting.map((item) => (
        <ApprovalCard key={item.id} item={item} />
      ))}
      <div
        class="row"
        data-testid="run-status"
        data-state={run?.state ?? (running ? "running" : "")}
        role="status"
      >
        {running && waiting.length > 0
          ? "waits for you"
          : running
            ? "running " + ((Date.now() - began) / 1000).toFixed(1) + " s of " + limit(spec)
            : null}
        {run && final(run.state) && (
          <>
            <strong class={run.state === "passed" ? "ok" : "err"}>
              {run.state === "passed"
                ? "passed in " + ms(run.durationMs)
                : run.state === "failed"
                  ? "failed"
                  : run.state}
            </strong>
            <a href={"/observe/traces?trace=" + encodeURIComponent(run.runId)} data-testid="run-traces">
              Open trace
            </a>
            {run.workspace && (
              <span class="hint" data-testid="run-workspace">
                {run.workspace === "real"
                  ? "in the real workspace"
                  : run.workspace === "copy"
                    ? "in a copy of the workspace"
                    : "with the files of its fixtures"}
              </span>
            )}
            {run.kind === "try" && <span class="hint">with other arguments: no pass comes of it</span>}
            {run.kind === "test" && run.receipt && (
              <span class="stamp" data-testid="pass-stamp">
                Local Pass · {new Date(run.receipt.at).toLocaleTimeString()} ·{" "}
                <code title={run.receipt.contentHash}>
                  {run.receipt.contentHash.replace(/^sha256:/, "").slice(0, 10)}
                </code>
                <Level level={run.receipt.level} />
              </span>
            )}
          </>
        )}
      </div>
      {run && final(run.state) && run.state !== "passed" && (
        <div
          class="note bad"
          data-testid="run-failure"
          data-kind={failed?.error?.kind ?? ""}
          data-reason={failed?.error?.reason ?? ""}
        >
          <strong>
            {failed?.error
              ? failed.error.kind + (failed.error.reason ? " · " + failed.error.reason : "")
              : "It did not pass"}
          </strong>
          {failed?.error && <span class="muted">{kindWords[failed.error.kind] ?? ""}</span>}
          <Foreign text={failed?.error?.message || failed?.message || run.message || ""} />
          {failed?.error && failed.message && failed.message !== failed.error.message && (
            <Foreign text={failed.message} />
          )}
          {failed && <span class="hint">Case: {failed.name}</span>}
          <span class="row">
            {failed?.error?.line ? (
              <Button
                tid="fix-line"
                small
                onClick={() => onLine({ line: failed.error!.line!, col: failed.error!.col, focus: true })}
              >
                Go to line {failed.error.line}
              </Button>
            ) : null}
            {/^workspace-(too-large|copy)$/.test(failed?.error?.reason ?? "") && (
              <Button
                tid="run-real"
                small
                onClick={() => void begin({ ...asked.current, realWorkspace: true })}
              >
                Run in the real workspace, which it can change
              </Button>
            )}
            {repairs.map((f) => (
              <Button
                tid={f.tid}
                dataId={f.id}
                small
                onClick={() => (edit(f.apply), announce("Changed. Nothing was run or saved."))}
              >
                {f.label}
              </Button>
            ))}
          </span>
        </div>
      )}
      {(run || lines.length > 0) && (
        <>
          <Tabs
            tid="run-tab"
            label="What came of it"
            value={tab}
            onChange={setTab}
            tabs={[
              ["result", "Result"],
              ["console", "Console (" + lines.length + ")"],
              ["network", "Network (" + tried(shown, "fetch") + ")"],
              ["files", "Files (" + tried(shown, "fs") + ")"],
              ["limits", "Limits"],
              ["raw", "Raw"],
            ]}
          />
          {tab === "result" && (
            <div class="stack tight" data-testid="run-result">
              {shown.map((c) => (
                <details open={shown.length === 1 || !c.ok || c === shown[0]}>
                  <summary data-testid="run-case" data-ok={c.ok ? "yes" : "no"}>
                    <span class={c.ok ? "ok" : "err"}>{c.ok ? "✓" : "✗"}</span> {c.name}{" "}
                    {c.message && <span class="muted">{c.message}</span>}
                  </summary>
                  {c.result && (
                    <Outcome
                      text={c.result.text}
                      structured={c.result.structured}
                      size={c.result.bytes}
                      cut={c.result.truncated ?? false}
                    />
                  )}
                </details>
              ))}
              {others(shown).map((d) => (
                <p class="note bad" data-testid="run-refused">
                  Refused by {d.component}: {d.reason}. <Foreign text={d.detail ?? ""} />
                </p>
              ))}
            </div>
          )}
          {tab === "console" && (
            <Console
              lines={lines}
              cut={run?.consoleCut ?? 0}
              running={running}
              sieve={sieve}
              onSieve={setSieve}
              moved={ran.current !== spec.code}
              onLine={onLine}
            />
          )}
          {tab === "network" && <Attempts reach="fetch" cases={shown} />}
          {tab === "files" && <Attempts reach="fs" cases={shown} />}
          {tab === "limits" && <Limits cases={shown} lines={lines.length + (run?.consoleCut ?? 0)} />}
          {tab === "raw" && run && <Tree tid="run-raw" value={run} />}
        </>
      )}
    </section>
  );
}

const limit = (spec: Spec) => {
  const own = spec["x-limits"]?.["timeoutMs"];
  return typeof own === "number" ? own / 1000 + " s" : "30 s";
};

function fromTests(spec: Spec): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const p of spec.params ?? []) {
    const a = argument(p.type, p.testValue ?? "");
    if ("value" in a && (p.testValue ?? "") !== "") out[p.name] = a.value;
  }
  return out;
}

export function Outcome({
  text,
  structured,
  size,
  cut,
}: {
  text: string;
  structured?: unknown;
  size: number;
  cut: boolean;
}) {
  const inner = structured !== undefined ? { value: structured } : parse(text);
  return (
    <div class="stack tight">
      {"value" in inner ? (
        <Tree tid="result-json" value={inner.value} />
      ) : (
        <pre class="code" tabIndex={0} data-testid="result-text">
          <Foreign text={text} />
        </pre>
      )}
      <p class="hint">
        {bytes(size)}
        {cut && ": cut to what is shown"}
      </p>
    </div>
  );
}
