/** Code in colours: one block after the other, so that the page stays quick. */
import type { Token } from "../../chunks/highlight";

/** Longer code stays plain, in letters; and so does code with longer lines, such as what was made small: its grammars would take seconds for it. */
const longest = 20_000;
const longestLine = 1000;
const most = 120; // blocks that are remembered

const known = new Map<string, Token[] | null>();
const waiting: { key: string; text: string; lang: string; done: Set<(list: Token[]) => void> }[] = [];
let busy = false;

const keyOf = (text: string, lang: string) => lang + "\n" + text;

/** ready is code in colours where that has been done before. */
export const ready = (text: string, lang: string): Token[] | null =>
  text.length > longest ? null : (known.get(keyOf(text, lang)) ?? null);

async function work() {
  if (busy) return;
  busy = true;
  try {
    const { highlight } = await import("../../chunks/highlight");
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      if (job.done.size === 0) continue;
      let made: Token[] | null = null;
      try {
        made = highlight(job.text, job.lang);
      } catch {
        // Code that is nested too deeply stays plain.
      }
      if (known.size >= most) known.delete(known.keys().next().value!);
      known.set(job.key, made);
      if (made) for (const done of job.done) done(made);
      await new Promise((r) => setTimeout(r, 0));
    }
  } catch {
    waiting.length = 0; // without the chunk code stays as it is
  }
  busy = false;
}

/** coloured does it as soon as there is time. What it gives ends the wish. */
export function coloured(
  text: string,
  lang: string,
  done: (list: Token[]) => void,
): (() => void) | undefined {
  const key = keyOf(text, lang);
  if (
    lang === "" ||
    text.length > longest ||
    text.split("\n").some((l) => l.length > longestLine) ||
    known.has(key)
  )
    return undefined;
  let job = waiting.find((j) => j.key === key);
  if (!job) waiting.push((job = { key, text, lang, done: new Set() }));
  job.done.add(done);
  void work();
  return () => job.done.delete(done);
}
