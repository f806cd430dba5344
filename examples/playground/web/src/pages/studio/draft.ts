import { kept } from "../../ui/data";
import type { Spec } from "./spec";

/** same tells whether two documents say the same. */
export const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Draft is what was edited in this browser and not saved. */
export interface Draft {
  spec: Spec;
  base: number; // the version that it was made from
  at: string;
}

const keyOf = (id: string) => "lp-draft-" + (id || "new");

/** readDraft gives the unsaved edits of a tool, or of the new one for no id. */
export function readDraft(id: string): Draft | null {
  try {
    return JSON.parse(kept.read(keyOf(id)) ?? "null") as Draft | null;
  } catch {
    return null;
  }
}

export const writeDraft = (id: string, spec: Spec, base: number) =>
  kept.write(keyOf(id), JSON.stringify({ spec, base, at: new Date().toISOString() }));

export const dropDraft = (id: string) => kept.write(keyOf(id), null);
