import { useEffect, useState } from "preact/hooks";
import { get } from "../api/client";
import type { ServerBuiltin, ServerConfigList } from "../api/types";
import { place } from "../router";
import { useData } from "../ui/data";
import { Foreign } from "../ui/hostile";
import { Ago, announce, Button, Copy, Dialog, Loading, ms, ProblemView, Tabs } from "../ui/parts";
import { Level } from "../ui/risk";
import { Page } from "../shell/page";
import { ExposureDrawer } from "./exposure";
import { ServerState } from "./servers";

/** How long it is waited for a client to say hello. */
const patience = 60;

export function BuiltinServer() {
  const { data, error, reload } = useData<ServerBuiltin>((s) => get("/api/mcp/builtin", s), [], ["home", "tools"]);
  const [connecting, connect] = useState(new URLSearchParams(place.value.query).get("connect") === "1");
  const [exposing, expose] = useState(false);
  return (
    <Page title="Built-in server" crumbs={[["MCP Servers", "/servers"]]} own={[{ id: "connect-client", label: "Connect a client", run: () => connect(true) }, { id: "exposure", label: "Exposure: what clients are offered", run: () => expose(true) }]}>
      {error !== null && <ProblemView error={error} retry={reload} />}
      {!data && error === null && <Loading what="the server" />}
      {data && (
        <div class="stack">
          <section class="card stack" data-testid="builtin-card">
            <div class="row spread">
              <h2>{data.title}</h2>
              <ServerState state="connected" />
            </div>
            <div class="endpoint">
              <code>{data.endpoint}</code>
              <Copy tid="endpoint-copy" text={data.endpoint} />
            </div>
            <dl class="kv">
              <dt>Protocol</dt>
              <dd>{data.protocolVersions.join(", ")}</dd>
              <dt>Offers</dt>
              <dd>
                {data.tools.length} tools, about {data.schemaTokens.toLocaleString("en")} tokens in each request of a model
              </dd>
              <dt>Access</dt>
              <dd>{data.auth ? "Clients send a bearer token." : "Programs of this machine only, without a token."}</dd>
            </dl>
            <div class="row">
              <Button tid="builtin-connect" kind="primary" onClick={() => connect(true)}>
                Connect a client
              </Button>
              <Button tid="builtin-exposure" onClick={() => expose(true)}>
                Exposure
              </Button>
            </div>
          </section>
          <section class="card stack tight">
            <h2>Clients</h2>
            {data.clients.length === 0 ? (
              <p class="muted">No client has begun a session since this program started.</p>
            ) : (
              <table class="cards">
                <thead>
                  <tr>
                    <th scope="col">Name</th>
                    <th scope="col">Version</th>
                    <th scope="col">Protocol</th>
                    <th scope="col">Can ask a person</th>
                    <th scope="col">Since</th>
                  </tr>
                </thead>
                <tbody>
                  {data.clients.map((c) => (
                    <tr data-testid="client-row">
                      <td><Foreign text={c.name || "(no name)"} /></td>
                      <td data-label="Version"><Foreign text={c.version ?? "–"} /></td>
                      <td data-label="Protocol">{c.protocolVersion ?? "–"}</td>
                      <td data-label="Can ask">{c.elicitation ? "yes" : "no"}</td>
                      <td data-label="Since"><Ago at={c.since} /></td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </section>
          <section class="card stack tight">
            <h2>Tools that clients are offered</h2>
            <table class="cards">
              <thead>
                <tr>
                  <th scope="col">Tool</th>
                  <th scope="col">Risk</th>
                  <th scope="col">Description</th>
                  <th scope="col">Tokens</th>
                </tr>
              </thead>
              <tbody>
                {data.tools.map((t) => (
                  <tr data-testid="served-tool" data-id={t.name}>
                    <td>{t.toolId ? <a href={"/tools/" + encodeURIComponent(t.toolId)} data-testid="served-open">{t.name}</a> : t.name}</td>
                    <td><Level level={t.level} /></td>
                    <td><div class="clamp"><Foreign text={t.description} /></div></td>
                    <td data-label="Tokens" class="num">{t.schemaTokens}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
          <section class="card stack tight">
            <h2>Last calls</h2>
            {data.recent.length === 0 && <p class="muted">None since this program started.</p>}
            <ul class="stack tight">
              {data.recent.map((c) => (
                <li class="row spread">
                  <span>
                    <strong>{c.tool}</strong> <span class="muted">by {c.by}{c.via ? " via " + c.via : ""}</span>
                  </span>
                  <span class={c.ok ? "ok" : "err"}>{c.ok ? "ok" : [c.kind, c.reason].filter(Boolean).join(" ")} · {ms(c.durationMs)} · <Ago at={c.at} /></span>
                </li>
              ))}
            </ul>
          </section>
        </div>
      )}
      {connecting && <ConnectClient onClose={() => connect(false)} />}
      {exposing && <ExposureDrawer onClose={() => (expose(false), reload())} />}
    </Page>
  );
}

function ConnectClient({ onClose }: { onClose: () => void }) {
  const { data, error, reload } = useData<ServerConfigList>((s) => get("/api/mcp/client-configs", s), []);
  const [chosen, choose] = useState("claude-code");
  const [waiting, wait] = useState(0); // since when, in ms
  const [came, setCame] = useState("");
  const builtin = useData<ServerBuiltin>((s) => get("/api/mcp/builtin", s), [], ["home"]);
  const [, tick] = useState(0);
  useEffect(() => {
    if (!waiting) return;
    const timer = setInterval(() => tick((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, [waiting]);
  useEffect(() => {
    const newest = builtin.data?.clients[0];
    if (waiting && newest && Date.parse(newest.since) >= waiting - 1000) {
      setCame(newest.name || "a client");
      wait(0);
      announce("Connected: " + newest.name);
    }
  }, [builtin.data]);
  const left = waiting ? Math.max(0, patience - Math.floor((Date.now() - waiting) / 1000)) : 0;
  const one = data?.items.find((c) => c.id === chosen);
  return (
    <Dialog tid="connect-dialog" title="Connect a client" onClose={onClose}>
      {error !== null && <ProblemView error={error} retry={reload} />}
      {data && (
        <>
          <Tabs tid="client" label="Client" value={chosen} onChange={choose} tabs={data.items.map((c): [string, string] => [c.id, c.title])} />
          {one && (
            <div class="stack tight">
              <dl class="kv">
                {one.where.map((w) => (
                  <>
                    <dt>{w.system === "any" ? "Where" : w.system}</dt>
                    <dd><code>{w.path}</code></dd>
                  </>
                ))}
              </dl>
              <div class="row end">
                <Copy tid="client-copy" text={one.text} />
              </div>
              <pre class="code" tabIndex={0} data-testid="client-snippet">{one.text}</pre>
              {one.note && <p class="hint">{one.note}</p>}
              <p class="hint">The form was last checked {one.checked}.</p>
            </div>
          )}
          <footer>
            {came && <span class="ok" data-testid="client-came">✓ Connected: <Foreign text={came} /></span>}
            {waiting > 0 && left > 0 && <span class="muted" role="status">Waiting for a client to connect, {left} s…</span>}
            {waiting > 0 && left === 0 && <span class="warn">No client came. Restart it after the change of its configuration.</span>}
            <Button tid="client-check" onClick={() => (setCame(""), wait(Date.now()))} disabled={waiting > 0 && left > 0}>
              Check connection
            </Button>
          </footer>
        </>
      )}
    </Dialog>
  );
}
