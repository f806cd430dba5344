import { useEffect, useState } from "preact/hooks";
import { kept } from "../../ui/data";
import type { Conversation } from "./conversation";

const queueKey = (id: string) => "lp-queue-" + id;

/**
 * useQueued keeps one message that is sent when the turn ends. The tab that takes it
 * out of the browser's memory first sends it, so that it is sent once. send reports
 * whether the server accepted the message. After a restart of the program the message
 * waits for a person: the turn before it may be one to resume.
 */
export function useQueued(id: string, conv: Conversation, send: (text: string) => Promise<boolean>) {
  const [queued, setQueued] = useState(kept.read(queueKey(id)) ?? "");
  const queue = (text: string) => {
    setQueued(text);
    kept.write(queueKey(id), text || null);
  };
  useEffect(() => {
    if (!id || conv.running || !conv.detail || conv.detail.turnId) return;
    const take = async () => {
      const text = kept.read(queueKey(id));
      if (!text) return setQueued("");
      kept.write(queueKey(id), null);
      setQueued("");
      if (!(await send(text))) queue(text);
    };
    if (navigator.locks) void navigator.locks.request(queueKey(id), take);
    else void take();
  }, [id, conv.running === null, conv.detail?.turnId]);
  return { queued, queue };
}
