import { useState } from "preact/hooks";
import { get } from "../../api/client";
import type { ChatAPIModels, ChatAPIPresets, ChatOptions } from "../../api/types";
import { useData } from "../../ui/data";
import { Button, Dialog, ProblemView, Select, Text } from "../../ui/parts";

type Key =
  | "temperature"
  | "topP"
  | "topK"
  | "frequencyPenalty"
  | "presencePenalty"
  | "maxTokens"
  | "seed"
  | "memoryWindow";
const whole = (n: number) => Number.isInteger(n);
const numbers: Record<Key, [string, string, (n: number) => boolean]> = {
  temperature: ["Temperature", "from 0 to 2; higher is more varied", (n) => n >= 0 && n <= 2],
  topP: ["Top P", "from 0 to 1", (n) => n >= 0 && n <= 1],
  topK: ["Top K", "a whole number, 0 or more", (n) => whole(n) && n >= 0],
  frequencyPenalty: ["Frequency penalty", "from -2 to 2", (n) => n >= -2 && n <= 2],
  presencePenalty: ["Presence penalty", "from -2 to 2", (n) => n >= -2 && n <= 2],
  maxTokens: ["Longest answer, in tokens", "a whole number, 1 or more", (n) => whole(n) && n >= 1],
  seed: ["Seed", "a whole number, for answers that repeat", whole],
  memoryWindow: ["Messages that the model sees", "a whole number, 1 or more", (n) => whole(n) && n >= 1],
};
const keys = Object.keys(numbers) as Key[];
const texts = (o: ChatOptions) =>
  Object.fromEntries(keys.map((k) => [k, o[k] === undefined ? "" : String(o[k])])) as Record<Key, string>;

export interface Settings {
  options: ChatOptions;
  system: string;
}

interface Props {
  now: Settings;
  /** The provider that the model must be of; empty: any. */
  provider: string;
  preset: string;
  tools: string;
  onTools: () => void;
  onClose: () => void;
  onSave: (s: Settings) => Promise<void>;
}

/** SettingsDrawer sets how the questions of one conversation are asked, from the next one on. */
export function SettingsDrawer({ now, provider, preset, tools, onTools, onClose, onSave }: Props) {
  const models = useData<ChatAPIModels>((s) => get("/api/models", s), []);
  const presets = useData<ChatAPIPresets | null>(
    (s) => (preset ? get<ChatAPIPresets>("/api/presets", s) : Promise.resolve(null)),
    [preset],
  );
  const [values, set] = useState(texts(now.options));
  const [model, setModel] = useState(now.options.model ?? "");
  const [stop, setStop] = useState((now.options.stop ?? []).join("\n"));
  const [system, setSystem] = useState(now.system);
  const [overlay, setOverlay] = useState(
    now.options.overlay === undefined || now.options.overlay === null
      ? ""
      : JSON.stringify(now.options.overlay, null, 2),
  );
  const [busy, setBusy] = useState(false);
  const [failure, fail] = useState<unknown>(null);
  const errorOf = (k: Key) =>
    values[k].trim() !== "" && !(Number.isFinite(Number(values[k])) && numbers[k][2](Number(values[k])))
      ? numbers[k][0] + " is " + numbers[k][1] + "."
      : undefined;
  const stops = stop.split("\n").filter((l) => l !== "");
  const stopError = stops.length > 4 ? "At most 4 sequences, one a line." : undefined;
  let overlayError: string | undefined;
  let parsed: unknown;
  try {
    parsed = overlay.trim() === "" ? undefined : JSON.parse(overlay);
    if (parsed !== undefined && (parsed === null || typeof parsed !== "object" || Array.isArray(parsed)))
      overlayError = 'This is an object, such as {"num_ctx": 8192}.';
  } catch (e) {
    overlayError = "This is no JSON: " + (e instanceof Error ? e.message : String(e)) + ".";
  }
  const bad =
    keys.some(errorOf) || Boolean(stopError) || Boolean(overlayError) || [...system].length > 100_000;
  const number = (k: Key) => (
    <Text
      tid={"option-" + k}
      label={numbers[k][0]}
      hint={"Empty: as by default. " + numbers[k][1][0]!.toUpperCase() + numbers[k][1].slice(1) + "."}
      value={values[k]}
      error={errorOf(k)}
      placeholder="default"
      onInput={(v) => set({ ...values, [k]: v })}
    />
  );
  const offered = (models.data?.items ?? []).filter((m) => !provider || m.provider === provider);
  const full = (m: { provider: string; name: string }) => m.provider + "/" + m.name;
  const here = model === "" || model.includes("/") ? model : (provider ? provider + "/" : "") + model;
  const reset = () => {
    set(texts({}));
    setStop("");
    setOverlay("");
    setModel("");
    const p = presets.data?.items.find((x) => x.id === preset);
    setSystem(p && p.kind === "example" ? p.prompt : now.system);
  };
  const save = async () => {
    setBusy(true);
    fail(null);
    try {
      const options: ChatOptions = Object.fromEntries(
        keys.filter((k) => values[k].trim() !== "").map((k) => [k, Number(values[k])]),
      );
      if (here) options.model = here;
      if (stops.length) options.stop = stops;
      if (parsed !== undefined) options.overlay = parsed as NonNullable<ChatOptions["overlay"]>;
      await onSave({ options, system });
      onClose();
    } catch (e) {
      fail(e);
      setBusy(false);
    }
  };
  return (
    <Dialog tid="chat-options-dialog" cls="side" title="Settings of this conversation" onClose={onClose}>
      <section class="stack tight" aria-label="Model">
        <h3>Model</h3>
        {models.error !== null && <ProblemView error={models.error} retry={models.reload} />}
        <Select
          tid="option-model"
          label="Model"
          value={here}
          options={[
            ["", "The one chosen in Settings"],
            ...offered.map((m): [string, string] => [full(m), full(m)]),
            ...(here && models.data && !offered.some((m) => full(m) === here)
              ? [[here, here + " (not listed now)"] as [string, string]]
              : []),
          ]}
          onChange={setModel}
          hint={
            provider
              ? "A conversation stays with its provider, " + provider + ". Fork it to change that."
              : undefined
          }
        />
        <Text
          tid="option-system"
          label="System prompt"
          lines={5}
          value={system}
          onInput={setSystem}
          hint="How the model should behave. Empty: none."
          error={[...system].length > 100_000 ? "At most 100,000 characters." : undefined}
        />
      </section>
      <section class="stack tight" aria-label="Context">
        <h3>Context</h3>
        {number("memoryWindow")}
      </section>
      <section class="stack tight" aria-label="Generation">
        <h3>Generation</h3>
        {number("temperature")}
        {number("topP")}
        {number("topK")}
        {number("maxTokens")}
        {number("seed")}
        {number("frequencyPenalty")}
        {number("presencePenalty")}
        <Text
          tid="option-stop"
          label="Stop sequences"
          lines={2}
          value={stop}
          onInput={setStop}
          hint="One a line, at most 4. The answer ends before them."
          error={stopError}
        />
      </section>
      <section class="stack tight" aria-label="Tools and approval">
        <h3>Tools and approval</h3>
        <p class="row">
          <span>{tools}</span>
          <Button tid="option-tools" small onClick={onTools}>
            Choose tools
          </Button>
        </p>
        <p class="hint">
          Which calls ask you first is the same everywhere:{" "}
          <a href="/approvals/policies" data-testid="option-policies">
            approval policies
          </a>
          .
        </p>
      </section>
      <details>
        <summary data-testid="option-advanced">Advanced JSON</summary>
        <Text
          tid="option-overlay"
          label="Members of the provider's own request"
          mono
          lines={6}
          value={overlay}
          onInput={setOverlay}
          error={overlayError}
          hint={
            'Put into each request as they stand, last of all. Such as {"num_ctx": 8192} for Ollama, {"logit_bias": {}} for OpenAI.'
          }
        />
      </details>
      {failure !== null && <ProblemView error={failure} />}
      <footer class="stickyfoot">
        <Button tid="options-reset" onClick={reset}>
          {preset ? "Reset to preset" : "Defaults"}
        </Button>
        <Button tid="options-save" kind="primary" busy={busy} disabled={bad} onClick={() => void save()}>
          Use from the next question
        </Button>
      </footer>
    </Dialog>
  );
}
