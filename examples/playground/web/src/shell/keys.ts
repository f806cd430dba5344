import { signal } from "@preact/signals";
import { go } from "../router";
import { kept } from "../ui/data";

/** A thing that a person can do on the page that is open. */
export interface Action {
  id: string;
  label: string;
  run: () => void;
  keys?: string;
}

/** A key and what it does. Those with press and run are answered here, the others by what has the focus. */
export interface Shortcut {
  keys: string;
  where: string;
  what: string;
  /** A key without Ctrl or ⌘, which people can switch off (WCAG 2.1.4). */
  single?: boolean;
  press?: string;
  run?: (e: KeyboardEvent) => void;
}

/** actions are those of the page: the palette and the keys know the same as the buttons. */
export const actions = signal<Action[]>([]);
export const paletteOpen = signal(false);
export const sheetOpen = signal(false);
/** singles says whether keys without a modifier do anything (WCAG 2.1.4). */
export const singles = signal(kept.read("lp-singles") !== "off");

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
export const mod = isMac ? "⌘" : "Ctrl";

export const places: [string, string, string, string][] = [
  ["h", "/", "Home", "home"],
  ["t", "/tools", "Tool Studio", "tools"],
  ["s", "/servers", "MCP Servers", "servers"],
  ["v", "/vectors", "Vector Database", "documents"],
  ["c", "/chat", "Agentic Chat", "chat"],
  ["a", "/approvals", "Approvals", "approvals"],
  ["o", "/observe/traces", "Observability", "observe"],
  [",", "/settings", "Settings", "settings"],
];

const step = (by: number) => (e: KeyboardEvent) => {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  if (rows.length === 0) return;
  const at = rows.indexOf(document.activeElement as HTMLElement);
  e.preventDefault();
  rows[at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + by))]!.focus();
};

/** The registry: onKey answers out of it, and the sheet of shortcuts is made of it. */
export const shortcuts: Shortcut[] = [
  {
    keys: mod + " K",
    where: "Everywhere",
    what: "Search everything",
    press: "mod+k",
    run: () => (paletteOpen.value = !paletteOpen.value),
  },
  {
    keys: "?",
    where: "Everywhere",
    what: "Show these shortcuts",
    single: true,
    press: "?",
    run: () => (sheetOpen.value = true),
  },
  ...places.map(([key, to, name]): Shortcut => ({
    keys: "g " + key,
    where: "Everywhere",
    what: "Go to " + name,
    single: true,
    press: "g " + key,
    run: () => go(to),
  })),
  {
    keys: "/",
    where: "Lists",
    what: "Go to the filter",
    single: true,
    press: "/",
    run: (e) => {
      const box = document.querySelector<HTMLInputElement>("[data-filter]");
      if (box) {
        e.preventDefault();
        box.focus();
      }
    },
  },
  { keys: "j", where: "Lists", what: "Next row", single: true, press: "j", run: step(1) },
  { keys: "k", where: "Lists", what: "Previous row", single: true, press: "k", run: step(-1) },
  { keys: "Enter", where: "Lists", what: "Open the row" },
  { keys: "Esc", where: "Lists", what: "Clear the filter, then close what is open" },
  { keys: "Esc Tab", where: "Code", what: "Leave the code" },
  { keys: "Enter", where: "Chat", what: "Send; Shift Enter begins a line" },
  { keys: "Esc", where: "Chat", what: "Stop, while it answers" },
  { keys: "Alt ↑", where: "Chat", what: "Edit the last question, when nothing is written" },
  { keys: "[ ]", where: "Traces", what: "Narrower, wider window" },
  { keys: "t a", where: "Traces", what: "Make the range absolute" },
  { keys: "r", where: "Traces", what: "Refresh" },
  { keys: "+ − 0 f", where: "Spans of a trace", what: "Zoom in, zoom out, fit all, fit the span" },
  { keys: "a", where: "Approval card with the focus", what: "Approve, up to L3", single: true },
  { keys: "d", where: "Approval card with the focus", what: "Decline, up to L3", single: true },
];

/** written is how a key of an action is shown. */
export const written = (keys: string) =>
  keys
    .split("+")
    .map((k) =>
      k === "mod"
        ? mod
        : k.length > 1
          ? k[0]!.toUpperCase() + k.slice(1)
          : keys.length > 1
            ? k.toUpperCase()
            : k,
    )
    .join(" ");

/** known are all shortcuts that do something now: those of the registry, and those of the page. */
export const known = (): Shortcut[] => [
  ...actions.value
    .filter((a) => a.keys)
    .map((a): Shortcut => ({
      keys: written(a.keys!),
      where: "This page",
      what: a.label,
      single: a.keys!.length === 1,
    })),
  ...shortcuts,
];

const typing = (e: KeyboardEvent) => {
  const target = e.composedPath()[0];
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
};

const pressed = (e: KeyboardEvent) => {
  const modified = isMac ? e.metaKey : e.ctrlKey;
  if (!modified) return e.key;
  return "mod+" + (e.shiftKey && e.key === "Enter" ? "shift+" : "") + e.key.toLowerCase();
};

let prefix = 0; // when "g" was typed
let waits = { key: "", at: 0 }; // the first key of an action that has two, and when it was typed

/** onKey answers for every key that nothing else answered for. */
export function onKey(e: KeyboardEvent) {
  if (e.isComposing || e.defaultPrevented) return;
  const press = pressed(e);
  if (press.startsWith("mod+")) {
    const run =
      shortcuts.find((s) => s.press === press)?.run ?? actions.value.find((a) => a.keys === press)?.run;
    if (run) {
      e.preventDefault();
      run(e);
    }
    return;
  }
  if (
    e.altKey ||
    e.metaKey ||
    e.ctrlKey ||
    !singles.value ||
    typing(e) ||
    document.querySelector("dialog[open]")
  )
    return;
  const now = Date.now();
  const after = prefix && now - prefix < 1500 ? "g " : "";
  prefix = 0;
  if (!after && press === "g") {
    prefix = now;
    return;
  }
  const own =
    !after &&
    actions.value.find(
      (a) => a.keys === (now - waits.at < 1500 && waits.key ? waits.key + " " + press : press),
    );
  waits = { key: !after && actions.value.some((a) => a.keys?.startsWith(press + " ")) ? press : "", at: now };
  const shared = shortcuts.find((s) => s.press === after + press);
  if (own || after) e.preventDefault();
  if (own) own.run();
  else shared?.run?.(e);
}
