import { describe, expect, test } from "vitest";
import { around, fit, lasts, moment, pan, place, rowsOf, ticks, tree, whole, zoom } from "./waterfall";

const span = (spanId: string, startMs: number, durationMs: number, parentId?: string) => ({
  spanId,
  parentId,
  name: spanId,
  startMs,
  durationMs,
});

describe("tree", () => {
  test("puts children below their parent, in the order of their start", () => {
    const [top, ...others] = tree([
      span("late", 50, 10, "top"),
      span("early", 10, 20, "top"),
      span("top", 0, 100),
    ]);
    expect(others).toEqual([]);
    expect(top!.children.map((r) => r.span.spanId)).toEqual(["early", "late"]);
    expect(top!.children.map((r) => r.depth)).toEqual([1, 1]);
    expect(top!.selfMs).toBe(70);
  });

  test("counts time that children share once", () => {
    const [top] = tree([span("top", 0, 100), span("a", 10, 40, "top"), span("b", 30, 40, "top")]);
    expect(top!.selfMs).toBe(40);
  });

  test("keeps a span whose parent is missing or that is its own ancestor", () => {
    const ids = (spans: ReturnType<typeof span>[]) => tree(spans).map((r) => r.span.spanId);
    expect(ids([span("a", 0, 1, "missing")])).toEqual(["a"]);
    expect(ids([span("a", 0, 1, "b"), span("b", 1, 1, "a")])).toHaveLength(1);
  });

  test("marks the critical path", () => {
    const [top] = tree([
      span("top", 0, 100),
      span("waited for", 40, 60, "top"),
      span("meanwhile", 45, 20, "top"),
      span("before", 0, 40, "top"),
    ]);
    const critical = top!.children.filter((r) => r.critical).map((r) => r.span.spanId);
    expect(critical).toEqual(["before", "waited for"]);
  });
});

test("rowsOf hides what is folded and keeps the ancestors of what is wanted", () => {
  const tops = tree([
    span("top", 0, 9),
    span("a", 1, 3, "top"),
    span("b", 5, 3, "top"),
    span("deep", 2, 1, "a"),
  ]);
  const names = (folded: string[], wanted: string) =>
    rowsOf(tops, new Set(folded), (s) => s.name.includes(wanted)).map((r) => r.span.name);
  expect(names([], "")).toEqual(["top", "a", "deep", "b"]);
  expect(names(["a"], "")).toEqual(["top", "a", "b"]);
  expect(names([], "deep")).toEqual(["top", "a", "deep"]);
});

describe("a view", () => {
  const all = { from: 0, to: 1000 };
  test("covers all spans, and is never empty", () => {
    expect(whole([span("a", 5, 10), span("b", 2, 3)])).toEqual({ from: 2, to: 15 });
    expect(whole([])).toEqual({ from: 0, to: 1 });
    expect(whole([span("a", 7, 0)])).toEqual({ from: 7, to: 8 });
  });
  test("stays within all", () => {
    expect(fit({ from: -50, to: 50 }, all)).toEqual({ from: 0, to: 100 });
    expect(fit({ from: 990, to: 1090 }, all)).toEqual({ from: 900, to: 1000 });
    expect(pan({ from: 0, to: 100 }, -1, all)).toEqual({ from: 0, to: 100 });
    expect(pan({ from: 0, to: 100 }, 0.5, all)).toEqual({ from: 50, to: 150 });
  });
  test("zooms around a moment that stays where it is", () => {
    expect(zoom(all, 2, 500, all)).toEqual({ from: 250, to: 750 });
    expect(zoom(all, 2, 0, all)).toEqual({ from: 0, to: 500 });
    expect(around(span("a", 400, 100), all)).toEqual({ from: 390, to: 510 });
  });
  test("places a span in percent and clips what is far outside", () => {
    expect(place(span("a", 250, 500), all)).toEqual({ left: 25, width: 50 });
    expect(place(span("a", -1e9, 2e9), all)).toEqual({ left: -5, width: 110 });
  });
  test("has round ticks", () => {
    expect(ticks(all)).toEqual([0, 200, 400, 600, 800, 1000]);
    expect(ticks({ from: 0, to: 7_200_000 })).toContain(1_800_000);
  });
});

test("times are as exact as is useful", () => {
  const texts = [0, 0.0004, 0.5, 3.14159, 250, 1500, 61_000, 7_260_000, -20].map(lasts);
  expect(texts).toEqual([
    "0 ms",
    "<1 µs",
    "500 µs",
    "3.14 ms",
    "250 ms",
    "1.5 s",
    "1 min 1 s",
    "2 h 1 min",
    "−20 ms",
  ]);
  expect(moment(1234, 5000)).toBe("1.23 s");
  expect(moment(12.3456, 1)).toBe("12.35 ms");
});
