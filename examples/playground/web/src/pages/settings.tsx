import { useState } from "preact/hooks";
import { get, post, send } from "../api/client";
import type { ServerHome, ServerSecretInfo, ServerSecretList, ServerSettingList } from "../api/types";
import { go } from "../router";
import { kept, useData } from "../ui/data";
import { Ago, bytes, Button, Check, Copy, Dialog, Loading, ProblemView, Segments, Text, toast } from "../ui/parts";
import { meta, setTheme, theme } from "../shell/app";
import { shortcuts, singles } from "../shell/keys";
import { Page } from "../shell/page";

const sections: [string, string, string][] = [
  ["appearance", "Appearance", "theme dark light density compact"],
  ["keyboard", "Keyboard", "shortcuts keys single letters"],
  ["secrets", "Secrets", "api key token password environment variable"],
  ["configuration", "Configuration", "address home workspace token network hosts timeouts storage"],
  ["about", "About", "version licences diagnostics tour"],
];

export function Settings({ args }: { args: string[] }) {
  const [q, setQ] = useState("");
  const at = args[0] || "appearance";
  const shown = sections.filter(([id, name, words]) => (q === "" ? id === at : (name + " " + words).toLowerCase().includes(q.toLowerCase())));
  return (
    <Page title="Settings">
      <div class="split">
        <div class="stack tight">
          <input class="input" type="search" data-filter aria-label="Search settings" placeholder="Search settings   /" data-testid="settings-search" value={q} onInput={(e) => setQ(e.currentTarget.value)} />
          <ul class="listbox">
            {sections.map(([id, name]) => (
              <li>
                <button type="button" class="pickrow" data-row data-testid={"settings-" + id} aria-current={q === "" && id === at} onClick={() => (setQ(""), go("/settings/" + id))}>
                  {name}
                </button>
              </li>
            ))}
          </ul>
        </div>
        <div class="stack">
          {shown.map(([id]) => (
            <Section id={id} key={id} />
          ))}
          {shown.length === 0 && <p class="muted">No setting matches "{q}".</p>}
        </div>
      </div>
    </Page>
  );
}

function Section({ id }: { id: string }) {
  switch (id) {
    case "appearance":
      return <Appearance />;
    case "keyboard":
      return <Keyboard />;
    case "secrets":
      return <Secrets />;
    case "configuration":
      return <Configuration />;
    case "about":
      return <About />;
  }
  return <p class="muted">There is no such section.</p>;
}

function Appearance() {
  const [density, setDensity] = useState(kept.read("lp-density") ?? "comfortable");
  return (
    <section class="card stack">
      <h2>Appearance</h2>
      <Segments tid="theme" label="Theme" value={theme.value} options={[["system", "System"], ["light", "Light"], ["dark", "Dark"]]} onChange={setTheme} />
      <Segments tid="density" label="Density" value={density} options={[["comfortable", "Comfortable"], ["compact", "Compact"]]} onChange={(v) => {
        setDensity(v);
        kept.write("lp-density", v === "compact" ? v : null);
        if (v === "compact") document.documentElement.dataset.density = "compact";
        else delete document.documentElement.dataset.density;
      }} />
      <p class="hint">Kept in this browser.</p>
    </section>
  );
}

function Keyboard() {
  return (
    <section class="card stack">
      <h2>Keyboard</h2>
      <Check tid="singles" checked={singles.value} onChange={(on) => ((singles.value = on), kept.write("lp-singles", on ? null : "off"))}>
        Keys without Ctrl or ⌘ do something (g t, n, /, ?)
      </Check>
      <table>
        <tbody>
          {shortcuts.map(([keys, where, what]) => (
            <tr>
              <td><kbd>{keys}</kbd></td>
              <td>{where}</td>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const originWords: Record<string, string> = { stored: "stored here", environment: "from the environment", missing: "no value" };

function Secrets() {
  const { data, error, reload } = useData<ServerSecretList>((s) => get("/api/secrets", s), [], ["settings", "tools", "servers"]);
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const [failure, fail] = useState<unknown>(null);
  const [deleting, setDeleting] = useState<ServerSecretInfo | null>(null);
  const save = async () => {
    fail(null);
    try {
      await send("PUT", "/api/secrets/" + encodeURIComponent(name), { value });
      setName("");
      setValue("");
      toast("Stored a value for " + name + ".");
      reload();
    } catch (e) {
      fail(e);
    }
  };
  return (
    <section class="card stack">
      <h2>Secrets</h2>
      <p class="hint">{"Tools and connections name them as ${NAME}. A value is sealed in the home of this program, comes before the environment, and is never shown again."}</p>
      {error !== null && <ProblemView error={error} retry={reload} />}
      {!data && error === null && <Loading what="secrets" lines={3} />}
      {data && data.items.length > 0 && (
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Value</th>
              <th scope="col">Used by</th>
              <th scope="col"><span class="vh">Actions</span></th>
            </tr>
          </thead>
          <tbody>
            {data.items.map((s) => (
              <tr data-testid="secret-row" data-id={s.name} data-origin={s.origin}>
                <td><code>{s.name}</code></td>
                <td data-label="Value" class={s.origin === "missing" ? "err" : ""}>
                  {s.origin === "missing" ? "" : "•••• "}
                  {originWords[s.origin]} {s.updatedAt && <span class="muted">since <Ago at={s.updatedAt} /></span>}
                </td>
                <td data-label="Used by">{s.usedBy.join(", ") || "nothing"}</td>
                <td>
                  <span class="row">
                    <Button tid="secret-replace" small onClick={() => setName(s.name)}>{s.origin === "stored" ? "Replace" : "Set"}</Button>
                    {s.origin === "stored" && <Button tid="secret-delete" small kind="danger" onClick={() => setDeleting(s)}>Delete</Button>}
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {data?.items.length === 0 && <p class="muted">No tool and no server names one.</p>}
      <form class="stack tight" onSubmit={(e) => (e.preventDefault(), void save())}>
        <div class="two">
          <Text tid="secret-name" label="Name" mono value={name} onInput={setName} error={name !== "" && !/^[A-Za-z_]\w{0,127}$/.test(name) ? "Letters, digits and _; no digit first." : undefined} />
          <Text tid="secret-value" label="Value" type="password" value={value} onInput={setValue} />
        </div>
        {failure !== null && <ProblemView error={failure} />}
        <div class="row">
          <Button tid="secret-save" kind="primary" type="submit" disabled={name === "" || value === ""}>
            Store
          </Button>
        </div>
      </form>
      {deleting && (
        <Dialog tid="secret-dialog" title={"Delete the value of " + deleting.name + "?"} onClose={() => setDeleting(null)}>
          <p>{deleting.usedBy.length > 0 ? deleting.usedBy.join(", ") + " cannot run without it." : "Nothing uses it."} It cannot be brought back.</p>
          <footer>
            <Button tid="secret-cancel" onClick={() => setDeleting(null)}>Keep it</Button>
            <Button tid="secret-confirm" kind="danger" onClick={() => void send("DELETE", "/api/secrets/" + encodeURIComponent(deleting.name)).then(() => (setDeleting(null), reload()), fail)}>Delete value</Button>
          </footer>
        </Dialog>
      )}
    </section>
  );
}

function Configuration() {
  const { data, error, reload } = useData<ServerSettingList>((s) => get("/api/settings", s), []);
  return (
    <section class="card stack">
      <h2>Configuration</h2>
      <p class="hint">Read at the start: flags first, then the environment, then localpass.json in the home. Change it there and start again.</p>
      {error !== null && <ProblemView error={error} retry={reload} />}
      {data && (
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">Setting</th>
              <th scope="col">Value</th>
              <th scope="col">From</th>
            </tr>
          </thead>
          <tbody>
            {data.items.map((s) => (
              <tr data-testid="setting-row" data-id={s.name}>
                <td>
                  {s.help}
                  <div class="hint mono">-{s.name}</div>
                </td>
                <td class="mono wrap">{s.value || "–"}</td>
                <td data-label="From">{s.origin === "default" ? "default" : s.origin + ": " + (s.source ?? "")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function About() {
  const home = useData<ServerHome>((s) => get("/api/home", s), []);
  const h = home.data?.health;
  const text = h ? [h.version, h.go, h.system, "page " + (meta.value?.assets ?? ""), navigator.userAgent].join("\n") : "";
  return (
    <section class="card stack">
      <h2>About</h2>
      {h && (
        <dl class="kv">
          <dt>Version</dt>
          <dd>{h.version}</dd>
          <dt>Built with</dt>
          <dd>{h.go}, {h.system}</dd>
          <dt>State</dt>
          <dd><code>{h.home}</code>, {bytes(h.stateBytes)}</dd>
          <dt>Page</dt>
          <dd class="mono">{meta.value?.assets}</dd>
          <dt>Sends home</dt>
          <dd>Nothing.</dd>
        </dl>
      )}
      <div class="row">
        <Copy tid="about-copy" text={text} label="Copy for a report" />
        <Button tid="tour-again" onClick={async () => (await post("/api/tour", { skipped: false }), go("/"))}>Show the tour again</Button>
        <a class="btn" href="/api/openapi.json" data-testid="about-api">The API, OpenAPI 3.1</a>
        <a class="btn" href="/assets/NOTICES.txt" data-testid="about-notices">Licences of the page</a>
      </div>
    </section>
  );
}
