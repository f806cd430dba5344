/** The names of the categories, in the order in which they are shown. */
export const categories: [string, string][] = [
  ["TEXT", "Text & strings"],
  ["DATA", "Data formats"],
  ["DATETIME", "Date & time"],
  ["MATH", "Math & compute"],
  ["ENCODING", "Encoding"],
  ["CRYPTO", "Crypto & random"],
  ["SECURITY", "Security"],
  ["FILE", "Files"],
  ["WEB", "Web"],
  ["PRODUCTIVITY", "Productivity"],
  ["MESSAGING", "Messaging"],
  ["AI", "AI APIs"],
  ["CUSTOM", "Custom"],
];
export const categoryName = (id: string) => categories.find(([c]) => c === id)?.[1] ?? (id || "Other");
export const categoryRank = (id: string) => {
  const at = categories.findIndex(([c]) => c === id);
  return at < 0 ? categories.length : at;
};

/** tryIn is where a chat begins that has a tool to use. */
export const tryIn = (name: string) => "/chat?ask=" + encodeURIComponent("Use " + name + ": ");
