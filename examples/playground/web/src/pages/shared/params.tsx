import { useEffect, useRef, useState } from "preact/hooks";
import { announce, Button, Check, Select, Text } from "../../ui/parts";
import { parse, pretty } from "../../ui/json";
import { intoLast } from "./last";
import { argument, paramTypes, variable, variableOf, type Param, type Spec } from "../studio/spec";

const typeWords: Record<string, string> = {
  STRING: "text",
  INTEGER: "whole number",
  NUMBER: "number",
  BOOLEAN: "true or false",
  OBJECT: "object",
  ARRAY: "list",
};

/** Params are the parameters, in order; each with the value that the test binds. */
export function Params({
  spec,
  change,
  readOnly,
  generate,
}: {
  spec: Spec;
  change: (spec: Spec) => void;
  readOnly: boolean;
  generate: (how: "schema" | "code") => void;
}) {
  const params = spec.params ?? [];
  const [dragged, drag] = useState(-1);
  const [over, setOver] = useState(-1);
  const box = useRef<HTMLDivElement>(null);
  const set = (i: number, p: Partial<Param>) =>
    change({ ...spec, params: params.map((q, j) => (j === i ? { ...q, ...p } : q)) });
  const move = (i: number, by: number) => {
    const next = [...params];
    const [one] = next.splice(i, 1);
    next.splice(i + by, 0, one!);
    change({ ...spec, params: next });
    announce((one!.name || "The parameter") + " is number " + (i + by + 1) + " of " + params.length);
  };
  /** The arrows move a parameter, and the focus goes along. */
  const keys = (e: KeyboardEvent, i: number) => {
    const by = e.key === "ArrowUp" ? -1 : e.key === "ArrowDown" ? 1 : 0;
    if (by === 0 || i + by < 0 || i + by >= params.length) return;
    e.preventDefault();
    move(i, by);
    setTimeout(() =>
      box.current?.querySelectorAll<HTMLElement>('[data-testid="param-grip"]')[i + by]?.focus(),
    );
  };
  return (
    <div class="params" ref={box}>
      {params.map((p, i) => {
        const missing = p.required && (p.testValue ?? "") === "" && p["x-allow-empty"] !== true;
        const bad = (p.testValue ?? "") !== "" ? argument(p.type, p.testValue ?? "") : null;
        return (
          <fieldset
            class={
              "param" +
              (missing ? " wants" : "") +
              (over === i && dragged !== i ? " over" : "") +
              (dragged === i ? " moves" : "")
            }
            key={i}
            data-testid="param"
            data-id={String(i)}
            disabled={readOnly}
            onDragOver={(e) => dragged >= 0 && (e.preventDefault(), setOver(i))}
            onDrop={(e) => (
              e.preventDefault(),
              dragged >= 0 && dragged !== i && move(dragged, i - dragged),
              drag(-1),
              setOver(-1)
            )}
          >
            <legend class="vh">
              Parameter {i + 1} {p.name}
            </legend>
            {!readOnly && params.length > 1 && (
              <button
                type="button"
                class="grip"
                data-testid="param-grip"
                data-id={String(i)}
                draggable
                aria-label={"Move " + (p.name || "parameter " + (i + 1)) + ": drag it, or use the arrow keys"}
                onDragStart={(e) => (e.dataTransfer?.setData("text/plain", p.name), drag(i))}
                onDragEnd={() => (drag(-1), setOver(-1))}
                onKeyDown={(e) => keys(e, i)}
              >
                <span aria-hidden="true">⠿</span>
              </button>
            )}
            <div class="two">
              <Text
                tid="param-name"
                label="Name"
                mono
                value={p.name}
                onInput={(name) => set(i, { name })}
                error={
                  p.name !== "" && !/^[A-Za-z_$][\w$]*$/.test(p.name)
                    ? "Letters, digits and _; no digit first."
                    : undefined
                }
              />
              <Select
                tid="param-type"
                label="Type"
                value={p.type}
                options={paramTypes.map((t) => [t, typeWords[t] ?? t])}
                onChange={(type) => set(i, { type })}
              />
            </div>
            <Text
              tid="param-description"
              label="Description"
              value={p.description ?? ""}
              onInput={(description) => set(i, { description })}
            />
            <div class="two">
              {p.type === "BOOLEAN" ? (
                <Select
                  tid="param-test"
                  label="Test value"
                  value={p.testValue ?? ""}
                  options={[
                    ["", "none"],
                    ["true", "true"],
                    ["false", "false"],
                  ]}
                  onChange={(v) =>
                    set(i, v === "" ? { testValue: undefined as unknown as string } : { testValue: v })
                  }
                />
              ) : (
                <Text
                  tid="param-test"
                  label="Test value"
                  mono={p.type !== "STRING"}
                  value={p.testValue ?? ""}
                  onInput={(testValue) => set(i, { testValue })}
                  error={
                    missing
                      ? "Required: the test needs a value."
                      : bad && "error" in bad
                        ? bad.error
                        : undefined
                  }
                  {...(p.type === "OBJECT" || p.type === "ARRAY" ? { lines: 2 } : {})}
                />
              )}
              <div class="row">
                <Check
                  tid="param-required"
                  checked={p.required ?? false}
                  onChange={(required) => set(i, { required })}
                >
                  Required
                </Check>
              </div>
            </div>
            <div class="row end">
              <Button
                tid="param-up"
                small
                kind="quiet"
                icon="up"
                label={"Move " + (p.name || "it") + " up"}
                disabled={i === 0}
                onClick={() => move(i, -1)}
              />
              <Button
                tid="param-down"
                small
                kind="quiet"
                icon="down"
                label={"Move " + (p.name || "it") + " down"}
                disabled={i === params.length - 1}
                onClick={() => move(i, 1)}
              />
              <Button
                tid="param-remove"
                small
                kind="quiet"
                icon="close"
                label={"Remove " + (p.name || "it")}
                onClick={() => change({ ...spec, params: params.filter((_, j) => j !== i) })}
              />
            </div>
          </fieldset>
        );
      })}
      {!readOnly && (
        <div class="row">
          <Button
            tid="param-add"
            small
            icon="plus"
            onClick={() => (
              change({
                ...spec,
                params: [
                  ...params,
                  { name: "", description: "", required: true, type: "STRING", testValue: "" },
                ],
              }),
              intoLast("param-name")
            )}
          >
            Parameter
          </Button>
          <Button tid="param-schema" small kind="quiet" onClick={() => generate("schema")}>
            From JSON Schema…
          </Button>
          <Button tid="param-code" small kind="quiet" onClick={() => generate("code")}>
            Generate from code…
          </Button>
        </div>
      )}
    </div>
  );
}

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

/** Cases are what a pass needs beside the test values. */
export function Cases({
  spec,
  change,
  readOnly,
}: {
  spec: Spec;
  change: (spec: Spec) => void;
  readOnly: boolean;
}) {
  const cases = spec["x-tests"] ?? [];
  const put = (next: typeof cases) => {
    const { "x-tests": _, ...rest } = spec;
    change(next.length > 0 ? { ...rest, "x-tests": next } : (rest as Spec));
  };
  const set = (i: number, c: Record<string, unknown>) =>
    put(cases.map((d, j) => (j === i ? { ...d, ...c } : d)));
  const drop = (i: number, member: "want" | "wantError") =>
    put(
      cases.map((d, j) => {
        if (j !== i) return d;
        const { [member]: _, ...rest } = d;
        return rest;
      }),
    );
  return (
    <div class="params">
      {cases.map((c, i) => {
        const kind = c.wantError ? "error" : "want" in c ? "equals" : "none";
        return (
          <fieldset class="param" key={i} data-testid="case" disabled={readOnly}>
            <legend class="vh">Case {c.name ?? i + 1}</legend>
            <Text tid="case-name" label="Case" value={c.name ?? ""} onInput={(name) => set(i, { name })} />
            <Json
              tid="case-args"
              label="Arguments"
              value={c.args ?? {}}
              onValue={(args) => set(i, { args })}
            />
            <Select
              tid="case-expect"
              label="Expect"
              value={kind}
              options={[
                ["equals", "a result with these members"],
                ["error", "a failure"],
                ["none", "that it runs"],
              ]}
              onChange={(k) => {
                if (k === "equals")
                  put(
                    cases.map((d, j) => {
                      if (j !== i) return d;
                      const { wantError: _, ...rest } = d;
                      return { ...rest, want: {} };
                    }),
                  );
                else if (k === "error")
                  put(
                    cases.map((d, j) => {
                      if (j !== i) return d;
                      const { want: _, ...rest } = d;
                      return { ...rest, wantError: { kind: "JS_ERROR", message: "" } };
                    }),
                  );
                else {
                  drop(i, kind === "error" ? "wantError" : "want");
                }
              }}
            />
            {kind === "equals" && (
              <Json tid="case-want" label="Result" value={c.want} onValue={(want) => set(i, { want })} />
            )}
            {kind === "error" && (
              <div class="two">
                <Select
                  tid="case-error-kind"
                  label="Kind"
                  value={c.wantError?.kind ?? ""}
                  options={["JS_ERROR", "SECURITY", "TIMEOUT", "RESOURCE_LIMIT", "VALIDATION"].map(
                    (k): [string, string] => [k, k],
                  )}
                  onChange={(k) => set(i, { wantError: { ...c.wantError, kind: k } })}
                />
                <Text
                  tid="case-error-message"
                  label="Message contains"
                  value={c.wantError?.message ?? ""}
                  onInput={(message) => set(i, { wantError: { ...c.wantError, message } })}
                />
              </div>
            )}
            {!readOnly && (
              <div class="row end">
                <Button
                  tid="case-remove"
                  small
                  kind="quiet"
                  icon="close"
                  label={"Remove the case " + (c.name ?? "")}
                  onClick={() => put(cases.filter((_, j) => j !== i))}
                />
              </div>
            )}
          </fieldset>
        );
      })}
      {!readOnly && (
        <div class="row">
          <Button
            tid="case-add"
            small
            icon="plus"
            onClick={() => {
              const args: Record<string, unknown> = {};
              for (const p of spec.params ?? []) {
                const a = argument(p.type, p.testValue ?? "");
                if ("value" in a && (p.testValue ?? "") !== "") args[p.name] = a.value;
              }
              put([...cases, { name: "case " + (cases.length + 1), args, want: {} }]);
              intoLast("case-name");
            }}
          >
            Test case
          </Button>
        </div>
      )}
    </div>
  );
}

/** Json is a value that is typed as text; what is no JSON stays in the box and goes nowhere. */
export function Json({
  tid,
  label,
  value,
  onValue,
  readOnly,
}: {
  tid: string;
  label: string;
  value: unknown;
  onValue: (v: any) => void;
  readOnly?: boolean;
}) {
  const [text, setText] = useState(pretty(value));
  const [error, setError] = useState("");
  useEffect(() => {
    const now = parse(text);
    if ("error" in now || JSON.stringify(now.value) !== JSON.stringify(value)) {
      setText(pretty(value));
      setError("");
    }
  }, [JSON.stringify(value)]);
  return (
    <Text
      tid={tid}
      label={label}
      mono
      lines={Math.min(8, Math.max(2, text.split("\n").length))}
      value={text}
      readOnly={readOnly ?? false}
      error={error || undefined}
      onInput={(t) => {
        setText(t);
        const p = parse(t);
        if ("error" in p) setError(p.error);
        else {
          setError("");
          onValue(p.value);
        }
      }}
    />
  );
}
