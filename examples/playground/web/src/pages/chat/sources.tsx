import type { ChatDocumentRef } from "../../api/types";
import { answerOf, type Turn } from "./turns";

/** citedIn returns the numbers of the sources that an answer names, such as [1] or [1, 3]. */
export function citedIn(answer: string, sources: number): Set<number> {
  const cited = new Set<number>();
  for (const m of answer.matchAll(/\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/g))
    for (const n of m[1]!.split(",").map(Number)) if (n >= 1 && n <= sources) cited.add(n);
  return cited;
}

const passageOf = (s: ChatDocumentRef) =>
  "/vectors/docs/" + encodeURIComponent(s.document ?? "") + "?passage=" + (s.chunk ?? 0);

/** Sources are the passages that the model got for a question; a click opens one in its document. */
export function Sources({ turn }: { turn: Turn }) {
  if (!turn.sources) return null;
  if (turn.sources.length === 0)
    return (
      <p class="hint" data-testid="sources-none">
        The documents were searched, and nothing was found.
      </p>
    );
  const cited = citedIn(answerOf(turn), turn.sources.length);
  return (
    <details class="thinking" data-testid="sources" open={cited.size > 0 && !turn.live}>
      <summary data-testid="sources-open">
        {turn.sources.length === 1 ? "1 passage" : turn.sources.length + " passages"} of documents
        {cited.size > 0 && ", " + cited.size + " cited"}
      </summary>
      <ol class="stack tight">
        {turn.sources.map((s, i) => (
          <li data-testid="source" data-cited={cited.has(i + 1)} class="row" key={s.id}>
            <span class="num">[{i + 1}]</span>
            {s.document ? (
              <a href={passageOf(s)} class="wrap" data-testid="source-link">
                {s.title || s.source || "A passage"}
              </a>
            ) : (
              <span class="wrap">{s.title || s.source || "A passage"}</span>
            )}
            {cited.has(i + 1) && <span class="chip">cited</span>}
            {(s.findings?.length ?? 0) > 0 && (
              <span class="chip" title={s.findings!.join(", ")}>
                may give orders to the model
              </span>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}
