import { expect, test } from "vitest";
import type { McphubMemberItem, McphubOfferedItem } from "../../api/types";
import { audienceOf, off, planOf, switchesOf, wordsOfStep } from "./serverplan";

const tool = (key: string, fingerprint = "1", level = "unknown") =>
  ({ key, fingerprint, definition: {}, risk: { level, proposed: "L2", least: "L1" } }) as McphubOfferedItem;
const member = (toolName: string, more: Partial<McphubMemberItem> = {}) =>
  ({
    serverId: "s",
    toolName,
    name: "s_" + toolName,
    hitl: false,
    state: "served",
    approvedFingerprint: "1",
    ...more,
  }) as McphubMemberItem;

test("switches and audiences are two names of one thing", () => {
  for (const audience of [undefined, "chat", "clients", "none"] as const)
    expect(audienceOf(switchesOf(member("a", audience ? { audience } : {})))).toBe(audience);
  expect(switchesOf(undefined)).toEqual(off);
  expect(switchesOf(member("a", { state: "awaiting-approval" }))).toEqual(off);
});

test("a plan has what changes, and says what must be reviewed", () => {
  const tools = [tool("new"), tool("known", "1", "L2"), tool("changed", "2"), tool("same")];
  const members = [member("known"), member("changed", { state: "changed" }), member("same")];
  const wanted = new Map([
    ["new", { chat: true, clients: false }],
    ["known", { chat: true, clients: false }],
    ["changed", { chat: true, clients: true }],
    ["same", { chat: true, clients: true }],
  ]);
  const plan = planOf(tools, members, wanted);
  expect(plan.map((s) => [s.item.key, s.review, s.levelOpen, wordsOfStep(s)])).toEqual([
    ["new", true, true, "chat on"],
    ["known", false, false, "chat stays on, clients off"],
    ["changed", true, true, "chat stays on, clients stays on"],
  ]);
  expect(planOf(tools, members, new Map())).toEqual([]);
});
