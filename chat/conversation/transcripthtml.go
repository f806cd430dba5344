package conversation

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"html"
	"strings"
)

// htmlStyle is the only style of a page. The content security policy of the page allows
// it by its digest, so a conversation cannot add other styles.
const htmlStyle = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}` +
	`section{border-top:1px solid #8888;padding:.75rem 0}h1{font-size:1.5rem;line-height:1.3}h2{font-size:.9rem;margin:0}h2 small{font-weight:400}` +
	`pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.5rem 0}pre.text{font:inherit}pre.code{font:.85rem/1.45 ui-monospace,monospace;background:#8881;padding:.5rem .75rem;border-radius:6px}` +
	`details{margin:.5rem 0;padding-left:.75rem;border-left:3px solid #8886}summary{cursor:pointer;overflow-wrap:anywhere}img{max-width:100%;border-radius:6px}` +
	`@media print{section{break-inside:avoid-page}}`

// htmlPolicy is the content security policy, which allows only this style and embedded
// images.
var htmlPolicy = func() string {
	sum := sha256.Sum256([]byte(htmlStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; img-src data:; base-uri 'none'; form-action 'none'"
}()

// htmlTranscript writes one self-contained page without scripts. All text is escaped with
// html.EscapeString, and no element is used in which this would not be enough.
type htmlTranscript struct{ w *bufio.Writer }

func (h *htmlTranscript) put(parts ...string) {
	for _, p := range parts {
		h.w.WriteString(p)
	}
}

func (h *htmlTranscript) beginDocument(title string) {
	title = html.EscapeString(title)
	h.put("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"", html.EscapeString(htmlPolicy), "\">\n",
		"<meta name=\"viewport\" content=\"width=device-width\"><meta name=\"referrer\" content=\"no-referrer\">\n<title>", title, "</title>\n<style>", htmlStyle, "</style></head>\n<body><main><h1 dir=\"auto\">", title, "</h1>\n")
}

func (h *htmlTranscript) endDocument() { h.put("</main></body></html>\n") }

func (h *htmlTranscript) block(b *transcriptBlock) {
	h.put("<section><h2>", b.who)
	if b.demo {
		h.put(" (demo)")
	}
	if b.when != "" {
		h.put(" <small>", html.EscapeString(b.when), "</small>")
	}
	h.put("</h2>\n")
	if b.thinking != "" {
		h.put("<details><summary>Thinking</summary>")
		h.pre("text", b.thinking)
		h.put("</details>\n")
	}
	h.text(b.text)
	for _, p := range b.images {
		switch p.MIMEType {
		case "image/png", "image/jpeg", "image/gif", "image/webp":
			h.put(`<img alt="`, html.EscapeString(cmp.Or(p.Name, "An image")), `" src="data:`, p.MIMEType, ";base64,", base64.StdEncoding.EncodeToString(p.Data), "\">\n")
		}
	}
	for _, f := range b.files {
		h.put("<p>", html.EscapeString(f), "</p>\n")
	}
	for i := range b.calls {
		c := &b.calls[i]
		if c.arguments == "" && c.result == "" {
			h.put("<p><code>", html.EscapeString(c.line()), "</code></p>\n")
			continue
		}
		h.put("<details><summary><code>", html.EscapeString(c.line()), "</code></summary>")
		h.pre("code", c.arguments)
		h.pre("code", c.result)
		h.put("</details>\n")
	}
	h.put("</section>\n")
}

func (h *htmlTranscript) pre(class, text string) {
	if text != "" {
		h.put(`<pre dir="auto" class="`, class, `">`, html.EscapeString(text), "</pre>\n")
	}
}

// text writes the text of a message; text between code fences is written as code.
func (h *htmlTranscript) text(text string) {
	var lines []string
	flush := func(class string) {
		if joined := strings.Join(lines, "\n"); class == "code" || strings.TrimSpace(joined) != "" {
			h.pre(class, strings.Trim(joined, "\n"))
		}
		lines = nil
	}
	fence := ""
	for line := range strings.SplitSeq(text, "\n") {
		mark := strings.TrimLeft(line, " ")
		ticks := len(mark) - len(strings.TrimLeft(mark, "`"))
		switch {
		case fence == "" && ticks >= 3:
			flush("text")
			fence = mark[:ticks]
		case fence != "" && ticks >= len(fence) && strings.TrimSpace(mark[ticks:]) == "":
			flush("code")
			fence = ""
		default:
			lines = append(lines, line)
		}
	}
	if fence != "" {
		flush("code")
	} else {
		flush("text")
	}
}
