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
  ["a", "/approvals", "Approvals", "approvals"],
  [",", "/settings", "Settings", "settings"],
];

/** The sheet of shortcuts, made of what is registered here. */
export const shortcuts: [string, string, string][] = [
  [mod + " K", "everywhere", "Open the palette"],
  ["?", "everywhere", "Show this sheet"],
  ...places.map(([key, , name]): [string, string, string] => ["g " + key, "outside of inputs", "Go to " + name]),
  ["/", "lists", "Go to the filter"],
  ["j k", "lists", "Next, previous"],
  ["n", "lists", "New"],
  [mod + " Enter", "editor", "Run the test"],
  [mod + " Shift Enter", "editor", "Review before publishing"],
  [mod + " S", "editor, forms", "Save"],
  ["Esc, then Tab", "code", "Leave the code"],
  ["a d", "a card with the focus", "Approve, decline, up to L3"],
];

const typing = (e: KeyboardEvent) => {
  const target = e.composedPath()[0];
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
};

let prefix = 0; // when "g" was typed

/** onKey answers for every key that nothing else answered for. */
export function onKey(e: KeyboardEvent) {
  if (e.isComposing || e.defaultPrevented) return;
  const modified = isMac ? e.metaKey : e.ctrlKey;
  if (modified && e.key.toLowerCase() === "k") {
    e.preventDefault();
    paletteOpen.value = !paletteOpen.value;
    return;
  }
  if (modified) {
    const wanted = e.key === "Enter" ? (e.shiftKey ? "mod+shift+enter" : "mod+enter") : e.key.toLowerCase() === "s" ? "mod+s" : "";
    const action = wanted && actions.value.find((a) => a.keys === wanted);
    if (action) {
      e.preventDefault();
      action.run();
    }
    return;
  }
  if (e.altKey || e.metaKey || e.ctrlKey || typing(e) || document.querySelector("dialog[open]")) return;
  if (e.key === "Escape") return;
  if (!singles.value) return;
  const now = Date.now();
  if (prefix && now - prefix < 1500) {
    prefix = 0;
    const to = places.find(([key]) => key === e.key);
    if (to) {
      e.preventDefault();
      go(to[1]);
    }
    return;
  }
  if (e.key === "g") {
    prefix = now;
    return;
  }
  if (e.key === "?") {
    sheetOpen.value = true;
    return;
  }
  if (e.key === "/") {
    const box = document.querySelector<HTMLInputElement>("[data-filter]");
    if (box) {
      e.preventDefault();
      box.focus();
    }
    return;
  }
  const own = actions.value.find((a) => a.keys === e.key);
  if (own) {
    e.preventDefault();
    own.run();
    return;
  }
  if (e.key === "j" || e.key === "k") {
    const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
    if (rows.length === 0) return;
    const at = rows.indexOf(document.activeElement as HTMLElement);
    const to = at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + (e.key === "j" ? 1 : -1)));
    e.preventDefault();
    rows[to]!.focus();
  }
}
