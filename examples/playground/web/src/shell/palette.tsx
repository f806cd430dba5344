import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { get, query } from "../api/client";
import type { McphubServerList, StudioapiToolList } from "../api/types";
import { go } from "../router";
import { kept, useLater } from "../ui/data";
import { Icon } from "../ui/icons";
import { actions, paletteOpen, places, sheetOpen } from "./keys";

interface Hit {
  id: string;
  label: string;
  kind: string;
  icon: string;
  to?: string;
  run?: () => void;
}

/** Settings by the words that people look for them with. */
const settingWords: [string, string, string][] = [
  ["Theme, dark mode, light mode, density", "/settings/appearance", "Appearance"],
  ["Models, providers, Ollama, OpenAI, pull", "/settings/models", "Models"],
  ["Keyboard shortcuts", "/settings/keyboard", "Keyboard"],
  ["Secrets, API keys, environment variables", "/settings/secrets", "Secrets"],
  ["Storage, home, workspace, paths, network, token", "/settings/configuration", "Configuration"],
  ["About, version, licences", "/settings/about", "About"],
];

/** fuzzy tells how well letters are found in a text, in their order; -1: not. */
export function fuzzy(text: string, letters: string): number {
  const t = text.toLowerCase();
  const l = letters.toLowerCase();
  if (l === "") return 0;
  const at = t.indexOf(l);
  if (at === 0) return 100;
  if (at > 0) return 80 - Math.min(at, 40);
  let score = 40;
  let from = 0;
  for (const c of l) {
    const next = t.indexOf(c, from);
    if (next < 0) return -1;
    score -= Math.min(next - from, 8);
    from = next + 1;
  }
  return Math.max(score, 1);
}

function recents(): string[] {
  try {
    return JSON.parse(kept.read("lp-recent") ?? "[]") as string[];
  } catch {
    return [];
  }
}

export function Palette() {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [found, setFound] = useState<Hit[]>([]);
  const dialog = useRef<HTMLDialogElement>(null);
  const late = useLater(text, 80);
  const mode = text[0] === ">" || text[0] === "@" ? text[0] : "";
  const words = (mode ? text.slice(1) : text).trim();

  useLayoutEffect(() => { // at once: the next key belongs into the box already
    const before = document.activeElement as HTMLElement | null;
    dialog.current?.showModal();
    return () => before?.focus?.();
  }, []);
  useEffect(() => {
    const stop = new AbortController();
    const w = (late[0] === ">" ? "" : late[0] === "@" ? late.slice(1) : late).trim();
    if (late[0] === ">" || w === "") {
      setFound([]);
      return;
    }
    void (async () => {
      try {
        const [tools, servers] = await Promise.all([
          get<StudioapiToolList>("/api/tools" + query({ q: w, limit: 20 }), stop.signal),
          get<McphubServerList>("/api/mcp/servers" + query({ q: w, limit: 20 }), stop.signal),
        ]);
        setFound([
          ...tools.items.map((t): Hit => ({ id: "tool:" + t.id, label: t.name, kind: "Tool · " + t.level, icon: "tools", to: "/tools/" + encodeURIComponent(t.id) })),
          ...servers.items.map((s): Hit => ({ id: "server:" + s.id, label: s.name || s.id, kind: "MCP server", icon: "servers", to: "/servers/" + encodeURIComponent(s.id) })),
        ]);
      } catch {
        // Pages and actions are still there.
      }
    })();
    return () => stop.abort();
  }, [late]);

  const fixed: Hit[] = [
    ...places.map(([, to, name, icon]): Hit => ({ id: "page:" + to, label: name, kind: "Page", icon, to })),
    { id: "page:/tools/new", label: "New tool", kind: "Action", icon: "plus", to: "/tools/new" },
    { id: "page:/servers/new", label: "Connect a server", kind: "Action", icon: "plus", to: "/servers/new" },
    { id: "page:/tools/import", label: "Import tools", kind: "Action", icon: "plus", to: "/tools/import" },
    { id: "keys", label: "Keyboard shortcuts", kind: "Action", icon: "search", run: () => (sheetOpen.value = true) },
    ...settingWords.map(([w, to, name]): Hit => ({ id: "page:" + to, label: "Settings: " + name + " (" + w + ")", kind: "Settings", icon: "settings", to })),
    ...actions.value.map((a): Hit => ({ id: "action:" + a.id, label: a.label, kind: "On this page", icon: "play", run: a.run })),
  ];
  const recent = recents();
  const score = (h: Hit) => {
    const s = fuzzy(h.label, words);
    return s < 0 ? -1 : s + (h.kind.startsWith("Tool") ? 5 : 0) + (recent.includes(h.id) ? 4 : 0);
  };
  const hits = [...(mode === "@" ? [] : fixed.filter((h) => mode !== ">" || h.kind === "Action" || h.kind === "On this page")), ...found]
    .map((h) => ({ h, s: h.id.startsWith("tool:") || h.id.startsWith("server:") ? Math.max(score(h), 1) : score(h) }))
    .filter((x) => x.s >= 0)
    .sort((x, y) => y.s - x.s)
    .slice(0, 30)
    .map((x) => x.h);
  const chosen = Math.min(at, hits.length - 1);

  const close = () => (paletteOpen.value = false);
  const pick = (h: Hit | undefined, apart: boolean) => {
    if (!h) return;
    kept.write("lp-recent", JSON.stringify([h.id, ...recent.filter((r) => r !== h.id)].slice(0, 12)));
    close();
    if (h.run) h.run();
    else if (h.to && apart) open(h.to, "_blank", "noopener");
    else if (h.to) go(h.to);
  };
  const keys = (e: KeyboardEvent) => {
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      e.preventDefault();
      setAt((chosen + (e.key === "ArrowDown" ? 1 : -1) + hits.length) % Math.max(hits.length, 1));
    } else if (e.key === "Enter") {
      e.preventDefault();
      pick(hits[chosen], e.ctrlKey || e.metaKey);
    }
  };
  return (
    <dialog ref={dialog} class="palette" aria-label="Palette" data-testid="palette" onCancel={(e) => (e.preventDefault(), close())} onClick={(e) => e.target === dialog.current && close()}>
      <input class="input" role="combobox" aria-expanded="true" aria-controls="palette-list" aria-autocomplete="list" aria-label="Find a page, a tool, a server or an action"
        aria-activedescendant={hits[chosen] ? "palette-" + chosen : undefined} data-testid="palette-input" placeholder="Find anything. > actions, @ tools" value={text}
        autocomplete="off" spellcheck={false} onInput={(e) => (setText(e.currentTarget.value), setAt(0))} onKeyDown={keys} />
      <ul id="palette-list" role="listbox" aria-label="Found">
        {hits.map((h, i) => (
          <li role="option" id={"palette-" + i} key={h.id} aria-selected={i === chosen} data-testid="palette-item" data-id={h.id} onMouseMove={() => setAt(i)} onClick={(e) => pick(h, e.ctrlKey || e.metaKey)}>
            <Icon name={h.icon} />
            <span class="wrap">{h.label}</span>
            <span class="kind">{h.kind}</span>
          </li>
        ))}
        {hits.length === 0 && <li class="empty">Nothing has "{words}" in its name.</li>}
      </ul>
    </dialog>
  );
}
