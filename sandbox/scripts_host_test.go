//go:build !race && linux

package sandbox_test

import "strings"

const (
	helper  = "HELPER_RUNTIME"
	refusal = "SECURITY"
)

// platformScripts attack what the platform adds to the language.
func platformScripts() []hostile {
	return []hostile{
		// Addresses.
		{"URLs for ever", `for (let i = 0;; i++) new URL('https://h' + i + '.example/' + 'a/../'.repeat(1000))`, time0},
		{"URL with a huge path", `return new URL('https://a.example/' + '%2e%2e/x/'.repeat(2e6)).href.length`, ends + " JS_ERROR OK"},
		{"URL with a huge host", `return new URL('https://' + 'ä.'.repeat(2e6) + 'example/').href`, ends + " JS_ERROR"},
		{"parameters for ever", `const p = new URLSearchParams(); for (let i = 0;; i++) p.append('k' + i, 'v'.repeat(100))`, ends},
		{"parameters that grow under their iterator", `const p = new URLSearchParams('a=1'); for (const [k] of p) p.append(k + 'x', k); return 1`, ends},

		// Copies.
		{"clone of a cycle", `const a = {}; a.self = a; const b = structuredClone(a); return b.self === b`, fine},
		{"clone of a shared graph", `let a = ['x']; for (let i = 0; i < 40; i++) a = [a, a]; return structuredClone(a).length`, fine},
		{"clone of a huge graph", `const a = []; for (let i = 0; i < 2e5; i++) a.push({i}); for (;;) a.push(structuredClone(a))`, ends + " JS_ERROR HELPER_RUNTIME"},
		{"clone of a deep graph", `let a = []; for (let i = 0; i < 1e6; i++) a = [a]; return structuredClone(a).length`, ends + " JS_ERROR HELPER_RUNTIME OK"},
		{"clone of a getter that clones", `const o = {get a() { return structuredClone(o) }}; return structuredClone(o)`, ends + " JS_ERROR"},
		{"clone of an absurd array", `return structuredClone(new Array(4e9)).length`, ends + " JS_ERROR HELPER_RUNTIME OK"},

		// Texts, bytes and digests.
		{"decoder of huge buffers", `const b = new Uint8Array(2e7); const d = new TextDecoder('utf-16le'); for (;;) d.decode(b)`, ends + " JS_ERROR"},
		{"base64 for ever", `let s = 'x'.repeat(1e6); for (;;) s = btoa(s)`, ends + " JS_ERROR HELPER_RUNTIME"},
		{"digest of huge data", `const b = new Uint8Array(5e7); for (;;) await crypto.subtle.digest('SHA-512', b)`, ends + " JS_ERROR HELPER_RUNTIME"},
		{"typed array of a looping function", `return Uint8Array.from({length: 2 ** 32}, () => { for (;;); })`, ends + " JS_ERROR"},

		// Timers and microtasks.
		{"timer that re-arms for ever", `const f = () => setTimeout(f, 0); f(); await new Promise(() => {})`, time0},
		{"flood of timers", `for (;;) setTimeout(() => {}, 1e6)`, ends + " JS_ERROR HELPER_RUNTIME"},
		{"timer far away", `await new Promise(r => setTimeout(r, 2 ** 31 - 1))`, time0},
		{"queueMicrotask for ever", `const f = () => queueMicrotask(f); f(); await new Promise(() => {})`, time0},

		// Iterators.
		{"iterator helper without end", `function* g() { for (;;) yield 1 } return g().map(x => x).filter(x => !x).toArray()`, ends},
		{"iterator helpers nested deep", `function* g() { for (;;) yield 1 } let i = g(); for (let n = 0; n < 1e5; n++) i = i.map(x => x); return i.next().value`, ends + " JS_ERROR"},
		{"flatMap of itself", `function* g() { for (;;) yield 1 } const f = () => g().flatMap(f); return f().next()`, ends + " JS_ERROR"},
		{"drop of infinity", `function* g() { for (;;) yield 1 } return g().drop(Infinity).next()`, time0},
		{"Array.fromAsync for ever", `return (await Array.fromAsync((function* () { for (;;) yield 1 })())).length`, ends},
		{"groupBy without end", `let i = 0; return Object.groupBy((function* () { for (;;) yield i++ })(), x => 'k' + x)`, ends},

		// Formats.
		{"formats made for ever", `for (let i = 0;; i++) new Intl.NumberFormat('en-GB', {style: 'currency', currency: 'EUR', minimumFractionDigits: i % 20})`, ends},
		{"format of absurd locales", `return new Intl.DateTimeFormat(Array.from({length: 1e6}, () => 'x-' + 'a'.repeat(100))).format(0)`, ends + " JS_ERROR"},
		{"locales that never end", `return new Intl.DateTimeFormat({length: 2 ** 40, 0: 'en'}).format(0)`, ends + " JS_ERROR OK"},
		{"a time zone that is a path", `return new Date(0).toLocaleString('en', {timeZone: '../../../../etc/passwd'})`, thrown},
		{"toLocaleString of absurd options", `return (1e308).toLocaleString('en', {minimumIntegerDigits: 21, minimumFractionDigits: 100, maximumFractionDigits: 100, minimumSignificantDigits: 1e9})`, thrown},
		{"toLocaleString of a huge integer", `return (10n ** 200000n).toLocaleString('de').length`, ends + " OK JS_ERROR"},

		// Patterns built as the code runs.
		{"pattern built with nested quantifiers", `return new RegExp('^(?=((' + 'a+'.repeat(5) + ')+)+b)').test('a'.repeat(60) + 'c')`, ends},
		{"pattern nested deep", `return new RegExp('('.repeat(1e6) + 'a' + ')'.repeat(1e6)).test('a')`, ends + " JS_ERROR"},
		{"pattern with absurd repetition", `return new RegExp('((a{1000}){1000}){1000}').test('a'.repeat(1e6))`, ends + " OK JS_ERROR"},
		{"pattern of a million properties", `return new RegExp('[' + '\\p{L}'.repeat(1e5) + ']', 'u').test('a')`, ends + " OK JS_ERROR"},

		// Prototypes patched before the host is called.
		{"patched arrays", `Array.prototype.push = Array.prototype.map = () => { for (;;); }; Object.defineProperty(Array.prototype, 0, {set() { for (;;); }}); return [safety.parser.csv('a,b').length, new URLSearchParams('a=1').getAll('a').length]`, ends + " OK JS_ERROR"},
		{"patched promises", `Promise.prototype.then = function () { for (;;); }; return await crypto.subtle.digest('SHA-256', new Uint8Array(1))`, ends + " JS_ERROR RUNTIME_ERROR OK"},
		{"patched objects", `Object.defineProperty(Object.prototype, 'timeZone', {get() { for (;;); }}); return new Date(0).toLocaleString('en')`, ends + " OK"},
		{"patched iterators", `Array.prototype[Symbol.iterator] = function* () { for (;;) yield ['a', 'b'] }; return new URLSearchParams([['a', 'b']]).size`, ends + " JS_ERROR"},
		{"patched conversions", `String.prototype.toString = Symbol.prototype[Symbol.toPrimitive] = () => { for (;;); }; return new URL('https://a.example/' + Object('x')).href`, ends + " OK JS_ERROR"},
		{"patched errors", `globalThis.Error = function () { for (;;); }; safety.parser.yaml('a: [')`, ends + " HELPER_RUNTIME"},
		{"log flood of host objects", `const u = new URL('https://a.example/?' + 'a=1&'.repeat(1000)); for (;;) console.log(u, u.searchParams, crypto, Intl, safety)`, ends},
	}
}

// parserScripts attack safety.parser.
func parserScripts() []hostile {
	laughs := "<!DOCTYPE l [<!ENTITY a \"" + strings.Repeat("ha", 50) + "\">"
	for c := 'b'; c < 'l'; c++ {
		laughs += "<!ENTITY " + string(c) + " \"" + strings.Repeat("&"+string(c-1)+";", 10) + "\">"
	}
	laughs += "]><l>&k;</l>"
	aliases := "a0: &a0 [x,x,x,x,x,x,x,x,x]\\n"
	for i := range 10 {
		d, n := string(rune('0'+i)), string(rune('0'+i+1))
		if i == 9 {
			n = "z"
		}
		aliases += "a" + n + ": &a" + n + " [" + strings.TrimSuffix(strings.Repeat("*a"+d+",", 9), ",") + "]\\n"
	}
	const parse = ends + " HELPER_RUNTIME INVALID_INPUT JS_ERROR"
	return []hostile{
		{"billion laughs in XML", "return safety.parser.xml(`" + laughs + "`).text.length", helper + " " + refusal},
		{"billion laughs in YAML", `return JSON.stringify(safety.parser.yaml("` + aliases + `")).length`, parse},
		{"YAML that refers to itself", `return safety.parser.yaml('a: &a [*a]')`, helper},
		{"deep XML", `return safety.parser.xml('<a>'.repeat(1e6) + '</a>'.repeat(1e6))`, parse},
		{"deep YAML by lines", `let s = ''; for (let i = 0; i < 2000; i++) s += ' '.repeat(i) + '-\n'; return safety.parser.yaml(s)`, parse},
		{"many attributes in XML", `let s = ''; for (let i = 0; i < 5e5; i++) s += ' a' + i + '="1"'; return safety.parser.xml('<a' + s + '/>').children.length`, parse},
		{"deep HTML", `return safety.parser.html('<div>'.repeat(5e5)).text().length`, ends + " HELPER_RUNTIME OK"},
		{"quadratic HTML", `return safety.parser.html('<a><b><i><p>'.repeat(1e5) + '</a>'.repeat(1e5)).text().length`, ends + " HELPER_RUNTIME OK"},
		{"pages kept for ever", `const a = []; for (;;) a.push(safety.parser.html('<p>x</p>'.repeat(1000)))`, parse},
		{"selector bomb", `const d = safety.parser.html('<div>'.repeat(400) + '<p>x'.repeat(5000)); return d.select(Array(150).fill(':not(:has(div div ~ p))').join(' ')).length`, parse + " OK"},
		{"selector nested deep", `return safety.parser.html('<p>').select(':not('.repeat(1e5) + 'p' + ')'.repeat(1e5)).length`, parse},
		{"selector list without end", `const d = safety.parser.html('<p>x</p>'.repeat(5e4)); for (;;) d.select(Array(300).fill('div > p + p').join(','))`, parse},
		{"selector of a backtracking pattern", `return safety.parser.html('<p>' + 'a'.repeat(1e5) + '</p>').select('p:contains(' + 'a'.repeat(2000) + 'b), :matchesOwn((a*)*b), [x#=(a+)+$]').length`, parse + " OK"},
		{"CSV with a huge cell", `return safety.parser.csv('"' + 'x'.repeat(4e7) + '"').length`, parse},
		{"CSV of a million cells", `return safety.parser.csv(','.repeat(9e6)).length`, parse},
		{"CSV that opens a quote in each cell", `return safety.parser.csv('"a""'.repeat(1e6)).length`, parse + " OK"},
		{"CSV with prototype names", `const r = safety.parser.csv('__proto__,constructor\na,b', {header: true}); return [({}).a, Object.prototype.constructor === Object]`, fine},
	}
}

// translationScripts attack what is done to code before it runs.
func translationScripts() []hostile {
	const compiled = ends + " JS_ERROR"
	return []hostile{
		{"async generator without end", `async function* g() { for (;;) yield 1 } for await (const x of g());`, time0},
		{"for await over a hostile iterator", `for await (const x of {[Symbol.asyncIterator]() { return {next() { return {then(r) { r({done: false, value: this}) }} }} }});`, time0},
		{"for await over an iterator that never answers", `for await (const x of {[Symbol.asyncIterator]() { return {next: () => new Promise(() => {})} }});`, "RUNTIME_ERROR"},
		{"async generator that delegates to itself", `async function* g() { yield* g() } for await (const x of g());`, ends + " JS_ERROR"},
		{"for await nested deep", strings.Repeat("for await (const x of []) { ", 400) + strings.Repeat("}", 400), compiled + " OK"},
		{"many async generators", "async function* z() { yield 1 } " + strings.Repeat("async function* g() { for await (const x of g()) yield* g(); } ", 900), compiled + " OK"},
		{"translation of many errors", "for await (const x of []); " + strings.Repeat("let a; ", 9000), compiled},
		{"translation of arrow parameters", "for await (const x of []); return " + strings.Repeat("(a = ", 200) + "1" + strings.Repeat(") => 1", 200), compiled + " OK"},
		{"translation of object patterns", "for await (const x of []); return " + strings.Repeat("({a = ", 200) + "1" + strings.Repeat("} = {})", 200), compiled + " OK"},
		{"patterns with properties in masses", "return [" + strings.Repeat(`/[\p{L}\p{N}]/u,`, 3000) + "].length", compiled + " OK"},
		{"pattern with sets nested deep", `return /` + strings.Repeat("[a", 300) + strings.Repeat("]", 300) + `/v.test('a')`, compiled + " OK RUNTIME_ERROR"},
		{inTypeScript + "types nested deep", "let a: " + strings.Repeat("Array<", 480) + "1" + strings.Repeat(">", 480) + " = 1", compiled + " OK"},
		{inTypeScript + "arrows with types", "return " + strings.Repeat("(a: any = ", 200) + "1" + strings.Repeat("): any => 1", 200), compiled + " OK"},
		{inTypeScript + "angles that may be calls", "return " + strings.Repeat("a<", 400) + "b" + strings.Repeat(">(1)", 400), compiled},
		{inTypeScript + "a huge enumeration", "enum E { " + strings.Join(manyNames(6000), ", ") + " } for (;;);", compiled},
	}
}

// inTypeScript marks the name of a script that is in that language.
const inTypeScript = "TypeScript: "

// The marks of the names of scripts that are granted files, or the network.
const (
	onFiles   = "files: "
	onNetwork = "network: "
)

// fileScripts attack safety.fs, in a workspace as hostileWorkspace makes it.
func fileScripts() []hostile {
	const refused = ends + " HELPER_RUNTIME SECURITY INVALID_INPUT"
	return []hostile{
		{onFiles + "ten thousand writes", `for (let i = 0; i < 1e4; i++) safety.fs.writeText('w/' + i, 'x'); return 1`, refused + " OK"},
		{onFiles + "refusals for ever", `for (;;) try { safety.fs.readText('../../../../etc/passwd') } catch { }`, ends},
		{onFiles + "deep directories", `let d = ''; for (;;) { d += 'd/'; safety.fs.writeText(d + 'f', 'x') }`, refused},
		{onFiles + "long names", `for (let n = 1;; n *= 2) safety.fs.writeText('n'.repeat(n), 'x')`, refused},
		{onFiles + "huge appends", `const s = 'x'.repeat(8e6); for (;;) safety.fs.appendText('grown.txt', s)`, refused},
		{onFiles + "one huge write", `safety.fs.writeText('huge.txt', 'x'.repeat(6e7))`, refused},
		{onFiles + "grep with nested quantifiers", `return safety.fs.grep('(a*)*(a*)*(a*)*b', 'big.txt').length`, refused + " OK"},
		{onFiles + "grep with a pattern that grows", `return safety.fs.grep('((a{1,100}){1,100}){1,100}', 'big.txt')`, refused},
		{onFiles + "find over everything for ever", `for (;;) safety.fs.find('.', '**/*')`, refused},
		{onFiles + "globs that backtrack", `return safety.fs.find('.', '**/*a'.repeat(150) + 'b').length`, refused + " OK"},
		{onFiles + "cut of absurd fields", `return safety.fs.cut('lines.txt', {fields: Array.from({length: 1e5}, (_, i) => i + 1)}).length`, refused + " JS_ERROR"},
		{onFiles + "walk around a loop of links", `return safety.fs.find('loop/loop/loop', '**').length`, refused + " OK"},
		{onFiles + "read through a link", `return safety.fs.readText('out/passwd')`, refused},
		{onFiles + "write through a link", `safety.fs.writeText('out/hostile.txt', 'x')`, refused},
		{onFiles + "a pipe that nobody writes to", `return safety.fs.readText('pipe')`, refused},
		{onFiles + "paths that are code", `return safety.fs.readText({toString() { for (;;); }})`, refused + " JS_ERROR"},
	}
}

// networkScripts attack fetch, and the program around them, with the help of a
// server as hostileSite makes it.
func networkScripts() []hostile {
	const refused = ends + " HELPER_RUNTIME SECURITY"
	return []hostile{
		{onNetwork + "a server that never answers", `await fetch(base + '/silent')`, time0},
		{onNetwork + "a server that streams for ever", `return (await fetch(base + '/stream')).text().length`, refused + " OK"},
		{onNetwork + "a server that drips", `return (await fetch(base + '/drip')).text().length`, time0},
		{onNetwork + "a server that redirects for ever", `await fetch(base + '/redirect')`, refused},
		{onNetwork + "a server with endless headers", `await fetch(base + '/headers')`, refused},
		{onNetwork + "a body that unpacks to gigabytes", `return (await fetch(base + '/bomb')).text().length`, refused + " OK"},
		{onNetwork + "a flood of requests", `for (;;) await fetch(base + '/')`, refused},
		{onNetwork + "a flood that swallows refusals", `for (;;) try { await fetch(base + '/') } catch { }`, ends},
		{onNetwork + "a huge request", `await fetch(base + '/', {method: 'POST', body: 'x'.repeat(6e7)})`, refused + " JS_ERROR INVALID_INPUT"},
		{onNetwork + "big bodies kept for ever", `const kept = []; for (;;) kept.push((await fetch(base + '/big')).text())`, refused + " JS_ERROR"},
	}
}
