import { useEffect, useState } from "preact/hooks";
import type { StudioDiagnostic, StudioToolDetail } from "../../api/types";
import { Code } from "../../ui/code";
import { parse, pretty } from "../../ui/json";
import { kept } from "../../ui/data";
import { Ago, Button, Copy, Dialog } from "../../ui/parts";
import type { Spec } from "./spec";

/** same tells whether two documents say the same. */
export const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** draftKey is where this browser keeps what was not saved. */
export const draftKey = (id: string) => "lp-draft-" + id;

export interface Draft {
  spec: Spec;
  base: number; // the version that it was made from
  at: string;
}

export function readDraft(id: string): Draft | null {
  try {
    return JSON.parse(kept.read(draftKey(id)) ?? "null") as Draft | null;
  } catch {
    return null;
  }
}

/** Diagnostics are what is wrong with a document, and what to do about it. */
export function Diagnostics({ list, onLine }: { list: StudioDiagnostic[]; onLine?: (line: number) => void }) {
  if (list.length === 0) return null;
  return (
    <ul class="stack tight" data-testid="diagnostics">
      {list.map((d) => (
        <li
          class={"note " + (d.severity === "error" ? "bad" : "mid")}
          data-testid="diagnostic"
          data-severity={d.severity}
          data-reason={d.reason}
        >
          <span class="wrap">
            <code>{d.path || "document"}</code>
            {d.line ? " line " + d.line : ""}: {d.message}
          </span>
          {d.fix && <span class="hint">{d.fix}</span>}
          {d.line && onLine ? (
            <span>
              <Button tid="diagnostic-line" small onClick={() => onLine(d.line!)}>
                Go to line {d.line}
              </Button>
            </span>
          ) : null}
        </li>
      ))}
    </ul>
  );
}

/** SpecJSON is the whole document as text: members that the page does not know are kept. */
export function SpecJSON({
  spec,
  change,
  readOnly,
}: {
  spec: Spec;
  change: (s: Spec) => void;
  readOnly: boolean;
}) {
  const [text, setText] = useState(pretty(spec));
  const [error, setError] = useState("");
  useEffect(() => {
    const now = parse(text);
    if (!("value" in now) || !same(now.value, spec)) setText(pretty(spec));
  }, [JSON.stringify(spec)]);
  return (
    <div class="stack tight">
      <div class="row end">
        <Copy tid="spec-copy" text={text} />
      </div>
      <Code
        tid="spec-json"
        label="Spec JSON"
        language="json"
        value={text}
        readOnly={readOnly}
        onInput={(t) => {
          setText(t);
          const p = parse(t);
          if ("error" in p) setError(p.error);
          else if (
            p.value === null ||
            typeof p.value !== "object" ||
            Array.isArray(p.value) ||
            typeof (p.value as Spec).code !== "string" ||
            typeof (p.value as Spec).name !== "string"
          )
            setError("A spec is an object with name and code.");
          else {
            setError("");
            change(p.value as Spec);
          }
        }}
      />
      {error && (
        <p class="err" data-testid="spec-json-error">
          {error} The form keeps what it had.
        </p>
      )}
    </div>
  );
}

/** Conflict shows what two tabs made of one tool. */
export function Conflict({
  mine,
  theirs,
  onTake,
  onKeep,
  onClose,
}: {
  mine: Spec;
  theirs: StudioToolDetail;
  onTake: () => void;
  onKeep: () => void;
  onClose: () => void;
}) {
  return (
    <Dialog tid="conflict-dialog" title="Somebody else saved this tool" onClose={onClose}>
      <div class="sides">
        <div class="stack tight">
          <h3>Yours</h3>
          <pre class="code" tabIndex={0} data-testid="conflict-mine">
            {pretty(mine)}
          </pre>
        </div>
        <div class="stack tight">
          <h3>
            Saved by another tab, <Ago at={theirs.updatedAt} />
          </h3>
          <pre class="code" tabIndex={0} data-testid="conflict-theirs">
            {pretty(theirs.spec)}
          </pre>
        </div>
      </div>
      <footer>
        <Button tid="conflict-take" onClick={onTake}>
          Take theirs
        </Button>
        <Button tid="conflict-keep" kind="primary" onClick={onKeep}>
          Keep mine
        </Button>
      </footer>
    </Dialog>
  );
}
