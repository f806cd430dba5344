import { Button, Text } from "../../ui/parts";
import { intoLast } from "../shared/last";
import type { Form } from "./connectionform";
import type { Consent } from "./consent";
import { Pairs } from "./pairs";
import { ProgramConsent } from "./programconsent";

/** StdioFields say which program is started, and with what. */
export function StdioFields({
  form,
  set,
  known,
  consent,
}: {
  form: Form;
  set: (p: Partial<Form>) => void;
  known: Set<string>;
  consent: Consent;
}) {
  return (
    <>
      <Text
        tid="stdio-command"
        label="Program"
        mono
        value={form.command}
        onInput={(command) => set({ command })}
        hint="A path, or a name on the PATH. No shell reads it."
      />
      <fieldset class="field">
        <legend class="label">Arguments, one each</legend>
        {form.args.map((a, i) => (
          <div class="row nowrap" key={i}>
            <input
              class="input mono"
              aria-label={"Argument " + (i + 1)}
              data-testid="stdio-arg"
              value={a}
              onInput={(e) => set({ args: form.args.map((b, j) => (j === i ? e.currentTarget.value : b)) })}
            />
            <Button
              tid="stdio-arg-remove"
              small
              kind="quiet"
              icon="close"
              label={"Remove argument " + (i + 1)}
              onClick={() => set({ args: form.args.filter((_, j) => j !== i) })}
            />
          </div>
        ))}
        <div class="row">
          <Button
            tid="stdio-arg-add"
            small
            icon="plus"
            onClick={() => (set({ args: [...form.args, ""] }), intoLast("stdio-arg"))}
          >
            Argument
          </Button>
        </div>
      </fieldset>
      <Pairs
        tid="stdio-env"
        label="Environment"
        list={form.env}
        known={known}
        onChange={(env) => set({ env })}
      />
      <Text tid="stdio-cwd" label="Working directory" mono value={form.cwd} onInput={(cwd) => set({ cwd })} />
      <ProgramConsent form={form} consent={consent} />
    </>
  );
}
