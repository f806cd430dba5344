import { useEffect, useState } from "preact/hooks";
import { get, post } from "../../api/client";
import { on } from "../../api/events";
import type { RagStatus } from "../../api/types";
import { go, place } from "../../router";
import { Page } from "../../shell/page";
import { useData } from "../../ui/data";
import { Button, bytes, counted, Loading, ProblemView, Tabs } from "../../ui/parts";
import { adopt } from "../../ui/style";
import css from "../../styles/documents.css" with { type: "text" };
import { DocumentList } from "./documentlist";
import { DocumentPipelines } from "./documentpipelines";
import { DocumentSearch } from "./documentsearch";
import { DocumentView } from "./documentview";

adopt(css);

interface Progress {
  done: number;
  total: number;
  ended?: boolean;
  error?: string;
}

/** Reembed tells that the vectors are of another model, and makes them anew. */
function Reembed({ status, reload }: { status: RagStatus; reload: () => void }) {
  const [progress, set] = useState<Progress | null>(null);
  const [failure, fail] = useState<unknown>(null);
  useEffect(
    () =>
      on(["documents"], (e) => {
        if (e.type !== "documents.reembed") return;
        const p = e.data as Progress;
        set(p.ended ? null : p);
        fail(p.error ?? null);
        if (p.ended) reload();
      }),
    [],
  );
  if (!status.mismatch && !progress && failure === null) return null;
  const start = async () => {
    fail(null);
    try {
      await post("/api/vectors/reembed");
      set({ done: 0, total: 0 });
    } catch (e) {
      fail(e);
    }
  };
  const runs = progress !== null || status.reembedding;
  return (
    <div class="note mid row spread" data-testid="documents-mismatch">
      <span class="wrap">
        {runs
          ? "The documents are being embedded again" +
            (progress?.total ? ": " + progress.done + " of " + counted(progress.total, "passage") : "")
          : "The documents were embedded by " +
            (status.stored ?? "another model") +
            ", and " +
            (status.embedder ?? "no model") +
            " is chosen. Until they are embedded again, searches are by words, and nothing can be added."}
        {failure !== null && <ProblemView error={failure} />}
      </span>
      <Button tid="documents-reembed" kind="primary" busy={runs} onClick={start}>
        Embed again
      </Button>
    </div>
  );
}

/** Documents is the page of what questions are answered from. */
export function Documents({ args }: { args: string[] }) {
  const [tab, id] = [args[0] || "docs", args[1] ?? ""];
  const { data, error, reload } = useData<RagStatus>((s) => get("/api/vectors", s), [], ["documents"]);
  const passage = Number(new URLSearchParams(place.value.query).get("passage") ?? 0);
  const crumbs: [string, string][] = id ? [["Vector Database", "/vectors"]] : [];
  return (
    <Page title={id ? "Document" : "Vector Database"} crumbs={crumbs}>
      <div class="stack">
        {data && (
          <p class="muted" data-testid="documents-status">
            {[
              counted(data.documents, "document"),
              counted(data.chunks, "passage"),
              data.embedder ? "embedded by " + data.embedder : "found by their words",
              data.diskBytes ? bytes(data.diskBytes) : "",
            ]
              .filter(Boolean)
              .join(" · ")}
          </p>
        )}
        {data && <Reembed status={data} reload={reload} />}
        {!id && (
          <Tabs
            tid="documents-tab"
            label="Vector Database"
            value={tab}
            tabs={[
              ["docs", "Documents"],
              ["search", "Search"],
              ["pipelines", "Pipelines"],
            ]}
            onChange={(t) => go(t === "docs" ? "/vectors" : "/vectors/" + t)}
          />
        )}
        {error !== null && !data && <ProblemView error={error} retry={reload} />}
        {!data && error === null && <Loading what="the documents" />}
        {data &&
          tab === "docs" &&
          (id ? <DocumentView id={id} first={passage} /> : <DocumentList most={data.maxBytes} />)}
        {data && tab === "search" && <DocumentSearch status={data} />}
        {data && tab === "pipelines" && <DocumentPipelines />}
      </div>
    </Page>
  );
}
