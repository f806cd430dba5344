/** The choices by which questions are filtered. */
export const sides: [string, string][] = [
  ["", "Every side"],
  ["chat", "Chat"],
  ["server", "MCP clients"],
  ["studio", "Tool Studio"],
];
export const levels: [string, string][] = [
  ["", "Every level"],
  ...["L0", "L1", "L2", "L3", "L4", "L5"].map((l): [string, string] => [l, l]),
];

/** caller is who waits for an answer, as groups and policies name it. */
export const caller = (i: { side: string; principal: { subject?: string; via?: string } }) =>
  (sides.find(([v]) => v === i.side)?.[1] ?? i.side) +
  (i.principal.subject ? ", " + i.principal.subject : "") +
  (i.principal.via && i.principal.via !== i.side ? " via " + i.principal.via : "");
