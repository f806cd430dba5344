const adopted = new Set<string>();

/** adopt adds the style of a part of the page that only some people open. */
export function adopt(css: string): void {
  if (adopted.has(css)) return;
  adopted.add(css);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("@layer pages {" + css + "}");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
