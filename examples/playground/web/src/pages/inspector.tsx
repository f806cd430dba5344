import { useEffect, useRef, useState } from "preact/hooks";
import { all, get, post, send } from "../api/client";
import type { McphubCapabilityItem, McphubCheckItem, McphubInspectionItem, McphubOfferedItem, McphubPendingList, McphubPendingQuestion, McphubRootList, McphubServerItem, McphubServerNote, McphubSubscriptionList } from "../api/types";
import { on } from "../api/events";
import { go, place, setQuery } from "../router";
import { kept, useData } from "../ui/data";
import { Foreign, suspicious } from "../ui/hostile";
import { parse, pretty, Tree } from "../ui/json";
import { Ago, announce, bytes, Button, Copy, Loading, ms, ProblemView, Select, Tabs, Text, toast } from "../ui/parts";
import { Page } from "../shell/page";
import { Json } from "./params";
import { check, first, SchemaForm } from "./schemaform";
import { ServerState } from "./servers";

const base = (id: string) => "/api/mcp/servers/" + encodeURIComponent(id);
type Def = Record<string, any>;
const tabs: [string, string][] = [["tools", "Tools"], ["resources", "Resources"], ["prompts", "Prompts"], ["notes", "Notifications"], ["questions", "Questions"], ["roots", "Roots"], ["check", "Check"], ["raw", "Raw"]];

/** Inspector looks into one server; its traffic can stand beside whatever is open. */
export function Inspector({ args }: { args: string[] }) {
  const id = args[0] ?? "";
  const tab = args[1] || "tools";
  const server = useData<McphubServerItem>((s) => get(base(id), s), [id], ["servers"]);
  const caps = useData<McphubCapabilityItem>((s) => get(base(id) + "/capabilities", s), [id], ["servers"]);
  const [pinned, pin] = useState(kept.read("lp-traffic") !== "off");
  const [turn, again] = useState(0); // grows with each operation
  const [failure, fail] = useState<unknown>(null);
  const [ping, setPing] = useState("");
  const pending = useData<McphubPendingList>((s) => get(base(id) + "/inspect/pending", s), [id], ["pending"]);
  const operate = async (path: string, body?: unknown): Promise<McphubInspectionItem | null> => {
    fail(null);
    try {
      return await post<McphubInspectionItem>(base(id) + "/inspect" + path, body);
    } catch (e) {
      fail(e);
      return null;
    } finally {
      again((n) => n + 1);
    }
  };
  const status = server.data?.status;
  const counts: Record<string, number> = { tools: caps.data?.tools.length ?? 0, resources: (caps.data?.resources.length ?? 0) + (caps.data?.resourceTemplates.length ?? 0), prompts: caps.data?.prompts.length ?? 0, questions: pending.data?.items.length ?? 0 };
  const doPing = async () => {
    const r = await operate("/ping");
    setPing(r ? (r.ok ? ms(r.elapsedMs) : (r.error?.message ?? "failed")) : "");
  };
  const wide = pinned;
  return (
    <Page title={"Inspect " + (server.data?.name || id)} crumbs={[["MCP Servers", "/servers"], [id, "/servers/" + encodeURIComponent(id)]]} full
      own={[{ id: "ping", label: "Ping the server", run: () => void doPing() }, { id: "traffic", label: "Pin or hide the traffic", run: () => pin(!pinned) }]}>
      <div class="stack">
        {server.error !== null && <ProblemView error={server.error} retry={server.reload} />}
        {status && (
          <div class="row">
            <ServerState state={status.state} />
            {status.server?.name && <span><Foreign text={status.server.name + " " + (status.server.version ?? "")} /></span>}
            {status.protocol && <span class="chip">{status.protocol}{status.era ? ", " + status.era : ""}</span>}
            <span class="grow" />
            <Button tid="inspect-ping" small onClick={() => void doPing()}>Ping</Button>
            {ping && <span class="num" data-testid="ping-time"><Foreign text={ping} /></span>}
            <Button tid="inspect-reconnect" small onClick={() => void post(base(id) + "/stop").then(() => post(base(id) + "/connect")).then(() => (server.reload(), again((n) => n + 1)), fail)}>
              Reconnect
            </Button>
            <Button tid="traffic-pin" small onClick={() => (kept.write("lp-traffic", pinned ? "off" : null), pin(!pinned))}>
              {pinned ? "Hide traffic" : "Show traffic"}
            </Button>
          </div>
        )}
        {status?.error && <div class="note bad"><Foreign text={status.error} /></div>}
        <Tabs tid="inspect" label="Inspector" value={tab} onChange={(t) => go("/servers/" + encodeURIComponent(id) + "/inspect/" + t, true)}
          tabs={tabs.map(([v, text]) => [v, <span data-count={counts[v]}>{text}{counts[v] !== undefined ? " (" + counts[v] + ")" : ""}</span>])} />
        {failure !== null && <ProblemView error={failure} />}
        <div class={wide ? "split three" : "stack"}>
          {tab === "tools" && <Offered id={id} what="tools" list={caps.data?.tools} loaded={caps} render={(d) => <ToolTrial key={d.key} item={d} operate={operate} id={id} />} />}
          {tab === "resources" && <Offered id={id} what="resources" list={[...(caps.data?.resources ?? []), ...(caps.data?.resourceTemplates ?? [])]} loaded={caps} render={(d) => <ResourceTrial key={d.key} item={d} operate={operate} id={id} />} />}
          {tab === "prompts" && <Offered id={id} what="prompts" list={caps.data?.prompts} loaded={caps} render={(d) => <PromptTrial key={d.key} item={d} operate={operate} />} />}
          {tab === "notes" && <Notes id={id} />}
          {tab === "questions" && <Questions id={id} list={pending.data?.items} reload={pending.reload} />}
          {tab === "roots" && <Roots id={id} operate={operate} />}
          {tab === "check" && <Checks id={id} />}
          {tab === "raw" && <Raw operate={operate} />}
          {pinned && <Traffic id={id} turn={turn} operate={operate} />}
        </div>
      </div>
    </Page>
  );
}

type Operate = (path: string, body?: unknown) => Promise<McphubInspectionItem | null>;

function Offered({ what, list, loaded, render, id }: { id: string; what: string; list: McphubOfferedItem[] | undefined; loaded: { error: unknown; reload: () => void; data: McphubCapabilityItem | undefined }; render: (d: McphubOfferedItem) => any }) {
  const [q, setQ] = useState("");
  const chosen = new URLSearchParams(place.value.query).get("item") ?? "";
  const one = list?.find((d) => d.key === chosen) ?? list?.[0];
  if (loaded.error !== null) return <ProblemView error={loaded.error} retry={loaded.reload} />;
  if (!list || !loaded.data) return <Loading what={what} />;
  if (list.length === 0)
    return (
      <div class="empty">
        <h2>{loaded.data.syncStatus === "never-synced" ? "Nobody has asked this server yet" : "The server offers no " + what}</h2>
        <Button tid="offered-connect" onClick={() => void post(base(id) + "/connect").then(loaded.reload, loaded.reload)}>Connect</Button>
      </div>
    );
  const shown = list.filter((d) => (d.key + JSON.stringify(d.definition)).toLowerCase().includes(q.toLowerCase()));
  return (
    <>
      <div class="stack tight">
        <input class="input" type="search" data-filter data-testid="offered-search" aria-label={"Search " + what} placeholder="Search   /" value={q} onInput={(e) => setQ(e.currentTarget.value)} />
        <ul class="listbox">
          {shown.slice(0, 300).map((d) => {
            const def = d.definition as Def;
            const bad = suspicious(JSON.stringify(def));
            return (
              <li>
                <button type="button" class="pickrow" data-row data-testid="offered-item" data-id={d.key} aria-current={one?.key === d.key} onClick={() => setQuery("?item=" + encodeURIComponent(d.key))}>
                  <span class="t"><Foreign text={String(def.title ?? def.name ?? d.key)} />{bad && <span class="warn"> ⚠ look closely</span>}</span>
                  <span class="clamp"><Foreign text={String(def.description ?? d.key)} /></span>
                  {def.annotations && <span class="hint">claimed by the server: {Object.entries(def.annotations as Def).filter(([, v]) => v === true).map(([k]) => k).join(", ") || "nothing"}</span>}
                </button>
              </li>
            );
          })}
        </ul>
        {shown.length > 300 && <p class="hint">{shown.length - 300} more: search for them.</p>}
      </div>
      {one ? render(one) : <p class="muted">Choose one.</p>}
    </>
  );
}

function Record({ rec, id }: { rec: McphubInspectionItem | null; id: string }) {
  const [view, setView] = useState("rendered");
  if (!rec) return null;
  const result = rec.result as Def | undefined;
  return (
    <div class={"note " + (rec.ok ? "good" : "bad")} data-testid="inspection" data-ok={rec.ok ? "yes" : "no"}>
      <strong>
        {rec.ok ? "ok" : (rec.error?.kind ?? "failed")} in {ms(rec.elapsedMs)}
      </strong>
      {rec.error && <Foreign text={rec.error.message} />}
      {result && (
        <>
          <Tabs tid="result" label="Result" value={view} onChange={setView} tabs={[["rendered", "Rendered"], ["structured", "Structured"], ["raw", "Raw"]]} />
          {view === "rendered" && <Rendered result={result} />}
          {view === "structured" && (result.structuredContent !== undefined ? <Tree tid="structured" value={result.structuredContent} /> : <p class="muted">The result has no structured part.</p>)}
          {view === "raw" && <Tree tid="raw-result" value={result} />}
        </>
      )}
      <a href={"/servers/" + encodeURIComponent(id) + "/inspect/tools?req=" + rec.id} data-testid="inspection-link" class="small">Record {rec.id}</a>
    </div>
  );
}

/** Rendered shows content without running or fetching anything of it. */
function Rendered({ result }: { result: Def }) {
  const list: Def[] = Array.isArray(result.content) ? result.content : Array.isArray(result.contents) ? result.contents : Array.isArray(result.messages) ? result.messages.map((m: Def) => ({ ...(m.content as Def), role: m.role })) : [];
  const [shown, show] = useState<Set<number>>(new Set());
  if (list.length === 0) return <Tree tid="rendered-json" value={result} />;
  return (
    <ul class="stack tight" data-testid="rendered">
      {list.map((c, i) => {
        const data = String(c.data ?? c.blob ?? "");
        const image = /^image\/(png|jpeg|gif|webp)$/.test(String(c.mimeType ?? "")) && data !== "";
        return (
          <li class="stack tight">
            {c.role && <strong><Foreign text={String(c.role)} /></strong>}
            {typeof c.text === "string" ? (
              <pre class="code" tabIndex={0}><Foreign text={c.text} /></pre>
            ) : image ? (
              shown.has(i) ? <img src={"data:" + c.mimeType + ";base64," + data} alt="As the server sent it" /> : <Button tid="show-image" small onClick={() => show(new Set([...shown, i]))}>Show the picture ({bytes(data.length)})</Button>
            ) : data ? (
              <pre class="code">{bytes(Math.floor((data.length * 3) / 4))}: {atobHex(data)}…</pre>
            ) : (
              <Tree tid="content" value={c} />
            )}
          </li>
        );
      })}
    </ul>
  );
}

function atobHex(data: string): string {
  try {
    return Array.from(atob(data.slice(0, 88)), (c) => c.charCodeAt(0).toString(16).padStart(2, "0")).join(" ");
  } catch {
    return "not base64";
  }
}

function ToolTrial({ item, operate, id }: { item: McphubOfferedItem; operate: Operate; id: string }) {
  const def = item.definition as Def;
  const schema = (def.inputSchema ?? { type: "object", properties: {} }) as Def;
  const [value, setValue] = useState<any>(first(schema) ?? {});
  const [mode, setMode] = useState("form");
  const [rec, setRec] = useState<McphubInspectionItem | null>(null);
  const [before, setBefore] = useState<McphubInspectionItem | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string[]>([]);
  const run = async () => {
    const wrong = check(schema, value);
    setError(wrong);
    if (wrong.length > 0) return;
    setBusy(true);
    const r = await operate("/tools/call", { name: def.name ?? item.key, arguments: value });
    setBefore(rec);
    setRec(r);
    setBusy(false);
    if (r) announce(r.ok ? "The call succeeded" : "The call failed");
  };
  const request = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: def.name ?? item.key, arguments: value } });
  return (
    <section class="card stack" data-testid="tool-trial" data-id={item.key}>
      <h2><Foreign text={String(def.title ?? def.name ?? item.key)} /></h2>
      <p data-testid="tool-trial-description"><Foreign text={String(def.description ?? "")} /></p>
      <p class="hint">About {Math.ceil(JSON.stringify(def).length / 4)} tokens. Everything here is the server's claim.</p>
      <Tabs tid="args" label="Arguments" value={mode} onChange={setMode} tabs={[["form", "Form"], ["json", "JSON"], ["schema", "Definition"]]} />
      {mode === "form" && <SchemaForm schema={schema} value={value} onValue={setValue} name="" />}
      {mode === "json" && <Json tid="args-json-text" label="Arguments" value={value} onValue={setValue} />}
      {mode === "schema" && <Tree tid="definition" value={def} />}
      {error.map((e) => (
        <p class="err" data-testid="args-error">{e}</p>
      ))}
      <div class="row">
        <Button tid="inspect-run" kind="primary" icon="play" busy={busy} onClick={() => void run()}>
          Run
        </Button>
        <Copy tid="copy-rpc" text={request} label="Copy as JSON-RPC" />
        {busy && <span class="hint">It may wait for an approval: <a href="/approvals" data-testid="trial-approvals">Approvals</a></span>}
      </div>
      <Record rec={rec} id={id} />
      {before && rec && JSON.stringify(before.result) !== JSON.stringify(rec.result) && (
        <details>
          <summary data-testid="run-before">The result before</summary>
          <Tree tid="before" value={before.result} />
        </details>
      )}
    </section>
  );
}

function ResourceTrial({ item, operate, id }: { item: McphubOfferedItem; operate: Operate; id: string }) {
  const def = item.definition as Def;
  const names = [...item.key.matchAll(/\{([^{}]+)\}/g)].map((m) => m[1]!.replace(/^[+#./;?&]/, "").replace(/\*$/, ""));
  const [values, setValues] = useState<Record<string, string>>({});
  const [rec, setRec] = useState<McphubInspectionItem | null>(null);
  const subs = useData<McphubSubscriptionList>((s) => get(base(id) + "/inspect/subscriptions", s), [id, rec?.id]);
  const uri = item.key.replace(/\{([^{}]+)\}/g, (_, n: string) => encodeURIComponent(values[n.replace(/^[+#./;?&]/, "").replace(/\*$/, "")] ?? ""));
  const subscribed = subs.data?.items.includes(uri) ?? false;
  return (
    <section class="card stack">
      <h2><Foreign text={String(def.title ?? def.name ?? item.key)} /></h2>
      <p><Foreign text={String(def.description ?? "")} /></p>
      {names.map((n) => (
        <Text tid="template-value" label={n} value={values[n] ?? ""} onInput={(v) => setValues({ ...values, [n]: v })} />
      ))}
      <code class="wrap"><Foreign text={uri} /></code>
      <div class="row">
        <Button tid="resource-read" kind="primary" onClick={async () => setRec(await operate("/resources/read", { uri }))}>Read</Button>
        <Button tid="resource-subscribe" onClick={async () => setRec(await operate(subscribed ? "/resources/unsubscribe" : "/resources/subscribe", { uri }))}>{subscribed ? "Unsubscribe" : "Subscribe"}</Button>
      </div>
      <Record rec={rec} id={id} />
    </section>
  );
}

function PromptTrial({ item, operate }: { item: McphubOfferedItem; operate: Operate }) {
  const def = item.definition as Def;
  const args = (def.arguments ?? []) as Def[];
  const [values, setValues] = useState<Record<string, string>>({});
  const [rec, setRec] = useState<McphubInspectionItem | null>(null);
  const [offers, setOffers] = useState<Record<string, string[]>>({});
  const timer = useRef(0);
  const complete = (argument: string, value: string) => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(async () => {
      const { [argument]: _, ...given } = values;
      const r = await operate("/complete", { prompt: def.name ?? item.key, argument, value, given });
      const found = (r?.result as Def | undefined)?.completion?.values as string[] | undefined;
      if (found) setOffers((o) => ({ ...o, [argument]: found }));
    }, 300);
  };
  return (
    <section class="card stack">
      <h2><Foreign text={String(def.title ?? def.name ?? item.key)} /></h2>
      <p><Foreign text={String(def.description ?? "")} /></p>
      {args.map((a) => (
        <Text tid="prompt-arg" label={String(a.name) + (a.required ? " *" : "")} hint={<Foreign text={String(a.description ?? "")} />} value={values[a.name] ?? ""} list={offers[a.name] ?? []}
          onInput={(v) => (setValues({ ...values, [a.name]: v }), complete(String(a.name), v))} />
      ))}
      <div class="row">
        <Button tid="prompt-get" kind="primary" onClick={async () => setRec(await operate("/prompts/get", { name: def.name ?? item.key, arguments: values }))}>Get</Button>
      </div>
      <Record rec={rec} id="" />
    </section>
  );
}

function Notes({ id }: { id: string }) {
  const { data, error, reload } = useData<McphubServerNote[]>((s) => all(base(id) + "/inspect/notifications", s, 500), [id], ["pending"], (e) => (e.data as { serverId?: string })?.serverId === id);
  const [q, setQ] = useState("");
  const [paused, pause] = useState<McphubServerNote[] | null>(null);
  const shown = (paused ?? data ?? []).filter((n) => (n.kind + n.summary + (n.method ?? "")).toLowerCase().includes(q.toLowerCase()));
  return (
    <section class="stack tight">
      {error !== null && <ProblemView error={error} retry={reload} />}
      <div class="row">
        <input class="input grow" type="search" data-filter aria-label="Filter notifications" placeholder="Filter   /" data-testid="notes-search" value={q} onInput={(e) => setQ(e.currentTarget.value)} />
        <Button tid="notes-pause" small onClick={() => pause(paused ? null : (data ?? []))}>{paused ? "Go on" : "Pause"}</Button>
        <Button tid="notes-clear" small onClick={() => void send("DELETE", base(id) + "/inspect/notifications").then(reload)}>Clear</Button>
      </div>
      {shown.length === 0 && <p class="muted">The server has told nothing yet.</p>}
      <ul class="listbox">
        {shown.map((n) => (
          <li class="pickrow" data-testid="note-row">
            <span class="row spread">
              <span class="chip">{n.kind}</span>
              <Ago at={n.at} />
            </span>
            <Foreign text={n.summary} />
            {n.params !== undefined && (
              <details>
                <summary data-testid="note-open">{n.method}</summary>
                <Tree tid="note" value={n.params} />
              </details>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Questions({ id, list, reload }: { id: string; list: McphubPendingQuestion[] | undefined; reload: () => void }) {
  const [records, keep] = useState<{ q: McphubPendingQuestion; how: string }[]>([]);
  if (!list) return <Loading what="questions" />;
  const open = list.filter((q) => !records.some((r) => r.q.id === q.id));
  return (
    <section class="stack">
      {open.length === 0 && records.length === 0 && (
        <div class="empty">
          <h2>No question waits</h2>
          <p>When a tool of this server asks for a completion or a form while you call it here, it stands here.</p>
        </div>
      )}
      {open.map((q) => (
        <Question key={q.id} q={q} id={id} done={(how) => (keep((r) => [{ q, how }, ...r]), reload())} />
      ))}
      {records.map((r) => (
        <div class="note" data-testid="question-record">
          {r.q.method}: {r.how}
          <details>
            <summary data-testid="question-open">What was asked</summary>
            <Tree tid="question" value={r.q.params} />
          </details>
        </div>
      ))}
    </section>
  );
}

function Question({ q, id, done }: { q: McphubPendingQuestion; id: string; done: (how: string) => void }) {
  const params = (q.params ?? {}) as Def;
  const sampling = q.method === "sampling/createMessage";
  const schema = (params.requestedSchema ?? null) as Def | null;
  const [value, setValue] = useState<any>(sampling ? { role: "assistant", model: "a person", stopReason: "endTurn", content: { type: "text", text: "" } } : schema ? first({ type: "object", ...schema }) : {});
  const [wrong, setWrong] = useState<string[]>([]);
  const [failure, fail] = useState<unknown>(null);
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  const answer = async (action: string) => {
    if (action === "accept" && schema) {
      const bad = check({ type: "object", ...schema }, value);
      setWrong(bad);
      if (bad.length > 0) return;
    }
    try {
      await post(base(id) + "/inspect/pending/" + encodeURIComponent(q.id), action === "accept" ? { action, answer: value } : { action });
      done(action === "accept" ? "answered" : action === "decline" ? "declined" : "cancelled");
    } catch (e) {
      fail(e);
    }
  };
  const left = Math.max(0, Math.ceil((Date.parse(q.deadline) - Date.now()) / 1000));
  const url = typeof params.url === "string" ? params.url : "";
  return (
    <article class="card stack" data-testid={sampling ? "sampling-card" : "elicitation-card"}>
      <div class="row spread">
        <h3>{sampling ? "The server asks for a completion" : "The server asks you"}</h3>
        <span class="num">{left} s left</span>
      </div>
      {typeof params.message === "string" && <p><Foreign text={params.message} /></p>}
      {url && (
        <p class="wrap">
          It wants you to open: <strong><Foreign text={hostOf(url)} /></strong> <code><Foreign text={url} /></code>
        </p>
      )}
      {sampling && <Tree tid="sampling-params" value={params} />}
      {sampling && <Text tid="sampling-text" label="The answer" lines={4} value={value.content.text} onInput={(text) => setValue({ ...value, content: { type: "text", text } })} />}
      {schema && <SchemaForm schema={{ type: "object", ...schema }} value={value} onValue={setValue} name="" />}
      {wrong.map((w) => (
        <p class="err" data-testid="elicitation-error">{w}</p>
      ))}
      {failure !== null && <ProblemView error={failure} />}
      <div class="row">
        <Button tid={sampling ? "sampling-decline" : "elicitation-decline"} onClick={() => void answer("decline")}>Decline</Button>
        {!sampling && <Button tid="elicitation-cancel" onClick={() => void answer("cancel")}>Cancel</Button>}
        <Button tid={sampling ? "sampling-send" : "elicitation-accept"} kind="primary" onClick={() => void answer("accept")}>{sampling ? "Send" : "Accept"}</Button>
      </div>
    </article>
  );
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return "no address";
  }
}

function Roots({ id, operate }: { id: string; operate: Operate }) {
  const { data, error, reload } = useData<McphubRootList>((s) => get(base(id) + "/inspect/roots", s), [id]);
  const [uri, setUri] = useState("");
  const [name, setName] = useState("");
  return (
    <section class="card stack">
      <h2>Folders that the server is told of</h2>
      {error !== null && <ProblemView error={error} />}
      <ul class="stack tight">
        {(data?.items ?? []).map((r) => (
          <li class="row spread">
            <span><code class="wrap">{r.uri}</code> {r.name}</span>
            <Button tid="root-remove" small kind="quiet" icon="close" label={"Remove " + r.uri} onClick={() => void send("DELETE", base(id) + "/inspect/roots?uri=" + encodeURIComponent(r.uri)).then(reload)} />
          </li>
        ))}
        {data?.items.length === 0 && <li class="muted">None.</li>}
      </ul>
      <div class="two">
        <Text tid="root-uri" label="Address" mono placeholder="file:///home/me/project" value={uri} onInput={setUri} />
        <Text tid="root-name" label="Name" value={name} onInput={setName} />
      </div>
      <div class="row">
        <Button tid="root-add" disabled={!uri.startsWith("file:")} onClick={async () => (await operate("/roots", { uri, ...(name ? { name } : {}) }), setUri(""), setName(""), reload())}>Add</Button>
      </div>
    </section>
  );
}

function Checks({ id }: { id: string }) {
  const [report, setReport] = useState<McphubCheckItem | null>(null);
  const [busy, setBusy] = useState(false);
  const [failure, fail] = useState<unknown>(null);
  return (
    <section class="card stack">
      <h2>How the server keeps to the protocol</h2>
      <p class="hint">A few harmless requests. Nothing is called.</p>
      <div class="row">
        <Button tid="check-run" kind="primary" busy={busy} onClick={() => (setBusy(true), fail(null), void post<McphubCheckItem>(base(id) + "/inspect/check").then(setReport, fail).finally(() => setBusy(false)))}>Look</Button>
      </div>
      {failure !== null && <ProblemView error={failure} />}
      {report && (
        <table>
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">Found</th>
              <th scope="col">Detail</th>
            </tr>
          </thead>
          <tbody>
            {report.rows.map((r) => (
              <tr data-testid="check-row" data-status={r.status}>
                <td>{r.name}</td>
                <td class={r.status === "pass" || r.status === "ok" ? "ok" : r.status === "fail" ? "err" : "warn"}>{r.status}</td>
                <td><Foreign text={r.detail ?? ""} /></td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

function Raw({ operate }: { operate: Operate }) {
  const [method, setMethod] = useState("tools/list");
  const [params, setParams] = useState<any>({});
  const [rec, setRec] = useState<McphubInspectionItem | null>(null);
  const [level, setLevel] = useState("info");
  return (
    <section class="card stack">
      <h2>Any request</h2>
      <Text tid="raw-method" label="Method" mono value={method} onInput={setMethod} />
      <Json tid="raw-params" label="Params" value={params} onValue={setParams} />
      <div class="row">
        <Button tid="raw-send" kind="primary" onClick={async () => setRec(await operate("/raw", { method, params }))}>Send</Button>
      </div>
      <Record rec={rec} id="" />
      <hr />
      <Select tid="log-level" label="The server's log messages, from" value={level} options={levels.map((l): [string, string] => [l, l])} onChange={setLevel} />
      <div class="row">
        <Button tid="log-level-set" onClick={async () => setRec(await operate("/log-level", { level }))}>Set the level</Button>
      </div>
    </section>
  );
}

/** Traffic is every message of every operation, the newest first, with what began the session. */
function Traffic({ id, turn, operate }: { id: string; turn: number; operate: Operate }) {
  const { data, error, reload } = useData<McphubInspectionItem[]>((s) => all(base(id) + "/inspect/history", s, 400), [id, turn]);
  const [q, setQ] = useState("");
  const [edit, setEdit] = useState<{ method: string; params: any } | null>(null);
  useEffect(() => on(["servers"], () => reload()), []);
  const shown = (data ?? []).filter((r) => q === "" || (r.operation + r.wire.map((w) => w.text).join()).toLowerCase().includes(q.toLowerCase()));
  const exportLines = () => {
    const lines = (data ?? []).flatMap((r) => r.wire.map((w) => JSON.stringify({ record: r.id, ...w }))).join("\n");
    const url = URL.createObjectURL(new Blob([lines + "\n"], { type: "application/x-ndjson" }));
    const a = document.createElement("a");
    a.href = url;
    a.download = id + "-traffic.jsonl";
    a.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  };
  return (
    <section class="stack tight traffic" aria-labelledby="traffic-title">
      <div class="row spread">
        <h2 id="traffic-title">Traffic</h2>
        <span class="row">
          <Button tid="traffic-discover" small onClick={() => void operate("/discover")}>What was agreed on</Button>
          <Button tid="traffic-export" small onClick={exportLines}>Export JSONL</Button>
        </span>
      </div>
      <input class="input" type="search" aria-label="Search in the traffic" placeholder="Search in payloads" data-testid="traffic-search" value={q} onInput={(e) => setQ(e.currentTarget.value)} />
      {error !== null && <ProblemView error={error} />}
      {shown.length === 0 && <p class="muted">No operation yet. Secrets of the connection are masked here.</p>}
      <ul class="listbox">
        {shown.map((r) => (
          <li data-testid="record-row" data-id={r.id}>
            <details>
              <summary class="pickrow" data-testid="record-open">
                <span class="row spread">
                  <span class={r.ok ? "ok" : "err"}>{r.ok ? "✓" : "✗"} <Foreign text={r.operation} /></span>
                  <span class="num muted">{ms(r.elapsedMs)}</span>
                </span>
                <span class="hint"><Ago at={r.at} />, {r.wire.length} messages</span>
              </summary>
              <div class="dialog">
                {r.wire.map((w) => (
                  <div class="stack tight" data-testid="frame-row" data-sent={w.sent ? "yes" : "no"} data-method={w.method ?? ""}>
                    <span class="row spread small">
                      <strong>{w.sent ? "→ sent" : "← received"} <Foreign text={w.method ?? ""} /></strong>
                      <span class="num muted">{w.id ? "id " + w.id + ", " : ""}{bytes(w.size)}, {w.transport}</span>
                    </span>
                    <pre class="code" tabIndex={0}><Foreign text={indent(w.text)} /></pre>
                  </div>
                ))}
                {r.wireCut ? <p class="hint">{r.wireCut} more messages are left out.</p> : null}
                <div class="row">
                  <Button tid="frame-replay" dataId={r.id} small onClick={() => void operate("/replay", { id: r.id })}>Replay</Button>
                  <Button tid="frame-edit" small onClick={() => {
                    const sent = r.wire.find((w) => w.sent && w.method);
                    const p = sent ? parse(sent.text) : null;
                    setEdit({ method: sent?.method ?? r.operation, params: p && "value" in p ? ((p.value as Def).params ?? {}) : (r.params ?? {}) });
                  }}>Edit and replay</Button>
                  <Copy tid="frame-copy" text={r.wire.map((w) => w.text).join("\n")} />
                </div>
              </div>
            </details>
          </li>
        ))}
      </ul>
      {edit && (
        <div class="card stack tight">
          <Text tid="edit-method" label="Method" mono value={edit.method} onInput={(method) => setEdit({ ...edit, method })} />
          <Json tid="edit-params" label="Params" value={edit.params} onValue={(params) => setEdit({ ...edit, params })} />
          <div class="row">
            <Button tid="edit-send" kind="primary" small onClick={() => void operate("/raw", edit).then((r) => r && toast("Sent as a new record: the old one stays."))}>Send</Button>
            <Button tid="edit-close" small onClick={() => setEdit(null)}>Close</Button>
          </div>
        </div>
      )}
    </section>
  );
}

function indent(text: string): string {
  const p = parse(text);
  return "value" in p ? pretty(p.value) : text;
}

