/** What the lexer gives: blocks with the text that each is made of. */
export interface Raw {
  raw: string;
  type: string;
}

interface View<T> {
  tokens: T[];
  /** Code whose end has not come yet. */
  code: { lang: string; text: string } | null;
  links: Record<string, unknown>;
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
  private links: Record<string, unknown> = {};
  private whole = false;

  constructor(private readonly lex: (text: string) => T[] & { links?: Record<string, unknown> }) {}

  read(text: string, done: boolean): View<T> {
    if (!text.startsWith(this.text) || (this.whole && text !== this.text)) this.reset();
    this.text = text;
    if (done) {
      if (!this.whole) this.finish();
      return { tokens: this.settled, code: null, links: this.links };
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
    return { tokens: [...this.settled, ...tail], code: fence ? { lang: fence.lang, text: rest.slice(fence.body) } : null, links: this.links };
  }

  private reset() {
    this.text = "";
    this.at = 0;
    this.settled = [];
    this.links = {};
    this.whole = false;
  }

  /** finish reads all of it, and leaves equal blocks as they are. */
  private finish() {
    const list = this.lex(this.text);
    const links = list.links ?? {};
    if (Object.keys(links).length > 0) this.links = links;
    this.settled = list.map((t, i) => (this.settled[i]?.raw === t.raw && Object.keys(links).length === 0 ? this.settled[i]! : t));
    this.at = this.text.length;
    this.whole = true;
  }
}

const fenceLine = /^( {0,3})(`{3,}|~{3,})([^\n]*)$/;

/** openFence finds code at the end of a text that has begun and not ended. */
export function openFence(text: string): { start: number; body: number; lang: string } | null {
  let open: { start: number; body: number; lang: string; mark: string } | null = null;
  let from = 0;
  while (from <= text.length) {
    const end = text.indexOf("\n", from);
    const stop = end < 0 ? text.length : end;
    const first = text.charCodeAt(from);
    if (first === 96 || first === 126 || first === 32) {
      // ` ~ or a space
      const m = fenceLine.exec(text.slice(from, Math.min(stop, from + 200)));
      if (m) {
        const [, , mark, rest] = m as unknown as [string, string, string, string];
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
