import { Button } from "../../ui/parts";
import { intoLast } from "../shared/last";
import type { Pair } from "./connectionform";

/** Pairs are rows of a name and a value. */
export function Pairs({
  tid,
  label,
  list,
  onChange,
  known,
  presets,
}: {
  tid: string;
  label: string;
  list: Pair[];
  onChange: (l: Pair[]) => void;
  known: Set<string>;
  presets?: [string, Pair][];
}) {
  return (
    <fieldset class="field">
      <legend class="label">{label}</legend>
      {list.map((p, i) => {
        return (
          <div class="stack tight" key={i}>
            <div class="row nowrap">
              <input
                class="input mono"
                aria-label={label + ", name"}
                data-testid={tid + "-name"}
                value={p.name}
                onInput={(e) =>
                  onChange(list.map((q, j) => (j === i ? { ...q, name: e.currentTarget.value } : q)))
                }
              />
              <input
                class="input mono"
                aria-label={label + ", value"}
                data-testid={tid + "-value"}
                value={p.value}
                autocomplete="off"
                onInput={(e) =>
                  onChange(list.map((q, j) => (j === i ? { ...q, value: e.currentTarget.value } : q)))
                }
              />
              <Button
                tid={tid + "-remove"}
                small
                kind="quiet"
                icon="close"
                label={"Remove " + p.name}
                onClick={() => onChange(list.filter((_, j) => j !== i))}
              />
            </div>
            <Placeholders texts={[p.value]} known={known} />
          </div>
        );
      })}
      <div class="row">
        <Button
          tid={tid + "-add"}
          small
          icon="plus"
          onClick={() => (onChange([...list, { name: "", value: "" }]), intoLast(tid + "-name"))}
        >
          Row
        </Button>
        {(presets ?? []).map(([name, p]) => (
          <Button
            tid={tid + "-preset"}
            dataId={name}
            small
            kind="quiet"
            onClick={() => onChange([...list.filter((q) => q.name !== p.name), p])}
          >
            {name}
          </Button>
        ))}
      </div>
    </fieldset>
  );
}

/** Placeholders shows for each ${NAME} in a text whether it has a value. */
export function Placeholders({ texts, known }: { texts: string[]; known: Set<string> }) {
  const used = [...new Set(texts.flatMap((t) => [...t.matchAll(/\$\{([A-Za-z_]\w*)\}/g)].map((m) => m[1]!)))];
  return (
    <>
      {used.map((n) => (
        <span
          class={known.has(n) ? "ok small" : "err"}
          data-testid="placeholder-state"
          data-id={n}
          data-known={known.has(n) ? "yes" : "no"}
        >
          {known.has(n) ? (
            n + " ✓ has a value"
          ) : (
            <>
              {n} has no value.{" "}
              <a href="/settings/secrets" data-testid="placeholder-set">
                Set it
              </a>
            </>
          )}
        </span>
      ))}
    </>
  );
}
