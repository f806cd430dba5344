import { useState } from "preact/hooks";
import { get } from "../../api/client";
import type { ServerBuiltin } from "../../api/types";
import { useData } from "../../ui/data";
import { Foreign } from "../../ui/hostile";
import { Button, Check, Dialog, Loading, ProblemView, Segments, Text } from "../../ui/parts";
import { Level } from "../../ui/risk";

/** ToolPicker chooses what the model is offered: everything, nothing, or some. */
export function ToolPicker({
  chosen,
  onClose,
  onChoose,
}: {
  chosen: string[] | null;
  onClose: () => void;
  onChoose: (names: string[] | null) => Promise<void>;
}) {
  const { data, error, reload } = useData<ServerBuiltin>((s) => get("/api/mcp/builtin", s), [], ["tools"]);
  const [mode, setMode] = useState(chosen === null ? "all" : chosen.length === 0 ? "none" : "some");
  const [names, setNames] = useState(new Set(chosen ?? []));
  const [failure, fail] = useState<unknown>(null);
  const save = async () => {
    try {
      await onChoose(mode === "all" ? null : mode === "none" ? [] : [...names]);
      onClose();
    } catch (e) {
      fail(e);
    }
  };
  const gone = [...names].filter((n) => data && !data.tools.some((t) => t.name === n));
  return (
    <Dialog tid="tool-picker" title="Tools of this conversation" onClose={onClose}>
      <Segments
        tid="tool-mode"
        label="The model is offered"
        value={mode}
        options={[
          ["all", "All live tools"],
          ["some", "Chosen ones"],
          ["none", "None"],
        ]}
        onChange={setMode}
      />
      {error !== null && <ProblemView error={error} retry={reload} />}
      {!data && error === null && <Loading what="tools" />}
      {data && mode === "some" && (
        <ul class="stack tight scroll-y">
          {data.tools.map((t) => (
            <li class="row spread">
              <Check
                tid="tool-choice"
                dataId={t.name}
                checked={names.has(t.name)}
                onChange={(on) =>
                  setNames(new Set(on ? [...names, t.name] : [...names].filter((n) => n !== t.name)))
                }
              >
                <strong>{t.name}</strong>{" "}
                <span class="muted clamp">
                  <Foreign text={t.description} />
                </span>
              </Check>
              <Level level={t.level} />
            </li>
          ))}
          {gone.map((n) => (
            <li class="hint">{n} is not live, so it is not offered: no pass, no run.</li>
          ))}
        </ul>
      )}
      {failure !== null && <ProblemView error={failure} />}
      <footer>
        <span class="hint">From the next question on.</span>
        <Button tid="tool-picker-save" kind="primary" onClick={() => void save()}>
          Use these
        </Button>
      </footer>
    </Dialog>
  );
}

/** Rename gives a conversation another title. */
export function Rename({
  title,
  onClose,
  onSave,
}: {
  title: string;
  onClose: () => void;
  onSave: (t: string) => Promise<unknown>;
}) {
  const [text, set] = useState(title);
  const [failure, fail] = useState<unknown>(null);
  return (
    <Dialog tid="rename-dialog" title="Rename the conversation" onClose={onClose}>
      <form class="stack" onSubmit={(e) => (e.preventDefault(), void onSave(text).then(onClose, fail))}>
        <Text
          tid="rename-title"
          label="Title"
          value={text}
          onInput={set}
          error={
            text.trim() === ""
              ? "A title has at least one letter."
              : text.length > 200
                ? "At most 200 letters."
                : undefined
          }
        />
        {failure !== null && <ProblemView error={failure} />}
        <div class="row end">
          <Button
            tid="rename-save"
            type="submit"
            kind="primary"
            disabled={text.trim() === "" || text.length > 200}
          >
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
