import type { RagAttachment } from "../../api/types";
import { problemWords } from "../shared/fileproblems";

/** busy tells whether a document is still being prepared. */
export const busy = (d: RagAttachment) => d.state !== "ready" && d.state !== "failed";

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
      return problemWords(d.problem);
  }
  return d.tier === "small"
    ? "the model reads all of it"
    : "the model reads an overview and the passages that fit the question";
}
