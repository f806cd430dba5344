import { go } from "../../router";
import type { DialogName } from "./chatdialogs";
import type { MenuItem } from "./composermenu";

const always: [string, string, string][] = [
  ["tools", "Choose tools", "which the model is offered"],
  ["settings", "Settings", "model, memory, temperature"],
  ["context", "Context budget", "what the model is sent"],
  ["library", "Prompt library", "presets and templates"],
];
const ofConversation: [string, string, string][] = [
  ["find", "Find", "in this conversation"],
  ["export", "Export", "Markdown, text, HTML, JSON"],
  ["rename", "Rename", "this conversation"],
];

/** chatCommands are what the menu of the composer offers after a slash. */
export function chatCommands(
  id: string,
  open: (name: DialogName) => void,
  showContext: () => void,
): MenuItem[] {
  const run = (name: string) =>
    name === "new"
      ? go("/chat")
      : name === "context"
        ? showContext()
        : open((name === "settings" ? "options" : name) as DialogName);
  return [...always, ...(id ? ofConversation : []), ["new", "New chat", ""] as const].map(
    ([name, label, hint]) => ({ id: "/" + name, kind: "command", label, hint, run: () => run(name) }),
  );
}
