import { useState } from "preact/hooks";
import { get } from "../../api/client";
import type { ChatDocumentSelection, RagDocument, RagDocuments, RagPipelines } from "../../api/types";
import { useData } from "../../ui/data";
import { Button, Check, counted, Dialog, Loading, ProblemView, Segments, Select, Text } from "../../ui/parts";

interface Known {
  documents: RagDocument[];
  pipelines: RagPipelines["pipelines"];
}

const modeOf = (s: ChatDocumentSelection | null) =>
  s?.pipeline ? "pipeline" : s?.all ? "all" : s?.ids?.length ? "some" : "none";

/** DocumentPicker chooses which documents are searched for the questions of a conversation. */
export function DocumentPicker({
  chosen,
  onClose,
  onChoose,
}: {
  chosen: ChatDocumentSelection | null;
  onClose: () => void;
  onChoose: (s: ChatDocumentSelection) => Promise<void>;
}) {
  const { data, error, reload } = useData<Known>(
    async (s) => {
      const [d, p] = await Promise.all([
        get<RagDocuments>("/api/vectors/documents", s),
        get<RagPipelines>("/api/vectors/pipelines", s),
      ]);
      return { documents: d.documents, pipelines: p.pipelines };
    },
    [],
    ["documents"],
  );
  const [mode, setMode] = useState(modeOf(chosen));
  const [ids, setIDs] = useState(new Set(chosen?.ids ?? []));
  const [pipeline, setPipeline] = useState(chosen?.pipeline ?? "");
  const [q, setQ] = useState("");
  const [failure, fail] = useState<unknown>(null);
  const gone = [...ids].filter((id) => data && !data.documents.some((d) => d.id === id));
  const shown = (data?.documents ?? [])
    .filter((d) => (d.title + " " + d.source).toLowerCase().includes(q.toLowerCase()))
    .slice(0, 200);
  const save = async () => {
    const there = [...ids].filter((id) => !gone.includes(id));
    try {
      await onChoose(
        mode === "all"
          ? { all: true }
          : mode === "some"
            ? { ids: there }
            : mode === "pipeline"
              ? { pipeline: pipeline || (data?.pipelines[0]?.id ?? "") }
              : {},
      );
      onClose();
    } catch (e) {
      fail(e);
    }
  };
  const toggle = (id: string, on: boolean) =>
    setIDs(new Set(on ? [...ids, id] : [...ids].filter((x) => x !== id)));
  return (
    <Dialog tid="document-picker" title="Documents of this conversation" onClose={onClose}>
      <Segments
        tid="document-mode"
        label="Questions are answered from"
        value={mode}
        options={[
          ["none", "No documents"],
          ["all", "All documents"],
          ["some", "Chosen ones"],
          ["pipeline", "A pipeline"],
        ]}
        onChange={setMode}
      />
      {error !== null && <ProblemView error={error} retry={reload} />}
      {!data && error === null && <Loading what="the documents" lines={3} />}
      {data?.documents.length === 0 && (
        <p class="muted">
          There are no documents yet.{" "}
          <a href="/vectors" data-testid="document-add">
            Add some
          </a>{" "}
          in the Vector Database.
        </p>
      )}
      {gone.length > 0 && (
        <p class="note mid" data-testid="documents-gone">
          {counted(gone.length, "document")} of this choice {gone.length === 1 ? "was" : "were"} deleted.
        </p>
      )}
      {mode === "some" && data && data.documents.length > 0 && (
        <>
          <Text tid="document-find" label="Find by name" value={q} onInput={setQ} />
          <div class="listbox stack tight" tabIndex={0} role="group" aria-label="Documents">
            {shown.map((d) => (
              <Check
                tid="document-check"
                dataId={d.id}
                key={d.id}
                checked={ids.has(d.id)}
                onChange={(on) => toggle(d.id, on)}
              >
                {d.title}
                {d.state === "ready" ? "" : " (not ready)"}
              </Check>
            ))}
          </div>
        </>
      )}
      {mode === "pipeline" && data && (
        <Select
          tid="document-pipeline"
          label="Pipeline"
          value={pipeline || (data.pipelines[0]?.id ?? "")}
          options={data.pipelines.map((p): [string, string] => [p.id, p.name])}
          onChange={setPipeline}
        />
      )}
      {failure !== null && <ProblemView error={failure} />}
      <Button
        tid="document-picker-save"
        kind="primary"
        disabled={mode === "some" && ids.size === gone.length}
        onClick={save}
      >
        Use
      </Button>
    </Dialog>
  );
}
