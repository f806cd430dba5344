import { autocompletion, closeBrackets, closeBracketsKeymap, completeAnyWord, completionKeymap, type CompletionContext } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { json } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tags as t } from "@lezer/highlight";

/** Something to see at a place of the code, counted from 1. */
export interface Mark {
  line: number;
  col?: number | undefined;
  severity: "error" | "warning";
  message: string;
}

export interface Editor {
  text(value: string): void;
  mark(marks: Mark[]): void;
  show(line: number): void;
  destroy(): void;
}

interface Options {
  text: string;
  language: "javascript" | "json" | "typescript";
  label: string;
  readOnly: boolean;
  words: () => string[];
  onInput: (text: string) => void;
}

/** What the sandbox gives to code. */
const helpers: [string, string][] = [
  ["fetch", "fetch(url, options): asks a host that the tool declares"],
  ["console.log", "console.log(…): a line of the console"],
  ["safety.fs.readText", "safety.fs.readText(path): the text of a file"],
  ["safety.fs.writeText", "safety.fs.writeText(path, text): writes a file"],
  ["safety.fs.appendText", "safety.fs.appendText(path, text): adds to a file"],
  ["safety.fs.exists", "safety.fs.exists(path): whether there is something"],
  ["safety.fs.list", "safety.fs.list(path): what is in a directory"],
  ["safety.fs.stat", "safety.fs.stat(path): size, kind and time"],
];

const colours = HighlightStyle.define([
  { tag: [t.keyword, t.modifier, t.controlKeyword], color: "var(--accent)" },
  { tag: [t.string, t.special(t.string), t.regexp], color: "var(--success)" },
  { tag: [t.number, t.bool, t.null], color: "var(--warning)" },
  { tag: [t.comment], color: "var(--subtle)", fontStyle: "italic" },
  { tag: [t.definition(t.variableName), t.function(t.variableName), t.propertyName], color: "var(--text)" },
  { tag: [t.typeName, t.className], color: "var(--l2)" },
  { tag: t.invalid, color: "var(--danger)" },
]);

const theme = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--raised)", fontSize: "13px", minHeight: "260px" },
  ".cm-content": { fontFamily: "var(--mono)", caretColor: "var(--text)", padding: "8px 0" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--subtle)", border: "none" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--sunken) 60%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--sunken)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--accent) 30%, transparent)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)", border: "1px solid var(--line)", borderRadius: "4px" },
  ".cm-panels": { backgroundColor: "var(--surface)", color: "var(--text)" },
  ".cm-matchingBracket": { backgroundColor: "var(--sunken)" },
});

export function create(host: HTMLElement, o: Options): Editor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const parent = document.createElement("div");
  root.append(parent);
  let quiet = false;
  const complete = (context: CompletionContext) => {
    const before = context.matchBefore(/[\w.$]+/);
    if (!before && !context.explicit) return null;
    return {
      from: before?.from ?? context.pos,
      options: [...helpers.map(([label, info]) => ({ label, info, type: "function" })), ...o.words().map((label) => ({ label, type: "variable", detail: "of this tool" }))],
    };
  };
  const view = new EditorView({
    parent,
    root,
    state: EditorState.create({
      doc: o.text,
      extensions: [
        lineNumbers(), highlightSpecialChars(), history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(), highlightActiveLine(),
        highlightSelectionMatches(), search({ top: true }), lintGutter(), EditorView.lineWrapping, theme, syntaxHighlighting(colours),
        autocompletion(o.language === "json" ? { override: [completeAnyWord] } : { override: [complete, completeAnyWord] }),
        o.language === "json" ? json() : javascript({ typescript: o.language === "typescript" }),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap.filter((b) => b.key !== "Mod-Enter"), ...searchKeymap, ...historyKeymap, ...completionKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ "aria-label": o.label + ". Escape, then Tab, leaves it.", "data-testid": "code-content" }),
        EditorView.editable.of(!o.readOnly), EditorState.readOnly.of(o.readOnly),
        o.readOnly ? EditorView.contentAttributes.of({ tabindex: "0" }) : [],
        EditorView.updateListener.of((u) => {
          if (u.docChanged && !quiet) o.onInput(u.state.doc.toString());
        }),
      ],
    }),
  });
  // Escape lets the next Tab leave the code: the keyboard is never caught.
  view.contentDOM.addEventListener("keydown", (e) => {
    if (e.key === "Escape") view.setTabFocusMode(3000);
  });
  return {
    text(value) {
      if (value === view.state.doc.toString()) return;
      quiet = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: value } });
      quiet = false;
    },
    mark(marks) {
      const doc = view.state.doc;
      const list: Diagnostic[] = marks
        .filter((m) => m.line >= 1 && m.line <= doc.lines)
        .map((m) => {
          const line = doc.line(m.line);
          const from = Math.min(line.from + Math.max((m.col ?? 1) - 1, 0), line.to);
          return { from, to: Math.max(line.to, from), severity: m.severity, message: m.message };
        });
      view.dispatch(setDiagnostics(view.state, list));
    },
    show(line) {
      if (line < 1 || line > view.state.doc.lines) return;
      const at = view.state.doc.line(line);
      view.dispatch({ selection: { anchor: at.from }, effects: EditorView.scrollIntoView(at.from, { y: "center" }) });
    },
    destroy: () => view.destroy(),
  };
}
