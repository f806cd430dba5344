import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { get, post, query } from "../api/client";
import type { ServerHitList } from "../api/types";
import { go } from "../router";
import { kept, useLater } from "../ui/data";
import { Foreign } from "../ui/hostile";
import { Icon } from "../ui/icons";
import { setTheme } from "./app";
import { actions, mod, paletteOpen, places, sheetOpen, written } from "./keys";

interface Item {
  id: string;
  label: string;
  kind: string;
  icon: string;
  /** Further words that it is found by. */
  words?: string;
  keys?: string;
  to?: string;
  run?: () => void;
  score?: number;
}

const kinds: Record<string, [string, string]> = {
  tool: ["Tool", "tools"],
  server: ["MCP server", "servers"],
  conversation: ["Conversation", "chat"],
  trace: ["Trace", "observe"],
  page: ["Page", "search"],
  setting: ["Settings", "settings"],
};
const modes: Record<string, string> = { "@": "tool", "#": "conversation" };

/** fuzzy tells how well letters are found in a text, in their order; 0: not. The server counts alike. */
export function fuzzy(text: string, letters: string): number {
  const t = text.toLowerCase();
  const l = letters.toLowerCase();
  if (l === "") return 1;
  const at = t.indexOf(l);
  if (t === l) return 100;
  if (at === 0) return 95;
  if (at > 0) return /[a-z0-9]/.test(t[at - 1]!) ? 75 : 85;
  let score = 40;
  let from = 0;
  for (const c of l) {
    const next = t.indexOf(c, from);
    if (next < 0) return 0;
    score -= Math.min(next - from, 8);
    from = next + 1;
  }
  return Math.max(score, 2);
}

const most = 12; // items that are remembered

function recents(): Item[] {
  try {
    const list = JSON.parse(kept.read("lp-recent") ?? "[]") as Item[];
    return list.filter(
      (i) =>
        typeof i === "object" &&
        i !== null &&
        typeof i.to === "string" &&
        i.to.startsWith("/") &&
        typeof i.label === "string",
    );
  } catch {
    return [];
  }
}

/** What can be done on every page; each has a button somewhere, too. */
const everywhere = (): Item[] => [
  {
    id: "do:tool",
    label: "New tool",
    kind: "Action",
    icon: "plus",
    words: "write create add",
    to: "/tools/new",
  },
  {
    id: "do:import",
    label: "Import tools",
    kind: "Action",
    icon: "plus",
    words: "upload bundle",
    to: "/tools/import",
  },
  {
    id: "do:server",
    label: "Connect a server",
    kind: "Action",
    icon: "plus",
    words: "add mcp",
    to: "/servers/new",
  },
  { id: "do:chat", label: "New conversation", kind: "Action", icon: "plus", words: "ask talk", to: "/chat" },
  {
    id: "do:keys",
    label: "Keyboard shortcuts",
    kind: "Action",
    icon: "search",
    words: "keys help",
    run: () => (sheetOpen.value = true),
  },
  {
    id: "do:dark",
    label: "Use the dark theme",
    kind: "Action",
    icon: "moon",
    words: "appearance mode",
    run: () => setTheme("dark"),
  },
  {
    id: "do:light",
    label: "Use the light theme",
    kind: "Action",
    icon: "sun",
    words: "appearance mode",
    run: () => setTheme("light"),
  },
  {
    id: "do:system",
    label: "Use the theme of the system",
    kind: "Action",
    icon: "auto",
    words: "appearance mode",
    run: () => setTheme("system"),
  },
  {
    id: "do:tour",
    label: "Show the tour again",
    kind: "Action",
    icon: "play",
    words: "first run guide",
    run: () =>
      void post("/api/tour", { skipped: false }).then(
        () => go("/"),
        () => undefined,
      ),
  },
];

/** useHits asks the server for what has the words in its name. */
function useHits(text: string): { hits: Item[]; failed: boolean } {
  const late = useLater(text, 60);
  const [state, set] = useState<{ hits: Item[]; failed: boolean }>({ hits: [], failed: false });
  useEffect(() => {
    const kind = modes[late[0] ?? ""] ?? "";
    const q = (kind ? late.slice(1) : late).trim();
    if (late[0] === ">" || (q === "" && !kind)) {
      set({ hits: [], failed: false });
      return;
    }
    const stop = new AbortController();
    get<ServerHitList>("/api/search" + query({ q, kind, limit: 30 }), stop.signal).then(
      (list) =>
        set({
          failed: false,
          hits: list.items.map((h) => {
            const [name, icon] = kinds[h.kind] ?? [h.kind, "search"];
            return {
              id: h.kind + ":" + h.id,
              label: h.title,
              kind: h.detail ? name + " · " + h.detail : name,
              icon: places.find((p) => p[1] === h.where)?.[3] ?? icon,
              to: h.where,
              score: h.score,
            };
          }),
        }),
      () => !stop.signal.aborted && set({ hits: [], failed: true }),
    );
    return () => stop.abort();
  }, [late]);
  return state;
}

/** list is what stands in the palette for a text. */
function list(text: string, found: Item[]): Item[] {
  const mode = text[0] === ">" || modes[text[0] ?? ""] ? text[0]! : "";
  const words = (mode ? text.slice(1) : text).trim();
  const own = actions.value.map((a): Item => ({
    id: "action:" + a.id,
    label: a.label,
    kind: "On this page",
    icon: "play",
    run: a.run,
    ...(a.keys ? { keys: written(a.keys) } : {}),
  }));
  const pages = places.map(([key, to, name, icon]): Item => ({
    id: "page:" + to,
    label: name,
    kind: "Page",
    icon,
    to,
    keys: "g " + key,
  }));
  const recent = recents();
  if (mode === "" && words === "") {
    const seen = new Set(recent.map((r) => r.id));
    return [
      ...recent.map((r) => ({ ...r, kind: "Recent" })),
      ...own,
      ...pages.filter((p) => !seen.has(p.id)),
      ...everywhere(),
    ].slice(0, 30);
  }
  const local = mode === ">" ? [...own, ...everywhere()] : mode ? [] : [...own, ...pages, ...everywhere()];
  const scored = local
    .map((i) => ({
      ...i,
      score: Math.max(
        fuzzy(i.label, words),
        words.length > 1 && i.words?.includes(words.toLowerCase()) ? 30 : 0,
      ),
    }))
    .filter((i) => i.score > 0);
  const there = new Set(scored.map((i) => i.to).filter(Boolean));
  const all = [...found.filter((f) => mode || !there.has(f.to)), ...scored];
  const rank = (i: Item) =>
    (i.score ?? 0) + (recent.some((r) => r.id === i.id) ? 4 : 0) + (i.id.startsWith("tool:") ? 2 : 0);
  all.sort((a, b) => rank(b) - rank(a));
  if (!mode)
    all.push({
      id: "ask",
      label: "Ask chat: " + words,
      kind: "Chat",
      icon: "chat",
      to: "/chat?ask=" + encodeURIComponent(words),
    });
  return all.slice(0, 40);
}

/** Palette is one box over everything that is here. */
export function Palette() {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const { hits, failed } = useHits(text);
  const shown = list(text, hits);
  const chosen = Math.min(at, shown.length - 1);

  useLayoutEffect(() => {
    // at once: the next key belongs into the box already
    const before = document.activeElement as HTMLElement | null;
    dialog.current?.showModal();
    return () => before?.focus?.();
  }, []);
  useEffect(
    () => document.getElementById("palette-" + chosen)?.scrollIntoView({ block: "nearest" }),
    [chosen],
  );

  const close = () => (paletteOpen.value = false);
  const pick = (i: Item | undefined, apart: boolean) => {
    if (!i) return;
    if (i.to && i.id !== "ask") {
      const { id, label, icon, kind, to } = i;
      const before = recents().filter((r) => r.id !== id);
      kept.write("lp-recent", JSON.stringify([{ id, label, icon, kind, to }, ...before].slice(0, most)));
    }
    close();
    if (i.run) i.run();
    else if (i.to && apart) open(i.to, "_blank", "noopener");
    else if (i.to) go(i.to);
  };
  const keys = (e: KeyboardEvent) => {
    if (e.isComposing) return;
    const jump = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[e.key];
    if (jump) {
      e.preventDefault();
      const n = Math.max(shown.length, 1);
      setAt(Math.abs(jump) > 1 ? Math.max(0, Math.min(n - 1, chosen + jump)) : (chosen + jump + n) % n);
    } else if (e.key === "Enter") {
      e.preventDefault();
      pick(shown[chosen], e.ctrlKey || e.metaKey);
    }
  };
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Palette"
      data-testid="palette"
      onCancel={(e) => (e.preventDefault(), close())}
      onClick={(e) => e.target === dialog.current && close()}
    >
      <input
        class="input"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-autocomplete="list"
        aria-label="Search pages, tools, servers, conversations, traces, settings and actions"
        aria-activedescendant={shown[chosen] ? "palette-" + chosen : undefined}
        data-testid="palette-input"
        placeholder="Search everything"
        value={text}
        autocomplete="off"
        spellcheck={false}
        onInput={(e) => (setText(e.currentTarget.value), setAt(0))}
        onKeyDown={keys}
      />
      {failed && <p class="note bad">The search does not answer. Pages and actions are still here.</p>}
      <ul id="palette-list" role="listbox" aria-label="Found">
        {shown.map((i, n) => (
          <li
            role="option"
            id={"palette-" + n}
            key={i.id}
            aria-selected={n === chosen}
            data-testid="palette-item"
            data-id={i.id}
            onMouseMove={() => setAt(n)}
            onClick={(e) => pick(i, e.ctrlKey || e.metaKey)}
          >
            <Icon name={i.icon} />
            <span class="wrap grow">
              <Foreign text={i.label} />
            </span>
            {i.keys && (
              <span class="keycaps">
                {i.keys.split(" ").map((k) => (
                  <kbd>{k}</kbd>
                ))}
              </span>
            )}
            <span class="kind">{i.kind}</span>
          </li>
        ))}
        {shown.length === 0 && (
          <li class="empty">Nothing has "{text.replace(/^[>@#]/, "").trim()}" in its name.</li>
        )}
      </ul>
      <p class="legend" aria-hidden="true">
        <span>
          <kbd>&gt;</kbd> actions
        </span>
        <span>
          <kbd>@</kbd> tools
        </span>
        <span>
          <kbd>#</kbd> conversations
        </span>
        <span class="long">
          <kbd>Enter</kbd> open
        </span>
        <span class="long">
          <kbd>{mod}</kbd> <kbd>Enter</kbd> in a new tab
        </span>
      </p>
    </dialog>
  );
}
