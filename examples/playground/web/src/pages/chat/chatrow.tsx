// What can be done with a conversation of the list: fetched with the first click on
// the button of a row.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { get, send } from "../../api/client";
import type { ChatAPIConversation, ChatAPIFolders } from "../../api/types";
import { go } from "../../router";
import { announce, Button, Dialog, ProblemView, Text, toast } from "../../ui/parts";
import { Rename } from "./rename";
import { throwAway } from "./throwaway";

export type RowAction = "menu" | "rename" | "delete";

interface Props {
  of: ChatAPIConversation;
  /** The action to begin with. */
  action: RowAction;
  /** Where the menu opens, in CSS pixels of the window. */
  at: { x: number; y: number };
  /** The conversation that is open. */
  here: string;
  onClose: () => void;
}

const patch = (c: ChatAPIConversation, change: Record<string, unknown>) =>
  send("PATCH", "/api/conversations/" + c.id, change);

/** RowActions is the menu of a conversation in the list, and the dialogs that it leads to. */
export function RowActions({ of: c, action, at, here, onClose }: Props) {
  const [open, show] = useState<RowAction | "move">(action);
  const run = (what: () => Promise<unknown>, done: string) => {
    onClose();
    void what().then(
      () => done && announce(done),
      (e: unknown) => toast(e instanceof Error ? e.message : String(e), undefined, true),
    );
  };
  const remove = async () => {
    await throwAway([c]);
    if (c.id === here) go("/chat");
  };
  useEffect(() => {
    if (open === "delete") run(remove, "");
  }, [open]);
  if (open === "delete") return null;
  if (open === "rename")
    return <Rename title={c.title} onClose={onClose} onSave={(title) => patch(c, { title })} />;
  if (open === "move") return <Move of={c} onClose={onClose} />;
  return (
    <Menu at={at} label={"Actions for " + (c.title || "New chat")} onClose={onClose}>
      {[
        ["row-rename", "Rename", () => show("rename")] as const,
        [
          "row-pin",
          c.pinned ? "Unpin" : "Pin",
          () => run(() => patch(c, { pinned: !c.pinned }), c.pinned ? "Unpinned." : "Pinned."),
        ] as const,
        ["row-move", "Move to a folder", () => show("move")] as const,
        [
          "row-archive",
          c.archived ? "Bring back" : "Archive",
          () => run(() => patch(c, { archived: !c.archived }), c.archived ? "Brought back." : "Archived."),
        ] as const,
        ["row-delete", "Delete", () => show("delete")] as const,
      ]}
    </Menu>
  );
}

/** Menu floats at a place. It closes with a choice, with Escape, and when the focus or a click goes elsewhere. */
function Menu({
  at,
  label,
  onClose,
  children: items,
}: {
  at: { x: number; y: number };
  label: string;
  onClose: () => void;
  children: (readonly [string, string, () => void])[];
}) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(at.y);
  const opener = useRef(document.activeElement as HTMLElement | null);
  useLayoutEffect(() => {
    const height = box.current?.offsetHeight ?? 0;
    setTop(Math.max(8, Math.min(at.y, innerHeight - height - 8)));
    box.current?.querySelector("button")?.focus();
    const away = (e: Event) => !box.current?.contains(e.target as Node) && onClose();
    document.addEventListener("pointerdown", away);
    return () => document.removeEventListener("pointerdown", away);
  }, []);
  const keys = (e: KeyboardEvent) => {
    const buttons = [...(box.current?.querySelectorAll("button") ?? [])];
    const now = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const to = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: -1 }[e.key];
    if (to !== undefined) {
      e.preventDefault();
      buttons.at(to % buttons.length)?.focus();
    } else if (e.key === "Escape" || e.key === "Tab") {
      e.preventDefault();
      e.stopPropagation();
      onClose();
      opener.current?.focus();
    }
  };
  return (
    <div
      ref={box}
      class="menulist rowmenu"
      role="menu"
      aria-label={label}
      data-testid="row-menu"
      style={{ left: at.x + "px", top: top + "px" }}
      onKeyDown={keys}
    >
      {items.map(([tid, text, choose]) => (
        <button type="button" class="btn quiet" role="menuitem" data-testid={tid} onClick={choose}>
          {text}
        </button>
      ))}
    </div>
  );
}

const longestFolder = 60; // characters, as the server takes

/** Move puts a conversation into a folder, or out of its folder. */
function Move({ of: c, onClose }: { of: ChatAPIConversation; onClose: () => void }) {
  const [name, set] = useState(c.folder ?? "");
  const [folders, setFolders] = useState<string[]>([]);
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    void get<ChatAPIFolders>("/api/conversations/folders").then(
      (f) => setFolders(f.items.map((i) => i.name)),
      () => undefined, // a name can be typed
    );
  }, []);
  const save = async () => {
    try {
      await patch(c, { folder: name });
      announce(name.trim() ? "Moved to " + name.trim() + "." : "Taken out of its folder.");
      onClose();
    } catch (e) {
      setFailure(e);
    }
  };
  const long = name.length > longestFolder;
  return (
    <Dialog tid="move-dialog" title="Move to a folder" onClose={onClose}>
      <form class="stack" onSubmit={(e) => (e.preventDefault(), void save())}>
        <Text
          tid="move-folder"
          label="Folder"
          value={name}
          list={folders}
          hint="A new name makes a new folder. Empty: no folder."
          error={long ? "At most " + longestFolder + " characters." : undefined}
          onInput={set}
        />
        {failure !== null && <ProblemView error={failure} />}
        <div class="row end">
          <Button tid="move-save" type="submit" kind="primary" disabled={long}>
            Move
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
