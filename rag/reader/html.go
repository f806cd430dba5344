package reader

import (
	"fmt"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/reader/internal/writer"
)

func (j *job) html() error {
	page := j.text
	if j.Article != nil {
		article, err := j.Article(page)
		if err != nil {
			return corrupt("its main content was not found", err)
		}
		if strings.TrimSpace(article) != "" {
			page = article
		}
	}
	markdown, err := j.htmlToMarkdown(page, true)
	if err == nil {
		j.out.Raw(markdown)
	}
	return err
}

// htmlToMarkdown converts a page. facts says that its title and the like are those of the
// file.
func (j *job) htmlToMarkdown(page string, facts bool) (string, error) {
	if len(page) > j.Limits.TextBytes {
		return "", fmt.Errorf("its HTML has more than %d bytes: %w", j.Limits.TextBytes, rag.ErrBudget)
	}
	if begin := page[:min(len(page), 1<<10)]; strings.Contains(begin, "<?xml") || strings.Contains(begin, "//www.w3.org/1999/xhtml") {
		page = selfClosed().ReplaceAllStringFunc(page, func(tag string) string {
			if m := selfClosed().FindStringSubmatch(tag); !void[strings.ToLower(m[1])] {
				return "<" + m[1] + m[2] + "></" + m[1] + ">"
			}
			return tag
		})
	}
	root, err := html.Parse(strings.NewReader(page))
	if err != nil { // elements that are nested deeper than 512
		return "", fmt.Errorf("its HTML cannot be parsed (%w): %w", err, rag.ErrBudget)
	}
	v := pageVisitor{job: j, facts: facts}
	v.visit(root, false)
	if v.hidden > 0 {
		j.warn("%d hidden elements were left out", v.hidden)
	}
	markdown, err := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(),
		table.NewTablePlugin(table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal), table.WithHeaderPromotion(true), table.WithSkipEmptyRows(true)),
	), converter.WithEscapeMode(converter.EscapeModeDisabled)).ConvertNode(root, converter.WithContext(j.ctx))
	if err != nil {
		return "", corrupt("its HTML cannot be converted", err)
	}
	return writer.Clean(string(markdown)), j.ctx.Err()
}

// selfClosed finds the empty elements of XHTML, which HTML would leave open, except for
// those that are always empty.
var (
	selfClosed = pattern(`<([A-Za-z][\w:-]*)([^<>]*)/>`)
	void       = map[string]bool{"br": true, "hr": true, "img": true, "meta": true, "link": true, "input": true, "col": true, "wbr": true, "area": true, "base": true, "source": true}
)

// invisible are elements that show no text of the page.
var invisible = map[string]bool{
	"script": true, "style": true, "noscript": true, "template": true, "iframe": true, "object": true, "svg": true, "canvas": true,
	"select": true, "button": true, "img": true, "video": true, "audio": true,
}

// hiddenStyle finds the ways to hide text, by which it could speak to a model alone.
var hiddenStyle = pattern(`(?i)(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0*(?:\.0+)?\s*(?:;|$)|font-size\s*:\s*0*(?:\.0+)?(?:px|pt|em|rem|%)?\s*(?:;|$))`)

// pageVisitor removes from a page what a person does not see, and what costs more than it
// says: images, the spans of cells, addresses that lead nowhere.
type pageVisitor struct {
	*job
	facts  bool
	hidden int
}

func (v *pageVisitor) visit(n *html.Node, cell bool) {
	cell = cell || n.Data == "td" || n.Data == "th"
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch {
		case c.Type == html.CommentNode || c.Type == html.ElementNode && v.drop(c):
			n.RemoveChild(c)
		case c.Type == html.TextNode && cell:
			c.Data = strings.ReplaceAll(c.Data, "|", `\|`)
		default:
			v.visit(c, cell)
		}
		c = next
	}
}

// drop keeps the facts in an element, and reports that it is not part of the text.
func (v *pageVisitor) drop(n *html.Node) bool {
	attributes := map[string]string{}
	kept := n.Attr[:0]
	for _, a := range n.Attr {
		attributes[a.Key] = a.Val
		value := strings.ToLower(strings.TrimSpace(a.Val))
		switch {
		case a.Key == "colspan", a.Key == "rowspan", a.Key == "style", a.Key == "title":
		case a.Key == "href" && (strings.HasPrefix(value, "#") || strings.HasPrefix(value, "data:") || strings.HasPrefix(value, "javascript:")):
		default:
			kept = append(kept, a)
		}
	}
	n.Attr = kept
	switch n.Data {
	case "html":
		v.pageFact(rag.KeyLanguage, attributes["lang"])
	case "title":
		if n.FirstChild != nil && n.Parent != nil && n.Parent.Data == "head" {
			v.pageFact(rag.KeyTitle, n.FirstChild.Data)
		}
	case "meta":
		switch strings.ToLower(attributes["name"]) {
		case "description":
			v.pageFact(rag.KeyDescription, attributes["content"])
		case "author":
			v.pageFact(rag.KeyAuthor, attributes["content"])
		}
	case "img":
		if alt := strings.TrimSpace(attributes["alt"]); alt != "" && n.Parent != nil {
			n.Parent.InsertBefore(&html.Node{Type: html.TextNode, Data: alt}, n)
		}
	case "a":
		if attributes["href"] == "" || len(n.Attr) == 0 || len(attributes["href"]) > 2000 {
			n.Data, n.DataAtom, n.Attr = "span", 0, nil
		}
	}
	if _, ok := attributes["hidden"]; ok || hiddenStyle().MatchString(attributes["style"]) {
		v.hidden++
		return true
	}
	return invisible[n.Data]
}

func (v *pageVisitor) pageFact(key, value string) {
	if v.facts && v.got.Metadata[key] == nil {
		v.fact(key, value)
	}
}
