import { expect, test } from "vitest";
import { shortTime } from "./shorttime";

const now = new Date(2026, 10, 23, 12, 0, 0).getTime();
const minute = 60_000;

test.each([
  [0, "now"],
  [-5 * minute, "now"], // a clock that differs
  [5 * minute, "5m"],
  [119 * minute, "1h"],
  [47 * 60 * minute, "1d"],
  [11 * 24 * 60 * minute, "12 Nov"],
  [366 * 24 * 60 * minute, "22 Nov 2025"],
])("%d ms ago is %s", (ago, want) => expect(shortTime(now - ago, now)).toBe(want));

test("a time that is missing is nothing", () => expect(shortTime(NaN, now)).toBe(""));
