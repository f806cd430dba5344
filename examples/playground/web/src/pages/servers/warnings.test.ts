import { expect, test } from "vitest";
import type { McphubCapabilityItem, McphubMemberItem, McphubServerItem } from "../../api/types";
import { warningsOf } from "./warnings";

const server = (status: object = {}, more: object = {}) =>
  ({ id: "calc", status: { state: "CONNECTED", ...status }, ...more }) as McphubServerItem;
const caps = (more: object = {}) =>
  ({ syncStatus: "SYNCED", tools: [], ...more }) as unknown as McphubCapabilityItem;
const member = (toolName: string, state: string) => ({ toolName, state }) as McphubMemberItem;
const ids = (...args: Parameters<typeof warningsOf>) => warningsOf(...args).map((w) => w.id);

test("a server that works has no warnings, nor one that is disabled", () => {
  expect(ids(server(), caps(), [member("sum", "served")])).toEqual([]);
  expect(ids(server({ state: "ERROR", error: "refused" }, { disabled: true }), undefined, [])).toEqual([]);
});

test("what keeps it from being used comes first, and says where it is mended", () => {
  const [first] = warningsOf(
    server({ state: "MISSING_CONFIG", missing: ["KEY"], error: "no KEY" }),
    undefined,
    [],
  );
  expect(first).toMatchObject({ id: "missing-value", way: ["Set it", "/settings/secrets"] });
  expect(ids(server({ state: "ERROR", error: "refused" }), caps({ syncStatus: "SYNC_FAILED" }), [])).toEqual([
    "error",
    "sync-failed",
  ]);
  expect(ids(server({ state: "AWAITING_AUTHORIZATION", error: "sign in" }), undefined, [])).toEqual([]);
});

test("tools that need a look are named by state", () => {
  const list = warningsOf(server(), caps(), [
    member("a", "changed"),
    member("b", "changed"),
    member("c", "name-taken"),
    member("d", "missing"),
    member("e", "shadowing"),
  ]);
  expect(list.map((w) => [w.id, w.tools])).toEqual([
    ["changed", ["a", "b"]],
    ["gone", ["d"]],
    ["name-taken", ["c"]],
    ["shadowing", ["e"]],
  ]);
  expect(list[0]!.text).toMatch(/^2 tools changed/);
});

test("a level without confirmation counts only for a tool that is on", () => {
  const risk = { level: "unknown", proposed: "L2", least: "L1", findings: [] };
  const all = caps({
    tools: [
      { key: "on", risk },
      { key: "off", risk },
      { key: "odd", risk: { ...risk, findings: [{ rule: "hidden" }] } },
      { key: "out", leftOut: true, risk: { ...risk, findings: [{ rule: "hidden" }] } },
    ],
  });
  expect(warningsOf(server(), all, [member("on", "served")]).map((w) => [w.id, w.tools])).toEqual([
    ["unconfirmed", ["on"]],
    ["findings", ["odd"]],
  ]);
});

test("an error of a connection is said in plain words, and kept for who asks", () => {
  const [w] = warningsOf(
    server({ state: "ERROR", error: "client: dial tcp 127.0.0.1:1: connect: connection refused" }),
    undefined,
    [],
  );
  expect(w!.text).toMatch(/^Nothing answers at this address/);
  expect(w!.raw).toMatch(/dial tcp/);
  expect(warningsOf(server({ state: "ERROR", error: "odd" }), undefined, [])[0]!.text).toMatch(/test it/);
});
