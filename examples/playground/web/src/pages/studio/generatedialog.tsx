import { useEffect, useState } from "preact/hooks";
import { freeNames } from "../../ui/code";
import { Foreign } from "../../ui/hostile";
import { parse } from "../../ui/json";
import { Button, Check, Dialog, ProblemView, Text } from "../../ui/parts";
import { fromNames, fromSchema } from "./generate";
import type { Param, Spec } from "./spec";

interface GenerateProps {
  spec: Spec;
  how: "schema" | "code";
  onTake: (params: Param[]) => void;
  onClose: () => void;
}

/** Generate proposes parameters, from a schema or from what the code uses; none is taken over by itself. */
export function Generate({ spec, how, onTake, onClose }: GenerateProps) {
  const [text, setText] = useState("");
  const [off, setOff] = useState<Set<string>>(new Set());
  const [names, setNames] = useState<string[] | null>(null);
  const [failure, fail] = useState<unknown>(null);
  useEffect(() => {
    if (how === "code") freeNames(spec.code, spec["x-language"] === "typescript").then(setNames, fail);
  }, []);
  const read = text.trim() === "" ? null : parse(text);
  const made =
    how === "schema"
      ? read && "value" in read
        ? fromSchema(read.value)
        : null
      : names && { params: fromNames(names, spec), lost: [] };
  const problem = read && "error" in read ? read.error : typeof made === "string" ? made : "";
  const found = made && typeof made !== "string" ? made : null;
  const have = new Set((spec.params ?? []).map((p) => p.name));
  const taken = found?.params.filter((p) => !off.has(p.name)) ?? [];
  return (
    <Dialog
      tid="generate"
      title={how === "schema" ? "Parameters from a JSON Schema" : "Parameters from the code"}
      onClose={onClose}
    >
      {how === "schema" && (
        <Text
          tid="generate-schema"
          label="JSON Schema, or a tool with one"
          mono
          lines={8}
          value={text}
          onInput={setText}
          error={problem || undefined}
          placeholder={'{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}'}
        />
      )}
      {failure !== null && <ProblemView error={failure} />}
      {how === "code" && names && found?.params.length === 0 && (
        <p class="muted">The code uses no name that is not declared.</p>
      )}
      {found && found.params.length > 0 && (
        <ul class="listbox" aria-label="Parameters that were found" tabIndex={0}>
          {found.params.map((p) => (
            <li class="pickrow">
              <Check
                tid="generate-param"
                dataId={p.name}
                checked={!off.has(p.name)}
                onChange={(on) =>
                  setOff((o) => (on ? new Set([...o].filter((n) => n !== p.name)) : new Set([...o, p.name])))
                }
              >
                <code>
                  <Foreign text={p.name} />
                </code>{" "}
                {p.type.toLowerCase()}
                {p.required ? ", required" : ""}
                {p.testValue !== undefined ? ", test value " + p.testValue : ""}
                {have.has(p.name) ? ", replaces the one of this name" : ""}
              </Check>
              {p.description && (
                <span class="hint">
                  <Foreign text={p.description} />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {found && found.lost.length > 0 && (
        <p class="warn wrap" data-testid="generate-lost">
          A parameter cannot say: <Foreign text={found.lost.join("; ")} />. Check it in the code.
        </p>
      )}
      <footer>
        <Button tid="generate-cancel" onClick={onClose}>
          Cancel
        </Button>
        <Button
          tid="generate-take"
          kind="primary"
          disabled={taken.length === 0}
          onClick={() => onTake(taken)}
        >
          {taken.length === 1 ? "Add 1 parameter" : "Add " + taken.length + " parameters"}
        </Button>
      </footer>
    </Dialog>
  );
}
