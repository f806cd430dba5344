import { useEffect, useId, useState } from "preact/hooks";
import { get } from "../../api/client";
import type { ChatAPIPresets } from "../../api/types";

export interface MenuItem {
  id: string;
  kind: string;
  label: string;
  hint: string;
  run: () => void;
}

export interface Menu {
  /** What the text box must carry for people who do not see the list. */
  box: { "aria-controls"?: string; "aria-activedescendant"?: string; "aria-autocomplete"?: "list" };
  open: boolean;
  items: MenuItem[];
  at: number;
  listId: string;
  /** keys handles a key, and says whether it did. */
  keys: (e: KeyboardEvent) => boolean;
  choose: (i: number) => void;
}

/** wanted is what is being typed that a menu is for: a command at the beginning, or a tool after an @. */
export function wanted(text: string, caret: number): { sign: "/" | "@"; from: number; word: string } | null {
  const before = text.slice(0, caret);
  const command = /^\/([^\n]{0,40})$/.exec(before);
  if (command) return { sign: "/", from: 0, word: command[1]!.toLowerCase() };
  const mention = /(^|\s)@([\w.-]{0,64})$/.exec(before);
  if (mention)
    return { sign: "@", from: before.length - mention[2]!.length - 1, word: mention[2]!.toLowerCase() };
  return null;
}

/** usePresets reads the names of presets when a menu wants them for the first time. */
export function usePresets(on: boolean): ChatAPIPresets["items"] {
  const [list, set] = useState<ChatAPIPresets["items"]>([]);
  useEffect(() => {
    if (on && list.length === 0)
      void get<ChatAPIPresets>("/api/presets").then(
        (p) => set(p.items),
        () => undefined,
      );
  }, [on]);
  return list;
}

/** useMenu is a list of choices that a text box leads. */
export function useMenu(items: MenuItem[], onClose: () => void): Menu {
  const listId = useId();
  const [at, move] = useState(0);
  const key = items.map((i) => i.id).join(" ");
  useEffect(() => move(0), [key]);
  const open = items.length > 0;
  const choose = (i: number) => items[i]?.run();
  return {
    box: open
      ? { "aria-controls": listId, "aria-activedescendant": listId + at, "aria-autocomplete": "list" }
      : {},
    open,
    items,
    at,
    listId,
    choose,
    keys: (e) => {
      if (!open) return false;
      if (e.key === "ArrowDown" || e.key === "ArrowUp")
        move((at + (e.key === "ArrowDown" ? 1 : items.length - 1)) % items.length);
      else if (e.key === "Enter" || e.key === "Tab") choose(at);
      else if (e.key === "Escape") onClose();
      else return false;
      e.preventDefault();
      e.stopPropagation();
      return true;
    },
  };
}

export function MenuList({ menu, label }: { menu: Menu; label: string }) {
  useEffect(() => {
    document.getElementById(menu.listId + menu.at)?.scrollIntoView({ block: "nearest" });
  }, [menu.at, menu.listId]);
  if (!menu.open) return null;
  return (
    <ul
      class="composermenu"
      role="listbox"
      tabIndex={0}
      id={menu.listId}
      aria-label={label}
      data-testid="composer-menu"
    >
      {menu.items.map((i, n) => (
        <li
          key={i.id}
          id={menu.listId + n}
          role="option"
          aria-selected={n === menu.at}
          data-testid="composer-menu-item"
          data-id={i.id}
          onMouseDown={(e) => (e.preventDefault(), menu.choose(n))}
        >
          <span class="t cut">{i.label}</span>
          <span class="hint cut">
            {i.kind}
            {i.hint ? " · " + i.hint : ""}
          </span>
        </li>
      ))}
    </ul>
  );
}
