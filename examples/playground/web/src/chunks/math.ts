import katex from "katex";

/**
 * mathml makes a formula. What could reach out of it, and what would grow without
 * end, is an error.
 */
export function mathml(tex: string, display: boolean): string {
  const made = katex.renderToString(tex, {
    output: "mathml",
    displayMode: display,
    throwOnError: true,
    strict: "ignore",
    maxExpand: 300,
    maxSize: 20, // em
    trust: (what) => {
      throw new Error(what.command + " is not allowed here");
    },
  });
  const from = made.indexOf("<math");
  // The source is kept beside the message, and style attributes by nobody.
  return made
    .slice(from, made.indexOf("</math>") + 7)
    .replace(/<annotation[\s\S]*?<\/annotation>/g, "")
    .replace(/ style=.[^"]*"/g, "");
}
