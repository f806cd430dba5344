import type { RagDocument, RagMatch } from "../../api/types";
import { counted } from "../../ui/parts";

const states: Record<string, string> = {
  queued: "Waiting",
  reading: "Reading",
  embedding: "Embedding",
  ready: "Ready",
  failed: "Failed",
  cancelled: "Stopped",
  deleting: "Being deleted",
};

/** stateOf says where a document stands, with its progress. */
export const stateOf = (d: RagDocument) =>
  d.state === "embedding" && d.chunks > 0
    ? "Embedding " + d.embedded.toLocaleString("en") + " of " + d.chunks.toLocaleString("en")
    : (states[d.state] ?? d.state);

/** working tells whether a document is still being taken in. */
export const working = (d: RagDocument) => ["queued", "reading", "embedding"].includes(d.state);

/** sizeOf is what a document has: its pages and passages. */
export const sizeOf = (d: RagDocument) =>
  [d.pages ? counted(d.pages, "page") : "", d.chunks ? counted(d.chunks, "passage") : ""]
    .filter(Boolean)
    .join(" · ");

/** placeOf is where a passage is in its file. */
export function placeOf(metadata: Record<string, unknown>): string {
  const one = (key: string, name: string) => {
    const from = metadata[key];
    const to = metadata["end_" + key];
    if (from === undefined) return "";
    return name + " " + String(from) + (to === undefined ? "" : "–" + String(to));
  };
  return [
    one("page_number", "page"),
    one("slide", "slide"),
    one("sheet", "sheet"),
    one("row", "row"),
    one("line", "line"),
    typeof metadata["heading_path"] === "string" ? metadata["heading_path"] : "",
  ]
    .filter(Boolean)
    .join(" · ");
}

/** documentOf is the document of a passage. */
export const documentOf = (m: Pick<RagMatch, "metadata">) => String(m.metadata["docInfoId"] ?? "");

/** findingWords says what a text was found to try. */
export const findingWords = "Its text may try to give orders to the model";

/** kinds are the ways of dividing a text. */
export const kinds: [string, string][] = [
  ["", "By its format"],
  ["token", "Passages of equal length"],
  ["sentence", "Sentences"],
  ["markdown", "Headings"],
  ["parent", "Sentences, read with what is around them"],
];
