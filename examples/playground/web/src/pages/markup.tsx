/**
 * Markdown of a model, as elements. This is the one file that may make HTML of a
 * text: raw HTML in it becomes text, pictures become placeholders, and DOMPurify
 * then has the last word (under the one name that the page's policy allows).
 */
import DOMPurify from "dompurify";
import { Marked, type Token, type Tokens } from "marked";
import { memo } from "../ui/memo";
import { useRef } from "preact/hooks";
import { Copy } from "../ui/parts";
import { Blocks } from "./blocks";

const escaped = (s: string) => s.replace(/[&<>"']/g, (c) => "&#" + c.charCodeAt(0) + ";");

/** The address of a link that may be followed, or null. */
function address(href: string): URL | null {
  try {
    const url = new URL(href);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url : null;
  } catch {
    return null;
  }
}

function hostOf(href: string): string {
  if (href.startsWith("data:")) return "the message itself";
  try {
    return new URL(href, "http://relative.invalid").host.replace("relative.invalid", "this page");
  } catch {
    return "nowhere";
  }
}

const marked = new Marked({
  gfm: true,
  async: false,
  renderer: {
    html: (t: Tokens.HTML | Tokens.Tag) => escaped(t.raw),
    image: (t: Tokens.Image) => `<span class="blocked" data-testid="blocked-image">image from ${escaped(hostOf(t.href))} (not loaded)${t.text ? ": " + escaped(t.text) : ""}</span>`,
    link(t: Tokens.Link) {
      const inner = this.parser.parseInline(t.tokens);
      const to = address(t.href);
      if (!to) return inner + (t.href && t.href !== t.text ? ` <span class="muted">(${escaped(t.href.slice(0, 200))})</span>` : "");
      const named = to.host !== "" && !t.text.includes(to.host);
      return `<a data-testid="message-link" href="${escaped(to.href)}" target="_blank" rel="noopener noreferrer">${inner}</a>${named ? ` <span class="muted">(${escaped(to.host)})</span>` : ""}`;
    },
    heading(t: Tokens.Heading) {
      const depth = Math.min(6, t.depth + 3); // below those of the page
      return `<h${depth}>${this.parser.parseInline(t.tokens)}</h${depth}>`;
    },
    checkbox: (t: Tokens.Checkbox) => (t.checked ? "☑ " : "☐ "),
  },
});

const tags = ["p", "br", "hr", "strong", "em", "del", "code", "pre", "a", "span", "ul", "ol", "li", "blockquote", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"];

/** html is a block as HTML that may be shown: in browsers with Trusted Types an object, not a text. */
function html(token: Token, links: Record<string, unknown>): string {
  const list = Object.assign([token], { links }) as Parameters<typeof marked.parser>[0];
  return DOMPurify.sanitize(marked.parser(list), {
    RETURN_TRUSTED_TYPE: true,
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: ["href", "target", "rel", "class", "start", "align", "data-testid"],
    ALLOW_DATA_ATTR: false,
    FORBID_TAGS: ["img", "svg", "style", "form", "input", "iframe"],
    FORBID_ATTR: ["style"],
  }) as unknown as string;
}

const lines = 60; // of code in one element

const CodeLines = memo(function CodeLines({ text }: { text: string }) {
  return <span class="lines">{text}</span>;
});

/** Code shows code as it is, in pieces that are made once. */
export function Code({ text, lang, open }: { text: string; lang: string; open?: boolean }) {
  const pieces = useRef<{ texts: string[]; at: number }>({ texts: [], at: 0 });
  const p = pieces.current;
  if (text.length < p.at) pieces.current = { texts: [], at: 0 };
  for (;;) {
    let end = p.at;
    let n = 0;
    while (n < lines) {
      const next = text.indexOf("\n", end);
      if (next < 0) break;
      end = next + 1;
      n++;
    }
    if (n < lines) break;
    p.texts.push(text.slice(p.at, end));
    p.at = end;
  }
  return (
    <div class="codeblock">
      <div class="row spread">
        <span class="hint">{lang || "text"}</span>
        {!open && <Copy tid="code-copy" text={text} />}
      </div>
      <pre tabIndex={0} dir="ltr">
        <code>
          {p.texts.map((t, i) => (
            <CodeLines key={i} text={t} />
          ))}
          {p.at < text.length && <CodeLines key="end" text={text.slice(p.at)} />}
        </code>
      </pre>
    </div>
  );
}

const Block = memo(function Block({ token, links }: { token: Token; links: Record<string, unknown> }) {
  if (token.type === "space" || token.type === "def") return null;
  if (token.type === "code") return <Code text={(token as Tokens.Code).text} lang={((token as Tokens.Code).lang ?? "").slice(0, 40)} />;
  const inner = <div dir="auto" dangerouslySetInnerHTML={{ __html: html(token, links) }} />;
  return token.type === "table" ? <div class="scroll-x" tabIndex={0}>{inner}</div> : inner;
}, (a, b) => a.token.raw === b.token.raw && a.token.type === b.token.type && a.links === b.links);

/**
 * Markdown shows a text that may still grow. Blocks that cannot change any more are
 * made once; only what stands behind them is read again.
 */
export function Markdown({ text, done }: { text: string; done: boolean }) {
  const state = useRef<Blocks<Token> | null>(null);
  state.current ??= new Blocks<Token>((s) => marked.lexer(s));
  const view = state.current.read(text, done);
  return (
    <div class="md">
      {view.tokens.map((t, i) => (
        <Block key={i + t.type} token={t} links={view.links} />
      ))}
      {view.code && <Code key={view.tokens.length} text={view.code.text} lang={view.code.lang} open />}
    </div>
  );
}
