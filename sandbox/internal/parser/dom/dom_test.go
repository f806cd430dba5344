package dom_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/localpass/localpass/sandbox/internal/parser/dom"
)

func TestText(t *testing.T) {
	for page, want := range map[string]string{
		"a\n\t b":              "a b",
		"<p>One</p><p>Two</p>": "One Two",
		"<div>One</div>Two":    "One Two",
		"One<div>Two</div>":    "One Two",
		"a<b>b</b>c":           "abc",
		"a <b> b </b> c":       "a b c",
		"a<br>b<br/>c":         "a b c",
		"a&nbsp;b":             "a b",
		"a\u00adb\u200bc":      "abc",
		"é\u2003ü\u00a0ö":      "é\u2003ü ö",
		"<pre>a\n  b</pre>c":   "a\n  b c",
		"<p>x</p><script>y</script><style>z</style>": "x",
		"<title>T</title>x":                          "T x",
		"<ul><li>a<li>b</ul>c":                       "a b c",
		"<table><tr><td>a<td>b<tr><td>c</table>":     "a b c",
		"<span>a</span><span>b</span>":               "ab",
		"<textarea>a  b</textarea>":                  "a  b",
		"<noscript>n</noscript>":                     "n",
		"<!-- c -->":                                 "",
		"  ":                                         "",
		"<table><tr><td>a</td></tr><table><caption>b</caption><col><tr><th>c</table>d": "a b c d",
		"<!bogus>a<?pi>b</>c</1>d":                                             "abcd",
		"a<svg/>b<svg><g><text>c</text></g></svg>":                             "a b c",
		"<form>a<p>b</form>c</form>d":                                          "a b cd",
		"<form><div>a</form>b</div>c":                                          "ab c",
		"<tt>a<nobr>b<strike>c<strong>d<small>e<code>f<em>g<big>h<i>i<u>j<s>k": "abcdefghijk",
		"<td>x":                     "x",
		"<table>x<tr><td>y</table>": "x y",
		"<template>t</template>u":   "t u",
	} {
		d := parse(t, page)
		got, err := d.Text(d.Root)
		require.NoError(t, err)
		assert.Equal(t, want, got, page)
	}
	for page, want := range map[string]string{"<title>T</title><table>x<td>y": "x y", "<title>T</title><p>y": "y"} {
		d := parse(t, page)
		got, err := d.Text(d.Body())
		require.NoError(t, err)
		assert.Equal(t, want, got, page)
	}
}

func TestResolve(t *testing.T) {
	const base = "http://a/b/c/d;p?q"
	// RFC 3986, section 5.4; the rest is what pages hold.
	for link, want := range map[string]string{
		"g:h": "g:h", "g": "http://a/b/c/g", "./g": "http://a/b/c/g", "g/": "http://a/b/c/g/", "/g": "http://a/g", "//g": "http://g", "?y": "http://a/b/c/d;p?y", "g?y": "http://a/b/c/g?y", "#s": "http://a/b/c/d;p?q#s", "g#s": "http://a/b/c/g#s", "g?y#s": "http://a/b/c/g?y#s",
		";x": "http://a/b/c/;x", "": "http://a/b/c/d;p?q", ".": "http://a/b/c/", "./": "http://a/b/c/", "..": "http://a/b/", "../g": "http://a/b/g", "../..": "http://a/", "../../g": "http://a/g", "../../../g": "http://a/g", "/./g": "http://a/g", "/../g": "http://a/g", "g.": "http://a/b/c/g.", "..g": "http://a/b/c/..g",
		"./../g": "http://a/b/g", "g/./h": "http://a/b/c/g/h", "g/../h": "http://a/b/c/h", "g?y/../x": "http://a/b/c/g?y/../x", "HTTP://X/../y": "http://X/y", " g\n": "http://a/b/c/g", "a b%zz": "http://a/b/c/a b%zz", "javascript:alert(1)": "javascript:alert(1)", "mailto:x@y": "mailto:x@y", "g\x00h": "http://a/b/c/gh", "1:2": "http://a/b/c/1:2",
	} {
		assert.Equal(t, want, dom.Resolve(base, link), link)
	}
	assert.Equal(t, "", dom.Resolve("", "x"))
	assert.Equal(t, "", dom.Resolve("mailto:x", "y"))
	assert.Equal(t, "http://h/x", dom.Resolve("http://h", "x"))
	assert.Equal(t, "https://x/y", dom.Resolve("no base", "https://x/y"))
}

func TestMarkup(t *testing.T) {
	for page, want := range map[string]string{
		"<p>a":                               "<html><head></head><body><p>a</p></body></html>",
		"<!DOCTYPE html PUBLIC \"p\" \"s\">": "<!doctype html PUBLIC \"p\" \"s\"><html><head></head><body></body></html>",
		"<!DOCTYPE html SYSTEM \"s\">":       "<!doctype html SYSTEM \"s\"><html><head></head><body></body></html>",
		"<pre>\n\nx</pre>":                   "<html><head></head><body><pre>\n\nx</pre></body></html>",
		"<iframe><p></iframe>":               "<html><head></head><body><iframe><p></iframe></body></html>",
		"<svg><path/><use xlink:href='#a'/>": "<html><head></head><body><svg><path></path><use xlink:href=\"#a\"></use></svg></body></html>",
		"<a title='<&>\"&nbsp;'>":            "<html><head></head><body><a title=\"&lt;&amp;&gt;&quot;&nbsp;\"></a></body></html>",
	} {
		d := parse(t, page)
		got, err := d.OuterHTML(d.Root)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		reparsed := parse(t, got)
		again, err := reparsed.Text(reparsed.Root)
		require.NoError(t, err)
		before, err := d.Text(d.Root)
		require.NoError(t, err)
		assert.Equal(t, before, again)
	}
}

func TestDocumentParts(t *testing.T) {
	d := parse(t, "<title> a\n b </title><base><base href='/c/'><base href='/d/'><p>x")
	assert.Equal(t, "a b", d.Title())
	assert.Equal(t, "https://h.test/c/", d.Base())
	assert.Equal(t, "head", d.Head().Data)
	assert.Equal(t, "body", d.Body().Data)
	assert.Equal(t, 11, d.Size())
	assert.Equal(t, 500_000, d.Limits().Nodes)
	dom.Remove(d.Head())
	assert.Nil(t, d.Head())
	assert.Equal(t, "", d.Title())
	assert.Equal(t, "https://h.test/dir/", d.Base())
}

// TestHostilePages: none may take long, or much more memory than an honest page
// of its size.
func TestHostilePages(t *testing.T) {
	// A fifth of the real limits, to keep the test short.
	const size = 2 << 20
	limits := dom.Limits{Bytes: size, Nodes: 100_000}
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	numbered := func(before, after string) string {
		var b strings.Builder
		for i := 0; b.Len() < size-100; i++ {
			b.WriteString(before + strconv.Itoa(i) + after)
		}
		return b.String()
	}
	pages := map[string]struct {
		page    string
		refused bool
	}{
		"nested":              {fill("<div>"), true},
		"nested, fewer":       {strings.Repeat("<div>", 20_000), true},
		"unclosed bold":       {"<p><b id=1><b id=2><b id=3><b id=4><b id=5>" + strings.Repeat("</p><p>x", 60_000), true},
		"fonts":               {strings.Repeat(numbered("<p><font size=", ">x")[:1<<18], 4), true},
		"attributes":          {"<a " + numbered("a", " ") + ">", true},
		"adoption":            {fill("<b><p></b></p>"), true},
		"adoption, fewer":     {strings.Repeat("<b><p></b></p>", 20_000), false},
		"table text":          {"<table>" + strings.Repeat("x<tr>", 30_000), false},
		"tables":              {strings.Repeat("<table><tr><td>", 20_000), true},
		"html attributes":     {numbered("<html a", "=1>"), true},
		"templates":           {strings.Repeat("<template>", 10_000), true},
		"one comment":         {"<!--" + fill("-")[:size-4], false},
		"less":                {fill("<"), false},
		"open tag":            {fill("<a "), true},
		"one attribute":       {"<a b='" + fill("x")[:size-20] + "'>", false},
		"ampersands":          {fill("&"), false},
		"end tags":            {fill("</p>"), true},
		"end tags of nothing": {strings.Repeat("<div>", 500) + fill("</x>")[:size-3000], false},
		"scripts in scripts":  {"<script>" + fill("<!--<script>")[:size-10], true},
		"too long":            {fill("x") + "xxxxxxxxxxxxxxxx", true},
	}
	for name, c := range pages {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, err := dom.Parse(c.page, &dom.Options{Limits: limits})
			if c.refused {
				assert.ErrorIs(t, err, dom.ErrLimit)
			} else {
				assert.NoError(t, err)
			}
			assert.Less(t, time.Since(start), 2*time.Minute, "even on a slow machine")
		})
	}
}

func TestStopped(t *testing.T) {
	calls := 0
	later := func() bool { calls++; return calls > 3 }
	page := strings.Repeat("<p>x</p>", 20_000)
	_, err := dom.Parse(page, &dom.Options{Stopped: later})
	assert.ErrorIs(t, err, dom.ErrStopped)

	stop := false
	d, err := dom.Parse(page, &dom.Options{Stopped: func() bool { return stop }})
	require.NoError(t, err)
	stop = true
	_, err = d.Text(d.Root)
	assert.ErrorIs(t, err, dom.ErrStopped)
	_, err = d.OuterHTML(d.Root)
	assert.ErrorIs(t, err, dom.ErrStopped)
	_, err = d.WholeText(d.Root)
	assert.ErrorIs(t, err, dom.ErrStopped)
	_, err = d.Texts([]*html.Node{d.Root})
	assert.ErrorIs(t, err, dom.ErrStopped)
	_, err = d.OwnText(d.Body())
	assert.ErrorIs(t, err, dom.ErrStopped)
	for _, css := range []string{"p", "p:contains(x)", "p:nth-child(2)", ":has(p)", ":has(> p + b)", ":not(div p)"} {
		s, err := dom.Compile(css, 100)
		require.NoError(t, err)
		_, err = d.Select(s, d.Root)
		assert.ErrorIs(t, err, dom.ErrStopped, css)
		_, err = d.SelectIn(s, []*html.Node{d.Root, d.Body()})
		assert.ErrorIs(t, err, dom.ErrStopped, css)
	}
	assert.ErrorIs(t, d.Insert(d.Body(), dom.Append, "<p>"), dom.ErrStopped)
}

func TestLimits(t *testing.T) {
	d, err := dom.Parse("<p>x", &dom.Options{Limits: dom.Limits{Nodes: 20, Output: 40, Depth: 7}})
	require.NoError(t, err)
	p := dom.ByTag("p")
	n, err := d.SelectFirst(p, d.Root)
	require.NoError(t, err)
	for range 4 { // deeper each time
		if err = d.Insert(n, dom.Append, "<p>"); err != nil {
			break
		}
		n = n.LastChild
	}
	require.NoError(t, err)
	assert.ErrorIs(t, d.Insert(n, dom.Append, "<p>"), dom.ErrLimit, "depth")
	assert.ErrorIs(t, d.Insert(d.Body(), dom.Append, strings.Repeat("<p>", 13)), dom.ErrLimit, "nodes or bytes")
	assert.ErrorIs(t, d.SetAttr(n, "a", strings.Repeat("x", 100)), dom.ErrLimit, "bytes")

	d, err = dom.Parse("<p>0123456789</p><p>0123456789</p>", &dom.Options{Limits: dom.Limits{Output: 15}})
	require.NoError(t, err)
	_, err = d.Text(d.Root)
	assert.ErrorIs(t, err, dom.ErrLimit)
	_, err = d.OuterHTML(d.Root)
	assert.ErrorIs(t, err, dom.ErrLimit)
	nodes, err := d.Select(p, d.Root)
	require.NoError(t, err)
	_, err = d.Texts(nodes)
	assert.ErrorIs(t, err, dom.ErrLimit)
	_, err = d.Markup(nodes, true)
	assert.ErrorIs(t, err, dom.ErrLimit)
	_, err = dom.Parse("<p>0123456789", &dom.Options{Limits: dom.Limits{Bytes: 5}})
	assert.ErrorIs(t, err, dom.ErrLimit)
}

// TestSelectorsStayLinear: selectors and pages for which going back and forth
// takes quadratic time or worse.
func TestSelectorsStayLinear(t *testing.T) {
	flat := parse(t, strings.Repeat("<p>x</p>", 30_000))
	deep := parse(t, strings.Repeat("<div>", 400)+strings.Repeat("<p>x</p>", 10_000))
	start := time.Now()
	for _, css := range []string{"p:nth-child(2n)", "p:nth-last-of-type(3n+1)", "p ~ p ~ p ~ p", "p:only-of-type", "div div div div div div div div div div p", "div:has(p)", ":contains(x)", "p:contains(x)", "div:not(div div div b)", "*:has(b)"} {
		s, err := dom.Compile(css, 4096)
		require.NoError(t, err)
		for _, d := range []*dom.Document{flat, deep} {
			_, err := d.Select(s, d.Root)
			require.NoError(t, err)
		}
	}
	assert.Less(t, time.Since(start), 2*time.Minute)
}
