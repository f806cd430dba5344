package dom_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/andybalholm/cascadia"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/localpass/localpass/sandbox/internal/parser/dom"
)

const garden = `<!doctype html><html lang="en-GB"><head><title>T</title></head><body>
<div id="a" class="one two"><p id="p1" class="x" title="Hello World">First <b id="b1">bold</b></p><p id="p2" data-n="1" data-m="2">Second   <i>it</i> here</p><!-- c -->
<div id="inner"><p id="p3">Third</p><span id="s1"></span><span id="s2"> </span></div></div>
<ul id="u"><li id="l1">1</li><li id="l2" class="odd">2</li><li id="l3">3</li><li id="l4">4</li><li id="l5">5</li></ul>
<form id="f"><input id="i1" checked><input id="i2" disabled><button id="bt">Go</button></form>
<a id="a1" href="https://example.com/x.PDF">pdf</a><a id="a2" href="/rel">rel</a><a id="a3">none</a>
<svg id="svg"><linearGradient id="lg"></linearGradient></svg><x:y id="xy">ns</x:y><p id="p4">it's (round) "quoted"</p></body></html>`

func parse(t testing.TB, page string) *dom.Document {
	t.Helper()
	d, err := dom.Parse(page, &dom.Options{Base: "https://h.test/dir/"})
	require.NoError(t, err)
	return d
}

// ids gives the ids of what a selector finds, "tag" where there is none.
func ids(t testing.TB, d *dom.Document, root *html.Node, css string) string {
	t.Helper()
	s, err := dom.Compile(css, 4096)
	require.NoError(t, err, css)
	nodes, err := d.Select(s, root)
	require.NoError(t, err)
	first, err := d.SelectFirst(s, root)
	require.NoError(t, err)
	var out []string
	for i, n := range nodes {
		if i == 0 {
			assert.Same(t, n, first, css)
		}
		id, ok := dom.Attr(n, "id")
		if !ok {
			id = "<" + n.Data + ">"
		}
		out = append(out, id)
	}
	return strings.Join(out, " ")
}

func TestSelect(t *testing.T) {
	d := parse(t, garden)
	for css, want := range map[string]string{
		"p": "p1 p2 p3 p4", "P": "p1 p2 p3 p4", "#p2": "p2", ".one": "a", ".TWO.one": "a", "div p": "p1 p2 p3", "div > p": "p1 p2 p3", "#a > p": "p1 p2",
		"p + p": "p2", "p ~ div": "inner", "p ~ p": "p2", "li + li + li": "l3 l4 l5", "b, i , #p3": "b1 <i> p3", "div div p": "p3", "body p b": "b1", "ul>li.odd": "l2", "*#p1": "p1",
		"[data-n]": "p2", "[data-n=1]": "p2", "p[data-n='1'][data-m=\"2\"]": "p2", "[title='hello world']": "p1", "[title^=hello]": "p1", "[title$='WORLD']": "p1", "[title*=\"lo w\"]": "p1", "[title~=world]": "p1", "[title~=wor]": "",
		"[lang|=en]": "<html>", "[^data-]": "p2", "li[class!=odd]": "l1 l3 l4 l5", "[href~=\\.pdf$]": "", "[href~=(?i)\\.pdf$]": "a1", "[abs:href=https://h.test/rel]": "a2", "[abs:href]": "a1 a2", "[href^='']": "", "[ href ]": "a1 a2", "a[href='/REL' i]": "a2",
		"li:first-child": "l1", "li:last-child": "l5", "li:nth-child(2)": "l2", "li:nth-child(odd)": "l1 l3 l5", "li:nth-child(2n)": "l2 l4", "li:nth-child(-n+2)": "l1 l2", "li:nth-child( 3n - 1 )": "l2 l5", "li:nth-last-child(2)": "l4", "li:nth-child(n+4)": "l4 l5", "li:nth-child(0)": "",
		"p:first-of-type": "p1 p3 p4", "span:last-of-type": "s2", "p:nth-of-type(2)": "p2", "p:nth-last-of-type(2)": "p1", "p:only-of-type": "p3 p4", "b:only-child": "b1", "i:only-child": "<i>", "span:empty": "s1 s2", "div > *:empty": "s1 s2",
		":root": "<html>", ":root > body > ul": "u", "li:not(.odd)": "l1 l3 l4 l5", "li:not(.odd, :first-child)": "l3 l4 l5", "p:not(div > p)": "p4", "li:not(:not(.odd))": "l2", ":is(b, i)": "b1 <i>", ":where(ul > li.odd)": "l2",
		"div:has(b)": "a", "div:has(> b)": "", "p:has(> b)": "p1", "div:has(p)": "a inner", "div:has(> div > p)": "a", "li:has(+ .odd)": "l1", "li:has(~ #l5)": "l1 l2 l3 l4", "p:has(+ div span)": "p2", "p:has(~ div span)": "p1 p2", "div:has(div p)": "a inner", "ul:has(li:nth-child(5))": "u", "div:not(:has(div))": "inner", "p:has(b, i)": "p1 p2",
		"p:contains(second it)": "p2", "p:contains(SECOND IT HERE)": "p2", "div:contains(third)": "a inner", "p:contains('it')": "p2 p4", "p:containsOwn(it)": "p4", "p:containsOwn(second here)": "p2", "p:contains((round))": "p4", "p:contains(it's)": "p4", "p:contains(\\(round\\))": "p4", "b:contains(nix)": "", "li:contains(1):contains(2)": "",
		"li:eq(0)": "l1", "li:lt(2)": "l1 l2", "li:gt(2)": "l4 l5", "ul li:eq(4)": "l5", "input:checked": "i1", "input:disabled": "i2", "input:enabled, button:enabled": "i1 bt", "a:link": "a1 a2", "a:hover": "", "p:lang(en)": "",
		"lineargradient": "lg", "linearGradient": "lg", "x|y": "xy", "*|y": "xy", "#l\\31": "l1", "#\\6c 1": "l1", "svg *": "lg", "nix": "", "p#p1.x[title]:first-child:not(#p2)": "p1",
	} {
		assert.Equal(t, want, ids(t, d, d.Root, css), css)
	}
}

func TestSelectInRoot(t *testing.T) {
	d := parse(t, garden)
	s, err := dom.Compile("#a", 100)
	require.NoError(t, err)
	a, err := d.SelectFirst(s, d.Root)
	require.NoError(t, err)
	for css, want := range map[string]string{
		"p": "p1 p2 p3", "> p": "p1 p2", "> div > p": "p3", "div p": "p1 p2 p3", "div": "a inner", "body p": "", "+ ul": "", "~ ul": "", ":root": "a", ":root > p": "p1 p2", "p, > p": "p1 p2 p3", "div div": "inner",
	} {
		assert.Equal(t, want, ids(t, d, a, css), css)
	}
	both, err := d.SelectIn(dom.ByTag("P"), []*html.Node{a, d.Root})
	require.NoError(t, err)
	assert.Len(t, both, 4)
	assert.Equal(t, "", ids(t, d, d.Root, "nosuch"))
	all, err := d.Select(dom.ByTag("*"), a)
	require.NoError(t, err)
	assert.Len(t, all, 9)
	odd, err := d.Select(dom.ByClass("ODD"), d.Root)
	require.NoError(t, err)
	assert.Len(t, odd, 1)
	weird, err := d.Select(dom.ByID("a b]"), d.Root)
	require.NoError(t, err)
	assert.Empty(t, weird)
}

func TestSelectorsRefused(t *testing.T) {
	for _, css := range []string{
		"", " ", ",", "p,", "p >", "> > p", "p..x", "#", ".", "[", "[]", "[a", "[a=", "[a='x]", "[a!b]", "[a?=b]", "p[", ":nix", ":nix(1)", "p::before", ":not(", ":not()", ":nth-child()", ":nth-child(x)", ":nth-child(2n+)", ":nth-child(99999999999)",
		":eq(x)", ":contains()", ":contains(", ":contains( )", "p)", "p(", "a{}", "!", "p p p !", "[a~=(]", "[a~=" + strings.Repeat("(a)", 200) + "]", "\\", ":not(:not(:not(:not(:not(:not(:not(:not(:not(p)))))))))",
		strings.Repeat("p ", 65), strings.Repeat("p,", 65) + "p", strings.Repeat(".a", 257), strings.Repeat("p", 5000), "ns|", "[^]", "p:", "|p", "[a=\\", ":contains(\\",
	} {
		_, err := dom.Compile(css, 4096)
		assert.ErrorIs(t, err, dom.ErrSelector, "%.40q", css)
	}
}

// TestSelectAgainstAnother compares random selectors with another
// implementation, on what both read alike.
func TestSelectAgainstAnother(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	parts := []string{"p", "div", "span", "b", "*", ".x", ".y", "#a", "#b", "[t]", "[t=u]", ":first-child", ":last-child", ":nth-child(2n+1)", ":nth-last-child(2)", ":only-child", ":first-of-type", ":nth-of-type(2)", ":not(.x)", ":not(p)", ":has(b)", ":not(:first-child)", ":only-of-type"}
	tags := []string{"div", "span", "b", "p", "em"}
	for range 300 {
		var page strings.Builder
		var build func(depth int)
		build = func(depth int) {
			for range r.IntN(4) {
				tag := tags[r.IntN(len(tags)-2)]
				page.WriteString("<" + tag + []string{"", ` class="x"`, ` class="y x"`, ` t="u"`, ` id="a"`, ` id="b" t`}[r.IntN(6)] + ">")
				if depth > 0 {
					build(depth - 1)
				}
				page.WriteString("</" + tag + ">t")
			}
		}
		build(5)
		d := parse(t, "<body>"+page.String())
		for range 20 {
			css := ""
			for i := range 1 + r.IntN(4) {
				if i > 0 {
					css += []string{" ", " > ", " + ", " ~ "}[r.IntN(4)]
				}
				part := parts[r.IntN(len(parts))]
				css += part
				if strings.ContainsAny(part[:1], ".[#:*") == false && r.IntN(2) == 0 {
					css += parts[5+r.IntN(len(parts)-5)]
				}
			}
			// What is above the body has no siblings in one and some in the other.
			other, err := cascadia.Compile("body " + css)
			require.NoError(t, err, css)
			ours, err := dom.Compile("body "+css, 4096)
			require.NoError(t, err, css)
			got, err := d.Select(ours, d.Root)
			require.NoError(t, err)
			require.Equal(t, len(other.MatchAll(d.Root)), len(got), "%s in %s", css, page.String())
			for i, n := range other.MatchAll(d.Root) {
				require.Same(t, n, got[i], css)
			}
		}
	}
}

func FuzzSelector(f *testing.F) {
	for _, css := range []string{"div > p:not(.x, #y):has(> b ~ i)", "[a~='x\\'y']:nth-child(-2n + 3)", "a:contains('x)')", "*|b, ^[", "\\31 x", ":is(:is(a"} {
		f.Add(css)
	}
	d := parse(f, garden)
	f.Fuzz(func(t *testing.T, css string) {
		s, err := dom.Compile(css, 300)
		if err != nil {
			assert.ErrorIs(t, err, dom.ErrSelector)
			return
		}
		nodes, err := d.Select(s, d.Root)
		assert.NoError(t, err)
		for _, n := range nodes {
			assert.Equal(t, html.ElementNode, n.Type)
		}
	})
}
