import { useRef, useState } from "preact/hooks";
import { get } from "../api/client";
import type { McphubInspectionItem, McphubOfferedItem, McphubSubscriptionList } from "../api/types";
import { useData } from "../ui/data";
import { Foreign } from "../ui/hostile";
import { Tree } from "../ui/json";
import { announce, bytes, Button, Copy, ms, Tabs, Text } from "../ui/parts";
import { base, type Def, type Operate } from "./inspectops";
import { Json } from "./params";
import { check, first, SchemaForm } from "./schemaform";

/** Record is what came of one operation. */
export function Record({ rec, id }: { rec: McphubInspectionItem | null; id: string }) {
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

export function ToolTrial({ item, operate, id }: { item: McphubOfferedItem; operate: Operate; id: string }) {
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

export function ResourceTrial({ item, operate, id }: { item: McphubOfferedItem; operate: Operate; id: string }) {
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

export function PromptTrial({ item, operate }: { item: McphubOfferedItem; operate: Operate }) {
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

