import { useEffect, useRef, useState } from "preact/hooks";
import { del, get, send } from "../api/client";
import { live, on } from "../api/events";
import type { ApprovalItem, ApprovalItemList, StudioapiConsoleLine, StudioapiRun, StudioapiRunEvent } from "../api/types";
import { Foreign } from "../ui/hostile";
import { Tree, parse } from "../ui/json";
import { announce, bytes, Button, ms, ProblemView, Tabs } from "../ui/parts";
import { Level } from "../ui/risk";
import { ApprovalCard } from "./approvalcard";
import { Json } from "./params";
import { argument, blankParams, type Spec } from "./spec";

interface Props {
  spec: Spec;
  /** before makes sure that what is on the page is stored, and gives its id. */
  before: () => Promise<string | null>;
  onRun: (run: StudioapiRun) => void;
  onLine: (line: number) => void;
  addHost: (host: string) => void;
  start: { current: (() => void) | null };
  errors: string[];
}

const final = (s: string) => s !== "queued" && s !== "running";

/** The host that was refused, where the report names one. */
function refusedHosts(run: StudioapiRun): string[] {
  const hosts = new Set<string>();
  for (const c of run.cases)
    for (const d of c.denials ?? []) {
      const m = /([a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?)/i.exec(d.detail ?? "");
      if (d.component === "fetch" && /host|allow/.test(d.reason) && m && !/^\d+(\.\d+){3}/.test(m[1]!)) hosts.add(m[1]!.toLowerCase());
    }
  return [...hosts];
}

/** What the kinds of failure mean to the person who wrote the code. */
const kindWords: Record<string, string> = {
  JS_ERROR: "The code threw an error.",
  SECURITY: "The sandbox refused something.",
  TIMEOUT: "It took longer than it may.",
  RESOURCE_LIMIT: "It used more than it may.",
  VALIDATION: "The arguments do not fit the parameters.",
  CANCELLED: "It was stopped.",
};

export function RunPanel({ spec, before, onRun, onLine, addHost, start, errors }: Props) {
  const [run, setRun] = useState<StudioapiRun | null>(null);
  const [id, setId] = useState("");
  const [lines, setLines] = useState<StudioapiConsoleLine[]>([]);
  const [tab, setTab] = useState("result");
  const [failure, fail] = useState<unknown>(null);
  const [began, setBegan] = useState(0);
  const [, tick] = useState(0);
  const [own, setOwn] = useState(false);
  const [args, setArgs] = useState<Record<string, unknown>>({});
  const [grep, setGrep] = useState("");
  const [waiting, setWaiting] = useState<ApprovalItem[]>([]);
  const current = useRef("");
  const running = id !== "" && (!run || !final(run.state));

  const finish = async (runId: string) => {
    try {
      const r = await get<StudioapiRun>("/api/runs/" + encodeURIComponent(runId));
      if (current.current !== runId) return;
      setRun(r);
      if (final(r.state)) {
        setLines(r.console);
        setWaiting([]);
        announce("The run " + (r.state === "passed" ? "passed" : "ended: " + r.state));
        onRun(r);
        const line = r.cases.find((c) => !c.ok)?.error?.line;
        if (line) onLine(line);
      }
    } catch (e) {
      fail(e);
    }
  };
  useEffect(
    () =>
      on(["runs"], (e) => {
        const d = e.data as StudioapiRunEvent | null;
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
  const reason = spec.name === "" ? "Give the tool a name first." : blankNames.length > 0 ? "A test value is missing: " + blankNames.join(", ") + "." : errors.length > 0 ? errors[0]! : "";
  const begin = async (body: unknown) => {
    if (running) return;
    fail(null);
    setRun(null);
    setLines([]);
    setBegan(Date.now());
    try {
      const tool = await before();
      if (tool === null) return;
      const { data } = await send<{ runId: string }>("POST", "/api/tools/" + encodeURIComponent(tool) + "/runs", body);
      current.current = data.runId;
      setId(data.runId);
    } catch (e) {
      fail(e);
      setId("");
    }
  };
  start.current = () => void (reason === "" && begin({}));
  const stop = () => void del("/api/runs/" + encodeURIComponent(id)).catch(fail);
  const failed = run?.cases.find((c) => !c.ok);
  const shown = run?.cases ?? [];
  const network = shown.flatMap((c) => (c.network ?? []).map((n) => ({ ...n, name: c.name })));
  const files = shown.flatMap((c) => (c.files ?? []).map((n) => ({ ...n, name: c.name })));
  const denials = shown.flatMap((c) => (c.denials ?? []).map((n) => ({ ...n, name: c.name })));
  const hosts = run && final(run.state) ? refusedHosts(run).filter((h) => !(spec.sandboxOverrides?.hostsAllow ?? []).includes(h)) : [];
  const visible = grep ? lines.filter((l) => l.text.toLowerCase().includes(grep.toLowerCase())) : lines;
  return (
    <section class="card stack" aria-labelledby="run-title">
      <div class="row spread">
        <h2 id="run-title">Test</h2>
        <span class="row">
          {running ? (
            <Button tid="tool-stop" icon="stop" onClick={stop} disabled={id === ""}>
              Stop
            </Button>
          ) : null}
          <Button tid="tool-run" kind="primary" icon="play" busy={running} disabled={reason !== ""} describedBy="run-reason" onClick={() => void begin({})}>
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
            <Json tid="run-args" label="Arguments" value={Object.keys(args).length > 0 ? args : fromTests(spec)} onValue={setArgs} />
            <div class="row">
              <Button tid="run-try" small disabled={running || spec.name === ""} onClick={() => void begin({ args: Object.keys(args).length > 0 ? args : fromTests(spec) })}>
                Run with these
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
      <div class="row" data-testid="run-status" data-state={run?.state ?? (running ? "running" : "")} role="status">
        {running && waiting.length > 0 ? "waits for you" : running ? "running " + ((Date.now() - began) / 1000).toFixed(1) + " s of " + limit(spec) : null}
        {run && final(run.state) && (
          <>
            <strong class={run.state === "passed" ? "ok" : "err"}>{run.state === "passed" ? "passed in " + ms(run.durationMs) : run.state === "failed" ? "failed" : run.state}</strong>
            {run.kind === "try" && <span class="hint">with other arguments: no pass comes of it</span>}
            {run.kind === "test" && run.receipt && (
              <span class="stamp" data-testid="pass-stamp">
                Local Pass · {new Date(run.receipt.at).toLocaleTimeString()} · <code title={run.receipt.contentHash}>{run.receipt.contentHash.replace(/^sha256:/, "").slice(0, 10)}</code>
                <Level level={run.receipt.level} />
              </span>
            )}
          </>
        )}
      </div>
      {run && final(run.state) && run.state !== "passed" && (
        <div class="note bad" data-testid="run-failure" data-kind={failed?.error?.kind ?? ""} data-reason={failed?.error?.reason ?? ""}>
          <strong>
            {failed?.error ? failed.error.kind + (failed.error.reason ? " · " + failed.error.reason : "") : "It did not pass"}
          </strong>
          {failed?.error && <span class="muted">{kindWords[failed.error.kind] ?? ""}</span>}
          <Foreign text={failed?.error?.message || failed?.message || run.message || ""} />
          {failed?.error && failed.message && failed.message !== failed.error.message && <Foreign text={failed.message} />}
          {failed && <span class="hint">Case: {failed.name}</span>}
          <span class="row">
            {failed?.error?.line ? (
              <Button tid="fix-line" small onClick={() => onLine(failed.error!.line!)}>
                Go to line {failed.error.line}
              </Button>
            ) : null}
            {hosts.map((h) => (
              <Button tid="fix-add-host" dataId={h} small onClick={() => addHost(h)}>
                Add {h} to the allow-list (raises to L3)
              </Button>
            ))}
          </span>
        </div>
      )}
      {(run || lines.length > 0) && (
        <>
          <Tabs tid="run-tab" label="What came of it" value={tab} onChange={setTab}
            tabs={[["result", "Result"], ["console", "Console (" + lines.length + ")"], ["network", "Network (" + (network.length + denials.filter((d) => d.component === "fetch").length) + ")"], ["files", "Files (" + files.length + ")"], ["limits", "Limits"], ["raw", "Raw"]]} />
          {tab === "result" && (
            <div class="stack tight" data-testid="run-result">
              {shown.map((c) => (
                <details open={shown.length === 1 || !c.ok || c === shown[0]}>
                  <summary data-testid="run-case" data-ok={c.ok ? "yes" : "no"}>
                    <span class={c.ok ? "ok" : "err"}>{c.ok ? "✓" : "✗"}</span> {c.name} {c.message && <span class="muted">{c.message}</span>}
                  </summary>
                  {c.result && <Outcome text={c.result.text} structured={c.result.structured} size={c.result.bytes} cut={c.result.truncated ?? false} />}
                </details>
              ))}
            </div>
          )}
          {tab === "console" && (
            <div class="stack tight">
              <input class="input" type="search" aria-label="Filter the console" placeholder="Filter" data-testid="console-filter" value={grep} onInput={(e) => setGrep(e.currentTarget.value)} />
              <ol class="console" data-testid="run-console" tabIndex={0} aria-label="Console">
                {visible.map((l) => (
                  <li class={l.level === "error" ? "error" : l.level === "warn" ? "warn" : ""}>
                    <span class="ms num">{l.ms} ms</span>
                    <span>{l.level}</span>
                    <Foreign text={l.text} />
                  </li>
                ))}
                {lines.length === 0 && <li><span /><span /><span class="muted">Nothing was printed.</span></li>}
              </ol>
              {run?.consoleCut ? <p class="hint">{run.consoleCut} more lines are left out.</p> : null}
            </div>
          )}
          {tab === "network" && (
            <Accesses tid="run-net-row" rows={network} denials={denials.filter((d) => d.component === "fetch")} none="It asked no host." />
          )}
          {tab === "files" && <Accesses tid="run-file-row" rows={files} denials={denials.filter((d) => d.component !== "fetch")} none="It touched no file." />}
          {tab === "limits" && (
            <div class="stack tight">
              {shown.map((c) => (
                <div class="stack tight">
                  <strong>{c.name}</strong>
                  {c.usage && c.limits && <Share label="Time" used={c.usage.durationMs} limit={c.limits.timeoutMs} show={ms} />}
                  {c.usage?.statements && c.limits?.statements ? <Share label="Statements" used={c.usage.statements} limit={c.limits.statements} show={String} /> : null}
                  {c.usage && <p class="hint">{bytes(c.usage.outputBytes)} of output, {c.usage.hostCalls ?? 0} host calls{c.usage.cpuMs ? ", " + ms(c.usage.cpuMs) + " of the processor" : ""}.</p>}
                </div>
              ))}
            </div>
          )}
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

export function Outcome({ text, structured, size, cut }: { text: string; structured?: unknown; size: number; cut: boolean }) {
  const inner = structured !== undefined ? { value: structured } : parse(text);
  return (
    <div class="stack tight">
      {"value" in inner ? <Tree tid="result-json" value={inner.value} /> : <pre class="code" tabIndex={0} data-testid="result-text"><Foreign text={text} /></pre>}
      <p class="hint">
        {bytes(size)}
        {cut && ": cut to what is shown"}
      </p>
    </div>
  );
}

function Share({ label, used, limit, show }: { label: string; used: number; limit: number; show: (n: number) => string }) {
  return (
    <label class="axis">
      <span>{label}</span>
      <span class="row nowrap">
        <meter min={0} max={limit} value={used} />
        <span class="num">
          {show(used)} of {show(limit)}
        </span>
      </span>
    </label>
  );
}

interface Row {
  op: string;
  target: string;
  status?: number;
  bytes?: number;
  count: number;
  name: string;
}

function Accesses({ tid, rows, denials, none }: { tid: string; rows: Row[]; denials: { component: string; reason: string; detail?: string; name: string }[]; none: string }) {
  if (rows.length + denials.length === 0) return <p class="muted">{none}</p>;
  return (
    <div class="scroll-x" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Verdict</th>
            <th scope="col">What</th>
            <th scope="col">Status</th>
            <th scope="col">Bytes</th>
            <th scope="col">Times</th>
            <th scope="col">Case</th>
          </tr>
        </thead>
        <tbody>
          {denials.map((d) => (
            <tr data-testid={tid} data-verdict="blocked">
              <td class="err">
                blocked by {d.component}: {d.reason}
              </td>
              <td colSpan={4}>
                <Foreign text={d.detail ?? ""} />
              </td>
              <td>{d.name}</td>
            </tr>
          ))}
          {rows.map((r) => (
            <tr data-testid={tid} data-verdict="allowed">
              <td class="ok">allowed</td>
              <td>
                <code>
                  {r.op} <Foreign text={r.target} />
                </code>
              </td>
              <td>{r.status || "–"}</td>
              <td>{r.bytes === undefined ? "–" : bytes(r.bytes)}</td>
              <td>{r.count}</td>
              <td>{r.name}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

