package parser_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/sandbox/internal/parser"
)

func TestCSV(t *testing.T) {
	run(t, nil, []script{
		{name: "records", code: `return P.csv('a,b\nc,d')`, want: `[["a","b"],["c","d"]]`},
		{name: "line ends", code: `return P.csv('a\r\nb\rc\nd\r\n')`, want: `[["a"],["b"],["c"],["d"]]`},
		{name: "blank lines", code: `return P.csv('\n\na\n\r\n\r\nb\n\n')`, want: `[["a"],["b"]]`},
		{name: "no trimming", code: `return P.csv(' a , b\n \n')`, want: `[[" a "," b"],[" "]]`},
		{name: "quotes", code: `return P.csv('"a,""b""","c\r\nd",""\n"",x')`, want: `[["a,\"b\"","c\r\nd",""],["","x"]]`},
		{name: "quote inside", code: `return P.csv('a"b,c"')`, want: `[["a\"b","c\""]]`},
		{name: "empty cells", code: `return P.csv(',\n,,')`, want: `[["",""],["","",""]]`},
		{name: "delimiter", code: `return [P.csv('a;b', {delimiter: ';'}), P.csv('a\tb', {delimiter: '\t'}), P.csv('a→b', {delimiter: '→→'}), P.csv('a,b', {delimiter: undefined})]`, want: `[[["a","b"]],[["a","b"]],[["a","b"]],[["a","b"]]]`},
		{name: "byte order mark", code: `return P.csv('\ufeffa,b')`, want: `[["a","b"]]`},
		{name: "empty", code: `return [P.csv(''), P.csv('', {header: true}), P.csv('a,b', {header: true}), P.csv('a', null)]`, want: `[[],[],[],[["a"]]]`},
		{name: "header", code: `return P.csv('name,age\nx,1\ny\nz,2,more', {header: true})`, want: `[{"name":"x","age":"1"},{"name":"y"},{"name":"z","age":"2"}]`},
		{name: "header order", code: `return Object.keys(P.csv('b,a\n1,2', {header: true})[0])`, want: `["b","a"]`},
		{name: "equal names", code: `return P.csv('a,a\n1,2', {header: true})`, want: `[{"a":"2"}]`},
		{name: "empty name", code: `P.csv('a,,c\n1,2,3', {header: true})`, fails: "HELPER_RUNTIME csv parse-failed"},
		{name: "open quote", code: `P.csv('a,"b\n')`, fails: "HELPER_RUNTIME csv parse-failed"},
		{name: "after a quote", code: `P.csv('"a"b')`, fails: "HELPER_RUNTIME csv parse-failed"},
		{name: "missing", code: `P.csv()`, fails: "INVALID_INPUT csv missing-input"},
		{name: "null", code: `P.csv(null)`, fails: "INVALID_INPUT csv missing-input"},
		{name: "an array", code: `P.csv([])`, fails: "INVALID_INPUT csv invalid-argument"},
		{name: "bad options", code: `P.csv('', 'x')`, fails: "INVALID_INPUT csv invalid-argument"},
		{name: "empty delimiter", code: `P.csv('', {delimiter: ''})`, fails: "INVALID_INPUT csv invalid-argument"},
		{name: "quote as delimiter", code: `P.csv('', {delimiter: '"'})`, fails: "INVALID_INPUT csv invalid-argument"},
		{name: "a getter that throws", code: `P.csv('', {get header() { throw new RangeError('x') }})`, fails: "RangeError"},
		{name: "proto", code: `const o = P.csv('__proto__,constructor\nx,y', {header: true})[0]; return [Object.getOwnPropertyNames(o), o.__proto__, Object.getPrototypeOf(o) === Object.prototype]`, want: `[["__proto__","constructor"],"x",true]`},
		{name: "plain data", code: `const r = P.csv('a,b\n1,2', {header: true}); r[0].a = 5; r.push(1); delete r[0].b; return r`, want: `[{"a":5},1]`},
	})
	run(t, &parser.Options{Limits: parser.Limits{CSVBytes: 10, CSVCells: 3}}, []script{
		{name: "too long", code: `P.csv('aaaaaaaaaaa')`, fails: "HELPER_RUNTIME csv parse-failed"},
		{name: "too many cells", code: `P.csv('a,b,c,d')`, fails: "HELPER_RUNTIME csv parse-failed"},
		{name: "as many as may be", code: `return P.csv('a,b,c')`, want: `[["a","b","c"]]`},
	})
}

func TestXML(t *testing.T) {
	bad := func(name, text string) script {
		return script{name: name, code: "P.xml(" + quote(text) + ")", fails: "HELPER_RUNTIME xml parse-failed"}
	}
	run(t, nil, []script{
		{name: "element", code: `return P.xml('<a x="1" y=\'2\'>t<b/>u<c>v</c></a>')`, want: `{"tag":"a","attrs":{"x":"1","y":"2"},"text":"tu","children":[{"tag":"b","attrs":{},"text":"","children":[]},{"tag":"c","attrs":{},"text":"v","children":[]}]}`},
		{name: "names", code: `const e = P.xml('<n:a xmlns:n="urn:x" n:b="1" xmlns="y"><n:c/></n:a>'); return [e.tag, e.attrs, e.children[0].tag]`, want: `["n:a",{"xmlns:n":"urn:x","n:b":"1","xmlns":"y"},"n:c"]`},
		{name: "text", code: `return P.xml('<a> \n x &lt;&amp;&gt;&quot;&apos;&#65;&#x42; <![CDATA[<y>&amp;]]> z<!-- no --><?pi no?> </a>').text`, want: `"x <&>\"'AB <y>&amp; z"`},
		{name: "prolog", code: `return P.xml('\ufeff<?xml version="1.0" encoding="ISO-8859-1" standalone="yes"?>\n<!-- c --><?pi?>\n<a/>\n<!-- d -->').tag`, want: `"a"`},
		{name: "line ends", code: `return [P.xml('<a>x\r\ny\rz</a>').text, P.xml('<a b="x\r\n\ty"/>').attrs.b, P.xml('<a b="&#10;"/>').attrs.b]`, want: `["x\ny\nz", "x  y", "\n"]`},
		{name: "names of other scripts", code: `return P.xml('<α·1-.\u0301 \u3042="1" \u200cx="2" \u2c00="3" \u{10000}="4" \uf900="5"/>').attrs['あ']`, want: `"1"`},
		{name: "unicode", code: `return P.xml('<é ü="ö">☃</é>')`, want: `{"tag":"é","attrs":{"ü":"ö"},"text":"☃","children":[]}`},
		{name: "proto", code: `const e = P.xml('<__proto__ __proto__="x"/>'); return [e.tag, Object.keys(e.attrs), Object.getPrototypeOf(e.attrs) === Object.prototype]`, want: `["__proto__",["__proto__"],true]`},
		{name: "many attributes", code: `let s = ''; for (let i = 0; i < 100; i++) s += ' a' + i + '=""'; return Object.keys(P.xml('<a' + s + '/>').attrs).length`, want: `100`},
		{name: "many attributes, one twice", code: `let s = ''; for (let i = 0; i < 100; i++) s += ' a' + i + '=""'; P.xml('<a' + s + ' a3=""/>')`, fails: "HELPER_RUNTIME xml parse-failed"},
		{name: "message", code: `try { P.xml('<a>\n<b></a>') } catch (e) { return e.message }`, want: `"safety.parser.xml: parse failed: <b> is closed by </a> (line 2)"`},
		{name: "missing", code: `P.xml(undefined)`, fails: "INVALID_INPUT xml missing-input"},
		bad("empty", ""), bad("only space", " \n"), bad("only a comment", "<!-- x -->"), bad("doctype", "<!DOCTYPE a><a/>"),
		bad("entities", `<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`), bad("unknown entity", "<a>&nbsp;</a>"), bad("lone ampersand", "<a>x & y</a>"),
		bad("two roots", "<a/><b/>"), bad("text before", "x<a/>"), bad("text behind", "<a/>x"), bad("cdata behind", "<a/><![CDATA[x]]>"),
		bad("open", "<a><b></b>"), bad("wrong end", "<a></b>"), bad("end only", "</a>"), bad("prefix mismatch", "<n:a></m:a>"),
		bad("attribute twice", `<a b="" b=""/>`), bad("no quotes", "<a b=c/>"), bad("no value", "<a b/>"), bad("no space", `<a b=""c=""/>`),
		bad("less in a value", `<a b="<"/>`), bad("open value", `<a b="x`), bad("open tag", "<a"), bad("open end tag", "<a></a"), bad("space in a tag", "< a/>"),
		bad("end tag with attributes", `<a></a b="">`), bad("dashes in a comment", "<a><!-- -- --></a>"), bad("open comment", "<a><!-- x"), bad("open cdata", "<a><![CDATA[x"),
		bad("brackets in text", "<a>]]></a>"), bad("control character", "<a>\x01</a>"), bad("reference to one", "<a>&#1;</a>"), bad("reference out of range", "<a>&#x110000;</a>"),
		bad("surrogate", "<a>&#xD800;</a>"), bad("not a character", "<a>\uFFFE</a>"), bad("empty reference", "<a>&;</a>"), bad("sign in a reference", "<a>&#+65;</a>"),
		bad("late declaration", ` <?xml version="1.0"?><a/>`), bad("bad declaration", `<?xml version="2.0"?><a/>`), bad("declaration order", `<?xml encoding="x" version="1.0"?><a/>`),
		bad("open declaration", `<?xml version="1.0"`), bad("bad instruction", "<a><?1?></a>"), bad("open instruction", "<a><?x"), bad("shortest instruction", "<?>"), bad("a long name", "<"+repeat("é", 100)+">"), bad("times", "<a×/>"), bad("private use", "<\ue000/>"), bad("digit first", "<1/>"), bad("other markup", "<a><!ELEMENT x></a>"),
		bad("too deep", repeat("<a>", 257)+repeat("</a>", 257)),
	})
	run(t, nil, []script{{name: "deep", code: `P.xml('<a>'.repeat(256) + '</a>'.repeat(256)); return 1`, want: "1"}})
	run(t, &parser.Options{Limits: parser.Limits{XMLBytes: 40, XMLNodes: 2}}, []script{
		{name: "too long", code: `P.xml('<a>' + ' '.repeat(40) + '</a>')`, fails: "HELPER_RUNTIME xml parse-failed"},
		{name: "too many elements", code: `P.xml('<a><b/><c/></a>')`, fails: "HELPER_RUNTIME xml parse-failed"},
		{name: "too many attributes", code: `P.xml('<a b="" c="" d=""/>')`, fails: "HELPER_RUNTIME xml parse-failed"},
	})
}

func TestYAML(t *testing.T) {
	bad := func(name, text string) script {
		return script{name: name, code: "P.yaml(" + quote(text) + ")", fails: "HELPER_RUNTIME yaml parse-failed"}
	}
	good := func(name, text, want string) script {
		return script{name: name, code: "return P.yaml(" + quote(text) + ")", want: want}
	}
	run(t, nil, []script{
		good("collections", "a: 1\nb: [x, {c: d}]\ne:\n- f\n-\n  g: ~\n", `{"a":1,"b":["x",{"c":"d"}],"e":["f",{"g":null}]}`),
		good("empty", "", `null`), good("comment", "# x\n", `null`), good("marks", "---\na: 1\n...\n", `{"a":1}`), good("scalar", "x", `"x"`),
		good("null words", "[~, null, Null, NULL, nULL, {a: }]", `[null,null,null,null,"nULL",{"a":null}]`),
		good("booleans", "[yes, No, on, OFF, true, False, y, n, yEs, \"yes\", 'no']", `[true,false,true,false,true,false,"y","n","yEs","yes","no"]`),
		good("integers", "[0, -1, +2, 1_000, 017, 0o17, 0x1F, 0b101, 09, 1__0, _1, 0x, -0x10, 12:30]", `[0,-1,2,1000,15,15,31,5,"09",10,"_1","0x",-16,"12:30"]`),
		good("large integers", "[9007199254740993, 18446744073709551616, 0xFFFFFFFFFFFFFFFFF]", `[9007199254740992,18446744073709552000,295147905179352830000]`),
		good("floats", "[1.5, -2., .5, 1e3, 1.5E-2, 1_0.5, 1.2.3, e3, '.5', 1e, -.5]", `[1.5,-2,0.5,1000,0.015,10.5,"1.2.3","e3",".5","1e",-0.5]`),
		{name: "special floats", code: `return P.yaml('[.inf, -.INF, .nan, -0.0, 1e999]').map(x => Object.is(x, -0) ? '-0' : String(x))`, want: `["Infinity","-Infinity","NaN","-0","Infinity"]`},
		good("dates", "[2024-01-02, 2024-13-02, 2001-12-14t21:59:43.10-05:00, 2001-12-14 21:59:43.1 -5, 2001-1-4 1:02:03, 2001-12-15T02:59:43Z, 2024-01-02 10:00, 2001-12-14T21:59:43+0130, 2001-12-14T21:59:43+1:3, 2001-12-14T21:59:43+99, 2001-12-14T21:59:43x, 0000-01-01T00:00:00+1]",
			`["2024-01-02","2024-13-02","2001-12-15T02:59:43.100Z","2001-12-15T02:59:43.100Z","2001-01-04T01:02:03.000Z","2001-12-15T02:59:43.000Z","2024-01-02 10:00","2001-12-14T20:29:43.000Z","2001-12-14T21:59:43+1:3","2001-12-14T21:59:43+99","2001-12-14T21:59:43x","0000-01-01T00:00:00+1"]`),
		good("texts", "a: |\n  x\n  y\nb: >\n  x\n  y\nc: \"\\u263a\"\n", `{"a":"x\ny\n","b":"x y\n","c":"☺"}`),
		good("keys", "1: a\nyes: b\n~: c\n'q': d\n1.50: e\n2024-01-02: f\n? g\n: h\n", `{"1":"a","yes":"b","null":"c","q":"d","1.50":"e","2024-01-02":"f","g":"h"}`),
		good("last of equal keys", "a: 1\na: 2\n", `{"a":2}`),
		good("tags", "[!!str 1, !!int '2', !!float 3, !!bool 'yes', !!null '', !!timestamp '2024-01-02', !!binary 'aGk=\n', !!seq [x], !!map {y: 1}, ! 4]", `["1",2,3,true,null,"2024-01-02","aGk=",["x"],{"y":1},4]`),
		good("merge", "base: &b {x: 1, y: 2}\none:\n  <<: *b\n  y: 3\ntwo:\n  y: 0\n  <<: [*b, {z: 9, x: 5}]\nthree: {<<: {k: v}}\n", `{"base":{"x":1,"y":2},"one":{"x":1,"y":3},"two":{"y":0,"x":1,"z":9},"three":{"k":"v"}}`),
		{name: "alias is the same object", code: `const o = P.yaml('a: &x [1]\nb: *x\nc: &s text\nd: *s\n*s : e'); return [o.a === o.b, o.d, o.text]`, want: `[true,"text","e"]`},
		good("anchor on a key", "&k a: 1\nb: *k", `{"a":1,"b":"a"}`),
		{name: "proto", code: `const o = P.yaml('__proto__: {a: 1}\nb: {<<: {__proto__: x}}'); return [Object.getOwnPropertyNames(o), o.a, Object.getPrototypeOf(o) === Object.prototype, Object.getOwnPropertyNames(o.b)]`, want: `[["__proto__","b"],null,true,["__proto__"]]`},
		good("anchor again", "[&a 1, *a, &a 2, *a]", `[1,1,2,2]`),
		{name: "aliases", code: `return P.yaml('a: &a [x]\nb: [' + '*a,'.repeat(50) + ']').b.length`, want: `50`},
		{name: "too many aliases", code: `P.yaml('a: &a [x]\nb: [' + '*a,'.repeat(51) + ']')`, fails: "HELPER_RUNTIME yaml parse-failed"},
		{name: "any number of scalar aliases", code: `return P.yaml('a: &a x\nb: [' + '*a,'.repeat(500) + ']').b.length`, want: `500`},
		{name: "depth", code: `P.yaml('['.repeat(100) + ']'.repeat(100)); return 1`, want: `1`},
		{name: "laughs", code: `let s = 'a0: &a0 [lol]\n'; for (let i = 1; i < 10; i++) s += 'a' + i + ': &a' + i + ' [' + ('*a' + (i - 1) + ',').repeat(9) + ']\n'; P.yaml(s)`, fails: "HELPER_RUNTIME yaml parse-failed"},
		{name: "laughs by merging", code: `let s = 'a0: &a0 {}\n'; for (let i = 1; i < 40; i++) s += 'a' + i + ': &a' + i + ' {<<: [*a' + (i - 1) + ', *a' + (i - 1) + ']}\n'; P.yaml(s)`, fails: "HELPER_RUNTIME yaml parse-failed"},
		{name: "missing", code: `P.yaml(null)`, fails: "INVALID_INPUT yaml missing-input"},
		bad("custom tag", "!!java.util.Date 2024"), bad("local tag", "!x 1"), bad("tag on a map", "!!set {a: b}"), bad("tag on a list", "!!omap [a: b]"), bad("full tag", "!<tag:example.com,2000:x> 1"),
		bad("tag that does not fit", "!!int x"), bad("bad bool", "!!bool 1"), bad("bad null", "!!null x"), bad("bad date", "!!timestamp x"), bad("bad binary", "!!binary '*'"), bad("bad float", "!!float x"),
		bad("two documents", "a\n---\nb\n"), bad("bad second document", "a\n---\n]"), bad("unclosed", "[a"), bad("tab", "a:\n\t- b"), bad("unknown alias", "*x"), bad("complex key", "? [a]\n: b"),
		bad("list as key by alias", "a: &a [x]\n*a : b"), bad("alias in itself", "&a [*a]"), bad("merge of itself", "&a {<<: *a}"), bad("merge of a scalar", "<<: x"), bad("merge of a list in a list", "<<: &x [*x]"), bad("tag on a key", "!x a: b"),
		bad("depth beyond", repeat("[", 102)+repeat("]", 102)), bad("deep flow", repeat("[", 50000)), bad("deep block", repeat("- ", 50000)), bad("control character", "a: \x01"), bad("percent", "%x\n%y"),
	})
	run(t, &parser.Options{Limits: parser.Limits{YAMLBytes: 20, YAMLNodes: 4}}, []script{
		{name: "too long", code: `P.yaml('a'.repeat(21))`, fails: "HELPER_RUNTIME yaml parse-failed"},
		{name: "too many values", code: `P.yaml('[a,b,c,d]')`, fails: "HELPER_RUNTIME yaml parse-failed"},
		{name: "as many as may be", code: `return P.yaml('[a,b,c]')`, want: `["a","b","c"]`},
		{name: "too many by merging", code: `P.yaml('{<<: {a: , b: }}')`, fails: "HELPER_RUNTIME yaml parse-failed"},
	})
	var warned []string
	run(t, &parser.Options{Warn: func(m string) { warned = append(warned, m) }}, []script{good("warning", "a: 1\nb: 2\na: 3", `{"a":3,"b":2}`)})
	assert.Equal(t, []string{`yaml: line 3: the key "a" occurs twice; the last one counts`}, warned)
}
