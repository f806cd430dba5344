import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ServerModelState } from "../api/types";
import { kept } from "../ui/data";
import { Button } from "../ui/parts";
import type { Picture } from "./turns";

export interface Question {
  text: string;
  pictures: Picture[];
}

interface Props {
  id: string;
  /** What to begin with, over a draft. */
  given: Question | null;
  running: boolean;
  stopping: boolean;
  queued: string;
  model: ServerModelState | null;
  tools: string;
  effort: string;
  blocked: string;
  onEffort: (e: string) => void;
  onSend: (q: Question) => Promise<boolean>;
  onQueue: (text: string) => void;
  onStop: () => void;
  onTools: () => void;
  onLibrary: () => void;
  onOptions: () => void;
  onEditLast: () => void;
  onCancelEdit: (() => void) | null;
}

const efforts: [string, string][] = [["", "Default"], ["off", "Off"], ["low", "Low"], ["medium", "Medium"], ["high", "High"], ["max", "Most"]];
const effortName = (provider: string) => (provider === "openai" ? "Reasoning effort" : "Thinking");
/** toolless tells of a model that is known to call no tools. */
export const toolless = (m: ServerModelState | null) => Boolean(m?.capabilities && !m.capabilities.tools);
const draftKey = (id: string) => "lp-draft-" + (id || "new");
const maxPicture = 10 << 20;

/** Composer is where a question is written. What is written survives a reload. */
export function Composer(p: Props) {
  const [text, setText] = useState(p.given?.text ?? kept.read(draftKey(p.id)) ?? "");
  const [pictures, setPictures] = useState<Picture[]>(p.given?.pictures ?? []);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const file = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!p.given) return;
    setText(p.given.text);
    setPictures(p.given.pictures);
    box.current?.focus();
  }, [p.given]);
  useEffect(() => {
    if (!p.onCancelEdit) kept.write(draftKey(p.id), text === "" ? null : text);
  }, [text, p.id]);
  useLayoutEffect(() => {
    const b = box.current;
    if (!b) return;
    b.style.height = "auto";
    b.style.height = Math.min(b.scrollHeight + 2, innerHeight * 0.4) + "px";
  }, [text]);
  const vision = p.model?.capabilities?.vision ?? false;
  const add = (files: Iterable<File>) => {
    for (const f of files) {
      if (!/^image\/(png|jpeg|webp|gif)$/.test(f.type)) setProblem(f.name + " is no PNG, JPEG, WebP or GIF.");
      else if (f.size > maxPicture) setProblem(f.name + " is larger than 10 MB.");
      else {
        const reader = new FileReader();
        reader.onload = () => setPictures((all) => (all.length >= 5 ? (setProblem("At most 5 pictures go with a question."), all) : [...all, { name: f.name, mimeType: f.type, data: String(reader.result).split(",")[1] ?? "" }]));
        reader.readAsDataURL(f);
      }
    }
  };
  const send = async () => {
    if (busy || (text.trim() === "" && pictures.length === 0) || p.blocked) return;
    if (p.running) {
      p.onQueue(text);
      setText("");
      return;
    }
    setBusy(true);
    setProblem("");
    const sent = await p.onSend({ text, pictures });
    setBusy(false);
    if (!sent) return;
    kept.write(draftKey(p.id), null);
    setText("");
    setPictures([]);
  };
  const keys = (e: KeyboardEvent) => {
    if (e.isComposing) return;
    if (e.key === "Enter" && !e.shiftKey && !e.altKey) {
      e.preventDefault();
      void send();
    } else if (p.running && (e.key === "Escape" || (e.key === "." && (e.ctrlKey || e.metaKey)))) {
      e.preventDefault();
      p.onStop();
    } else if (e.key === "Escape" && p.onCancelEdit) p.onCancelEdit();
    else if (e.key === "ArrowUp" && e.altKey && text === "") {
      e.preventDefault();
      p.onEditLast();
    }
  };
  return (
    <form class="composer" data-testid="composer" onSubmit={(e) => (e.preventDefault(), void send())}
      onDragOver={(e) => vision && e.preventDefault()} onDrop={(e) => vision && (e.preventDefault(), add(e.dataTransfer?.files ?? []))}>
      {p.onCancelEdit && (
        <div class="row spread">
          <span class="hint">The changed question begins a branch; the old one stays.</span>
          <Button tid="edit-cancel" small kind="quiet" onClick={p.onCancelEdit}>Keep as it was</Button>
        </div>
      )}
      {p.queued && (
        <div class="row spread note" data-testid="queued">
          <span class="wrap">Queued, sent after this turn: {p.queued}</span>
          <Button tid="queued-edit" small kind="quiet" onClick={() => (setText(p.queued), p.onQueue(""))}>Edit</Button>
        </div>
      )}
      {pictures.length > 0 && (
        <div class="row">
          {pictures.map((x, i) => (
            <span class="chip">
              {x.name || "picture"}
              <Button tid="picture-remove" small kind="quiet" icon="close" label={"Remove " + (x.name || "the picture")} onClick={() => setPictures(pictures.filter((_, n) => n !== i))} />
            </span>
          ))}
        </div>
      )}
      <textarea ref={box} class="input" rows={1} dir="auto" aria-label="Your message" placeholder="Ask something. Shift Enter begins a line." data-testid="chat-input" value={text}
        onInput={(e) => setText(e.currentTarget.value)} onKeyDown={keys} onPaste={(e) => vision && e.clipboardData && e.clipboardData.files.length > 0 && add(e.clipboardData.files)} />
      <div class="row spread">
        <div class="row">
          <Button tid="chat-tools" small icon="tools" disabled={toolless(p.model)} title={toolless(p.model) ? "This model calls no tools." : undefined} onClick={p.onTools}>{p.tools}</Button>
          {p.model?.capabilities?.thinking && (
            <label class="row nowrap">
              <span class="hint">{effortName(p.model.provider)}</span>
              <select class="input small" data-testid="chat-effort" aria-label={effortName(p.model.provider)} value={p.effort} onChange={(e) => p.onEffort(e.currentTarget.value)}>
                {efforts.map(([v, t]) => <option value={v} selected={v === p.effort}>{t}</option>)}
              </select>
            </label>
          )}
          {vision && (
            <>
              <Button tid="chat-attach" small icon="plus" onClick={() => file.current?.click()}>Picture</Button>
              <input ref={file} type="file" accept="image/png,image/jpeg,image/webp,image/gif" multiple hidden data-testid="chat-file" aria-label="Pictures" onChange={(e) => (add(e.currentTarget.files ?? []), (e.currentTarget.value = ""))} />
            </>
          )}
          <Button tid="chat-library" small kind="quiet" onClick={p.onLibrary}>Presets</Button>
          <Button tid="chat-options" small kind="quiet" onClick={p.onOptions}>Options</Button>
        </div>
        <div class="row">
          <span class="hint num" title="An estimate: four characters are a token">{text.length > 0 ? text.length.toLocaleString("en") + " characters, ~" + Math.ceil(text.length / 4) + " tokens" : ""}</span>
          {p.running && <Button tid="chat-stop" icon="stop" busy={p.stopping} onClick={p.onStop}>Stop</Button>}
          <Button tid="chat-send" kind="primary" type="submit" busy={busy} disabled={p.blocked !== "" || (text.trim() === "" && pictures.length === 0)} title={p.blocked || undefined}>{p.running ? "Queue" : "Send"}</Button>
        </div>
      </div>
      {(problem || p.blocked) && <p class="hint" data-testid="composer-reason">{problem || p.blocked}</p>}
    </form>
  );
}
