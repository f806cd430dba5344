import type { StudioPreview, StudioToolDetail } from "../../api/types";
import { Code, type Place, type Word } from "../../ui/code";
import { Tree } from "../../ui/json";
import { later } from "../../ui/later";
import { Tabs } from "../../ui/parts";
import type { Spec } from "./spec";

const History = later(async () => (await import("./studioextras")).History, "the versions");
const SpecJSON = later(async () => (await import("./studioextras")).SpecJSON, "the document");

interface Props {
  spec: Spec;
  tool: StudioToolDetail | null;
  preview: StudioPreview | null;
  readOnly: boolean;
  change: (spec: Spec) => void;
  edit: (how: (spec: Spec) => Spec) => void;
  tab: string;
  onTab: (tab: string) => void;
  at: Place | undefined;
  onAt: (place: Place | undefined) => void;
}

/** What the code may use by name. */
const wordsOf = (spec: Spec): Word[] => [
  ...(spec.params ?? []).map((p) => ({
    name: p.name,
    detail: p.type + (p.required ? "" : ", optional"),
    says: p.description ?? "",
  })),
  ...(spec.staticVariables ?? []).flatMap(Object.keys).map((name) => ({
    name,
    detail: "static variable",
    says: "Set in the document; a secret stands there by its name.",
  })),
];

/** CodePane is the code, and the document as others see it. */
export function CodePane({ spec, tool, preview, readOnly, change, edit, tab, onTab, at, onAt }: Props) {
  const marks = (preview?.diagnostics ?? [])
    .filter((d) => d.path === "code" && d.line)
    .map((d) => ({ line: d.line!, col: d.col, severity: d.severity, message: d.message }));
  return (
    <section class="card pane" aria-label="The code">
      <Tabs
        tid="pane"
        label="The code"
        value={tab}
        onChange={onTab}
        tabs={[
          ["code", "Code"],
          ["model", "What the model sees"],
          ["json", "Spec JSON"],
          ["history", "Versions"],
        ]}
      />
      <div class={"panebody" + (tab === "code" ? " fills" : "")}>
        {tab === "code" && (
          <Code
            tid="tool-code"
            label="Code"
            language={spec["x-language"] === "typescript" ? "typescript" : "javascript"}
            value={spec.code}
            readOnly={readOnly}
            marks={marks}
            at={at}
            words={wordsOf(spec)}
            tidy
            onInput={(code) => (onAt(undefined), edit((s) => ({ ...s, code })))}
          />
        )}
        {tab === "model" && preview && (
          <div class="stack tight">
            <p class="hint">
              Exactly this stands in tools/list, about {preview.schemaTokens} tokens with each request.
            </p>
            <Tree tid="model-sees" value={preview.mcpDefinition} />
          </div>
        )}
        {tab === "json" && <SpecJSON spec={spec} change={change} readOnly={readOnly} />}
        {tab === "history" &&
          (tool ? (
            <History tool={tool} onRestore={change} />
          ) : (
            <p class="muted">Nothing is stored yet. Each version that passes is listed here.</p>
          ))}
      </div>
    </section>
  );
}
