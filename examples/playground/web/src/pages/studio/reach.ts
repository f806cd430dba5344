import type { StudioCaseResult, ToolspecDenial } from "../../api/types";

/** What a run reaches: the network, or files. */
export type Reach = "fetch" | "fs";

export const component: Record<Reach, string> = { fetch: "fetch", fs: "safety.fs" };

/** besides lists the refusals of a case that are not among its attempts. */
export function besides(c: StudioCaseResult): ToolspecDenial[] {
  const key = (reason?: string, detail?: string) => reason + "\n" + (detail ?? "").slice(0, 250); // an attempt keeps no more than 300 characters
  const told = new Set(c.attempts.filter((a) => a.refused).map((a) => key(a.reason, a.detail)));
  return c.denials.filter((d) => !told.has(key(d.reason, d.detail)));
}

/** others lists the refusals of a run that concern neither network nor files. */
export const others = (cases: StudioCaseResult[]): ToolspecDenial[] =>
  cases.flatMap(besides).filter((d) => d.component !== component.fetch && d.component !== component.fs);

/** tried counts what a run tried, refusals included. */
export const tried = (cases: StudioCaseResult[], reach: Reach): number =>
  cases.reduce(
    (n, c) =>
      n +
      c.attempts.filter((a) => a.component === reach).length +
      besides(c).filter((d) => d.component === component[reach]).length,
    0,
  );
