package platform_test

import (
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/platform"
)

// Each refusal of the specification, section 8.2, with its reason.
func TestRefusals(t *testing.T) {
	const key = "const key = await crypto.subtle.importKey('raw', 'k', 'HMAC'); "
	for _, c := range []struct{ code, helper, reason string }{
		{"btoa('\u20ac')", "btoa", "non-latin-1"},
		{"btoa(null)", "btoa", "missing-input"},
		{"btoa()", "btoa", "missing-input"},
		{"atob('a')", "atob", "invalid-base64"},
		{"atob('=')", "atob", "invalid-base64"},
		{"atob('\u20ac')", "atob", "invalid-base64"},
		{"atob(undefined)", "atob", "missing-input"},
		{"await crypto.subtle.digest()", "crypto", "missing-args"},
		{"await crypto.subtle.digest('SHA-256')", "crypto", "missing-args"},
		{"await crypto.subtle.digest('SHA-1', 'x')", "crypto", "unsupported-algorithm"},
		{"await crypto.subtle.digest({}, 'x')", "crypto", "invalid-algorithm"},
		{"await crypto.subtle.digest(5, 'x')", "crypto", "invalid-algorithm"},
		{"await crypto.subtle.digest('SHA-256', 5)", "crypto", "unsupported-arg-type"},
		{"await crypto.subtle.digest('SHA-256', [256])", "crypto", "unsupported-arg-type"},
		{"await crypto.subtle.digest('SHA-256', [1.5])", "crypto", "unsupported-arg-type"},
		{"await crypto.subtle.digest('SHA-256', ['1'])", "crypto", "unsupported-arg-type"},
		{"await crypto.subtle.digest('SHA-256', [,1])", "crypto", "unsupported-arg-type"},
		{"await crypto.subtle.digest('SHA-256', new Set([1]))", "crypto", "unsupported-arg-type"},
		{"await crypto.subtle.digest('SHA-256', new Proxy([1], {}))", "crypto", "unsupported-arg-type"},
		{"await crypto.subtle.importKey('jwk', 'k', 'HMAC')", "crypto", "unsupported-format"},
		{"await crypto.subtle.importKey('raw', 'k', 'AES-GCM')", "crypto", "unsupported-algorithm"},
		{"await crypto.subtle.importKey('raw', 'k', {name: 'HMAC', hash: 'SHA-1'})", "crypto", "unsupported-hash"},
		{"await crypto.subtle.importKey('raw', '', 'HMAC')", "crypto", "invalid-key"},
		{"await crypto.subtle.importKey('raw', 'k', 'HMAC', false, ['encrypt'])", "crypto", "invalid-key"},
		{"await crypto.subtle.sign('HMAC', {}, 'x')", "crypto", "invalid-key"},
		{key + "await crypto.subtle.sign('AES', key, 'x')", "crypto", "unsupported-algorithm"},
		{key + "await crypto.subtle.sign('HMAC', Object.create(key), 'x')", "crypto", "invalid-key"},
		{"const key = await crypto.subtle.importKey('raw', 'k', 'HMAC', false, ['sign']); await crypto.subtle.verify('HMAC', key, 'x', 'x')", "crypto", "invalid-key"},
	} {
		got := mustAwait(t, nil, "try { "+c.code+"; return 'ok' } catch (e) { return [e instanceof Error, e.name, e.kind, e.helper, e.reason] }")
		assert.Equal(t, `[true,"SafetyError","INVALID_INPUT","`+c.helper+`","`+c.reason+`"]`, got, c.code)
	}
}

func TestSubtle(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"a text is UTF-8", "return Array.from(await crypto.subtle.digest('SHA-256', 'é')).slice(0, 4)", `[74,153,85,126]`},
		{"an array of bytes", "const h = async d => (await crypto.subtle.digest({name: 'sha-512'}, d)).join(); return await h([1, 255]) === await h(new Uint8Array([1, 255]))", `true`},
		{"array from the result", "const r = await crypto.subtle.digest('SHA-384', ''); return [Array.isArray(r), Array.from(r).length]", `[false,48]`},
		{"default hash and usages", "const k = await crypto.subtle.importKey('raw', 'k', 'HMAC'); return [k.algorithm, k.usages, k.extractable]", `[{"name":"HMAC","hash":{"name":"SHA-256"},"length":8},["sign","verify"],false]`},
		{"a key is frozen", "const k = await crypto.subtle.importKey('raw', 'k', 'HMAC'); return [Object.isFrozen(k), Object.isFrozen(k.algorithm), Object.keys(k)]", `[true,true,["type","extractable","algorithm","usages"]]`},
		{"a key is its own copy", "const b = new Uint8Array([1, 2]); const k = await crypto.subtle.importKey('raw', b, 'HMAC'); const x = (await crypto.subtle.sign('HMAC', k, 'm')).join(); b[0] = 9; return x === (await crypto.subtle.sign('HMAC', k, 'm')).join()", `true`},
		{"wrong length does not verify", "const k = await crypto.subtle.importKey('raw', 'k', 'HMAC'); return crypto.subtle.verify('HMAC', k, new Uint8Array(3), 'm')", `false`},
		{"no constructor to call", "const k = await crypto.subtle.importKey('raw', 'k', 'HMAC'); try { new k.constructor() } catch (e) { return e.name }", `"TypeError"`},
	} {
		assert.Equal(t, c.want, mustAwait(t, nil, c.body), c.name)
	}
}

func TestLimits(t *testing.T) {
	opts := &platform.Options{Limits: platform.Limits{URLLength: 20, Bytes: 8, CloneValues: 5, CloneDepth: 3}}
	for code, reason := range map[string]string{
		"new URL('http://example.com/long')":                           `["URL","too-long"]`,
		"new URLSearchParams('x'.repeat(21))":                          `["URL","too-long"]`,
		"new URL('http://h').hash = 'x'.repeat(21)":                    `["URL","too-long"]`,
		"btoa('123456789')":                                            `["btoa","too-large"]`,
		"atob('123456789')":                                            `["atob","too-large"]`,
		"new TextEncoder().encode('123456789')":                        `["TextEncoder","too-large"]`,
		"new TextEncoder().encodeInto('123456789', new Uint8Array(1))": `["TextEncoder","too-large"]`,
		"new TextDecoder().decode(new Uint8Array(9))":                  `["TextDecoder","too-large"]`,
		"await crypto.subtle.digest('SHA-256', '123456789')":           `["crypto","too-large"]`,
		"await crypto.subtle.digest('SHA-256', new Uint8Array(9))":     `["crypto","too-large"]`,
		"await crypto.subtle.digest('SHA-256', new Array(1))":          `["crypto","too-large"]`,
		"structuredClone([[[[]]]])":                                    `["structuredClone","too-large"]`,
		"structuredClone([[], [], [], [], []])":                        `["structuredClone","too-large"]`,
	} {
		got := mustAwait(t, opts, "try { "+code+"; return 'ok' } catch (e) { return [e.helper, e.reason] }")
		assert.Equal(t, reason, got, code)
	}
}

// Code that has changed the language under it gets errors or odd results of its
// own, never a panic and never more than it had.
func TestPatchedLanguage(t *testing.T) {
	for _, patch := range []string{
		"", "Error = 5;", "TypeError = null;", "RangeError = function () { throw 1 };", "Uint8Array = null;", "Object = null;", "Map = null;", "Set = null;", "Date = null;",
		"Map.prototype.forEach = null;", "Map.prototype.set = () => { throw 1 };", "Set.prototype.add = 5;", "Array.prototype[Symbol.iterator] = null;",
		"Promise.prototype.then = () => { throw 1 };", "Promise = null;", "Symbol = null;", "Reflect = null;", "DataView = null;", "RegExp = null;",
		"Object.prototype.then = 5;", "Object.defineProperty(Object.prototype, 'name', { get() { throw 1 } });", "Object.defineProperty(Object.prototype, 'done', { get() { throw 1 }, set() { throw 2 } });",
		"Object.prototype.get = () => 1;", "Object.freeze = () => { throw 1 };", "Function.prototype.call = null; Function.prototype.apply = null;",
		"Object.getPrototypeOf([][Symbol.iterator]()).next = () => { throw 1 };",
	} {
		for _, code := range []string{
			"new URL('http://h/?a=1').searchParams.toString()", "[...new URLSearchParams({ a: 1 })]", "new URL('x')", "btoa('\u20ac')", "atob('YQ==')",
			"new TextDecoder().decode(new TextEncoder().encode('é'))", "new TextDecoder('x')", "new TextDecoder().decode(5)",
			"crypto.subtle.digest('SHA-256', 'x')", "crypto.subtle.importKey('raw', 'k', 'HMAC').then(k => crypto.subtle.sign('HMAC', k, 'x'))",
			"structuredClone({ m: new Map([[1, 2]]), s: new Set([1]), d: new Date(0), r: /a/, e: new TypeError('x'), b: new Uint8Array(2) })", "structuredClone(() => 1)",
			"queueMicrotask(() => 1)", "setTimeout(() => 1, 1)", "clearTimeout(setTimeout(() => 1, 1))",
			"new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'EUR' }).formatToParts(5)", "new Intl.NumberFormat('en', { style: 'x' })", "(5).toLocaleString('en')",
			"new Date(0).toLocaleString('en')",
			"Object.groupBy([1], x => x)", "Map.groupBy([1], x => x)", "Promise.withResolvers()", "Promise.try(() => 1)", "Array.fromAsync([1])", "RegExp.escape('x')",
			"Uint8Array.from('12')", "Iterator.from([1]).map(x => x).toArray()", "[1].values().take(1).toArray()", "'\\ud800'.toWellFormed()",
		} {
			vm := goja.New()
			platform.Install(vm, nil)
			require.NotPanics(t, func() {
				if _, err := vm.RunString("(function () {" + patch + " return " + code + "})()"); err != nil {
					require.ErrorAs(t, err, new(*goja.Exception), "%s %s", patch, code)
				}
			}, "%s %s", patch, code)
		}
	}
}

func TestNothingOfGoIsVisible(t *testing.T) {
	assert.Equal(t, `[]`, mustRun(t, nil, `
		var seen = new Set(), bad = [];
		function walk(o, path, depth) {
			if (o === null || typeof o !== 'object' && typeof o !== 'function' || seen.has(o) || depth > 5) return;
			seen.add(o);
			if (typeof o === 'function' && /github|localpass|platform\./.test(String(o) + o.name)) bad.push(path);
			for (var k of Reflect.ownKeys(o)) {
				var d = Object.getOwnPropertyDescriptor(o, k);
				for (var v of [d.value, d.get, d.set]) walk(v, path + '.' + String(k), depth + 1);
			}
			walk(Object.getPrototypeOf(o), path + '.__proto__', depth + 1);
		}
		[crypto, crypto.subtle, Intl, Intl.NumberFormat, Intl.DateTimeFormat, URL, URLSearchParams,
			TextEncoder, TextDecoder, atob, btoa, structuredClone, queueMicrotask, setTimeout, clearTimeout, setInterval, clearInterval, Iterator,
			new URL('http://h/?a'), new URL('http://h/?a').searchParams, new URLSearchParams('a').entries(), new TextDecoder(), new Intl.NumberFormat(),
			new Intl.DateTimeFormat(), [].values().map(x => x), Object.groupBy, Promise.withResolvers, Array.fromAsync, Uint8Array.from,
			Number.prototype.toLocaleString, Date.prototype.toLocaleString].forEach((o, i) => walk(o, '#' + i, 0));
		return bad`))
}

func TestInstalledClassesAreFrozen(t *testing.T) {
	assert.Equal(t, `[]`, mustRun(t, nil, `return [crypto.subtle, crypto.subtle.digest, Intl.NumberFormat, Intl.NumberFormat.prototype, URL, URL.prototype,
		URLSearchParams.prototype, TextEncoder.prototype, TextDecoder.prototype, TextDecoder.prototype.decode, atob, btoa, structuredClone, setTimeout].filter(o => !Object.isFrozen(o)).map(String)`))
}

func TestFailure(t *testing.T) {
	vm := goja.New()
	p := platform.Install(vm, nil)
	_, ok := p.Failure(vm.ToValue(1))
	assert.False(t, ok)
	forged, err := vm.RunString("Object.assign(new Error('x'), { name: 'SafetyError', kind: 'SECURITY', helper: 'btoa', reason: 'non-latin-1' })")
	require.NoError(t, err)
	_, ok = p.Failure(forged)
	assert.False(t, ok, "only what the platform made counts")
	genuine, err := vm.RunString("try { btoa() } catch (e) { e.message = 'changed'; e.kind = 'SECURITY'; e }")
	require.NoError(t, err)
	failure, ok := p.Failure(genuine)
	assert.True(t, ok)
	assert.Equal(t, platform.Failure{Kind: "INVALID_INPUT", Helper: "btoa", Reason: "missing-input", Message: "btoa takes a text"}, failure)
	_, ok = p.Failure(forged)
	assert.False(t, ok)
	_, ok = p.Failure(goja.Undefined())
	assert.False(t, ok)
}

// Inputs at the limit that would take a careless parser hours.
func TestLongInputsTakeLinearTime(t *testing.T) {
	done := make(chan string, 1)
	go func() {
		got, err := run(t, nil, `var n = 1 << 20, out = [];
			for (var s of ['http://' + 'a'.repeat(n - 20) + '@h/', 'http://' + 'a@'.repeat(n / 2 - 20) + 'h/', 'http://h/' + 'a/'.repeat(n / 2 - 20), 'http://h/' + '../'.repeat(n / 3 - 20),
				'http://' + '\u00fc'.repeat(n - 20), 'http://' + '1.'.repeat(n / 2 - 20), 'http://[' + ':1'.repeat(n / 2 - 20) + ']', 'http://h?' + "'".repeat(n - 20), 'foo:' + ' '.repeat(n - 20)])
				out.push(URL.canParse(s));
			new URLSearchParams('a=1&'.repeat(n / 4)).toString();
			atob(btoa('x'.repeat(n)));
			'\ud800'.repeat(n).toWellFormed();
			RegExp.escape('.'.repeat(n));
			new Intl.NumberFormat('en').format('9'.repeat(1e4));
			new Intl.NumberFormat('en', { minimumSignificantDigits: 21 }).format('1e-99999');
			return out`)
		if err != nil {
			got = err.Error()
		}
		done <- got
	}()
	select {
	case got := <-done:
		assert.Equal(t, "[true,true,true,true,false,false,false,true,true]", got)
	case <-time.After(2 * time.Minute):
		t.Fatal("not done after two minutes")
	}
}

// Arguments that run code, throw, or are not what they look like.
func TestHostileWebArguments(t *testing.T) {
	const revoked = "(() => { var r = Proxy.revocable({}, {}); r.revoke(); return r.proxy })()"
	const throwing = "new Proxy({}, { get() { throw new Error('mine') }, ownKeys() { throw new Error('mine') } })"
	for _, argument := range []string{revoked, throwing, "Symbol('x')", "{ toString() { return Symbol('x') } }", "{ toString() { return {} } }", "Object.create(null)", "[Symbol()]", "1n", "{ length: 1e15 }",
		"new Proxy(new Uint8Array(4), {})", "{ get length() { throw 1 } }", "{ [Symbol.iterator]: () => ({ next: () => 5 }) }"} {
		for _, call := range []string{
			"new URL(%)", "new URL('x', %)", "new URLSearchParams(%)", "new URLSearchParams([%])", "new URLSearchParams({ a: % })", "new URL('http://h').host = %", "atob(%)", "btoa(%)",
			"new TextEncoder().encode(%)", "new TextEncoder().encodeInto('a', %)", "new TextDecoder(%)", "new TextDecoder('utf-8', %)", "new TextDecoder().decode(%)", "new TextDecoder().decode(new Uint8Array(1), %)",
			"crypto.subtle.digest(%, 'x')", "crypto.subtle.digest('SHA-256', %)", "crypto.subtle.importKey('raw', 'k', { name: 'HMAC', hash: % }, %, %)", "crypto.subtle.sign('HMAC', %, %)",
			"structuredClone(%)", "structuredClone([%])", "queueMicrotask(%)", "setTimeout(%)", "setTimeout(() => 1, %)", "clearTimeout(%)", "new Intl.NumberFormat(%)", "new Intl.NumberFormat('en', %)",
			"new Intl.NumberFormat('en', { style: % })", "new Intl.NumberFormat('en', { useGrouping: % })", "new Intl.NumberFormat('en', { maximumFractionDigits: % })", "new Intl.NumberFormat('en').format(%)",
			"(1).toLocaleString(%, %)", "new Date(0).toLocaleString(%, %)",
			"Object.groupBy(%, x => x)", "Object.groupBy([1], () => %)", "Map.groupBy(%, %)", "Promise.withResolvers.call(%)", "Promise.try(%)", "Array.fromAsync(%)", "RegExp.escape(%)", "Uint8Array.from(%)",
			"Iterator.from(%)", "[1].values().take(%)", "[1].values().flatMap(() => %).toArray()", "String.prototype.toWellFormed.call(%)",
		} {
			code := strings.ReplaceAll(call, "%", argument)
			require.NotPanics(t, func() {
				vm := goja.New()
				platform.Install(vm, nil)
				if _, err := vm.RunString("(function () { return " + code + "})()"); err != nil {
					require.ErrorAs(t, err, new(*goja.Exception), code)
				}
			}, code)
		}
	}
}
