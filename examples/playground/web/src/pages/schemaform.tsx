import { Button, Check, Select, Text } from "../ui/parts";
import { Json } from "./params";

type Schema = Record<string, any>;

/** first gives a value to begin with. */
export function first(s: Schema | undefined): any {
  if (!s) return null;
  if ("default" in s) return s.default;
  if (Array.isArray(s.enum)) return s.enum[0];
  switch (Array.isArray(s.type) ? s.type[0] : s.type) {
    case "object":
      return Object.fromEntries((s.required ?? []).map((k: string) => [k, first(s.properties?.[k])]));
    case "array":
      return [];
    case "number":
    case "integer":
      return 0;
    case "boolean":
      return false;
    case "string":
      return "";
  }
  return null;
}

interface Props {
  schema: Schema;
  value: any;
  onValue: (v: any) => void;
  name: string;
  required?: boolean;
  depth?: number;
}

/** SchemaForm is a form for what a JSON Schema describes. What it cannot show it takes as JSON. */
export function SchemaForm({ schema, value, onValue, name, required = false, depth = 0 }: Props) {
  const type = Array.isArray(schema.type) ? schema.type.find((t: string) => t !== "null") : schema.type;
  const label = (schema.title || name || "Value") + (required ? " *" : "");
  const hint = [schema.description, schema.format && "format " + schema.format, schema.minimum !== undefined && "from " + schema.minimum, schema.maximum !== undefined && "to " + schema.maximum].filter(Boolean).join("; ");
  if (type === "object" && schema.properties && depth < 5) {
    const v = value !== null && typeof value === "object" ? value : {};
    const names = Object.keys(schema.properties);
    return (
      <fieldset class={depth > 0 ? "param" : "stack tight"}>
        {depth > 0 && <legend class="label">{label}</legend>}
        {names.map((k) => {
          const inner = schema.properties[k] as Schema;
          const must = (schema.required ?? []).includes(k);
          if (!must && !(k in v))
            return (
              <div class="row" key={k}>
                <Button tid="form-add" dataId={k} small icon="plus" onClick={() => onValue({ ...v, [k]: first(inner) ?? "" })}>
                  {k}
                </Button>
                {inner.description && <span class="hint">{inner.description}</span>}
              </div>
            );
          return (
            <div class="row nowrap" key={k}>
              <div class="grow">
                <SchemaForm schema={inner} value={v[k]} name={k} required={must} depth={depth + 1} onValue={(x) => onValue({ ...v, [k]: x })} />
              </div>
              {!must && <Button tid="form-remove" dataId={k} small kind="quiet" icon="close" label={"Leave out " + k} onClick={() => {
                const { [k]: _, ...rest } = v;
                onValue(rest);
              }} />}
            </div>
          );
        })}
        {names.length === 0 && <p class="muted">It takes no arguments.</p>}
      </fieldset>
    );
  }
  if (Array.isArray(schema.enum))
    return <Select tid={"arg-" + name} label={label} value={JSON.stringify(value)} options={schema.enum.map((e: unknown): [string, string] => [JSON.stringify(e), String(e)])} onChange={(t) => onValue(JSON.parse(t))} hint={hint} />;
  if (type === "boolean")
    return (
      <Check tid={"arg-" + name} checked={value === true} onChange={onValue}>
        {label} <span class="hint">{hint}</span>
      </Check>
    );
  if (type === "string") return <Text tid={"arg-" + name} label={label} hint={hint} value={typeof value === "string" ? value : value == null ? "" : JSON.stringify(value)} onInput={onValue} {...((schema.maxLength ?? 0) > 200 ? { lines: 3 } : {})} />;
  if (type === "number" || type === "integer") {
    const bad = typeof value !== "number" || (type === "integer" && !Number.isInteger(value));
    return <Text tid={"arg-" + name} label={label} hint={hint} value={value == null ? "" : String(value)} error={bad ? (type === "integer" ? "A whole number." : "A number.") : undefined} onInput={(t) => onValue(t.trim() !== "" && Number.isFinite(Number(t)) ? Number(t) : t)} />;
  }
  if (type === "array" && schema.items && depth < 5) {
    const v = Array.isArray(value) ? value : [];
    return (
      <fieldset class="param">
        <legend class="label">{label}</legend>
        {hint && <p class="hint">{hint}</p>}
        {v.map((x: unknown, i: number) => (
          <div class="row nowrap" key={i}>
            <div class="grow">
              <SchemaForm schema={schema.items} value={x} name={name + "[" + i + "]"} depth={depth + 1} onValue={(y) => onValue(v.map((z: unknown, j: number) => (j === i ? y : z)))} />
            </div>
            <Button tid="form-item-remove" small kind="quiet" icon="close" label={"Remove item " + (i + 1)} onClick={() => onValue(v.filter((_: unknown, j: number) => j !== i))} />
          </div>
        ))}
        <div class="row">
          <Button tid="form-item-add" dataId={name} small icon="plus" onClick={() => onValue([...v, first(schema.items) ?? ""])}>
            Item
          </Button>
        </div>
      </fieldset>
    );
  }
  return <Json tid={"arg-" + name} label={label} value={value ?? null} onValue={onValue} />;
}

/** check finds what does not fit, with the name of the member. */
export function check(schema: Schema, value: any, at = ""): string[] {
  const type = Array.isArray(schema.type) ? schema.type : schema.type ? [schema.type] : [];
  const is = (t: string) => (t === "integer" ? Number.isInteger(value) : t === "array" ? Array.isArray(value) : t === "null" ? value === null : t === "object" ? value !== null && typeof value === "object" && !Array.isArray(value) : typeof value === t);
  const here = at || "the value";
  if (type.length > 0 && !type.some(is)) return [here + " must be " + type.join(" or ")];
  const out: string[] = [];
  if (Array.isArray(schema.enum) && !schema.enum.some((e: unknown) => JSON.stringify(e) === JSON.stringify(value))) out.push(here + " must be one of " + schema.enum.join(", "));
  if (typeof value === "number" && schema.minimum !== undefined && value < schema.minimum) out.push(here + " must be at least " + schema.minimum);
  if (typeof value === "number" && schema.maximum !== undefined && value > schema.maximum) out.push(here + " must be at most " + schema.maximum);
  if (typeof value === "string" && schema.minLength !== undefined && value.length < schema.minLength) out.push(here + " is too short");
  if (typeof value === "string" && schema.format === "email" && !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(value)) out.push(here + " must be an e-mail address");
  if (value !== null && typeof value === "object" && !Array.isArray(value)) {
    for (const k of (schema.required ?? []) as string[]) if (!(k in value)) out.push((at ? at + "." : "") + k + " is required");
    for (const [k, v] of Object.entries(value)) if (schema.properties?.[k]) out.push(...check(schema.properties[k], v, (at ? at + "." : "") + k));
  }
  if (Array.isArray(value) && schema.items) value.forEach((v, i) => out.push(...check(schema.items, v, at + "[" + i + "]")));
  return out;
}
