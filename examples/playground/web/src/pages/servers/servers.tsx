import { useState } from "preact/hooks";
import { all, get, post, query } from "../../api/client";
import type { McphubServerItem, ServerBuiltin } from "../../api/types";
import { go, place, setQuery } from "../../router";
import { useData, useLater } from "../../ui/data";
import { Foreign } from "../../ui/hostile";
import { Icon } from "../../ui/icons";
import { Ago, Button, counted, Empty, Loading, ms, ProblemView } from "../../ui/parts";
import { Page } from "../../shell/page";
import { adopt } from "../../ui/style";
import css from "../../styles/connections.css" with { type: "text" };
import { ConnectButton } from "./connectbutton";
import { kindName, ServerState, serverStates, stateKey } from "./serverstate";
import { whyUnreachable } from "./unreachable";

adopt(css);

/** What the list is narrowed to; it stands in the address. */
interface Narrow {
  q: string;
  state: string;
  cat: string;
  tag: string;
}

function narrowed(): Narrow {
  const p = new URLSearchParams(place.value.query);
  return {
    q: p.get("q") ?? "",
    state: p.get("state") ?? "",
    cat: p.get("cat") ?? "",
    tag: p.get("tag") ?? "",
  };
}

const stateOf = (s: McphubServerItem) => (s.disabled ? "disabled" : stateKey(s.status.state));
const distinct = (list: (string | undefined)[]) => [...new Set(list.filter((v): v is string => !!v))].sort();

export function ServerList() {
  const [n, setNarrow] = useState(narrowed);
  const [failure, fail] = useState<unknown>(null);
  const narrow = (p: Partial<Narrow>) => {
    const next = { ...n, ...p };
    setNarrow(next);
    setQuery(query({ ...next }));
  };
  const q = useLater(n.q.trim(), 150);
  const { data, error, reload } = useData<{ servers: McphubServerItem[]; builtin: ServerBuiltin }>(
    async (s) => {
      const [servers, builtin] = await Promise.all([
        all<McphubServerItem>("/api/mcp/servers", s),
        get<ServerBuiltin>("/api/mcp/builtin", s),
      ]);
      return { servers, builtin };
    },
    [],
    ["servers", "home", "tools"],
  );
  // The server looks into the names of tools, too.
  const found = useData<Set<string> | null>(
    async (s) =>
      q === ""
        ? null
        : new Set((await all<McphubServerItem>("/api/mcp/servers" + query({ q }), s)).map((x) => x.id)),
    [q],
    ["servers"],
  );
  const hit = (s: McphubServerItem) =>
    n.q.trim() === "" || (found.data ? found.data.has(s.id) : s.id.includes(n.q));
  const shown = (data?.servers ?? []).filter(
    (s) =>
      hit(s) &&
      (n.state === "" || stateOf(s) === n.state) &&
      (n.cat === "" || s.category === n.cat) &&
      (n.tag === "" || (s.tags ?? []).includes(n.tag)),
  );
  const filters = [n.q.trim(), n.state, n.cat, n.tag].filter(Boolean).length;
  const clear = () => narrow({ q: "", state: "", cat: "", tag: "" });
  const choices: [keyof Narrow, string, [string, string][]][] = [
    [
      "state",
      "State",
      distinct((data?.servers ?? []).map(stateOf)).map((v) => [v, serverStates[v]?.[0] ?? v]),
    ],
    ["cat", "Category", distinct((data?.servers ?? []).map((s) => s.category)).map((v) => [v, v])],
    ["tag", "Tag", distinct((data?.servers ?? []).flatMap((s) => s.tags ?? [])).map((v) => [v, v])],
  ];
  const act = (id: string, what: string) =>
    post("/api/mcp/servers/" + encodeURIComponent(id) + "/" + what).then(reload, fail);
  return (
    <Page
      title="MCP Servers"
      own={[{ id: "new-server", label: "Connect a server", keys: "n", run: () => go("/servers/new") }]}
    >
      <div class="stack">
        <div class="row spread">
          <span class="num" role="status" data-testid="servers-count">
            {!data ? "…" : data.servers.length > 0 ? shown.length + " of " + data.servers.length : ""}
          </span>
          <a class="btn primary" href="/servers/new" data-testid="servers-new">
            <Icon name="plus" />
            Connect a server
          </a>
        </div>
        <div class="row choices">
          <input
            class="input grow"
            type="search"
            data-filter
            data-testid="servers-search"
            aria-label="Search servers"
            placeholder="Search servers and their tools   /"
            value={n.q}
            onInput={(e) => narrow({ q: e.currentTarget.value })}
            onKeyDown={(e) => e.key === "Escape" && narrow({ q: "" })}
          />
          {choices.map(
            ([key, label, list]) =>
              (list.length > 1 || n[key] !== "") && (
                <select
                  class="input fit"
                  aria-label={label}
                  data-testid={"servers-" + key}
                  value={n[key]}
                  onChange={(e) => narrow({ [key]: e.currentTarget.value })}
                >
                  <option value="">{label}: all</option>
                  {list.map(([v, text]) => (
                    <option value={v} selected={v === n[key]}>
                      {text}
                    </option>
                  ))}
                </select>
              ),
          )}
        </div>
        {error !== null && <ProblemView error={error} retry={reload} />}
        {failure !== null && <ProblemView error={failure} />}
        {!data && error === null && <Loading what="servers" />}
        {data && (
          <>
            <section aria-labelledby="layer-builtin" class="stack tight">
              <h2 id="layer-builtin">Built-in</h2>
              <a class="card row spread pickrow" href="/servers/builtin" data-row data-testid="builtin-row">
                <span class="row">
                  <ServerState state="connected" />
                  <strong>{data.builtin.title}</strong>
                  <code class="wrap">{data.builtin.endpoint}</code>
                </span>
                <span class="num muted">
                  {counted(data.builtin.tools.filter((t) => t.clients).length, "tool")},{" "}
                  {counted(data.builtin.clients.length, "client")}, {counted(data.builtin.calls, "call")}
                </span>
              </a>
            </section>
            <section aria-labelledby="layer-active" class="card stack tight">
              <h2 id="layer-active">
                Other servers <span class="muted num">{shown.length}</span>
              </h2>
              {data.servers.length === 0 && (
                <Empty title="No other server is connected">
                  <p>Connect one to see what it offers, call its tools and look at every message.</p>
                  <a class="btn primary" href="/servers/new" data-testid="servers-empty-new">
                    Connect a server
                  </a>
                </Empty>
              )}
              {data.servers.length > 0 && shown.length === 0 && (
                <Empty
                  title={
                    n.q.trim() === ""
                      ? "No server matches the filters"
                      : 'No server matches "' +
                        n.q +
                        '"' +
                        (filters > 1
                          ? " with " + (filters - 1) + (filters === 2 ? " filter" : " filters")
                          : "")
                  }
                >
                  <Button tid="servers-clear" kind="primary" onClick={clear}>
                    Clear the search and filters
                  </Button>
                </Empty>
              )}
              {shown.length > 0 && (
                <table class="cards servers">
                  <thead>
                    <tr>
                      <th scope="col">Server</th>
                      <th scope="col">State</th>
                      <th scope="col">Transport</th>
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
                          <a
                            href={"/servers/" + encodeURIComponent(s.id)}
                            data-row
                            data-testid="server-open"
                            data-id={s.id}
                          >
                            {s.name || s.id}
                          </a>
                          {s.description && (
                            <div class="clamp">
                              <Foreign text={s.description} />
                            </div>
                          )}
                        </td>
                        <td>
                          <ServerState state={stateOf(s)} />
                          {s.status.error && s.status.state !== "AWAITING_AUTHORIZATION" && (
                            <div class="err clamp">{whyUnreachable(s.status.error)}</div>
                          )}
                        </td>
                        <td data-label="Transport">
                          {kindName(s.status.endpoint.kind)}{" "}
                          <code class="wrap">
                            <Foreign text={s.status.endpoint.address} />
                          </code>
                        </td>
                        <td data-label="Offers" class="num">
                          {!s.status.lastSyncedAt &&
                          s.status.toolCount + s.status.resourceCount + s.status.promptCount === 0 ? (
                            "not known yet"
                          ) : (
                            <>
                              {counted(s.status.toolCount, "tool")}
                              {s.status.toolsLeftOut ? " (" + s.status.toolsLeftOut + " left out)" : ""},{" "}
                              {counted(s.status.resourceCount, "resource")},{" "}
                              {counted(s.status.promptCount, "prompt")}
                            </>
                          )}
                        </td>
                        <td data-label="Since">
                          <Ago at={s.status.since} />
                          {s.status.connectMs ? (
                            <span class="since small num muted">took {ms(s.status.connectMs)}</span>
                          ) : (
                            ""
                          )}
                        </td>
                        <td>
                          <span class="row">
                            {s.status.state === "CONNECTED" ? (
                              <Button
                                tid="server-stop"
                                small
                                dataId={s.id}
                                onClick={() => void act(s.id, "stop")}
                              >
                                Disconnect
                              </Button>
                            ) : s.status.state === "AWAITING_AUTHORIZATION" ? (
                              <a
                                class="btn small"
                                href={"/servers/" + encodeURIComponent(s.id)}
                                data-testid="server-signin"
                              >
                                Sign in
                              </a>
                            ) : (
                              <ConnectButton server={s} connect={() => void act(s.id, "connect")} />
                            )}
                            <a
                              class="btn small"
                              href={"/servers/" + encodeURIComponent(s.id) + "/inspect/tools"}
                              data-testid="server-inspect"
                            >
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
