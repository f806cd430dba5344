import { useState } from "preact/hooks";
import { all, get, post } from "../api/client";
import type { McphubServerItem, ServerBuiltin } from "../api/types";
import { go } from "../router";
import { useData } from "../ui/data";
import { Foreign } from "../ui/hostile";
import { Icon } from "../ui/icons";
import { Ago, Button, Empty, Loading, ProblemView } from "../ui/parts";
import { Page } from "../shell/page";

/** How a connection stands, in words, with the tone of its dot. */
export const serverStates: Record<string, [string, string]> = {
  idle: ["idle", "off"], connecting: ["connecting", "mid"], connected: ["connected", "good"], error: ["error", "bad"], "circuit-open": ["circuit open", "bad"], "missing-config": ["needs settings", "mid"],
  "awaiting-authorization": ["needs sign-in", "mid"], disabled: ["disabled", "off"], stopped: ["stopped", "off"], closing: ["closing", "off"],
};

export function ServerState({ state, tid }: { state: string; tid?: string }) {
  const [word, tone] = serverStates[state.toLowerCase().replaceAll("_", "-")] ?? [state, "off"];
  return (
    <span class={"state " + tone} data-testid={tid ?? "server-state"} data-state={state}>
      <span class={"dot" + (tone === "good" ? " on" : "")} aria-hidden="true" />
      {word}
    </span>
  );
}

export function ServerList() {
  const [q, setQ] = useState("");
  const [failure, fail] = useState<unknown>(null);
  const { data, error, reload } = useData<{ servers: McphubServerItem[]; builtin: ServerBuiltin }>(async (s) => {
    const [servers, builtin] = await Promise.all([all<McphubServerItem>("/api/mcp/servers", s), get<ServerBuiltin>("/api/mcp/builtin", s)]);
    return { servers, builtin };
  }, [], ["servers", "home", "tools"]);
  const match = (s: McphubServerItem) => (s.id + " " + (s.name ?? "") + " " + (s.description ?? "") + " " + (s.tags ?? []).join(" ")).toLowerCase().includes(q.toLowerCase());
  const shown = data?.servers.filter(match) ?? [];
  const act = (id: string, what: string) => post("/api/mcp/servers/" + encodeURIComponent(id) + "/" + what).then(reload, fail);
  return (
    <Page title="MCP Servers" own={[{ id: "new-server", label: "Connect a server", keys: "n", run: () => go("/servers/new") }]}>
      <div class="stack">
        <div class="row spread">
          <input class="input grow" type="search" data-filter data-testid="servers-search" aria-label="Search servers" placeholder="Search   /" value={q} onInput={(e) => setQ(e.currentTarget.value)} onKeyDown={(e) => e.key === "Escape" && setQ("")} />
          <span class="num" role="status" data-testid="servers-count">
            {data ? shown.length + " of " + data.servers.length : "…"}
          </span>
          <a class="btn primary" href="/servers/new" data-testid="servers-new">
            <Icon name="plus" />
            Connect a server
          </a>
        </div>
        {error !== null && <ProblemView error={error} retry={reload} />}
        {failure !== null && <ProblemView error={failure} />}
        {!data && error === null && <Loading what="servers" />}
        {data && (
          <>
            <section aria-labelledby="layer-builtin" class="stack tight">
              <h2 id="layer-builtin">Built-in</h2>
              <a class="card flat row spread pickrow" href="/servers/builtin" data-row data-testid="builtin-row">
                <span class="row">
                  <ServerState state="connected" />
                  <strong>{data.builtin.title}</strong>
                  <code class="wrap">{data.builtin.endpoint}</code>
                </span>
                <span class="num muted">
                  {data.builtin.tools.length} tools, {data.builtin.clients.length} clients, {data.builtin.calls} calls
                </span>
              </a>
            </section>
            <section aria-labelledby="layer-active" class="stack tight">
              <h2 id="layer-active">
                Connected servers <span class="muted num">{shown.length}</span>
              </h2>
              {data.servers.length === 0 && (
                <Empty title="No other server is connected">
                  <p>Connect one to see what it offers, call its tools and look at every message.</p>
                  <a class="btn primary" href="/servers/new" data-testid="servers-empty-new">Connect a server</a>
                </Empty>
              )}
              {data.servers.length > 0 && shown.length === 0 && (
                <Empty title={'No server matches "' + q + '"'}>
                  <Button tid="servers-clear" kind="primary" onClick={() => setQ("")}>
                    Clear the search
                  </Button>
                </Empty>
              )}
              {shown.length > 0 && (
                <table class="cards">
                  <thead>
                    <tr>
                      <th scope="col">Server</th>
                      <th scope="col">State</th>
                      <th scope="col">Reached over</th>
                      <th scope="col">Offers</th>
                      <th scope="col">Since</th>
                      <th scope="col">
                        <span class="vh">Actions</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {shown.map((s) => (
                      <tr data-testid="server-row" data-id={s.id}>
                        <td>
                          <a href={"/servers/" + encodeURIComponent(s.id)} data-row data-testid="server-open" data-id={s.id}>
                            {s.name || s.id}
                          </a>
                          {s.description && (
                            <div class="clamp">
                              <Foreign text={s.description} />
                            </div>
                          )}
                        </td>
                        <td>
                          <ServerState state={s.disabled ? "disabled" : s.status.state} />
                          {s.status.error && <div class="err clamp"><Foreign text={s.status.error} /></div>}
                        </td>
                        <td data-label="Over">
                          {s.status.endpoint.kind} <code class="wrap"><Foreign text={s.status.endpoint.address} /></code>
                        </td>
                        <td data-label="Offers" class="num">
                          {s.status.toolCount} tools, {s.status.resourceCount} resources, {s.status.promptCount} prompts
                        </td>
                        <td data-label="Since">
                          <Ago at={s.status.since} />
                        </td>
                        <td>
                          <span class="row">
                            {s.status.state === "connected" ? (
                              <Button tid="server-stop" small dataId={s.id} onClick={() => void act(s.id, "stop")}>
                                Disconnect
                              </Button>
                            ) : (
                              <Button tid="server-connect" small dataId={s.id} disabled={s.disabled ?? false} onClick={() => void act(s.id, "connect")}>
                                Connect
                              </Button>
                            )}
                            <a class="btn small" href={"/servers/" + encodeURIComponent(s.id) + "/inspect/tools"} data-testid="server-inspect">
                              Inspect
                            </a>
                          </span>
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              )}
            </section>
          </>
        )}
      </div>
    </Page>
  );
}
