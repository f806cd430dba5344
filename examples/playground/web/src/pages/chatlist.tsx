import { useState } from "preact/hooks";
import { get, query, send } from "../api/client";
import type { ChatAPIConversation, ChatAPIConversations } from "../api/types";
import { go } from "../router";
import { useData, useLater } from "../ui/data";
import { Button, Loading, ProblemView, toast } from "../ui/parts";

const day = 24 * 3600_000;

function groupOf(c: ChatAPIConversation): string {
  const at = Date.parse(c.updatedAt ?? c.createdAt ?? "");
  const today = new Date().setHours(0, 0, 0, 0);
  return at >= today ? "Today" : at >= today - 6 * day ? "This week" : "Older";
}

function Dot({ c }: { c: ChatAPIConversation }) {
  if (c.waitingForApproval || c.paused) return <span class="dot warn on" role="img" aria-label="Waits for approval" />;
  if (c.status === "STREAMING") return <span class="dot ok on" role="img" aria-label="Running" />;
  return null;
}

let shown: ChatAPIConversation[] | undefined; // until the list is there again

/** ChatList are the conversations, the one that changed last first. */
export function ChatList({ here, onImport }: { here: string; onImport: (text: string) => void }) {
  const [q, setQ] = useState("");
  const late = useLater(q, 150);
  const [pages, more] = useState(1);
  const { data, error, reload } = useData<{ items: ChatAPIConversation[]; more: boolean }>(async (s) => {
    const items: ChatAPIConversation[] = [];
    let cursor = "";
    for (let i = 0; i < pages; i++) {
      const page = await get<ChatAPIConversations>("/api/conversations" + query({ q: late, limit: 100, cursor }), s);
      items.push(...page.items);
      cursor = page.nextCursor ?? "";
      if (!cursor) break;
    }
    if (late === "") shown = items;
    return { items, more: cursor !== "" };
  }, [late, pages], ["chat", "approvals"]);
  const list = data?.items ?? (late === "" ? shown : undefined);
  let group = "";
  const read = (file: File | undefined) => {
    if (!file) return;
    if (file.size > 32 << 20) return toast(file.name + " is too large for a conversation.", undefined, true);
    void file.text().then(onImport);
  };
  return (
    <aside class="chats" aria-label="Conversations">
      <div class="row nowrap">
        <a class="btn primary" href="/chat" data-testid="chat-new">New chat</a>
        <label class="btn">
          Import
          <input type="file" class="vh" accept="application/json,.json" data-testid="chat-import" onChange={(e) => (read(e.currentTarget.files?.[0]), (e.currentTarget.value = ""))} />
        </label>
      </div>
      <input class="input" type="search" data-filter aria-label="Search conversations by title" placeholder="Search titles   /" data-testid="chats-search" value={q} onInput={(e) => setQ(e.currentTarget.value)} />
      {error !== null && <ProblemView error={error} retry={reload} />}
      {!list && error === null && <Loading what="conversations" />}
      {list && list.length === 0 && <p class="muted" data-testid="chats-empty">{q ? `No conversation is called "${q}".` : "No conversation yet. Your first question begins one."}</p>}
      <ul class="chatrows" data-testid="chats">
        {list?.map((c) => {
          const head = groupOf(c) === group ? null : (group = groupOf(c));
          return (
            <>
              {head && <li class="hint" aria-hidden="true" key={"h" + head}>{head}</li>}
              <li key={c.id}>
                <a class="pickrow" href={"/chat/" + c.id} data-row data-testid="chat-row" data-id={c.id} aria-current={c.id === here ? "true" : undefined}>
                  <span class="row nowrap"><Dot c={c} /><span class="t cut">{c.title || "New chat"}</span></span>
                </a>
              </li>
            </>
          );
        })}
      </ul>
      {data?.more && <Button tid="chats-more" small onClick={() => more(pages + 1)}>Show older</Button>}
    </aside>
  );
}

export async function importChat(text: string) {
  const made = (await send<ChatAPIConversation>("POST", "/api/conversations/import", undefined, { raw: text })).data;
  go("/chat/" + made.id);
}
