package parser_test

import "testing"

const shop = `const d = P.html('<!doctype html><html><head><title> The \n Shop </title><base href="https://example.com/a/"></head>' +
	'<body><div id=main class="box Wide"><h1>Hi</h1><p class=x>One <b>two</b></p><p>Three<br>four</p>' +
	'<a href="b?q=1">rel</a><a href="//h.test/x">host</a><a>none</a><a href="mailto:a@b.c">mail</a>' +
	'<ul><li>1</li><li>2</li><li>3</li></ul><input value=v disabled><textarea>t &amp; u</textarea>' +
	'<script>var a = "<p>";</script><pre> k  e\n ep</pre></div></body></html>');`

func TestHTML(t *testing.T) {
	run(t, nil, []script{
		{name: "text", code: shop + `return [d.title(), d.body().text(), d.text()]`,
			want: `["The Shop", "Hi One two Three four relhostnonemail 1 2 3 t & u  k  e\n ep", "The \n Shop Hi One two Three four relhostnonemail 1 2 3 t & u  k  e\n ep"]`},
		{name: "text twice", code: shop + `const a = d.text(), b = d.body().text(); d.head(); return [a === d.text(), b === d.body().text()]`, want: `[true, true]`},
		{name: "identity", code: shop + `const b = d.body(); const e = d.select('p'); return [b === d.body(), d.selectFirst('body') === b, e[0] === e.get(0), e[0] === d.selectFirst('p.x'), e[0].parent() === d.getElementById('main'), d.selectFirst('html').parent() === d, d.parent()]`,
			want: `[true, true, true, true, true, true, null]`},
		{name: "own and whole text", code: shop + `const p = d.selectFirst('p.x'), q = d.select('p').last(); return [p.ownText(), p.text(), q.wholeText(), q.ownText(), d.selectFirst('script').data(), d.selectFirst('script').text(), p.hasText()]`,
			want: `["One", "One two", "Three\nfour", "Three four", "var a = \"<p>\";", "", true]`},
		{name: "attributes", code: shop + `const m = d.selectFirst('#main'); m.attr('data-x', 'a"b'); m.attr('hidden', true); const had = m.hasAttr('CLASS'); m.removeAttr('class');
			return [m.attr('data-X'), m.attr('none'), had, m.hasAttr('class'), m.attr('hidden', false).hasAttr('hidden'), m.id(), m.className(), m.tagName(), m.outerHtml().slice(0, 32)]`,
			want: `["a\"b", "", true, false, false, "main", "", "div", "<div id=\"main\" data-x=\"a&quot;b\""]`},
		{name: "addresses", code: shop + `return d.select('a').map(a => [a.attr('href'), a.absUrl('href'), a.attr('abs:href'), a.hasAttr('abs:href')])`,
			want: `[["b?q=1","https://example.com/a/b?q=1","https://example.com/a/b?q=1",true],["//h.test/x","https://h.test/x","https://h.test/x",true],["","","",false],["mailto:a@b.c","mailto:a@b.c","mailto:a@b.c",true]]`},
		{name: "base of the call", code: `const d = P.html('<a href=../x#f>x', 'http://h.test/a/b/c'); return [d.selectFirst('a').absUrl('href'), P.html('<a href=x>').selectFirst('a').absUrl('href'), d.selectFirst('[abs:href^=http://h.test/a/x]').text()]`,
			want: `["http://h.test/a/x#f", "", "x"]`},
		{name: "classes", code: shop + `const m = d.selectFirst('div'); return [m.hasClass('wide'), m.hasClass('wid'), m.className(), d.getElementsByClass('BOX').size(), d.getElementsByTag('LI').size(), d.getElementsByTag('*').size() > 15]`,
			want: `[true, false, "box Wide", 1, 3, true]`},
		{name: "family", code: shop + `const u = d.selectFirst('ul'); return [u.children().eachText(), u.child(1).text(), u.childrenSize(), u.child(0).nextElementSibling().text(), u.child(2).previousElementSibling().text(), u.child(0).previousElementSibling(), u.child(2).nextElementSibling(), d.children()[0].tagName(), d.tagName()]`,
			want: `[["1","2","3"],"2",3,"2","2",null,null,"html","#root"]`},
		{name: "values", code: shop + `return [d.selectFirst('input').val(), d.selectFirst('textarea').val(), d.select('textarea').val(), d.select('nix').val()]`, want: `["v", "t & u", "t & u", ""]`},
		{name: "markup", code: `return [P.html('<p>a &lt; b&nbsp;<br><img src="x&y" alt=""><input checked=checked></p><!-- c -->').body().html(), P.html('<!doctype html><p>x').outerHtml(), P.html('<script>a<b</script>').head().html()]`,
			want: `["<p>a &lt; b&nbsp;<br><img src=\"x&amp;y\" alt=\"\"><input checked></p><!-- c -->", "<!doctype html><html><head></head><body><p>x</p></body></html>", "<script>a<b</script>"]`},
		{name: "edit", code: `const d = P.html('<ul><li>b</li></ul>'), li = d.selectFirst('li'); li.before('<li>a'); li.after('<li>c<li>d'); li.append('<i>!</i>').prepend('?'); d.selectFirst('ul').append('<li>e'); return d.body().html()`,
			want: `"<ul><li>a</li><li>?b<i>!</i></li><li>c</li><li>d</li><li>e</li></ul>"`},
		{name: "markup in context", code: `const d = P.html('<table><tr id=r></table>'); d.getElementById('r').append('<td>x<td>y'); return d.select('td').eachText()`, want: `["x","y"]`},
		{name: "remove and empty", code: `const d = P.html('<p>a<b>x</b><b>y</b></p><i>z</i>'); d.select('b').remove(); d.selectFirst('i').empty(); const p = d.selectFirst('p'); p.remove(); return [d.body().html(), p.parent(), p.text(), p.remove() === undefined]`,
			want: `["<i></i>", null, "a", true]`},
		{name: "set", code: shop + `const l = d.select('li'); return [l.size(), l.length, l.isEmpty(), l.first().text(), l.last().text(), d.select('nix').first(), d.select('nix').last(), l.get(1).text(), l[1].text(), l[9] === undefined, l.text(), l.html(), l.outerHtml(), String(l)]`,
			want: `[3,3,false,"1","3",null,null,"2","2",true,"1 2 3","1\n2\n3","<li>1</li>\n<li>2</li>\n<li>3</li>","<li>1</li>\n<li>2</li>\n<li>3</li>"]`},
		{name: "set as array", code: shop + `const l = d.select('li'); const all = []; for (const e of l) all.push(e.text()); return [Array.isArray(l), all, [...l].length, l.map(e => e.text()), l.filter(e => e.text() > '1').length, Array.from(l, e => e.text()), Array.isArray(l.map(e => 1)), l.slice(1).length, Object.keys(l)]`,
			want: `[true,["1","2","3"],3,["1","2","3"],2,["1","2","3"],true,2,["0","1","2"]]`},
		{name: "set of attributes", code: shop + `const l = d.select('a'); return [l.eachAttr('href'), l.attr('href'), l.hasAttr('href'), l.eachAttr('abs:href').length, d.select('p').hasClass('x'), d.select('nix').attr('a'), l.attr('rel', 'no').last().attr('rel'), d.select('p,nix').hasText()]`,
			want: `[["b?q=1","//h.test/x","mailto:a@b.c"],"b?q=1",true,3,true,"","no",true]`},
		{name: "select in a set", code: `const d = P.html('<div><div><p>a</p></div></div><p>b</p>'); return [d.select('div').select('p').eachText(), d.select('div').select('div').size(), d.select('div > p').size()]`, want: `[["a"], 2, 1]`},
		{name: "as result", code: `const d = P.html('<p>a</p><p>b</p>'); return {one: d.selectFirst('p'), all: d.select('p')}`, want: `{"one":"<p>a</p>","all":["<p>a</p>","<p>b</p>"]}`},
		{name: "a set is read-only", code: `'use strict'; P.html('<p>a</p>').select('p')[0] = 1`, fails: "TypeError"},
		{name: "a set keeps its length", code: `'use strict'; P.html('<p>a</p>').select('p').length = 0`, fails: "TypeError"},
		{name: "page without a body", code: `const d = P.html('<head><template>'), b = d.body(); return [b.text(), d.body() === b, b.html(), b.tagName()]`, want: `["",true,"","body"]`},
		{name: "methods are frozen", code: `const e = P.html('<p>a</p>').selectFirst('p'); Object.getPrototypeOf(e).text = () => 'x'; e.constructor.prototype.zap = 1; return [e.text(), Object.isFrozen(Object.getPrototypeOf(e)), Object.isFrozen(Object.getPrototypeOf(P.html('').select('p')))]`, want: `["a", true, true]`},
		{name: "methods of nothing", code: `P.html('<p>a').body().text.call({})`, fails: "TypeError"},
		{name: "methods of an heir", code: `P.html('<p>a').selectFirst('p').text.call(Object.create(P.html('').body()))`, fails: "TypeError"},
		{name: "set methods of nothing", code: `P.html('<p>a').select('p').size.call([1])`, fails: "TypeError"},
		{name: "document methods on an element", code: `return [typeof P.html('<p>a').selectFirst('p').title, P.html('<title>t</title>').title.call(P.html('<title>u</title>'))]`, want: `["undefined", "u"]`},
		{name: "missing text", code: `P.html()`, fails: "INVALID_INPUT html missing-input"},
		{name: "null text", code: `P.html(null)`, fails: "INVALID_INPUT html missing-input"},
		{name: "no string", code: `P.html({toString() { throw 1 }})`, fails: "INVALID_INPUT html invalid-argument"},
		{name: "a number", code: `return P.html(42).text()`, want: `"42"`},
		{name: "missing selector", code: `P.html('').select()`, fails: "INVALID_INPUT html missing-input"},
		{name: "bad selector", code: `P.html('').select('p:nix')`, fails: "INVALID_INPUT html invalid-selector"},
		{name: "bad index", code: `P.html('').select('p').get(0)`, fails: "INVALID_INPUT html index-out-of-range"},
		{name: "bad child", code: `P.html('').child(-1)`, fails: "INVALID_INPUT html index-out-of-range"},
		{name: "no index", code: `P.html('').child({})`, fails: "INVALID_INPUT html invalid-argument"},
		{name: "bad attribute", code: `P.html('<p>').selectFirst('p').attr('a b', 1)`, fails: "INVALID_INPUT html invalid-argument"},
		{name: "beside nothing", code: `const p = P.html('<p>').selectFirst('p'); p.remove(); p.after('x')`, fails: "HELPER_RUNTIME html no-parent"},
		{name: "beside the document", code: `P.html('<p>').before('x')`, fails: "HELPER_RUNTIME html no-parent"},
		{name: "no frames", code: `const d = P.html('<frameset><frame></frameset>'); return [d.body().tagName(), d.body().text()]`, want: `["frameset", ""]`},
	})
}
