import { useEffect, useState } from "preact/hooks";
import { get } from "../../api/client";
import type { AttachList, RagAttachment } from "../../api/types";
import { later } from "../../ui/later";
import type { Turn } from "./turns";

/** A file on its way to the server, or one that the server refused. */
export interface Sending {
  id: number;
  name: string;
  size: number;
  sent: number;
  /** Why it was not taken; empty while it is being sent. */
  problem: string;
  stop: () => void;
}

/** Attachments are the documents of a conversation, and the files that are to be some. */
export interface Attachments {
  docs: RagAttachment[];
  files: Sending[];
  remove: (doc: RagAttachment) => Promise<void>;
  promote: (doc: RagAttachment) => Promise<void>;
  retry: (doc: RagAttachment) => Promise<void>;
}

export const AttachmentChips = later(async () => (await import("./attachments")).AttachmentChips);

let fetched = false;

/** The chunk with what attachments need, which most conversations do without. */
export async function fetchAttachments() {
  const parts = await import("./attachments");
  fetched = true;
  return parts;
}

/** useAttachments shows the attachments of a conversation; null: it has none. version changes when there may be others. */
export function useAttachments(id: string, version: unknown): Attachments | null {
  const [now, show] = useState<Attachments | null>(null);
  useEffect(() => {
    let gone = false;
    let off = () => {};
    const watch = async () => {
      const { watchAttachments } = await fetchAttachments();
      if (!gone) off = watchAttachments(id, show);
    };
    if (id && fetched) void watch();
    else if (id)
      void get<AttachList>("/api/conversations/" + id + "/attachments").then(
        (list) => (list.attachments.length > 0 ? watch() : undefined),
        () => undefined, // the documents cannot be opened now; attaching one says so
      );
    return () => {
      gone = true;
      off();
    };
  }, [id, version]);
  return now;
}

/** attachedBetween are the documents that were attached after one time and before another. */
export const attachedBetween = (now: Attachments | null, after: number, before: number) =>
  (now?.docs ?? []).filter((d) => {
    const added = Date.parse(d.added);
    return added > after && added <= before;
  });

/** attachedTo are the documents that were attached for the question of a turn. */
export const attachedTo = (now: Attachments | null, turn: Turn, before: Turn | undefined) =>
  before || turn.seq === 1 ? attachedBetween(now, before?.began ?? 0, turn.began) : [];
