import { expect, test } from "vitest";
import type { ObserveSummary } from "../../api/types";
import { callsOf } from "./calls";

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const trace = (traceId: string, more: object) =>
  ({ traceId, operation: "execute_tool", status: "OK", outcome: "ok", ...more }) as ObserveSummary;
const used = (name: string, second: number, more: object = {}) => ({
  name,
  server: "calc",
  calls: 1,
  errors: 0,
  lastAt: at(second),
  lastMs: second,
  ...more,
});

test("the latest call comes first, with the outcome of its trace where that is the call", () => {
  const list = callsOf(
    [
      trace("a", { tools: [used("sum", 1)] }),
      trace("b", { outcome: "blocked", tools: [used("wipe", 3, { errors: 1 })] }),
      trace("c", { status: "RUNNING", outcome: undefined, tools: [used("slow", 2)] }),
    ],
    "calc",
    "calc",
  );
  expect(list.map((c) => [c.tool, c.outcome, c.ms])).toEqual([
    ["wipe", "blocked", 3],
    ["slow", "RUNNING", 2],
    ["sum", "ok", 1],
  ]);
});

test("in a chat each tool of the server counts by itself, without its prefix", () => {
  const tools = [
    used("calc_sum", 2, { calls: 2 }),
    used("calc_wipe", 1, { errors: 1 }),
    used("note", 3, { server: undefined }),
    used("sum", 4, { server: "other" }),
  ];
  const list = callsOf(
    [trace("t", { operation: "invoke_agent", outcome: "cancelled", tools })],
    "calc",
    "calc",
  );
  expect(list.map((c) => [c.tool, c.outcome, c.times])).toEqual([
    ["sum", "ok", 2],
    ["wipe", "error", 1],
  ]);
});
