import { useState } from "preact/hooks";
import { get, query } from "../../api/client";
import type { ChatAPIHits } from "../../api/types";
import { useData, useLater } from "../../ui/data";
import { Dialog, ProblemView } from "../../ui/parts";
import { Marked } from "../../ui/marked";

/** Find looks through all of a conversation on the server: the browser's own search sees only what is in the page. */
export function Find({
  id,
  onClose,
  onGo,
}: {
  id: string;
  onClose: () => void;
  onGo: (message: string) => void;
}) {
  const [q, setQ] = useState("");
  const late = useLater(q.trim(), 200);
  const found = useData<ChatAPIHits | null>(
    (s) =>
      late === ""
        ? Promise.resolve(null)
        : get<ChatAPIHits>(
            "/api/conversations/" + encodeURIComponent(id) + "/search" + query({ q: late, limit: 100 }),
            s,
          ),
    [late],
  );
  const data = late === "" ? null : found.data;
  return (
    <Dialog tid="find-dialog" title="Find in this conversation" onClose={onClose}>
      <input
        class="input"
        type="search"
        aria-label="Words to find"
        placeholder="Words of a message"
        data-testid="find-input"
        value={q}
        onInput={(e) => setQ(e.currentTarget.value)}
      />
      <p class="hint">
        The server searches all messages. The browser's own search sees only those that are on the screen.
      </p>
      {found.error !== null && <ProblemView error={found.error} retry={found.reload} />}
      <p class="small" role="status" data-testid="find-count">
        {late === ""
          ? ""
          : found.loading
            ? "Searching…"
            : data
              ? data.total === 0
                ? "No message has “" + late + "”."
                : data.total +
                  (data.total === 1 ? " message" : " messages") +
                  (data.total > data.items.length ? ", the last " + data.items.length + " shown" : "")
              : ""}
      </p>
      <ul class="listbox">
        {(data?.items ?? []).map((h) => (
          <li key={h.messageId}>
            <button
              type="button"
              class="pickrow"
              data-testid="find-hit"
              data-id={h.messageId}
              data-seq={h.seq}
              onClick={() => onGo(h.messageId)}
            >
              <span class="hint">
                {h.role === "USER" ? "You" : "Answer"} · question {h.seq}
              </span>
              <span class="clamp" dir="auto">
                <Marked text={h.snippet} words={late} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
