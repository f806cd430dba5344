import { expect, test } from "vitest";
import { applyFix, labelOf } from "./fixes";
import { decider, ruleOf } from "./risk";
import { blank } from "./spec";

test("a fix replaces members of a document and removes those that are null", () => {
  const spec = { ...blank(), name: "a", tags: ["x", "y", "z"], toolSafety: { version: "2" } };
  const fixed = applyFix(spec, {
    label: "Keep two",
    level: "L0",
    set: { tags: ["x", "y"], toolSafety: null },
  } as never);
  expect(fixed.tags).toEqual(["x", "y"]);
  expect("toolSafety" in fixed).toBe(false);
  expect(fixed.name).toBe("a");
  expect(spec.tags.length).toBe(3);
});

test("a fix says where it raises or lowers the level", () => {
  const fix = { label: "Allow a.test", level: "L3", set: {} };
  expect(labelOf(fix, "L0")).toBe("Allow a.test (raises to L3)");
  expect(labelOf(fix, "L4")).toBe("Allow a.test (lowers to L3)");
  expect(labelOf(fix, "L3")).toBe("Allow a.test");
});

test("the rule that decides is the one with the level, in plain words", () => {
  const reasons = [
    "networkMode strict: can reach any public host (L3)",
    "fileWrite: can change files in its workspace (L4)",
  ];
  expect(decider(reasons, "L4")).toBe(1);
  expect(ruleOf(reasons[1]!)).toEqual({ text: "Can change files in its workspace", level: "L4" });
  expect(ruleOf(reasons[0]!).text).toBe("Can reach any public host");
  expect(decider([], "L0")).toBe(0);
});
