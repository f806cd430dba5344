import { useState } from "preact/hooks";
import { get } from "../../api/client";
import type { ServerBuiltin } from "../../api/types";
import { place } from "../../router";
import { useData } from "../../ui/data";
import { Foreign } from "../../ui/hostile";
import { Ago, Button, Copy, counted, Loading, ms, ProblemView } from "../../ui/parts";
import { Level } from "../../ui/risk";
import { Page } from "../../shell/page";
import { AccessCard } from "./access";
import { ConnectClient } from "./connectclient";
import { ExposureDrawer } from "./exposure";
import { ServerState } from "./serverstate";

/** How a call ended that did not succeed. */
const failures: Record<string, string> = {
  SECURITY: "blocked",
  TIMEOUT: "timed out",
  CANCELLED: "cancelled",
  INVALID_INPUT: "wrong arguments",
};

export function BuiltinServer() {
  const { data, error, reload } = useData<ServerBuiltin>(
    (s) => get("/api/mcp/builtin", s),
    [],
    ["home", "tools"],
  );
  const [connecting, connect] = useState(new URLSearchParams(place.value.query).get("connect") === "1");
  const [exposing, expose] = useState(false);
  return (
    <Page
      title="Built-in server"
      crumbs={[["MCP Servers", "/servers"]]}
      own={[
        { id: "connect-client", label: "Connect a client", run: () => connect(true) },
        { id: "exposure", label: "Published tools", run: () => expose(true) },
      ]}
    >
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
              <dd data-testid="builtin-offers">
                {counted(data.tools.filter((t) => t.clients).length, "tool")},{" "}
                {counted(data.promptCount, "prompt")}, {counted(data.resourceCount, "resource")}, about{" "}
                {data.schemaTokens.toLocaleString("en")} tokens in each request of a model
              </dd>
              <dt>Access</dt>
              <dd>
                {data.auth
                  ? "Clients send a bearer token."
                  : "Programs of this machine only, without a token."}
              </dd>
              <dt>Used</dt>
              <dd class="num" data-testid="builtin-used">
                {counted(data.clients.length, "client")} now, {counted(data.requestsPerMinute, "request")} in
                the last minute, {counted(data.calls, "call")} since the start
              </dd>
            </dl>
            <div class="row">
              <Button tid="builtin-connect" kind="primary" onClick={() => connect(true)}>
                Connect a client
              </Button>
              <Button tid="builtin-exposure" onClick={() => expose(true)}>
                Published tools
              </Button>
            </div>
          </section>
          <section class="card stack tight">
            <h2>Clients that are connected now</h2>
            {data.clients.length === 0 ? (
              <p class="muted">None. Sessionless clients are listed for 5 minutes.</p>
            ) : (
              <table class="cards">
                <thead>
                  <tr>
                    <th scope="col">Name</th>
                    <th scope="col">Version</th>
                    <th scope="col">Protocol</th>
                    <th scope="col">Can</th>
                    <th scope="col">Can ask a person</th>
                    <th scope="col">Requests</th>
                    <th scope="col">Since</th>
                  </tr>
                </thead>
                <tbody>
                  {data.clients.map((c) => (
                    <tr data-testid="client-row">
                      <td>
                        <Foreign text={c.name || "(no name)"} />
                      </td>
                      <td data-label="Version">
                        <Foreign text={c.version ?? "–"} />
                      </td>
                      <td data-label="Protocol">
                        <Foreign text={c.protocolVersion ?? "–"} />
                        {c.session ? "" : ", no session"}
                      </td>
                      <td data-label="Can">
                        {c.capabilities.length > 0 ? <Foreign text={c.capabilities.join(", ")} /> : "–"}
                      </td>
                      <td data-label="Can ask">{c.elicitation ? "yes" : "no"}</td>
                      <td data-label="Requests" class="num">
                        {c.requests}
                      </td>
                      <td data-label="Since">
                        <Ago at={c.since} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </section>
          <AccessCard access={data.access} reload={reload} />
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
                {data.tools
                  .filter((t) => t.clients)
                  .map((t) => (
                    <tr data-testid="served-tool" data-id={t.name}>
                      <td>
                        {t.toolId ? (
                          <a href={"/tools/" + encodeURIComponent(t.toolId)} data-testid="served-open">
                            {t.name}
                          </a>
                        ) : t.serverId ? (
                          <a
                            href={"/servers/" + encodeURIComponent(t.serverId)}
                            data-testid="served-server"
                            data-id={t.name}
                          >
                            {t.name}
                          </a>
                        ) : (
                          t.name
                        )}
                      </td>
                      <td>
                        <Level level={t.level} />
                      </td>
                      <td>
                        <div class="clamp">
                          <Foreign text={t.description} />
                        </div>
                      </td>
                      <td data-label="Tokens" class="num">
                        {t.schemaTokens}
                      </td>
                    </tr>
                  ))}
              </tbody>
            </table>
          </section>
          <section class="card stack tight">
            <h2>
              Last{" "}
              {data.recent.length === 1
                ? "call"
                : data.recent.length > 1
                  ? data.recent.length + " calls"
                  : "calls"}
            </h2>
            {data.recent.length === 0 && <p class="muted">None since this program started.</p>}
            <ul class="stack tight">
              {data.recent.map((c) => (
                <li class="row spread">
                  <span>
                    <strong>{c.tool}</strong>{" "}
                    <span class="muted">
                      by {c.by}
                      {c.via ? " via " + c.via : ""}
                    </span>
                  </span>
                  <span class={c.ok ? "ok" : "err"}>
                    {c.ok ? "ok" : (failures[c.kind ?? ""] ?? "failed")} · {ms(c.durationMs)} ·{" "}
                    <Ago at={c.at} />
                  </span>
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
