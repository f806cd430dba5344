/** What the lexer gives: blocks with the text that each is made of. */
export interface Raw {
  raw: string;
  type: string;
}

interface View<T> {
  tokens: T[];
  /** Code whose end has not come yet. */
  code: { lang: string; text: string } | null;
  /** How many of the tokens stay as they are. */
  settled: number;
  /** What the blocks are called: one that stays keeps its name, wherever it comes to stand. */
  names: number[];
  /** It is another one when blocks that hold its mark must be made again. */
  around: Around;
}

/** What stands before a name of something that is explained elsewhere: "[^" of a footnote, "[" of a link; empty: nothing is. */
export interface Around {
  mark: "" | "[" | "[^";
}

/** How many blocks at the end can still change: a later line may join them. */
const unsure = 3;

/**
 * Blocks reads a growing text block by block. Those before the last three are read
 * once; code that is not closed is not read at all, only looked through for its end.
 */
export class Blocks<T extends Raw> {
  private text = "";
  private at = 0; // up to here it is settled
  private settled: T[] = [];
  private around: Around = { mark: "" };
  private names: number[] = [];
  private whole = false;
  private shown: T[] = []; // at last, each by its place

  constructor(private readonly lex: (text: string) => T[] & { links?: Record<string, unknown> }) {}

  read(text: string, done: boolean): View<T> {
    if (!text.startsWith(this.text) || (this.whole && text !== this.text)) this.reset();
    this.text = text;
    if (done) {
      if (!this.whole) this.finish();
      return {
        tokens: this.settled,
        code: null,
        settled: this.settled.length,
        names: this.names,
        around: this.around,
      };
    }
    const rest = text.slice(this.at);
    const fence = openFence(rest);
    const closed = fence ? rest.slice(0, fence.start) : rest;
    const tail = closed === "" ? [] : [...this.lex(closed)];
    let sure = fence ? tail.length : tail.length - unsure;
    // A reference may be explained later: then everything is read again at the end.
    while (sure > 0) {
      const t = tail.shift()!;
      this.settled.push(t);
      this.at += t.raw.length;
      sure--;
    }
    // The line break before the end of code is none of its own.
    const code = fence && { lang: fence.lang, text: rest.slice(fence.body).replace(/\n$/, "") };
    const tokens = [...this.settled, ...tail];
    this.shown = code ? [...tokens, { type: "code", raw: rest.slice(fence!.start) } as T] : tokens;
    return {
      tokens,
      code,
      settled: this.settled.length,
      names: tokens.map((_, i) => i),
      around: this.around,
    };
  }

  private reset() {
    this.text = "";
    this.at = 0;
    this.settled = [];
    this.around = { mark: "" };
    this.names = [];
    this.shown = [];
    this.whole = false;
  }

  /** finish reads all of it, and leaves equal blocks as they are. */
  private finish() {
    const list = this.lex(this.text);
    // What is explained somewhere may be named anywhere.
    const mark = Object.keys(list.links ?? {}).length > 0 ? "[" : this.text.includes("[^") ? "[^" : "";
    if (mark) this.around = { mark };
    const before = this.shown.map((t, i) => ({ type: t.type, raw: t.raw, name: i, token: t }));
    const there = new Map<string, typeof before>();
    for (const o of before) {
      const same = there.get(o.raw);
      if (same) same.push(o);
      else there.set(o.raw, [o]);
    }
    const kept = list.map((t) => there.get(t.raw)?.shift());
    // What stood last may have grown by a line since: it is the same block still.
    const found = new Set(kept);
    const rest = before.filter((o) => !found.has(o)).slice(-unsure - 1);
    let fresh = before.length;
    this.names = [];
    const next = list.map((t, i) => {
      const old = kept[i];
      const grown = old ? -1 : rest.findIndex((o) => o.type === t.type && t.raw.startsWith(o.raw.trimEnd()));
      this.names.push(old ? old.name : grown >= 0 ? rest.splice(grown, 1)[0]!.name : fresh++);
      return !old || (mark && t.raw.includes(mark)) ? t : old.token;
    });
    this.settled = next;
    this.at = this.text.length;
    this.whole = true;
  }
}

const fenceLine = /^(`{3,}|~{3,})([^\n]*)$/;

/**
 * openFence finds code at the end of a text that has begun and not ended. Code that
 * is moved in may be part of a list: the lexer knows.
 */
export function openFence(text: string): { start: number; body: number; lang: string } | null {
  let open: { start: number; body: number; lang: string; mark: string } | null = null;
  let from = 0;
  while (from <= text.length) {
    const end = text.indexOf("\n", from);
    const stop = end < 0 ? text.length : end;
    const first = text.charCodeAt(from);
    if (first === 96 || first === 126) {
      // ` or ~
      const m = fenceLine.exec(text.slice(from, Math.min(stop, from + 200)));
      if (m) {
        const [, mark, rest] = m as unknown as [string, string, string];
        if (open) {
          if (mark[0] === open.mark[0] && mark.length >= open.mark.length && rest.trim() === "") open = null;
        } else if (end >= 0 && !(mark[0] === "`" && rest.includes("`"))) {
          open = { start: from, body: stop + 1, lang: rest.trim().split(/\s/)[0] ?? "", mark };
        }
      }
    }
    if (end < 0) break;
    from = end + 1;
  }
  return open;
}
