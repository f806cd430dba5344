import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ServerModelState } from "../../api/types";
import { kept } from "../../ui/data";
import { announce, Button } from "../../ui/parts";
import { MenuList, useMenu, usePresets, wanted, type MenuItem } from "./composermenu";
import { chatDraft } from "./chatdraft";
import type { Attached, Picture } from "./turns";

export interface Question {
  text: string;
  pictures: Picture[];
  documents?: Attached[];
  /** Only these tools are offered in this turn. */
  tools?: string[];
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
  /** What the menu of commands offers besides presets. */
  commands: MenuItem[];
  /** The live tools, for mentions. */
  live: { name: string; description: string }[];
  children?: ComponentChildren;
  onEffort: (e: string) => void;
  onChange: (q: Question) => void;
  onSend: (q: Question) => Promise<boolean>;
  onQueue: (text: string) => void;
  onStop: () => void;
  onTools: () => void;
  onLibrary: (preset: string) => void;
  onOptions: () => void;
  onEditLast: () => void;
  onCancelEdit: (() => void) | null;
}

const efforts: [string, string][] = [
  ["", "Default"],
  ["off", "Off"],
  ["low", "Low"],
  ["medium", "Medium"],
  ["high", "High"],
  ["max", "Most"],
];
const effortName = (provider: string) => (provider === "openai" ? "Reasoning effort" : "Thinking");
/** toolless tells of a model that is known to call no tools. */
export const toolless = (m: ServerModelState | null) => Boolean(m?.capabilities && !m.capabilities.tools);
const mentions = (text: string, names: string[]) =>
  [...new Set([...text.matchAll(/(?:^|\s)@([\w.-]+)/g)].map((m) => m[1]!))].filter((n) => names.includes(n));

/** Composer is where a question is written. What is written survives a reload. */
export function Composer(p: Props) {
  const [text, setText] = useState(p.given?.text ?? kept.read(chatDraft(p.id)) ?? "");
  const [pictures, setPictures] = useState<Picture[]>(p.given?.pictures ?? []);
  const [documents, setDocuments] = useState<Attached[]>(p.given?.documents ?? []);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const [over, setOver] = useState(false);
  const [caret, setCaret] = useState(0);
  const [shut, setShut] = useState(""); // the menu that was closed for this word
  const [ctrl, setCtrl] = useState(kept.read("lp-send-key") === "ctrl");
  const box = useRef<HTMLTextAreaElement>(null);
  const file = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!p.given) return;
    setText(p.given.text);
    setPictures(p.given.pictures);
    setDocuments(p.given.documents ?? []);
    box.current?.focus();
  }, [p.given]);
  useLayoutEffect(() => {
    // at once: a reload waits for no frame
    if (!p.onCancelEdit) kept.write(chatDraft(p.id), text === "" ? null : text);
  }, [text, p.id]);
  useLayoutEffect(() => {
    const b = box.current;
    if (!b) return;
    b.style.height = "auto";
    b.style.height = Math.min(b.scrollHeight + 2, innerHeight * 0.4) + "px";
  }, [text]);
  const names = p.live.map((t) => t.name);
  const only = mentions(text, names);
  const question: Question = { text, pictures, documents, ...(only.length ? { tools: only } : {}) };
  useEffect(() => p.onChange(question), [text, pictures, documents, only.join(" ")]);

  // The menus: what is typed is replaced by what is chosen.
  const want = wanted(text, caret);
  const wantKey = want ? want.sign + want.word : "";
  const presets = usePresets(want?.sign === "/");
  const replace = (to: string) => {
    const next = text.slice(0, want?.from ?? 0) + to + text.slice(caret);
    const place = (want?.from ?? 0) + to.length;
    setText(next);
    setCaret(place);
    setTimeout(() => (box.current?.focus(), box.current?.setSelectionRange(place, place)));
  };
  const command = (i: MenuItem): MenuItem => ({ ...i, run: () => (replace(""), i.run()) });
  const items: MenuItem[] =
    !want || shut === wantKey
      ? []
      : want.sign === "@"
        ? p.live
            .filter((t) => t.name.toLowerCase().includes(want.word))
            .slice(0, 8)
            .map((t) => ({
              id: "@" + t.name,
              kind: "tool",
              label: "@" + t.name,
              hint: t.description.slice(0, 80),
              run: () => replace("@" + t.name + " "),
            }))
        : [
            ...p.commands.map(command),
            ...presets.map((x) =>
              command({
                id: "/" + x.id,
                kind: x.kind === "template" ? "template" : "preset",
                label: x.displayName,
                hint: x.description ?? "",
                run: () => p.onLibrary(x.id),
              }),
            ),
            ...p.live.map((t): MenuItem => ({
              id: "/tool-" + t.name,
              kind: "tool",
              label: t.name,
              hint: "only this one, for this turn",
              run: () => replace("@" + t.name + " "),
            })),
          ]
            .filter((i) => (i.label + " " + i.kind).toLowerCase().includes(want.word))
            .slice(0, 30);
  const menu = useMenu(items, () => setShut(wantKey));

  const vision = p.model?.capabilities?.vision ?? false;
  const add = async (files: Iterable<File>) => {
    const list = [...files];
    const { take } = await import("./chatpanels");
    const got = await take(list, { pictures, documents }, vision);
    setPictures(got.pictures);
    setDocuments(got.documents);
    setProblem(got.problems.join(" "));
    const n = got.pictures.length + got.documents.length - pictures.length - documents.length;
    if (n > 0) announce(n + (n === 1 ? " file attached." : " files attached."));
  };
  const empty = text.trim() === "" && pictures.length === 0 && documents.length === 0;
  const send = async () => {
    if (busy || empty || p.blocked) return;
    if (p.running) {
      if (p.queued) return setProblem("One message waits already. Edit it, or wait until it is sent.");
      if (pictures.length + documents.length > 0)
        return setProblem("Files go with a question that is sent at once. Send it when this turn has ended.");
      p.onQueue(text);
      setText("");
      return;
    }
    setBusy(true);
    setProblem("");
    const sent = await p.onSend(question);
    setBusy(false);
    if (!sent) return;
    kept.write(chatDraft(p.id), null);
    setText("");
    setPictures([]);
    setDocuments([]);
  };
  const keys = (e: KeyboardEvent) => {
    if (e.isComposing || menu.keys(e)) return;
    const modified = e.ctrlKey || e.metaKey;
    if (e.key === "Enter" && !e.shiftKey && !e.altKey && (!ctrl || modified)) {
      e.preventDefault();
      void send();
    } else if (p.running && (e.key === "Escape" || (e.key === "." && modified))) {
      e.preventDefault();
      p.onStop();
    } else if (e.key === "Escape" && p.onCancelEdit) p.onCancelEdit();
    else if (e.key === "ArrowUp" && e.altKey && text === "") {
      e.preventDefault();
      p.onEditLast();
    }
  };
  const look = () => setCaret(box.current?.selectionStart ?? 0);
  const drop = (i: number, what: "pictures" | "documents") =>
    what === "pictures"
      ? setPictures(pictures.filter((_, n) => n !== i))
      : setDocuments(documents.filter((_, n) => n !== i));
  return (
    <form
      class={"composer" + (over ? " over" : "")}
      data-testid="composer"
      onSubmit={(e) => (e.preventDefault(), void send())}
      onDragOver={(e) => (e.preventDefault(), setOver(true))}
      onDragLeave={() => setOver(false)}
      onDrop={(e) => (e.preventDefault(), setOver(false), void add(e.dataTransfer?.files ?? []))}
    >
      {p.onCancelEdit && (
        <div class="row spread">
          <span class="hint">The changed question begins a branch; the old one stays.</span>
          <Button tid="edit-cancel" small kind="quiet" onClick={p.onCancelEdit}>
            Keep as it was
          </Button>
        </div>
      )}
      {p.queued && (
        <div class="row spread note" data-testid="queued">
          <span class="wrap">Queued: will be sent after this turn. {p.queued}</span>
          <span class="row nowrap">
            <Button
              tid="queued-edit"
              small
              kind="quiet"
              onClick={() => (setText(p.queued), p.onQueue(""), box.current?.focus())}
            >
              Edit
            </Button>
            <Button tid="queued-remove" small kind="quiet" onClick={() => p.onQueue("")}>
              Remove
            </Button>
          </span>
        </div>
      )}
      {(pictures.length > 0 || documents.length > 0 || only.length > 0) && (
        <div class="row">
          {only.length > 0 && (
            <span class="chip" data-testid="mentioned">
              Only for this turn: {only.join(", ")}
            </span>
          )}
          {documents.map((d, i) => (
            <span class="chip" data-testid="attached" data-id={d.name}>
              <span class="cut">{d.name}</span>{" "}
              <span class="hint num">~{Math.ceil(d.text.length / 4).toLocaleString("en")} tokens</span>
              <Button
                tid="document-remove"
                small
                kind="quiet"
                icon="close"
                label={"Remove " + d.name}
                onClick={() => drop(i, "documents")}
              />
            </span>
          ))}
          {pictures.map((x, i) => (
            <span class="chip" data-testid="attached" data-id={x.name}>
              <span class="cut">{x.name || "picture"}</span>
              <Button
                tid="picture-remove"
                small
                kind="quiet"
                icon="close"
                label={"Remove " + (x.name || "the picture")}
                onClick={() => drop(i, "pictures")}
              />
            </span>
          ))}
        </div>
      )}
      <div class="menubox">
        <MenuList menu={menu} label={want?.sign === "@" ? "Tools" : "Commands, presets and tools"} />
        <textarea
          ref={box}
          class="input"
          rows={1}
          dir="auto"
          aria-label="Your message"
          placeholder="Ask something. / for commands, @ for a tool."
          data-testid="chat-input"
          value={text}
          {...menu.box}
          onInput={(e) => (setText(e.currentTarget.value), look(), setShut(""))}
          onKeyDown={keys}
          onKeyUp={look}
          onClick={look}
          onBlur={() => setShut(wantKey)}
          onPaste={(e) =>
            e.clipboardData &&
            e.clipboardData.files.length > 0 &&
            (e.preventDefault(), void add(e.clipboardData.files))
          }
        />
      </div>
      <div class="row spread bar">
        <div class="row">
          <Button
            tid="chat-tools"
            small
            icon="tools"
            disabled={toolless(p.model)}
            title={toolless(p.model) ? "This model calls no tools." : undefined}
            onClick={p.onTools}
          >
            {p.tools}
          </Button>
          {p.model?.capabilities?.thinking && (
            <label class="row nowrap">
              <span class="hint">{effortName(p.model.provider)}</span>
              <select
                class="input small"
                data-testid="chat-effort"
                aria-label={effortName(p.model.provider)}
                value={p.effort}
                onChange={(e) => p.onEffort(e.currentTarget.value)}
              >
                {efforts.map(([v, t]) => (
                  <option value={v} selected={v === p.effort}>
                    {t}
                  </option>
                ))}
              </select>
            </label>
          )}
          <Button
            tid="chat-attach"
            small
            icon="plus"
            title={vision ? "Text files and pictures" : "Text files. This model sees no pictures."}
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
              void add(files);
            }}
          />
          <Button tid="chat-library" small kind="quiet" onClick={() => p.onLibrary("")}>
            Presets
          </Button>
          <Button tid="chat-options" small kind="quiet" onClick={p.onOptions}>
            Settings
          </Button>
        </div>
        <div class="row">
          <span class="hint num" data-testid="chat-count" title="An estimate: four characters are a token">
            {text.length > 0
              ? text.length.toLocaleString("en") +
                " characters, ~" +
                Math.ceil(text.length / 4).toLocaleString("en") +
                " tokens"
              : ""}
          </span>
          <Button
            tid="send-key"
            small
            kind="quiet"
            title="Change which key sends"
            onClick={() => (
              setCtrl(!ctrl),
              kept.write("lp-send-key", ctrl ? null : "ctrl"),
              announce(ctrl ? "Enter sends." : "Control Enter sends.")
            )}
          >
            {ctrl ? "Ctrl Enter sends" : "Enter sends"}
          </Button>
          {p.running && (
            <Button tid="chat-stop" icon="stop" busy={p.stopping} onClick={p.onStop}>
              Stop
            </Button>
          )}
          <Button
            tid="chat-send"
            kind="primary"
            type="submit"
            busy={busy}
            disabled={p.blocked !== "" || empty}
            title={p.blocked || undefined}
          >
            {p.running ? "Queue" : "Send"}
          </Button>
        </div>
      </div>
      {p.children}
      {(problem || p.blocked) && (
        <p class="hint wrap" role="status" data-testid="composer-reason">
          {problem || p.blocked}
        </p>
      )}
    </form>
  );
}
