import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

for (const [name, grammar] of Object.entries({
  bash,
  css,
  diff,
  go,
  javascript,
  json,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
}))
  hljs.registerLanguage(name, grammar);

/** A piece of code: text, or pieces of one kind such as "keyword". */
export type Token = string | { kind: string; inside: Token[] };

interface Found {
  scope?: string;
  children: (string | Found)[];
}

const tokens = (list: (string | Found)[]): Token[] =>
  list.map((t) =>
    typeof t === "string" ? t : { kind: (t.scope ?? "").split(".")[0]!, inside: tokens(t.children) },
  );

/** highlight takes code apart; null when its language is none of those known here. */
export function highlight(text: string, lang: string): Token[] | null {
  if (!hljs.getLanguage(lang)) return null;
  const result = hljs.highlight(text, { language: lang, ignoreIllegals: true });
  return tokens((result._emitter as unknown as { rootNode: Found }).rootNode.children);
}
