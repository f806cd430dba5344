import { useEffect, useRef, useState } from "preact/hooks";
import { get, query } from "../../api/client";
import { on } from "../../api/events";
import type { ChatAPIConversation, ChatAPIConversations, ChatAPIFolders } from "../../api/types";
import { useData } from "../../ui/data";

export type Show = "active" | "archived";

export interface Chats {
  items: ChatAPIConversation[];
  pinned: ChatAPIConversation[];
  more: boolean;
  loading: boolean;
  error: unknown;
  next: () => void;
  reload: () => void;
}

const page = 100;
/** What was there last, until it is there again: a list does not blink when somebody opens a conversation. */
let before: {
  key: string;
  items: ChatAPIConversation[];
  pinned: ChatAPIConversation[];
  cursor: string;
} | null = null;

const time = (c: ChatAPIConversation) => Date.parse(c.updatedAt ?? c.createdAt ?? "") || 0;

/** useFolders are the folders of conversations; undefined before they are read. */
export const useFolders = (): ChatAPIFolders["items"] | undefined =>
  useData<ChatAPIFolders>((s) => get("/api/conversations/folders", s), [], ["chat"]).data?.items;

/** useChats is the list of conversations, page by page, kept up to date by what the server tells. */
export function useChats(q: string, show: Show, folder: string): Chats {
  const key = JSON.stringify([show, folder, q]);
  const apart = q === "" && show === "active" && folder === ""; // those that are pinned come first
  const [, paint] = useState(0);
  const state = useRef({
    key: "",
    items: [] as ChatAPIConversation[],
    pinned: [] as ChatAPIConversation[],
    cursor: "",
    loading: false,
    error: null as unknown,
    run: 0,
  });
  const s = state.current;
  if (s.key !== key) {
    s.key = key;
    s.run++;
    const known = before?.key === key ? before : null;
    Object.assign(s, {
      items: known?.items ?? [],
      pinned: known?.pinned ?? [],
      cursor: known?.cursor ?? "",
      loading: true,
      error: null,
    });
  }
  const keep = () => {
    before = { key: s.key, items: s.items, pinned: s.pinned, cursor: s.cursor };
    paint((n) => n + 1);
  };
  const read = async (cursor: string) => {
    const run = cursor === "" ? ++s.run : s.run;
    s.loading = true;
    paint((n) => n + 1);
    try {
      const [list, pinned] = await Promise.all([
        get<ChatAPIConversations>("/api/conversations" + query({ q, show, folder, limit: page, cursor })),
        cursor === "" && apart
          ? get<ChatAPIConversations>("/api/conversations" + query({ show: "pinned", limit: 200 }))
          : null,
      ]);
      if (run !== s.run) return;
      const seen = new Set(cursor === "" ? [] : s.items.map((c) => c.id));
      s.items = cursor === "" ? list.items : [...s.items, ...list.items.filter((c) => !seen.has(c.id))];
      if (cursor === "") s.pinned = (pinned?.items ?? []).sort((a, b) => time(b) - time(a));
      s.cursor = list.nextCursor ?? "";
      s.error = null;
    } catch (e) {
      if (run !== s.run) return;
      s.error = e;
    }
    s.loading = false;
    keep();
  };
  /** put brings one conversation up to date where it stands, or moves it to where it belongs. */
  const put = (c: ChatAPIConversation, gone: boolean) => {
    const fits =
      !gone &&
      !c.deletedAt &&
      Boolean(c.archived) === (show === "archived") &&
      (folder === "" || c.folder === folder);
    const old = s.items.find((x) => x.id === c.id);
    s.items = s.items.filter((x) => x.id !== c.id);
    s.pinned = s.pinned.filter((x) => x.id !== c.id);
    if (fits && (q === "" || old)) {
      const own = old?.hits ? { ...c, hits: old.hits } : c;
      const at = s.items.findIndex((x) => time(x) <= time(c));
      if (at >= 0) s.items = [...s.items.slice(0, at), own, ...s.items.slice(at)];
      else if (s.cursor === "") s.items = [...s.items, own];
      if (c.pinned && apart) s.pinned = [...s.pinned, own].sort((a, b) => time(b) - time(a));
    }
    keep();
  };
  useEffect(() => {
    void read("");
    return on(["chat"], (e) => {
      const c = e.data as ChatAPIConversation | null;
      if (e.type === "conversation.changed" && c?.id) put(c, false);
      else if (e.type === "conversation.deleted" && c?.id) put(c, true);
      else void read("");
    });
  }, [key]);
  // A search looks through a part at a time: where a page has nothing the next one may.
  useEffect(() => {
    if (q !== "" && !s.loading && s.cursor !== "" && s.items.length < 20 && s.error === null)
      void read(s.cursor);
  });
  return {
    items: s.items,
    pinned: apart ? s.pinned : [],
    more: s.cursor !== "",
    loading: s.loading,
    error: s.error,
    next: () => void (!s.loading && s.cursor !== "" && read(s.cursor)),
    reload: () => void read(""),
  };
}
