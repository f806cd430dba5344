/**
 * The script of the frame that draws a diagram. The frame has no origin, no network
 * and no way out: a text comes in by message, a height or a reason goes out.
 */
import mermaid from "mermaid";

const longest = 20_000; // letters

/** What a drawing could name that is not in it: the frame would refuse to fetch it, and it is said instead. */
const reaches =
  /url\s*\(|@import|\bimg\s*:|javascript:|<\s*\/?\s*(a|img|image|script|iframe|svg|link|style|object|embed|foreignobject|use|base|meta|form|video|audio)\b/i;

const say = (message: object) => parent.postMessage(message, "*"); // whoever holds the frame made it

/** inert takes from a drawing what does something when it is used or shown. */
function inert(svg: Element) {
  for (const el of [svg, ...svg.querySelectorAll("*")]) {
    if (
      /^(script|foreignobject|image|iframe|object|embed|animate|animatetransform|animatemotion|set)$/i.test(
        el.localName,
      )
    ) {
      el.remove();
      continue;
    }
    for (const a of [...el.attributes]) {
      const name = a.localName.toLowerCase();
      if (
        name.startsWith("on") ||
        (name === "href" && !a.value.startsWith("#")) ||
        (name === "href" && el.localName === "a") ||
        name === "target"
      )
        el.removeAttributeNode(a);
      else if (/url\s*\(\s*['"]?(?!#)/i.test(a.value)) el.removeAttributeNode(a);
    }
  }
}

async function draw(text: string, dark: boolean) {
  if (text.length > longest)
    throw new Error("It has " + text.length.toLocaleString("en") + " letters; at most 20,000 are drawn.");
  if (reaches.test(text))
    throw new Error(
      "It holds HTML, a picture or an address of something else. Diagrams are drawn of text only.",
    );
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    htmlLabels: false,
    flowchart: { htmlLabels: false, useMaxWidth: true },
    theme: dark ? "dark" : "default",
    maxTextSize: longest,
    maxEdges: 300,
    suppressErrorRendering: true,
    logLevel: "fatal",
    fontFamily: "system-ui, sans-serif",
    // What a text may not set by itself.
    secure: [
      "secure",
      "securityLevel",
      "startOnLoad",
      "maxTextSize",
      "maxEdges",
      "suppressErrorRendering",
      "htmlLabels",
      "flowchart",
      "themeCSS",
      "themeVariables",
      "fontFamily",
      "altFontFamily",
      "dompurifyConfig",
      "logLevel",
    ],
  });
  const { svg } = await mermaid.render("drawing", text);
  const made = new DOMParser().parseFromString(svg, "text/html").querySelector("svg");
  if (!made) throw new Error("Nothing was drawn.");
  inert(made);
  document.body.replaceChildren(document.importNode(made, true));
  requestAnimationFrame(() => say({ kind: "size", height: document.body.scrollHeight + 2 }));
}

addEventListener("message", (e) => {
  const wish = e.data as { kind?: unknown; text?: unknown; dark?: unknown } | null;
  if (e.source !== parent || wish?.kind !== "draw" || typeof wish.text !== "string") return;
  document.documentElement.className = wish.dark === true ? "dark" : "";
  draw(wish.text, wish.dark === true).catch((error: unknown) => {
    document.body.replaceChildren();
    say({ kind: "error", message: String((error as Error)?.message ?? error).slice(0, 600) });
  });
});

say({ kind: "ready" });
