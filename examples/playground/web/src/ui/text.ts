import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";

/** The texts of one feature by key. A value stands as {name}. */
export type Catalogue = Readonly<Record<string, string>>;

/** The chosen language other than English: its code and its texts by feature. */
export const translation = signal<{ code: string; texts: Record<string, Catalogue> } | null>(null);

/** language is the code of the language in which the page is shown. */
export const language = () => translation.value?.code ?? "en";

const place = /\{(\w+)\}/;
type Values = Record<string, string | number>;
type Nodes = Record<string, ComponentChildren>;

/** pieces cuts a text at its values: even places are words, odd ones are names. */
const piecesOf = (text: string) => text.split(place);

/**
 * texts returns what looks up the texts of a feature. Its English catalogue is bundled
 * with the feature; a translation is fetched only when it is chosen, and a text that it
 * lacks is shown in English.
 */
export function texts<C extends Catalogue>(feature: string, english: C) {
  const find = (key: keyof C & string) => translation.value?.texts[feature]?.[key] ?? english[key] ?? key;
  const t = (key: keyof C & string, values: Values = {}) =>
    piecesOf(find(key))
      .map((p, i) => (i % 2 === 0 ? p : String(values[p] ?? "")))
      .join("");
  /** has reports whether a code of the server has a text. */
  t.has = (key: string): key is keyof C & string => key in english;
  /** parts fills in nodes, so that values can be shown as data. */
  t.parts = (key: keyof C & string, nodes: Nodes): ComponentChildren[] =>
    piecesOf(find(key)).map((p, i) => (i % 2 === 0 ? p : nodes[p]));
  /** count takes the form of a text for a number: KEY.one or KEY.other, with {n}. */
  t.count = (key: string, n: number, values: Values = {}) =>
    t((key + "." + new Intl.PluralRules(language()).select(n)) as keyof C & string, {
      n: n.toLocaleString(language()),
      ...values,
    });
  /** list joins words as the language does: a, b and c. */
  t.list = (words: string[]) => new Intl.ListFormat(language()).format(words);
  return t;
}
