import { signal } from "@preact/signals";
import type { RagDocument } from "../../api/types";
import { sendFile, tooLarge } from "../shared/sendfile";

/** A file on its way to the server. What becomes of it there is in the list of documents. */
export interface Upload {
  id: number;
  name: string;
  size: number;
  sent: number;
  /** Why it was not taken; empty while it is being sent. */
  problem: string;
  stop: () => void;
}

/** uploads are those that are being sent, and those that failed. */
export const uploads = signal<Upload[]>([]);

let last = 0;
const change = (id: number, to: Partial<Upload>) =>
  (uploads.value = uploads.value.map((u) => (u.id === id ? { ...u, ...to } : u)));
export const dismissUpload = (id: number) => (uploads.value = uploads.value.filter((u) => u.id !== id));

/**
 * upload sends a file with progress; how is the end of the address, with its name and
 * how it is divided. It ends with the document, or null if it was not taken.
 */
export async function upload(file: File, how: string, most: number): Promise<RagDocument | null> {
  const id = ++last;
  const problem = tooLarge(file, most);
  const row: Upload = { id, name: file.name, size: file.size, sent: 0, problem, stop: () => undefined };
  if (!problem) {
    const sending = sendFile<RagDocument>("/api/vectors/documents" + how, file, (sent) =>
      change(id, { sent }),
    );
    row.stop = sending.stop;
    uploads.value = [...uploads.value, row];
    try {
      const doc = await sending.done;
      dismissUpload(id);
      return doc;
    } catch (e) {
      change(id, { problem: e instanceof Error ? e.message : String(e) });
      return null;
    }
  }
  uploads.value = [...uploads.value, row];
  return null;
}
