import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../../api/client";
import type { ServerMeta, ServerSetting, ServerSettingList } from "../../api/types";
import { go } from "../../router";
import { kept, useData } from "../../ui/data";
import { Check, Copy, Loading, ProblemView, Segments } from "../../ui/parts";
import { meta, setTheme, theme } from "../../shell/app";
import { singles } from "../../shell/keys";
import { Page } from "../../shell/page";
import { About } from "./about";
import { Models } from "./models";
import { Secrets } from "./secrets";
import { Shortcuts } from "./sheet";
import { StorageSection } from "./storage";
import { adopt } from "../../ui/style";
import css from "../../styles/settings.css" with { type: "text" };

adopt(css);

/** Rows are the values of the start of one section, with where each comes from. */
function Rows({ list, section }: { list: ServerSetting[]; section: string }) {
  const own = list.filter((s) => s.section === section);
  if (own.length === 0) return null;
  return (
    <div class="settings-rows" data-testid="settings-rows" data-id={section}>
      <p class="hint">
        Read at the start: flags first, then the environment, then the file. A change counts from the next
        start on.
      </p>
      <ul>
        {own.map((s) => (
          <li data-testid="setting-row" data-id={s.name} data-origin={s.origin}>
            <span class="what">
              {s.help}
              <span class="hint mono">{s.name}</span>
            </span>
            <code class="value wrap">{s.value || "–"}</code>
            <span class="from">
              <span class={"origin" + (s.origin === "default" ? " muted" : "")}>{s.origin}</span>
              <span class="hint wrap">{how(s)}</span>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** how says where a value was set, or where it can be. */
function how(s: ServerSetting): string {
  switch (s.origin) {
    case "flag":
      return "Given as " + s.source + "; restart to change it.";
    case "environment":
      return "Set by " + s.source + "; it is changed there, and needs a restart.";
    case "file":
      return "Set in " + s.source + "; restart after a change.";
  }
  const ways = [s.source ?? "", s.variable ?? "", s.member ? '"' + s.member + '" in the file' : ""].filter(
    Boolean,
  );
  if (ways.length === 0) return "";
  return "Change it by " + ways.join(", ") + "; restart.";
}

function Appearance() {
  const [density, setDensity] = useState(kept.read("lp-density") ?? "comfortable");
  return (
    <>
      <Segments
        tid="theme"
        label="Theme"
        value={theme.value}
        options={[
          ["system", "System"],
          ["light", "Light"],
          ["dark", "Dark"],
        ]}
        onChange={setTheme}
      />
      <Segments
        tid="density"
        label="Density"
        value={density}
        options={[
          ["comfortable", "Comfortable"],
          ["compact", "Compact"],
        ]}
        onChange={(v) => {
          setDensity(v);
          kept.write("lp-density", v === "compact" ? v : null);
          if (v === "compact") document.documentElement.dataset.density = "compact";
          else delete document.documentElement.dataset.density;
        }}
      />
      <p class="hint">Kept in this browser. It counts at once.</p>
    </>
  );
}

function Keyboard() {
  return (
    <>
      <Check
        tid="singles"
        checked={singles.value}
        onChange={(on) => ((singles.value = on), kept.write("lp-singles", on ? null : "off"))}
      >
        Single-key shortcuts (g t, n, /, ?)
      </Check>
      <p class="hint">Kept in this browser. It counts at once.</p>
      <Shortcuts />
    </>
  );
}

const efforts: [string, string][] = [
  ["", "Default"],
  ["off", "Off"],
  ["low", "Low"],
  ["medium", "Medium"],
  ["high", "High"],
  ["max", "Most"],
];

function ChatDefaults() {
  const [effort, setEffort] = useState(kept.read("lp-effort") ?? "");
  const [strip, setStrip] = useState(kept.read("lp-demo-strip") !== "off");
  return (
    <>
      <Segments
        tid="settings-effort"
        label="How much a model thinks, in new turns"
        value={efforts.some(([v]) => v === effort) ? effort : ""}
        options={efforts}
        onChange={(v) => (setEffort(v), kept.write("lp-effort", v || null))}
      />
      <Check
        tid="chat-strip"
        checked={strip}
        onChange={(on) => (setStrip(on), kept.write("lp-demo-strip", on ? null : "off"))}
      >
        Say above each chat that the demo is a script
      </Check>
      <p class="hint">
        Kept in this browser. It counts from the next page on. The model is chosen under{" "}
        <a href="/settings/models" data-testid="chat-models">
          Models
        </a>
        , presets and templates in the chat itself.
      </p>
    </>
  );
}

function Safety() {
  return (
    <p>
      What a tool may do is decided by its spec, its pass and the level of its risk; who is asked is decided
      by{" "}
      <a href="/approvals/policies" data-testid="safety-policies">
        policies
      </a>{" "}
      and{" "}
      <a href="/approvals/grants" data-testid="safety-grants">
        grants
      </a>
      .
    </p>
  );
}

function MCPServer() {
  const m = useData<ServerMeta>((s) => get("/api/meta", s), []);
  if (m.error !== null) return <ProblemView error={m.error} retry={m.reload} />;
  if (!m.data) return <Loading what="the endpoint" lines={2} />;
  return (
    <>
      <div class="endpoint">
        <code title={m.data.endpoint}>{m.data.endpoint}</code>
        <Copy tid="mcp-endpoint-copy" text={m.data.endpoint} />
      </div>
      <dl class="kv">
        <dt>Identity</dt>
        <dd>localpass-built-in-mcp, {m.data.version}</dd>
        <dt>Access</dt>
        <dd data-testid="mcp-access">
          {m.data.mcpAuth
            ? "Clients send a token as Authorization: Bearer. It opens nothing but this endpoint."
            : "Every program of this machine gets in; others cannot reach it. A token is wanted once -mcp-token is given."}
        </dd>
      </dl>
      <div class="row">
        <a class="btn" href="/servers/builtin?connect=1" data-testid="mcp-connect">
          Add to your editor
        </a>
        <a class="btn" href="/servers/builtin" data-testid="mcp-card">
          Tools and clients
        </a>
      </div>
    </>
  );
}

function Network() {
  const m = meta.value;
  return (
    <p data-testid="network-state">
      {m?.exposed
        ? "Others than this machine can reach this program. They need the token."
        : "Only this machine can reach this program. Requests by other names and from other sites are refused."}
    </p>
  );
}

function Telemetry() {
  return (
    <p>
      Nothing leaves this machine. Traces and metrics are counted in this program alone, and nothing is sent
      to anybody.
    </p>
  );
}

interface Part {
  id: string;
  name: string;
  /** Further words that people look for. */
  words: string;
  View: ComponentType;
}

const parts: Part[] = [
  {
    id: "models",
    name: "Models",
    words: "provider ollama openai demo pull download default model llm",
    View: Models,
  },
  { id: "appearance", name: "Appearance", words: "theme dark light density compact", View: Appearance },
  { id: "keyboard", name: "Keyboard", words: "shortcuts keys single letters", View: Keyboard },
  {
    id: "chat",
    name: "Chat defaults",
    words: "effort reasoning thinking demo strip presets",
    View: ChatDefaults,
  },
  { id: "safety", name: "Safety", words: "timeouts policies grants allow host path sandbox", View: Safety },
  { id: "secrets", name: "Secrets", words: "api key token password environment variable", View: Secrets },
  { id: "mcp", name: "MCP server", words: "endpoint identity access token clients", View: MCPServer },
  {
    id: "network",
    name: "Network and access",
    words: "address port host names tls token login",
    View: Network,
  },
  {
    id: "storage",
    name: "Storage",
    words: "home workspace paths sizes backup restore reset delete",
    View: StorageSection,
  },
  { id: "telemetry", name: "Telemetry", words: "tracking privacy traces metrics otlp", View: Telemetry },
  { id: "about", name: "About", words: "version licences diagnostics self-check tour api", View: About },
];

/** framed are sections that bring a card of their own. */
const framed = new Set(["models", "secrets"]);

function Section({ part, list }: { part: Part; list: ServerSetting[] }) {
  const rows = <Rows list={list} section={part.id} />;
  if (framed.has(part.id))
    return (
      <div class="stack" data-testid="settings-section" data-id={part.id}>
        <part.View />
        {list.some((s) => s.section === part.id) && (
          <section class="card stack" aria-label={part.name + " at the start"}>
            {rows}
          </section>
        )}
      </div>
    );
  return (
    <section
      class="card stack"
      aria-labelledby={"section-" + part.id}
      data-testid="settings-section"
      data-id={part.id}
    >
      <h2 id={"section-" + part.id}>{part.name}</h2>
      <part.View />
      {rows}
    </section>
  );
}

/** Settings is one page: a section each, or all in which something is found. */
export function Settings({ args }: { args: string[] }) {
  const [q, setQ] = useState("");
  const values = useData<ServerSettingList>((s) => get("/api/settings", s), [], ["settings"]);
  const list = values.data?.items ?? [];
  const old: Record<string, string> = { "": "models", configuration: "storage" };
  const at = old[args[0] ?? ""] ?? args[0]!;
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const text = (p: Part) =>
    [
      p.name,
      p.words,
      ...list
        .filter((s) => s.section === p.id)
        .map((s) => [s.name, s.help, s.member, s.variable, s.value].join(" ")),
    ]
      .join(" ")
      .toLowerCase();
  const shown = parts.filter((p) =>
    words.length === 0 ? p.id === at : words.every((w) => text(p).includes(w)),
  );
  const nav = useRef<HTMLUListElement>(null);
  useEffect(
    () =>
      nav.current
        ?.querySelector('[aria-current="true"]')
        ?.scrollIntoView({ block: "nearest", inline: "nearest" }),
    [at],
  );
  return (
    <Page title="Settings">
      <div class="settings">
        <div class="stack tight">
          <input
            class="input"
            type="search"
            data-filter
            aria-label="Search settings"
            placeholder="Search settings   /"
            data-testid="settings-search"
            value={q}
            onInput={(e) => setQ(e.currentTarget.value)}
            onKeyDown={(e) => e.key === "Escape" && q !== "" && (e.preventDefault(), setQ(""))}
          />
          <ul class="settings-nav" ref={nav}>
            {parts.map((p) => (
              <li>
                <button
                  type="button"
                  data-row
                  data-testid={"settings-" + p.id}
                  aria-current={words.length === 0 && p.id === at ? "true" : undefined}
                  onClick={() => (setQ(""), go("/settings/" + p.id))}
                >
                  {p.name}
                </button>
              </li>
            ))}
          </ul>
        </div>
        <div class="stack">
          {values.error !== null && <ProblemView error={values.error} retry={values.reload} />}
          {shown.map((p) => (
            <Section part={p} list={list} key={p.id} />
          ))}
          {shown.length === 0 && (
            <div class="empty" data-testid="settings-none">
              <h2>
                {words.length > 0 ? 'No setting matches "' + q.trim() + '"' : "There is no such section"}
              </h2>
              <p>
                {words.length > 0 ? "Look for another word, or choose a section." : "Choose one of the list."}
              </p>
            </div>
          )}
        </div>
      </div>
    </Page>
  );
}
