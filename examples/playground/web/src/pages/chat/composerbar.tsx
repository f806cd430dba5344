import { useRef } from "preact/hooks";
import type { ChatDocumentSelection, ServerModelState } from "../../api/types";
import { Button } from "../../ui/parts";
import type { DialogName } from "./chatdialogs";

const efforts: [string, string][] = [
  ["", "Default"],
  ["off", "Off"],
  ["low", "Low"],
  ["medium", "Medium"],
  ["high", "High"],
  ["max", "Most"],
];

/** documentsWords says which documents are searched. */
const documentsWords = (s: ChatDocumentSelection | null) =>
  s?.pipeline
    ? "Pipeline"
    : s?.all
      ? "All documents"
      : s?.ids?.length
        ? s.ids.length + (s.ids.length === 1 ? " document" : " documents")
        : s
          ? "No documents"
          : "Documents";

/** toolless reports a model that is known to call no tools. */
export const toolless = (m: ServerModelState | null) => Boolean(m?.capabilities && !m.capabilities.tools);

/** Effort chooses how much a model thinks, where it can. */
function Effort({
  model,
  value,
  onChange,
}: {
  model: ServerModelState | null;
  value: string;
  onChange: (e: string) => void;
}) {
  if (!model?.capabilities?.thinking) return null;
  const name = model.provider === "openai" ? "Reasoning effort" : "Thinking";
  return (
    <label class="row nowrap">
      <span class="hint">{name}</span>
      <select
        class="input small"
        data-testid="chat-effort"
        aria-label={name}
        value={value}
        onChange={(e) => onChange(e.currentTarget.value)}
      >
        {efforts.map(([v, t]) => (
          <option value={v} selected={v === value}>
            {t}
          </option>
        ))}
      </select>
    </label>
  );
}

interface Props {
  model: ServerModelState | null;
  /** The name of the model that answers here. */
  modelName: string;
  /** How many tools are offered, in words. */
  tools: string;
  /** Which documents are searched. */
  documents: ChatDocumentSelection | null;
  effort: string;
  onEffort: (e: string) => void;
  onFiles: (files: File[]) => void;
  onOpen: (name: DialogName) => void;
}

/** ComposerBar holds what a question can be given besides its text. */
export function ComposerBar({
  model,
  modelName,
  tools,
  documents,
  effort,
  onEffort,
  onFiles,
  onOpen,
}: Props) {
  const file = useRef<HTMLInputElement>(null);
  const vision = model?.capabilities?.vision ?? false;
  return (
    <div class="row">
      <Button
        tid="chat-pick-model"
        small
        label={"Model: " + modelName}
        title="Choose the model of this conversation"
        onClick={() => onOpen("model")}
      >
        <span class="cut">{modelName}</span>
      </Button>
      <Button
        tid="chat-tools"
        small
        icon="tools"
        disabled={toolless(model)}
        title={toolless(model) ? "This model calls no tools." : undefined}
        onClick={() => onOpen("tools")}
      >
        {tools}
      </Button>
      <Button tid="chat-documents" small icon="documents" onClick={() => onOpen("documents")}>
        {documentsWords(documents)}
      </Button>
      <Effort model={model} value={effort} onChange={onEffort} />
      <Button
        tid="chat-attach"
        small
        icon="plus"
        title={
          "PDF, office documents and text" + (vision ? ", and pictures" : ". This model sees no pictures.")
        }
        onClick={() => file.current?.click()}
      >
        Attach
      </Button>
      <input
        ref={file}
        type="file"
        multiple
        hidden
        data-testid="chat-file"
        aria-label="Files"
        onChange={(e) => {
          const files = [...(e.currentTarget.files ?? [])];
          e.currentTarget.value = "";
          onFiles(files);
        }}
      />
      <Button tid="chat-library" small kind="quiet" onClick={() => onOpen("library")}>
        Presets
      </Button>
      <Button tid="chat-options" small kind="quiet" onClick={() => onOpen("options")}>
        Settings
      </Button>
    </div>
  );
}
