/** What Markdown of models has beyond GitHub's: formulas and footnotes. */
import type { MarkedExtension, Token, TokenizerThis, Tokens } from "marked";

export interface Formula extends Tokens.Generic {
  type: "formula";
  display: boolean;
}

export interface Footnote extends Tokens.Generic {
  type: "footnote";
  label: string;
  tokens: Token[];
}

const longest = 5000; // letters of a formula, as in the patterns below

const made = (raw: string, text: string, display: boolean): Formula | undefined =>
  text.trim() === "" || text.length > longest ? undefined : { type: "formula", raw, text, display };

/** Prices are no formulas: "$5 and $6", "$20/month to $30/month", "$10 for one or 20$". */
const money = /^\d[\d.,]*\s+[a-z]{2,}/i;
const telling = /[\\^_={}]/;

/** single reads $…$ where it can be meant: no space inside the ends, no letter or figure outside. */
function single(src: string, before: string): Formula | undefined {
  if (/[\w$\\]$/.test(before)) return undefined;
  const m = /^\$(?![\s$])((?:\\[^\n]|[^\\$\n]|\n(?![ \t]*\n)){1,5000}?)\$(?![\w$])/.exec(src);
  if (!m) return undefined;
  const text = m[1]!;
  if (/\s$/.test(text) || (money.test(text) && !telling.test(text))) return undefined;
  return made(m[0], text, false);
}

const block: [RegExp, string][] = [
  [/^ {0,3}\$\$((?:[^$\n]|\\\$|\n(?![ \t]*\n)){1,5000}?)\$\$[ \t]*(?:\n+|$)/, "$$"],
  [/^ {0,3}\\\[((?:[^\n]|\n(?![ \t]*\n)){1,5000}?)\\\][ \t]*(?:\n+|$)/, "\\["],
];

const inline: [RegExp, boolean][] = [
  [/^\$\$((?:[^$\n]|\\\$|\n(?![ \t]*\n)){1,5000}?)\$\$/, true],
  [/^\\\(((?:[^\n]|\n(?![ \t]*\n)){1,5000}?)\\\)/, false],
  [/^\\\[((?:[^\n]|\n(?![ \t]*\n)){1,5000}?)\\\]/, true],
];

const noteLine = /^ {0,3}\[\^([^\]\s]{1,60})\]:[ \t]*([^\n]*(?:\n(?:[ \t]+\S[^\n]*))*)(?:\n+|$)/;

/** within is where something begins in the paragraph that a text begins with, if not too far on: it is asked of each line. */
const within = (src: string, what: RegExp) => what.exec(src.slice(0, 2000).split("\n\n", 1)[0]!)?.index;

export const extra: MarkedExtension = {
  extensions: [
    {
      name: "footnote",
      level: "block",
      start: (src: string) => within(src, /\n {0,3}\[\^[^\]\s]{1,60}\]:/),
      tokenizer(this: TokenizerThis, src: string): Footnote | undefined {
        const m = noteLine.exec(src);
        if (!m) return undefined;
        return {
          type: "footnote",
          raw: m[0],
          label: m[1]!,
          tokens: this.lexer.blockTokens(m[2]!.replace(/\n[ \t]+/g, "\n"), []),
        };
      },
      renderer: () => "", // they stand at the end
    },
    {
      name: "formula",
      level: "block",
      start: (src: string) => within(src, /\n {0,3}(?:\$\$|\\\[)/),
      tokenizer(src: string): Formula | undefined {
        for (const [pattern] of block) {
          const m = pattern.exec(src);
          if (m) return made(m[0], m[1]!, true);
        }
        return undefined;
      },
    },
    {
      name: "long", // what is no paragraph that a person would read takes the square of its length
      level: "inline",
      tokenizer: (src: string, tokens: Token[]) =>
        tokens.length === 0 && src.length > 4000 ? { type: "text", raw: src, text: src } : undefined,
    },
    {
      name: "formulaInline",
      level: "inline",
      start: (src: string) => {
        // at the others text ends anyway
        const at = src.indexOf("$");
        return at < 0 ? undefined : at;
      },
      tokenizer(src: string, tokens: Token[]): Tokens.Generic | undefined {
        const before = tokens[tokens.length - 1]?.raw ?? "";
        let found = src.startsWith("$") ? single(src, before) : undefined;
        for (const [pattern, display] of inline) {
          const m = found ? null : pattern.exec(src);
          if (m) found = made(m[0], m[1]!, display);
        }
        return found && { ...found, type: "formulaInline" };
      },
    },
    {
      name: "noteRef",
      level: "inline",
      tokenizer(src: string): Tokens.Generic | undefined {
        const m = /^\[\^([^\]\s]{1,60})\](?!\()/.exec(src);
        return m ? { type: "noteRef", raw: m[0], label: m[1]! } : undefined;
      },
    },
  ],
};
