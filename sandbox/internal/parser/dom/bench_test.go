package dom_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/localpass/localpass/sandbox/internal/parser/dom"
)

// article is a page of about 190 KB, built like those of a news site: head,
// navigation, text with links, a table, drawings and scripts.
func article() string {
	var b strings.Builder
	b.WriteString("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>News &amp; more</title>\n")
	for i := range 12 {
		fmt.Fprintf(&b, "<link rel=\"stylesheet\" href=\"/assets/style-%d.css\"><meta property=\"og:tag%d\" content=\"value\">\n", i, i)
	}
	b.WriteString("<script>" + strings.Repeat("window.dataLayer=window.dataLayer||[];if(a<b){push('x')}", 200) + "</script><style>" + strings.Repeat(".card{margin:0 auto;color:#333}", 150) + "</style></head>\n<body class=\"home\">\n<nav><ul class=\"menu\">")
	for i := range 30 {
		fmt.Fprintf(&b, "\n  <li class=\"item\"><a href=\"/section/%d\" class=\"link\"><svg viewBox=\"0 0 24 24\"><path d=\"M0 0h24v24H0z\"/></svg><span>Section %d</span></a></li>", i, i)
	}
	b.WriteString("\n</ul></nav>\n<main>")
	for i := range 120 {
		fmt.Fprintf(&b, "\n<article id=\"story-%d\" class=\"card card--wide\" data-track=\"{&quot;id&quot;:%d}\">\n  <h2><a href=\"https://example.com/story/%d?from=home\">Headline number %d about something</a></h2>\n", i, i, i, i)
		for j := range 4 {
			fmt.Fprintf(&b, "  <p class=\"text\">The <b>quick</b> brown fox jumps over the lazy dog, said <a href=\"/person/%d\">somebody</a> who knows &mdash; and <em>then</em> it went on for a while with more words in the sentence.<br>\n  Next line %d.</p>\n", j, j)
		}
		b.WriteString("  <div class=\"meta\"><time datetime=\"2024-01-02\">2 January</time><span class=\"by\">By A. Author</span></div>\n</article>")
	}
	b.WriteString("<table class=\"data\"><thead><tr><th>Name</th><th>Value</th></tr></thead><tbody>\n")
	for i := range 150 {
		fmt.Fprintf(&b, "<tr><td>row %d</td><td class=\"n\">%d.5</td></tr>\n", i, i)
	}
	b.WriteString("</tbody></table></main><footer><p>&copy; 2024</p></footer></body></html>")
	return b.String()
}

// naive is the usual way from a page to its text: parse, walk, join.
func naive(page string) string {
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		panic(err)
	}
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
	return b.String()
}

func BenchmarkText(b *testing.B) {
	page := article()
	b.Run("naive", func(b *testing.B) {
		b.SetBytes(int64(len(page)))
		b.ReportAllocs()
		for b.Loop() {
			naive(page)
		}
	})
	b.Run("tree", func(b *testing.B) {
		b.SetBytes(int64(len(page)))
		b.ReportAllocs()
		for b.Loop() {
			d, err := dom.Parse(page, nil)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := d.Text(d.Root); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkSelect(b *testing.B) {
	d, err := dom.Parse(article(), nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, css := range []string{"a", "article.card > h2 a[href]", "tr:nth-child(odd) td.n", "article:has(time) p:contains(fox)"} {
		b.Run(css, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s, err := dom.Compile(css, 4096)
				if err != nil {
					b.Fatal(err)
				}
				if nodes, err := d.Select(s, d.Root); err != nil || len(nodes) == 0 {
					b.Fatal(err, nodes)
				}
			}
		})
	}
}
