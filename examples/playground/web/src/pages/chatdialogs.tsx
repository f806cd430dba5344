import { useState } from "preact/hooks";
import { del, get, post } from "../api/client";
import type { ChatAPIPreset, ChatAPIPresets, ChatAPIRendered, ChatOptions, ServerBuiltin } from "../api/types";
import { useData, useLater } from "../ui/data";
import { Foreign } from "../ui/hostile";
import { Button, Check, Dialog, Loading, ProblemView, Segments, Text } from "../ui/parts";
import { Level } from "../ui/risk";

/** ToolPicker chooses what the model is offered: everything, nothing, or some. */
export function ToolPicker({ chosen, onClose, onChoose }: { chosen: string[] | null; onClose: () => void; onChoose: (names: string[] | null) => Promise<void> }) {
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
      <Segments tid="tool-mode" label="The model is offered" value={mode} options={[["all", "All live tools"], ["some", "Chosen ones"], ["none", "None"]]} onChange={setMode} />
      {error !== null && <ProblemView error={error} retry={reload} />}
      {!data && error === null && <Loading what="tools" />}
      {data && mode === "some" && (
        <ul class="stack tight scroll-y">
          {data.tools.map((t) => (
            <li class="row spread">
              <Check tid="tool-choice" dataId={t.name} checked={names.has(t.name)} onChange={(on) => setNames(new Set(on ? [...names, t.name] : [...names].filter((n) => n !== t.name)))}>
                <strong>{t.name}</strong> <span class="muted clamp"><Foreign text={t.description} /></span>
              </Check>
              <Level level={t.level} />
            </li>
          ))}
          {gone.map((n) => <li class="hint">{n} is not live, so it is not offered: no pass, no run.</li>)}
        </ul>
      )}
      {failure !== null && <ProblemView error={failure} />}
      <footer>
        <span class="hint">From the next question on.</span>
        <Button tid="tool-picker-save" kind="primary" onClick={() => void save()}>Use these</Button>
      </footer>
    </Dialog>
  );
}

const numbers: [keyof ChatOptions, string, string, (n: number) => boolean][] = [
  ["temperature", "Temperature", "0 to 2; higher is more varied", (n) => n >= 0 && n <= 2],
  ["topP", "Top P", "0 to 1", (n) => n > 0 && n <= 1],
  ["maxTokens", "Longest answer, tokens", "a whole number", (n) => Number.isInteger(n) && n > 0],
  ["seed", "Seed", "a whole number, for answers that repeat", (n) => Number.isInteger(n)],
  ["memoryWindow", "Messages that the model sees", "a whole number", (n) => Number.isInteger(n) && n > 0],
];

/** OptionsDialog sets how answers are made, from the next question on. */
export function OptionsDialog({ options, system, fresh, onClose, onSave }: { options: ChatOptions; system: string; fresh: boolean; onClose: () => void; onSave: (o: ChatOptions, system: string) => Promise<void> }) {
  const [values, set] = useState<Record<string, string>>(Object.fromEntries(numbers.map(([k]) => [k, options[k] === undefined ? "" : String(options[k])])));
  const [prompt, setPrompt] = useState(system);
  const [failure, fail] = useState<unknown>(null);
  const errors = Object.fromEntries(numbers.map(([k, , hint, ok]) => [k, values[k] !== "" && !(Number.isFinite(Number(values[k])) && ok(Number(values[k]))) ? "This is " + hint + "." : undefined]));
  const bad = Object.values(errors).some(Boolean);
  const save = async () => {
    try {
      await onSave(Object.fromEntries(numbers.filter(([k]) => values[k] !== "").map(([k]) => [k, Number(values[k])])) as ChatOptions, prompt);
      onClose();
    } catch (e) {
      fail(e);
    }
  };
  return (
    <Dialog tid="chat-options-dialog" title="Options of this conversation" onClose={onClose}>
      <Text tid="option-system" label="System prompt" lines={4} value={prompt} readOnly={!fresh} onInput={setPrompt} hint={fresh ? "How the model should behave." : "A conversation keeps the one that it began with."} />
      {numbers.map(([k, label, hint]) => (
        <Text tid={"option-" + k} label={label} hint={hint} value={values[k] ?? ""} error={errors[k]} placeholder="default" onInput={(v) => set({ ...values, [k]: v })} />
      ))}
      {failure !== null && <ProblemView error={failure} />}
      <footer>
        <Button tid="options-reset" onClick={() => set(Object.fromEntries(numbers.map(([k]) => [k, ""])))}>Defaults</Button>
        <Button tid="options-save" kind="primary" disabled={bad} onClick={() => void save()}>Use from the next question</Button>
      </footer>
    </Dialog>
  );
}

/** Library offers presets and templates, and saves own ones. */
export function Library({ live, onClose, onApply }: { live: string[]; onClose: () => void; onApply: (p: ChatAPIPreset, values: Record<string, string>) => Promise<void> }) {
  const { data, error, reload } = useData<ChatAPIPresets>((s) => get("/api/presets", s), []);
  const [q, setQ] = useState("");
  const [at, choose] = useState("");
  const [values, setValues] = useState<Record<string, string>>({});
  const [failure, fail] = useState<unknown>(null);
  const [own, setOwn] = useState<{ name: string; prompt: string } | null>(null);
  const list = (data?.items ?? []).filter((p) => (p.displayName + " " + (p.description ?? "") + " " + p.tools.join(" ")).toLowerCase().includes(q.toLowerCase()));
  const p = list.find((x) => x.id === at);
  const late = useLater(JSON.stringify([at, values]), 200);
  const preview = useData<ChatAPIRendered | null>(async () => (p?.kind === "template" ? post<ChatAPIRendered>("/api/templates/render", { presetId: p.id, values }) : null), [late]);
  const missing = (p?.tools ?? []).filter((t) => !live.includes(t));
  const problems = p?.kind === "template" ? (preview.data?.problems ?? []) : [];
  const act = async (run: () => Promise<unknown>) => {
    fail(null);
    try {
      await run();
    } catch (e) {
      fail(e);
    }
  };
  return (
    <Dialog tid="library" cls="wide" title="Presets and templates" onClose={onClose}>
      <input class="input" type="search" aria-label="Search presets" placeholder="Search" data-testid="library-search" value={q} onInput={(e) => setQ(e.currentTarget.value)} />
      {error !== null && <ProblemView error={error} retry={reload} />}
      {!data && error === null && <Loading what="presets" />}
      <div class="split">
        <ul class="listbox" aria-label="Presets">
          {list.map((x) => (
            <li>
              <button type="button" class="pickrow" data-testid="preset-row" data-id={x.id} aria-current={x.id === at} onClick={() => (choose(x.id), setValues({}), fail(null))}>
                <span class="t">{x.displayName}</span>
                <span class="clamp">{x.description}</span>
                <span class="hint">{x.kind === "template" ? "template" : "preset"}{x.own ? ", yours" : ""} · {x.dynamicTools ? "searches its tools" : x.tools.length + " tools"}</span>
              </button>
            </li>
          ))}
        </ul>
        <div class="stack">
          {!p && <p class="muted">Choose one. It begins a new conversation; the tools that clients are offered stay as they are.</p>}
          {p && (
            <>
              <h3>{p.displayName}</h3>
              {(p.variables ?? []).map((v) => (
                <Text tid="preset-value" label={v.name} value={values[v.name] ?? ""} placeholder={v.default ?? ""} {...(v.options ? { list: v.options } : {})} onInput={(text) => setValues(text === "" ? Object.fromEntries(Object.entries(values).filter(([k]) => k !== v.name)) : { ...values, [v.name]: text })} />
              ))}
              <pre class="code" tabIndex={0} data-testid="preset-preview"><Foreign text={preview.data?.text ?? p.prompt} /></pre>
              <span class="hint">~{Math.ceil((preview.data?.text ?? p.prompt).length / 4)} tokens</span>
              {problems.length > 0 && <div class="note bad"><ul>{problems.map((t) => <li class="wrap">{t}</li>)}</ul></div>}
              {missing.length > 0 && <div class="note mid" data-testid="preset-missing">Not live, so not offered: {missing.join(", ")}. Publish them in the Tool Studio first.</div>}
              <div class="row">
                <Button tid="preset-apply" kind="primary" disabled={problems.length > 0 || (missing.length > 0 && missing.length === p.tools.length)} onClick={() => void act(() => onApply(p, values))}>Begin a conversation</Button>
                {p.own && <Button tid="preset-delete" onClick={() => void act(async () => (await del("/api/presets/" + encodeURIComponent(p.id)), choose(""), reload()))}>Delete</Button>}
              </div>
            </>
          )}
          {failure !== null && <ProblemView error={failure} />}
        </div>
      </div>
      {own ? (
        <form class="stack" onSubmit={(e) => (e.preventDefault(), void act(async () => (await post("/api/presets", { displayName: own.name, prompt: own.prompt }), setOwn(null), reload())))}>
          <Text tid="own-name" label="Name" value={own.name} onInput={(name) => setOwn({ ...own, name })} />
          <Text tid="own-prompt" label="Prompt; {{name}} makes a variable" lines={4} value={own.prompt} onInput={(prompt) => setOwn({ ...own, prompt })} />
          <div class="row"><Button tid="own-save" type="submit" kind="primary" disabled={!own.name || !own.prompt}>Save</Button><Button tid="own-cancel" onClick={() => setOwn(null)}>Cancel</Button></div>
        </form>
      ) : (
        <footer><Button tid="own-new" onClick={() => setOwn({ name: "", prompt: "" })}>Write one of your own</Button></footer>
      )}
    </Dialog>
  );
}
