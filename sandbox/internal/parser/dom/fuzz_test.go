package dom_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/localpass/localpass/sandbox/internal/parser/dom"
)

// pages are small pages in which something is not as it should be, or special.
var pages = []string{
	"", "<p>One<p>Two", "<!doctype html><title> A\n B </title><p>x</p>y", "a<br>b</br>c", "<div>a</div>b<!-- c -->d",
	"<ul><li>a<li>b</ul>c", "<table>x<tr><td>y</table>z", "<table><tr><td>a<td>b<tr><th>c</table>d",
	"<b><p>x</b>y</p>z", "<a><div>x<a>y</div>z</a>w", "<form><div></form>x</div>y", "<form><b>x</form>y",
	"<pre>\n a\r\n  b</pre> c", "<pre><!-- x -->\na</pre>", "<textarea>\n a &amp; b</textarea>", "a &lt;b&gt; &nbsp; c &#0; &notit;",
	"<script>if (a<b) '</p>'</script>x<style>p{}</style>y", "<script><!-- <script> </script> --></script>x",
	"<svg><title>T</title><path d='M0'/><g><text>in</text></g></svg>after", "<svg><p>x</svg>y", "<math><mi>x</math>y",
	"<select><option>a<option>b</select>c", "<ins>a</ins>b<del>c</b>d</del>", "<h1><span>a<h2>b</h2>c</h1>d",
	"<noscript>a<p>b</noscript>c", "<head><noscript><link><img></noscript></head>x", "<frameset><frame></frameset>",
	"<template>a<p>b</template>c", "</p>a</div>b", "<ruby>a<rp>(<rt>b<rp>)</ruby>c", "<iframe>a<p>b</iframe>c",
	"<p>a<table><tr><td>b</table>c</p>d", "<body>a</body>b</html>c<title>t</title>", "<dl><dt>a<dd>b<dt>c</dl>d",
	"<caption>a<table><caption>b<td>c</caption>d</table>", "<button>a<p>b<button>c</button>d", "< a <3 </ b </>c", "<", "</", "<a",
	"<p a=1/>x<p a='>'>y<p a=\"'>z", "<!-->a<!--->b<!-- c --!>d<!---->e<?x>f<!x>g</!>h", "a\u00a0\u00ad\u200bb", "<object><p>a</object>b",
}

// FuzzQuickText holds the quick pass against the tree.
func FuzzQuickText(f *testing.F) {
	for _, p := range pages {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, page string) {
		if len(page) > 4096 {
			return
		}
		same(t, page)
	})
}

// same compares the quick pass with the tree and reports whether it went
// through.
func same(t *testing.T, page string) bool {
	t.Helper()
	for _, body := range []bool{false, true} {
		got, ok := dom.QuickText(page, body, &dom.Options{})
		if !ok {
			return false
		}
		d, err := dom.Parse(page, nil)
		if err != nil {
			return false
		}
		n := d.Root
		if body {
			n = d.Body()
		}
		want, err := d.Text(n)
		if err != nil || got != want {
			t.Fatalf("body %v of %q\nquick %q\ntree  %q", body, page, got, want)
		}
	}
	return true
}

// vocabulary is what random pages are made of.
var vocabulary = strings.Fields(`<p> </p> <div> </div> <b> </b> <i> </i> <a> </a> <span> </span> <ul> </ul> <li> </li> <ol> </ol>
<table> </table> <tr> </tr> <td> </td> <th> <tbody> </tbody> <thead> <caption> </caption> <col> <colgroup> </colgroup> <form> </form>
<h1> </h1> <h2> </h2> <pre> </pre> <br> </br> <hr> <ins> </ins> <del> </del> <video> </video> <button> </button> <object> </object>
<select> </select> <option> </option> <dl> <dt> <dd> </dd> </dl> <section> </section> <head> </head> <body> </body> <html> </html>
<title>t</title> <script>s</script> <style>s</style> <noscript> </noscript> <textarea>\nt</textarea> <iframe>f</iframe> <meta> <link>
<svg> </svg> <svg/> <g> </g> <path/> <ruby> <rt> </ruby> <!--c--> <!doctype\u0020html> <font> </font> <input> <img> <nobr> </nobr> <x-y> </x-y>
<summary> <details> </details> <dialog> </dialog> <listing> </listing> <center> <marquee> </marquee> <base> <label> </label> &amp; &nbsp; <`)

// TestQuickTextOfRandomPages holds the quick pass against the tree on pages
// that no author would write.
func TestQuickTextOfRandomPages(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2))
	runs, quick := 20_000, 0
	if testing.Short() {
		runs = 2000
	}
	for range runs {
		var b strings.Builder
		for range 2 + r.IntN(14) {
			switch n := r.IntN(10); {
			case n < 3:
				b.WriteString([]string{"x", "y ", " z", "\n", " ", "\r\n w"}[r.IntN(6)])
			default:
				word := vocabulary[r.IntN(len(vocabulary))]
				b.WriteString(strings.NewReplacer("\\n", "\n", "\\u0020", " ").Replace(word))
			}
		}
		if same(t, b.String()) {
			quick++
		}
	}
	if quick < runs/4 {
		t.Errorf("only %d of %d pages were read quickly", quick, runs)
	}
}
