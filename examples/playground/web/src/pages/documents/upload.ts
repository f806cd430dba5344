import { signal } from "@preact/signals";
import type { RagDocument } from "../../api/types";
import { bytes } from "../../ui/parts";

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

/** tooLarge says why a file is not sent; empty: it is. */
export const tooLarge = (file: File, most: number) =>
  file.size > most
    ? "It has " +
      bytes(file.size) +
      ", and up to " +
      bytes(most) +
      " are taken. Divide it, or raise the setting retrieval.maxFile and start again."
    : file.size === 0
      ? "The file is empty."
      : "";

function problemOf(status: number, text: string): string {
  try {
    const p = JSON.parse(text) as { detail?: string; title?: string };
    return p.detail ?? p.title ?? "The server answered " + status + ".";
  } catch {
    return status === 0 ? "The playground does not answer." : "The server answered " + status + ".";
  }
}

/** sendFile sends a file with progress. It ends with the document, or null if it was not taken. */
export function sendFile(file: File, most: number): Promise<RagDocument | null> {
  const id = ++last;
  const request = new XMLHttpRequest();
  const upload: Upload = {
    id,
    name: file.name,
    size: file.size,
    sent: 0,
    problem: tooLarge(file, most),
    stop: () => (request.abort(), dismissUpload(id)),
  };
  uploads.value = [...uploads.value, upload];
  if (upload.problem) return Promise.resolve(null);
  return new Promise((resolve) => {
    request.upload.onprogress = (e) => change(id, { sent: e.loaded });
    request.onload = () => {
      if (request.status !== 202) {
        change(id, { problem: problemOf(request.status, request.responseText) });
        return resolve(null);
      }
      dismissUpload(id);
      resolve(JSON.parse(request.responseText) as RagDocument);
    };
    request.onerror = () => (change(id, { problem: problemOf(0, "") }), resolve(null));
    request.onabort = () => resolve(null);
    request.open("POST", "/api/vectors/documents?name=" + encodeURIComponent(file.name));
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("Accept", "application/json");
    request.send(file);
  });
}
