import { Button, Text } from "../../ui/parts";
import { intoLast } from "../shared/last";
import { variable, variableOf, type Spec } from "./spec";

/** Variables are values that the author fixes; a secret stands there by its name only. */
export function Variables({
  spec,
  change,
  readOnly,
  missing,
}: {
  spec: Spec;
  change: (spec: Spec) => void;
  readOnly: boolean;
  missing: string[];
}) {
  const vars = (spec.staticVariables ?? []).map(variableOf);
  const put = (list: { name: string; value: string }[]) =>
    change({ ...spec, staticVariables: list.map((v) => variable(v.name, v.value)) });
  const set = (i: number, v: Partial<{ name: string; value: string }>) =>
    put(vars.map((w, j) => (j === i ? { ...w, ...v } : w)));
  return (
    <div class="params">
      {vars.map((v, i) => {
        const used = [...v.value.matchAll(/\$\{([A-Za-z_]\w*)\}/g)].map((m) => m[1]!);
        return (
          <fieldset class="param" key={i} data-testid="variable" disabled={readOnly}>
            <legend class="vh">Static variable {v.name}</legend>
            <div class="two">
              <Text
                tid="variable-name"
                label="Name"
                mono
                value={v.name}
                onInput={(name) => set(i, { name })}
              />
              <Text
                tid="variable-value"
                label="Value or ${NAME}"
                mono
                value={v.value}
                onInput={(value) => set(i, { value })}
              />
            </div>
            <div class="row spread">
              <span class="small">
                {used.map((name) => (
                  <span
                    class={missing.includes(name) ? "err" : "ok"}
                    data-testid="variable-state"
                    data-id={name}
                  >
                    {missing.includes(name) ? (
                      <>
                        {name} has no value:{" "}
                        <a href="/settings/secrets" data-testid="variable-set">
                          set it
                        </a>
                      </>
                    ) : (
                      name + " ✓"
                    )}{" "}
                  </span>
                ))}
                {used.length === 0 && v.value !== "" && (
                  <span class="hint">
                    Stored in the document as it is. Keep secrets under Settings and write {"${NAME}"} here.
                  </span>
                )}
              </span>
              {!readOnly && (
                <Button
                  tid="variable-remove"
                  small
                  kind="quiet"
                  icon="close"
                  label={"Remove " + v.name}
                  onClick={() => put(vars.filter((_, j) => j !== i))}
                />
              )}
            </div>
          </fieldset>
        );
      })}
      {!readOnly && (
        <div class="row">
          <Button
            tid="variable-add"
            small
            icon="plus"
            onClick={() => (
              put([...vars, { name: "KEY" + (vars.length + 1), value: "" }]),
              intoLast("variable-name")
            )}
          >
            Static variable
          </Button>
        </div>
      )}
    </div>
  );
}
