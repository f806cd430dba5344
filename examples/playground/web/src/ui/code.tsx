import { useEffect, useRef, useState } from "preact/hooks";
import type { Editor, Mark } from "./codemirror";

export type { Mark } from "./codemirror";

interface Props {
  tid: string;
  label: string;
  value: string;
  language: "javascript" | "json" | "typescript";
  onInput: (value: string) => void;
  marks?: Mark[];
  words?: string[];
  readOnly?: boolean;
  line?: number | undefined;
}

/**
 * Code is an editor in a shadow root, where its styles do not need the page's
 * permission. Until it is there, and when it cannot be had, it is a text area.
 */
export function Code(p: Props) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  const [state, set] = useState<"waiting" | "there" | "plain">("waiting");
  const latest = useRef(p);
  latest.current = p;
  useEffect(() => {
    let gone = false;
    import("./codemirror").then(
      (m) => {
        if (gone || !host.current) return;
        editor.current = m.create(host.current, {
          text: latest.current.value,
          language: latest.current.language,
          label: latest.current.label,
          readOnly: latest.current.readOnly ?? false,
          words: () => latest.current.words ?? [],
          onInput: (text) => latest.current.onInput(text),
        });
        editor.current.mark(latest.current.marks ?? []);
        set("there");
      },
      () => !gone && set("plain"),
    );
    return () => {
      gone = true;
      editor.current?.destroy();
      editor.current = null;
    };
  }, []);
  useEffect(() => editor.current?.text(p.value), [p.value]);
  useEffect(() => editor.current?.mark(p.marks ?? []), [JSON.stringify(p.marks), state]);
  useEffect(() => {
    if (p.line) editor.current?.show(p.line);
  }, [p.line, state]);
  return (
    <div class="codebox">
      <div class="host" ref={host} hidden={state !== "there"} data-testid={p.tid + "-rich"} />
      {state !== "there" && (
        <textarea data-testid={p.tid} aria-label={p.label} value={p.value} readOnly={p.readOnly} spellcheck={false} onInput={(e) => p.onInput(e.currentTarget.value)} />
      )}
    </div>
  );
}
