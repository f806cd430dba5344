/**
 * Branches are conversations that share their beginning. Which ones go on
 * differently from a turn is kept with each of them, by the number of that turn.
 */
type Prefs = Record<string, any>;

export function branchesAt(prefs: Prefs, seq: number): string[] {
  const list = prefs.branches?.[seq];
  return Array.isArray(list) ? list.filter((c) => typeof c === "string") : [];
}

/** branched is what a new branch remembers, and who must learn of it. */
export function branched(
  prefs: Prefs,
  id: string,
  seq: number,
): { mine: Prefs; theirs: { list: string[]; count: number } } {
  const list = branchesAt(prefs, seq);
  const known = list.includes(id) ? list : [...list, id];
  // What branches off further on belongs to the old branch alone.
  const before = Object.fromEntries(
    Object.entries(prefs.branches ?? {})
      .filter(([at]) => Number(at) < seq)
      .map(([at, all]) => [at, all as string[]]),
  );
  return { mine: { ...prefs, branches: before }, theirs: { list: known, count: known.length } };
}
