import { useState } from "preact/hooks";
import { get } from "../../api/client";
import type { RagDocument, RagDocuments } from "../../api/types";
import { useData } from "../../ui/data";
import { Ago, bytes, counted, Empty, Loading, ProblemView, Text } from "../../ui/parts";
import { VList } from "../../ui/vlist";
import { problemWords } from "../shared/fileproblems";
import { findingWords, sizeOf, stateOf } from "./documentwords";
import { UploadBox } from "./uploadbox";

const rowHeight = 60;

/** DocumentList shows all documents, and takes in new ones. */
export function DocumentList({ most }: { most: number }) {
  const [words, setWords] = useState("");
  const { data, error, loading, reload } = useData<RagDocument[]>(
    async (s) => (await get<RagDocuments>("/api/vectors/documents", s)).documents,
    [],
    ["documents"],
  );
  const wanted = words.trim().toLowerCase();
  const shown = (data ?? []).filter((d) => (d.title + " " + d.source).toLowerCase().includes(wanted));
  return (
    <div class="stack">
      <UploadBox most={most} onTaken={reload} />
      {error !== null && <ProblemView error={error} retry={reload} />}
      {!data && loading && <Loading what="the documents" />}
      {data?.length === 0 && (
        <Empty title="No documents yet">
          <p>Add a file above. A chat can then answer from it, and say on which page it says so.</p>
        </Empty>
      )}
      {data && data.length > 0 && (
        <>
          <Text tid="documents-filter" label="Find by name" value={words} onInput={setWords} />
          <p class="muted" data-testid="documents-count">
            {counted(shown.length, "document")}
          </p>
          <VList
            tid="documents-list"
            label="Documents"
            items={shown}
            keyOf={(d) => d.id}
            heightOf={() => rowHeight}
          >
            {(d) => (
              <a
                class="doc-row"
                href={"/vectors/docs/" + encodeURIComponent(d.id)}
                data-row
                data-testid="document"
                data-id={d.id}
                data-state={d.state}
              >
                <span class="name">
                  <strong>{d.title}</strong>
                  <span class="muted small">
                    {[d.title === d.source ? "" : d.source, bytes(d.bytes), sizeOf(d)]
                      .filter(Boolean)
                      .join(" · ")}
                  </span>
                </span>
                {(d.findings?.length ?? 0) > 0 && (
                  <span class="chip" title={findingWords + ": " + d.findings!.join(", ")}>
                    Suspicious
                  </span>
                )}
                <span
                  class={d.state === "failed" ? "err" : "muted"}
                  title={d.error && problemWords(d.problem)}
                >
                  {stateOf(d)}
                </span>
                <span class="muted small">
                  <Ago at={d.updated} />
                </span>
              </a>
            )}
          </VList>
        </>
      )}
    </div>
  );
}
