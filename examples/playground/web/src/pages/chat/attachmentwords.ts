import type { RagAttachment } from "../../api/types";

/** busy tells whether a document is still being prepared. */
export const busy = (d: RagAttachment) => d.state !== "ready" && d.state !== "failed";

const problems: Record<string, string> = {
  unsupported: "This kind of file cannot be read. Attach a PDF, an office document or text.",
  encrypted: "It needs a password. Save it without one, and attach it again.",
  "no-text": "There is no text in it; it may be a scan. Attach a file with text.",
  unreadable: "Its text came out unusable. Attach another version of it.",
  limit: "It is too large to be read. Divide it, and attach the parts.",
  corrupt: "The file is damaged. Attach a sound copy.",
  embedder: "The model that makes it searchable failed. Try again when it answers.",
};

/** canRetry tells whether the same file may work later. */
export const canRetry = (d: RagAttachment) =>
  d.state === "failed" && (!d.problem || d.problem === "embedder");

const progress = (d: RagAttachment) => (d.total ? ", " + (d.done ?? 0) + " of " + d.total : "");

/** stateWords says where an attachment stands: what a question gets of it, or what can be done. */
export function stateWords(d: RagAttachment): string {
  switch (d.state) {
    case "extracting":
      return "its text is being read";
    case "indexing":
      return "it is being made searchable" + progress(d);
    case "summarizing":
      return "an overview is being written" + progress(d) + "; you can ask already";
    case "failed":
      return problems[d.problem ?? ""] ?? "It could not be prepared. Try again.";
  }
  return d.tier === "small"
    ? "the model reads all of it"
    : "the model reads an overview and the passages that fit the question";
}
