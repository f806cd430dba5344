import { useEffect, useState } from "preact/hooks";
import { all, get, post } from "../api/client";
import type { McphubCapabilityItem, McphubInspectionItem, McphubOfferedItem, McphubPendingList, McphubServerItem } from "../api/types";
import { on } from "../api/events";
import { go, place, setQuery } from "../router";
import { kept, useData } from "../ui/data";
import { Foreign, suspicious } from "../ui/hostile";
import { parse, pretty } from "../ui/json";
import { Ago, bytes, Button, Copy, Loading, ms, ProblemView, Tabs, Text, toast } from "../ui/parts";
import { Page } from "../shell/page";
import { Checks, Notes, Questions, Raw, Roots } from "./inspectfeeds";
import { base, type Def, type Operate } from "./inspectops";
import { PromptTrial, ResourceTrial, ToolTrial } from "./inspecttrials";
import { Json } from "./params";
import { ServerState } from "./servers";

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

