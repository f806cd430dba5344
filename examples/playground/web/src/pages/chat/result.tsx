import { Foreign } from "../../ui/hostile";
import { Tree } from "../../ui/json";
import { bytes as size, Copy } from "../../ui/parts";

const longest = 20_000; // letters that are shown

function structured(text: string): unknown {
  if (text.length > longest || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Result is what a tool gave: as a tree where it is one, or as the text that it is. */
export function Result({
  tid,
  text,
  bytes,
  cut,
}: {
  tid: string;
  text: string;
  bytes: number;
  cut?: { kept: number; total: number } | null;
}) {
  const value = structured(text);
  return (
    <div class="stack tight">
      <div class="row spread">
        <h4>Result{bytes ? ", " + size(bytes) : ""}</h4>
        {value === undefined && <Copy tid={tid + "-copy"} text={text} />}
      </div>
      {value !== undefined ? (
        <Tree tid={tid} value={value} />
      ) : (
        <pre class="code" tabIndex={0} data-testid={tid}>
          <Foreign text={text.slice(0, longest)} />
        </pre>
      )}
      {text.length > longest && (
        <p class="hint">
          Shown are the first {longest.toLocaleString("en")} of {text.length.toLocaleString("en")} letters;
          Copy takes all.
        </p>
      )}
      {cut && (
        <p class="hint" data-testid={tid + "-cut"}>
          The model saw the first {cut.kept.toLocaleString("en")} of {cut.total.toLocaleString("en")}{" "}
          characters.
        </p>
      )}
    </div>
  );
}
