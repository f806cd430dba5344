import { useState } from "preact/hooks";
import { query } from "../../api/client";
import { kept } from "../../ui/data";
import { Button, Check, Dialog } from "../../ui/parts";

const parts: [string, string, boolean][] = [
  ["thinking", "Thinking", false],
  ["tools", "Tool calls, a line each", true],
  ["arguments", "Arguments and results", false],
  ["timings", "Times and tokens", false],
];
const formats: [string, string, string][] = [
  ["md", "Markdown", "for notes and repositories"],
  ["txt", "Text", "plain"],
  ["html", "HTML", "one file to read anywhere; it runs nothing and loads nothing"],
  ["json", "JSON", "everything; can be imported again"],
];

/** ExportDialog chooses what stands in a file, of a conversation or of one message. */
export function ExportDialog({
  id,
  message,
  onClose,
  onPrint,
}: {
  id: string;
  message: string;
  onClose: () => void;
  onPrint: (() => void) | null;
}) {
  const [on, set] = useState<Record<string, boolean>>(() => {
    try {
      return {
        ...Object.fromEntries(parts.map(([k, , d]) => [k, d])),
        ...(JSON.parse(kept.read("lp-export") ?? "{}") as Record<string, boolean>),
      };
    } catch {
      return Object.fromEntries(parts.map(([k, , d]) => [k, d]));
    }
  });
  const change = (k: string, v: boolean) => {
    const next = { ...on, [k]: v };
    set(next);
    kept.write("lp-export", JSON.stringify(next));
  };
  const link = (format: string) =>
    "/api/conversations/" +
    encodeURIComponent(id) +
    "/export" +
    query({
      format,
      message,
      ...(format === "json" ? {} : Object.fromEntries(parts.map(([k]) => [k, on[k] ? "1" : "0"]))),
    });
  return (
    <Dialog
      tid="export-dialog"
      title={message ? "Export this message" : "Export this conversation"}
      onClose={onClose}
    >
      <fieldset class="field">
        <legend class="label">What people read in it</legend>
        {parts.map(([k, text]) => (
          <Check tid={"export-with-" + k} checked={on[k] ?? false} onChange={(v) => change(k, v)}>
            {text}
          </Check>
        ))}
        <span class="hint">
          Values of stored secrets are masked in every format. JSON holds all parts whatever is ticked.
        </span>
      </fieldset>
      <ul class="stack tight">
        {formats
          .filter(([f]) => !message || f !== "json")
          .map(([f, name, what]) => (
            <li class="row">
              <a class="btn" href={link(f)} download data-testid={"export-" + f}>
                {name}
              </a>
              <span class="hint">{what}</span>
            </li>
          ))}
        {onPrint && (
          <li class="row">
            <Button tid="export-print" onClick={() => (onClose(), onPrint())}>
              Print
            </Button>
            <span class="hint">the whole conversation, as the page shows it</span>
          </li>
        )}
      </ul>
    </Dialog>
  );
}
