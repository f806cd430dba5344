import { useState } from "preact/hooks";
import { del, get, post, put } from "../../api/client";
import type { RagDescribed, RagPipelines, RagRan } from "../../api/types";
import { useData } from "../../ui/data";
import { Foreign } from "../../ui/hostile";
import { Button, Check, counted, Dialog, Loading, ms, ProblemView, Text } from "../../ui/parts";

const empty: RagDescribed = {
  id: "",
  name: "",
  preRetrieval: {},
  retrieval: {},
  postRetrieval: {},
  generation: {},
};

/** Stages draws a pipeline as a row of cards. */
function Stages({ p }: { p: RagDescribed }) {
  return (
    <ol class="doc-stages" aria-label={"Stages of " + p.name}>
      {(p.stages ?? []).map((s) => (
        <li key={s.name + s.label}>
          <span class="stage">
            <strong>{s.label}</strong>
            <br />
            <span class="hint">{s.calls > 0 ? counted(s.calls, "model call") : "local"}</span>
          </span>
        </li>
      ))}
    </ol>
  );
}

function Edit({ was, onDone }: { was: RagDescribed; onDone: () => void }) {
  const [p, set] = useState(was);
  const [failure, fail] = useState<unknown>(null);
  const pre = (to: Partial<RagDescribed["preRetrieval"]>) =>
    set({ ...p, preRetrieval: { ...p.preRetrieval, ...to } });
  const save = async () => {
    const { stages: _, createdAt: __, updatedAt: ___, ...body } = p;
    try {
      if (p.id) await put("/api/vectors/pipelines/" + encodeURIComponent(p.id), body);
      else await post("/api/vectors/pipelines", body);
      onDone();
    } catch (e) {
      fail(e);
    }
  };
  return (
    <Dialog tid="pipeline-dialog" title={p.id ? "Change the pipeline" : "New pipeline"} onClose={onDone}>
      <Text tid="pipeline-name" label="Name" value={p.name} onInput={(name) => set({ ...p, name })} />
      <Check
        tid="pipeline-compression"
        checked={p.preRetrieval.compression ?? false}
        onChange={(compression) => pre({ compression })}
      >
        Make a follow-up question complete by the conversation (one model call)
      </Check>
      <Check
        tid="pipeline-rewrite"
        checked={p.preRetrieval.rewrite ?? false}
        onChange={(rewrite) => pre({ rewrite })}
      >
        Remove what does not help the search (one model call)
      </Check>
      <Check
        tid="pipeline-multi"
        checked={p.preRetrieval.multiQuery ?? false}
        onChange={(multiQuery) => pre({ multiQuery })}
      >
        Search with variants of the question too (one model call)
      </Check>
      <Text
        tid="pipeline-filter"
        label="Only where"
        mono
        value={p.retrieval.extraFilterExpression ?? ""}
        onInput={(extraFilterExpression) =>
          set({ ...p, retrieval: { ...p.retrieval, extraFilterExpression } })
        }
      />
      <Text
        tid="pipeline-top"
        label="Passages that remain"
        hint="Empty: all that were found"
        value={p.postRetrieval.topNTruncate ? String(p.postRetrieval.topNTruncate) : ""}
        onInput={(n) => set({ ...p, postRetrieval: { ...p.postRetrieval, topNTruncate: Number(n) || 0 } })}
      />
      {failure !== null && <ProblemView error={failure} />}
      <Button tid="pipeline-save" kind="primary" disabled={!p.name.trim()} onClick={save}>
        Save
      </Button>
    </Dialog>
  );
}

/** Trial runs a pipeline with a question. */
function Trial({ p }: { p: RagDescribed }) {
  const [question, setQuestion] = useState("");
  const [ran, setRan] = useState<RagRan | null>(null);
  const [busy, setBusy] = useState(false);
  const [failure, fail] = useState<unknown>(null);
  const run = async () => {
    setBusy(true);
    fail(null);
    try {
      setRan(await post<RagRan>("/api/vectors/pipelines/" + encodeURIComponent(p.id) + "/run", { question }));
    } catch (e) {
      fail(e);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      class="stack tight"
      onSubmit={(e) => {
        e.preventDefault();
        void run();
      }}
    >
      <Text tid="pipeline-question" label="Try it with a question" value={question} onInput={setQuestion} />
      <div class="row">
        <Button tid="pipeline-run" small type="submit" busy={busy} disabled={!question.trim()}>
          Run
        </Button>
      </div>
      {failure !== null && <ProblemView error={failure} />}
      {ran && (
        <div class="stack tight" data-testid="pipeline-ran">
          <ol class="stack tight">
            {ran.trace.map((e) => (
              <li class={"row spread" + (e.warning ? " warn" : "")}>
                <span class="wrap">{e.message}</span>
                <span class="num hint">{ms(e.millis)}</span>
              </li>
            ))}
          </ol>
          <details>
            <summary data-testid="pipeline-prompt">What the model would get</summary>
            <div class="doc-chunk" tabIndex={0}>
              <Foreign text={ran.prompt} />
            </div>
          </details>
        </div>
      )}
    </form>
  );
}

/** DocumentPipelines shows the pipelines, and changes them. */
export function DocumentPipelines() {
  const { data, error, reload } = useData<RagPipelines>((s) => get("/api/vectors/pipelines", s), []);
  const [edited, edit] = useState<RagDescribed | null>(null);
  const [failure, fail] = useState<unknown>(null);
  if (error !== null) return <ProblemView error={error} retry={reload} />;
  if (!data) return <Loading what="the pipelines" />;
  const remove = async (p: RagDescribed) => {
    try {
      await del("/api/vectors/pipelines/" + encodeURIComponent(p.id));
      reload();
    } catch (e) {
      fail(e);
    }
  };
  return (
    <div class="stack">
      <div class="row spread">
        <p class="muted">How a question becomes the passages that a model gets. A chat can choose one.</p>
        <Button tid="pipeline-new" kind="primary" icon="plus" onClick={() => edit(empty)}>
          New pipeline
        </Button>
      </div>
      {failure !== null && <ProblemView error={failure} />}
      {data.pipelines.map((p) => (
        <section class="card stack" key={p.id} data-testid="pipeline" data-id={p.id}>
          <div class="row spread">
            <h2>{p.name}</h2>
            <span class="row nowrap">
              <Button tid="pipeline-edit" small onClick={() => edit(p)}>
                Change
              </Button>
              <Button tid="pipeline-delete" small onClick={() => remove(p)}>
                Delete
              </Button>
            </span>
          </div>
          {p.description && <p class="muted">{p.description}</p>}
          <Stages p={p} />
          <Trial p={p} />
        </section>
      ))}
      {edited && <Edit was={edited} onDone={() => (edit(null), reload())} />}
    </div>
  );
}
