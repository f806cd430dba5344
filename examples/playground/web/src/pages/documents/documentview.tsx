import { useState } from "preact/hooks";
import { del, get, post, send } from "../../api/client";
import type { RagChunk, RagChunks, RagDeleted, RagDocument } from "../../api/types";
import { go } from "../../router";
import { useData } from "../../ui/data";
import { Foreign } from "../../ui/hostile";
import { Button, bytes, counted, Dialog, Loading, ProblemView, Select, Text, toast } from "../../ui/parts";
import { problemWords } from "../shared/fileproblems";
import { findingWords, kinds, placeOf, sizeOf, stateOf, working } from "./documentwords";

const perPage = 50;

/** Passages shows the passages of a document, one page of them at a time. */
function Passages({ doc, first }: { doc: RagDocument; first: number }) {
  const [from, setFrom] = useState(Math.floor(first / perPage) * perPage);
  const { data, error, reload } = useData<RagChunks>(
    (s) =>
      get(
        "/api/vectors/documents/" + encodeURIComponent(doc.id) + "/chunks?from=" + from + "&limit=" + perPage,
        s,
      ),
    [doc.id, from, doc.state, doc.chunks],
  );
  if (error !== null) return <ProblemView error={error} retry={reload} />;
  if (!data) return <Loading what="the passages" />;
  if (data.total === 0) return <p class="muted">It has no passages yet.</p>;
  const index = (c: RagChunk) => Number(c.metadata["chunk_index"] ?? 0);
  return (
    <div class="stack">
      <p class="row spread">
        <span class="muted">
          Passages {from + 1} to {from + data.chunks.length} of {data.total.toLocaleString("en")}
        </span>
        <span class="row nowrap">
          <Button tid="passages-back" small disabled={from === 0} onClick={() => setFrom(from - perPage)}>
            Back
          </Button>
          <Button
            tid="passages-next"
            small
            disabled={from + perPage >= data.total}
            onClick={() => setFrom(from + perPage)}
          >
            Next
          </Button>
        </span>
      </p>
      {data.chunks.map((c) => (
        <section
          class="card stack tight"
          key={c.id}
          data-testid="passage"
          data-index={index(c)}
          ref={(e) => {
            if (e && first > 0 && index(c) === first) e.scrollIntoView({ block: "center" });
          }}
        >
          <p class="hint">
            {index(c) + 1}
            {placeOf(c.metadata) && " · " + placeOf(c.metadata)}
          </p>
          {Array.isArray(c.metadata["findings"]) && (
            <p class="note mid">
              {findingWords}: {c.metadata["findings"].join(", ")}.
            </p>
          )}
          <div class="doc-chunk" dir="auto" tabIndex={0}>
            <Foreign text={c.text} />
          </div>
        </section>
      ))}
    </div>
  );
}

/** DocumentView shows one document, and what can be done with it. first is the passage to show. */
export function DocumentView({ id, first }: { id: string; first: number }) {
  const path = "/api/vectors/documents/" + encodeURIComponent(id);
  const {
    data: doc,
    error,
    reload,
  } = useData<RagDocument>(
    (s) => get(path, s),
    [id],
    ["documents"],
    (e) => e.data?.id === id || !e.data?.id,
  );
  const [dialog, open] = useState<"rename" | "delete" | "split" | "">("");
  const [title, setTitle] = useState("");
  const [kind, setKind] = useState("");
  const [failure, fail] = useState<unknown>(null);
  if (error !== null && !doc) return <ProblemView error={error} retry={reload} />;
  if (!doc) return <Loading what="the document" />;
  const run = async (what: () => Promise<unknown>) => {
    fail(null);
    try {
      await what();
      open("");
      reload();
    } catch (e) {
      fail(e);
    }
  };
  const remove = () =>
    run(async () => {
      const gone = await del<RagDeleted>(path);
      if (gone.pipelines.length > 0)
        toast("These pipelines named it and find less now: " + gone.pipelines.join(", "));
      go("/vectors");
    });
  return (
    <div class="stack">
      <div class="row spread">
        <span class="muted wrap" data-testid="document-facts" data-state={doc.state}>
          {[
            doc.title === doc.source ? "" : doc.source,
            bytes(doc.bytes),
            sizeOf(doc),
            doc.tokens ? counted(doc.tokens, "token") : "",
            doc.embedder ? "embedded by " + doc.embedder : doc.state === "ready" ? "found by its words" : "",
            stateOf(doc),
          ]
            .filter(Boolean)
            .join(" · ")}
        </span>
        <span class="row">
          {working(doc) && (
            <Button tid="document-cancel" small onClick={() => run(() => post(path + "/cancel"))}>
              Stop
            </Button>
          )}
          {(doc.state === "failed" || doc.state === "cancelled") && (
            <Button
              tid="document-resume"
              small
              kind="primary"
              onClick={() => run(() => post(path + "/resume"))}
            >
              Try again
            </Button>
          )}
          {doc.state === "ready" && (
            <>
              <Button
                tid="document-rename"
                small
                onClick={() => (setTitle(doc.title), fail(null), open("rename"))}
              >
                Rename
              </Button>
              <Button
                tid="document-split"
                small
                onClick={() => (setKind(doc.splitting?.kind ?? ""), fail(null), open("split"))}
              >
                Divide anew
              </Button>
            </>
          )}
          <Button tid="document-delete" small onClick={() => (fail(null), open("delete"))}>
            Delete
          </Button>
        </span>
      </div>
      {doc.error && (
        <p class="note bad wrap" title={doc.error}>
          {problemWords(doc.problem)}
        </p>
      )}
      {doc.warnings?.map((w) => (
        <p class="note mid wrap">{w}</p>
      ))}
      {(doc.findings?.length ?? 0) > 0 && (
        <p class="note mid wrap" data-testid="document-findings">
          {findingWords}: {doc.findings!.join(", ")}. The model is told so, and the passages are marked.
        </p>
      )}
      {failure !== null && dialog === "" && <ProblemView error={failure} />}
      <Passages doc={doc} first={first} />
      {dialog === "rename" && (
        <Dialog tid="rename-dialog" title="Rename the document" onClose={() => open("")}>
          <Text tid="rename-title" label="Title" value={title} onInput={setTitle} />
          {failure !== null && <ProblemView error={failure} />}
          <Button
            tid="rename-save"
            kind="primary"
            disabled={!title.trim()}
            onClick={() => run(() => send("PATCH", path, { title: title.trim() }))}
          >
            Rename
          </Button>
        </Dialog>
      )}
      {dialog === "split" && (
        <Dialog tid="split-dialog" title="Divide the document anew" onClose={() => open("")}>
          <p class="muted">Until that is done, searches find the passages that are there now.</p>
          <Select tid="split-kind" label="Into" value={kind} options={kinds} onChange={setKind} />
          {failure !== null && <ProblemView error={failure} />}
          <Button
            tid="split-save"
            kind="primary"
            onClick={() => run(() => post(path + "/split", { splitting: kind ? { kind } : {} }))}
          >
            Divide
          </Button>
        </Dialog>
      )}
      {dialog === "delete" && (
        <Dialog tid="delete-dialog" title="Delete the document?" onClose={() => open("")}>
          <p class="wrap">
            {doc.title} and its {counted(doc.chunks, "passage")} are removed. Chats that search it find
            nothing there any more.
          </p>
          {failure !== null && <ProblemView error={failure} />}
          <Button tid="delete-confirm" kind="danger" onClick={remove}>
            Delete
          </Button>
        </Dialog>
      )}
    </div>
  );
}
