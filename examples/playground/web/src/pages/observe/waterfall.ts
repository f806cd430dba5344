// The mathematics of a waterfall: the tree of its spans, what the time went to, and
// the part of it that is looked at. No page is needed for any of it.

/** What is asked of a span. */
export interface SpanLike {
  spanId: string;
  parentId?: string;
  name: string;
  startMs: number;
  durationMs: number;
}

/** A span at its place in the tree. */
export interface Row<S extends SpanLike> {
  span: S;
  depth: number;
  children: Row<S>[];
  parent: Row<S> | null;
  /** critical: the trace would have been shorter without it. */
  critical: boolean;
  /** selfMs is the time that went to no span below. */
  selfMs: number;
}

export interface View {
  from: number;
  to: number;
}

const end = (s: SpanLike) => s.startMs + s.durationMs;

/** tree puts spans in the order of a waterfall. What names a parent that is not there, or itself by way of others, stands at the top. */
export function tree<S extends SpanLike>(spans: S[]): Row<S>[] {
  const rows = new Map<string, Row<S>>();
  for (const span of spans)
    rows.set(span.spanId, {
      span,
      depth: 0,
      children: [],
      parent: null,
      critical: false,
      selfMs: span.durationMs,
    });
  const tops: Row<S>[] = [];
  for (const row of rows.values()) {
    const above = row.span.parentId ? rows.get(row.span.parentId) : undefined;
    let loops = false;
    for (let up: Row<S> | null | undefined = above; up; up = up.parent) loops ||= up === row;
    if (!above || loops) tops.push(row);
    else {
      row.parent = above;
      above.children.push(row);
    }
  }
  const order = (a: Row<S>, b: Row<S>) => a.span.startMs - b.span.startMs || end(b.span) - end(a.span);
  tops.sort(order);
  const todo: Row<S>[] = [...tops];
  for (let row = todo.pop(); row; row = todo.pop()) {
    row.children.sort(order);
    row.selfMs = own(row);
    for (const child of row.children) {
      child.depth = row.depth + 1;
      todo.push(child);
    }
  }
  if (tops[0]) mark(tops[0]);
  return tops;
}

/** own is the time of a span that none of its children covers. */
function own<S extends SpanLike>(row: Row<S>): number {
  let covered = 0;
  let at = row.span.startMs;
  for (const { span } of row.children) {
    const from = Math.max(span.startMs, at);
    const to = Math.min(end(span), end(row.span));
    if (to > from) {
      covered += to - from;
      at = to;
    }
  }
  return Math.max(0, row.span.durationMs - covered);
}

/** mark walks back from the end: what ended last before each moment is what was waited for. */
function mark<S extends SpanLike>(top: Row<S>) {
  const todo: Row<S>[] = [top];
  for (let row = todo.pop(); row; row = todo.pop()) {
    row.critical = true;
    let until = end(row.span);
    for (const child of [...row.children].sort((a, b) => end(b.span) - end(a.span))) {
      if (end(child.span) > until || child.span.durationMs <= 0) continue;
      todo.push(child);
      until = child.span.startMs;
    }
  }
}

/** rowsOf lists what is shown, from the top. */
export function rowsOf<S extends SpanLike>(
  tops: Row<S>[],
  folded: ReadonlySet<string>,
  wanted: (span: S) => boolean,
): Row<S>[] {
  const out: Row<S>[] = [];
  const keep = new Set<Row<S>>();
  const all: Row<S>[] = [];
  const todo = [...tops].reverse();
  for (let row = todo.pop(); row; row = todo.pop()) {
    all.push(row);
    todo.push(...[...row.children].reverse());
  }
  for (const row of all)
    if (wanted(row.span)) for (let up: Row<S> | null = row; up && !keep.has(up); up = up.parent) keep.add(up);
  for (const row of all) {
    let hidden = !keep.has(row);
    for (let up = row.parent; up && !hidden; up = up.parent) hidden = folded.has(up.span.spanId);
    if (!hidden) out.push(row);
  }
  return out;
}

/** whole is the view of everything. */
export function whole(spans: SpanLike[]): View {
  let from = Infinity;
  let to = -Infinity;
  for (const s of spans) {
    from = Math.min(from, s.startMs);
    to = Math.max(to, end(s));
  }
  if (!(to > from)) to = (Number.isFinite(from) ? from : (from = 0)) + 1;
  return { from, to };
}

/** narrowest is how far can be zoomed in, in ms: a microsecond across the page. */
export const narrowest = 0.001;

/** fit keeps a view within all, and as wide as it may be. */
export function fit(v: View, all: View): View {
  const width = Math.min(Math.max(v.to - v.from, narrowest), all.to - all.from);
  const from = Math.min(Math.max(v.from, all.from), all.to - width);
  return { from, to: from + width };
}

/** zoom makes a view narrower (by more than 1) or wider, around a moment that stays where it is. */
export function zoom(v: View, by: number, around: number, all: View): View {
  const width = (v.to - v.from) / by;
  const share = (around - v.from) / (v.to - v.from);
  return fit({ from: around - width * share, to: around + width * (1 - share) }, all);
}

/** pan moves a view by a share of its width. */
export function pan(v: View, by: number, all: View): View {
  const d = (v.to - v.from) * by;
  return fit({ from: v.from + d, to: v.to + d }, all);
}

/** around shows a span whole, with some room on both sides. */
export function around(s: SpanLike, all: View): View {
  const room = Math.max(s.durationMs * 0.1, narrowest / 2);
  return fit({ from: s.startMs - room, to: end(s) + room }, all);
}

/** place is where a span stands in a view, in percent; what is far outside is cut, because a browser knows no endless lengths. */
export function place(s: SpanLike, v: View): { left: number; width: number } {
  const width = v.to - v.from;
  const clip = (t: number) => Math.min(Math.max(((t - v.from) / width) * 100, -5), 105);
  const left = clip(s.startMs);
  return { left, width: clip(end(s)) - left };
}

/** ticks are round moments in a view. */
export function ticks(v: View, most = 6): number[] {
  const raw = (v.to - v.from) / most;
  const power = Math.pow(10, Math.floor(Math.log10(raw)));
  const steps =
    raw > 1000
      ? [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 18000, 36000].map((n) => n * 1000)
      : [1, 2, 5, 10].map((n) => n * power);
  const step = steps.find((n) => n >= raw) ?? raw;
  const out: number[] = [];
  for (let i = Math.ceil(v.from / step); i * step <= v.to && out.length < 20; i++) out.push(i * step);
  return out;
}

/** lasts is a time in words, as exact as is useful. */
export function lasts(ms: number): string {
  const n = Math.abs(ms);
  const sign = ms < 0 ? "−" : "";
  if (n === 0) return "0 ms";
  if (n < 1) return sign + (n < 0.001 ? "<1" : Math.round(n * 1000)) + " µs";
  if (n < 10) return sign + +n.toFixed(2) + " ms";
  if (n < 1000) return sign + Math.round(n) + " ms";
  if (n < 60_000) return sign + +(n / 1000).toFixed(2) + " s";
  const parts =
    n < 3_600_000
      ? ([Math.round(n / 1000), 60, "min", "s"] as const)
      : ([Math.round(n / 60_000), 60, "h", "min"] as const);
  const [total, of, large, small] = parts;
  return sign + Math.floor(total / of) + " " + large + (total % of ? " " + (total % of) + " " + small : "");
}

/** moment is a time on an axis, as exact as the view is narrow. */
export function moment(ms: number, width: number): string {
  if (width >= 1000) return lasts(Math.round(ms));
  const digits = Math.min(3, Math.max(0, 2 - Math.floor(Math.log10(width))));
  return ms.toFixed(digits) + " ms";
}
