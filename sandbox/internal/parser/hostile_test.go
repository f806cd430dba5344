package parser_test

import (
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/parser"
	"github.com/localpass/localpass/toolspec"
)

// TestPatchedRuntime: code that has changed what the runtime is made of gets
// the same results and the same failures.
func TestPatchedRuntime(t *testing.T) {
	const patch = `
		const bad = () => { throw new Error('patched') };
		const trap = {get: bad, set: bad, configurable: true};
		for (const name of ['a', 'tag', 'attrs', 'text', 'children', 'name', 'kind', 'helper', 'reason', '0', '1', 'then']) Object.defineProperty(Object.prototype, name, trap);
		for (const name of ['push', 'map', 'join', 'constructor']) Array.prototype[name] = bad;
		Array.prototype[Symbol.iterator] = bad;
		String.prototype.toString = String.prototype.valueOf = Object.prototype.toString = Object.prototype.valueOf = bad;
		Error = TypeError = bad; Object.freeze = x => x;
		const own = (o, k) => Reflect.getOwnPropertyDescriptor(o, k).value;
	`
	for _, s := range []script{
		{name: "csv", code: `const r = own(P.csv('a\nx', {__proto__: null, header: true}), '0'); return own(r, 'a')`, want: `"x"`},
		{name: "xml", code: `const e = P.xml('<a a="1">t<b/></a>'); return own(e, 'tag') + own(own(e, 'attrs'), 'a') + own(e, 'text') + own(own(own(e, 'children'), '0'), 'tag')`, want: `"a1tb"`},
		{name: "yaml", code: `return own(own(P.yaml('a: [x, y]'), 'a'), '1')`, want: `"y"`},
		{name: "html", code: `const d = P.html('<p a=b>x<p>y'); return d.text() + d.select('p').length + d.select('p').get(1).text() + d.selectFirst('p').attr('a')`, want: `"x y2yb"`},
		{name: "failure", code: `try { P.xml('') } catch (e) { return own(e, 'name') + own(e, 'kind') + own(e, 'reason') }`, want: `"SafetyErrorHELPER_RUNTIMEparse-failed"`},
	} {
		t.Run(s.name, func(t *testing.T) {
			vm := runtime(t, nil)
			v, err := vm.RunString("(function () {" + patch + s.code + "})()")
			require.NoError(t, err)
			assert.Equal(t, s.want, quote(v.String()))
		})
	}
}

// TestHostileArguments: no argument may run code, hang or panic.
func TestHostileArguments(t *testing.T) {
	const arguments = `[undefined, null, true, 0, -1, 1e9, NaN, Infinity, '', 'x', '\ud800', Symbol('x'), 10n ** 5000n, {}, [], [[]], () => 1, new Date(), /x/, new Proxy({}, {get() { throw new Error('trap') }}),
		{toString() { throw new Error('code') }}, {valueOf() { throw new Error('code') }}, new String('x'), Object.create(null), new Uint8Array(2), d, d.select('p'), d.body()]`
	vm := runtime(t, nil)
	v, err := vm.RunString(`(function () {
		const d = P.html('<p id=a>x<p>y<textarea>z</textarea>'), out = [];
		const targets = [P, d, d.selectFirst('p'), d.select('p'), d.select('none')];
		const names = o => { const all = []; for (; o && o !== Object.prototype && o !== Array.prototype; o = Object.getPrototypeOf(o)) for (const k of Object.getOwnPropertyNames(o)) if (isNaN(k)) all.push(k); return all };
		let calls = 0;
		for (const target of targets) for (const name of names(target)) {
			if (typeof target[name] !== 'function' || ['remove', 'empty', 'constructor'].includes(name)) continue;
			for (const a of ` + arguments + `) for (const b of ` + arguments + `) {
				calls++;
				try { target[name](a, b) } catch (e) {
					if (!(e instanceof Error)) out.push(name + ': no Error');
					else if (e.message === 'code') out.push(name + ': code ran');
					else if (e.name !== 'SafetyError' && e.name !== 'TypeError' && e.message !== 'trap') out.push(name + ': ' + e);
				}
			}
			for (const self of ` + arguments + `.slice(0, -3)) try { target[name].call(self, 'x'); if (target !== P) out.push(name + ' on ' + typeof self) } catch (e) { if (target !== P && !(e instanceof TypeError)) out.push(name + ': ' + e) }
		}
		return JSON.stringify([out, calls > 10000]);
	})()`)
	require.NoError(t, err)
	assert.Equal(t, `[[],true]`, v.String())
}

func TestNothingOfGoIsSeen(t *testing.T) {
	run(t, nil, []script{
		{name: "own names", code: `const d = P.html('<p>x'); return [Reflect.ownKeys(d), Reflect.ownKeys(d.selectFirst('p')), Reflect.ownKeys(d.select('p'))]`, want: `[[],[],["0","length"]]`},
		{name: "for in", code: `const all = []; for (const k in P.html('<p>x').selectFirst('p')) all.push(k); return all.includes('text')`, want: `true`},
		{name: "function names", code: `return [P.csv.name, P.html.length, P.html('').select.name, P.html('').select('p').size.name, 'prototype' in P.csv]`, want: `["csv",1,"select","size",false]`},
		{name: "accessor", code: `return Object.getOwnPropertyDescriptor(safety, 'parser').get.name`, want: `"get parser"`},
		{name: "parser is frozen", code: `return [Object.isFrozen(P), Object.isFrozen(P.csv), safety.parser === P, Object.keys(P)]`, want: `[true,true,true,["csv","xml","yaml","html"]]`},
		{name: "elements cannot be changed", code: `const e = P.html('<p>x').selectFirst('p'); e.x = 1; delete e.text; return [e.x === undefined, 'x' in e, e.text()]`, want: `[true,false,"x"]`},
	})
}

func TestStopped(t *testing.T) {
	stop := false
	for name, code := range map[string]string{
		"csv": `P.csv('a,b\n'.repeat(5000))`, "xml": `P.xml('<a>' + '<b/>'.repeat(5000) + '</a>')`, "yaml": `P.yaml('- a\n'.repeat(5000))`, "html": `P.html('<p>x</p>'.repeat(5000)).select('p')`,
	} {
		stop = false
		vm := runtime(t, &parser.Options{Stopped: func() bool { return stop }})
		_, err := vm.RunString(code)
		require.NoError(t, err, name)
		stop = true
		_, err = vm.RunString(code)
		assert.Equal(t, "HELPER_RUNTIME "+name+" stopped", failure(t, err))
	}
}

func TestFailedOption(t *testing.T) {
	var got *toolspec.CallError
	vm := goja.New()
	safety := vm.NewObject()
	require.NoError(t, parser.Install(vm, safety, &parser.Options{Failed: func(e *toolspec.CallError) goja.Value { got = e; return vm.ToValue("mine") }}))
	require.NoError(t, vm.Set("safety", safety))
	v, err := vm.RunString(`try { safety.parser.yaml('[') } catch (e) { e }`)
	require.NoError(t, err)
	assert.Equal(t, "mine", v.String())
	assert.Equal(t, toolspec.KindHelperRuntime, got.Kind)
	assert.Equal(t, parser.ReasonParseFailed, got.Reason)
	assert.Equal(t, "safety.parser.yaml", got.Component)
}

// TestMistakesAreContained: a panic below a parser is a failure of the call,
// not the end of the program.
func TestMistakesAreContained(t *testing.T) {
	var none []int
	run(t, &parser.Options{Warn: func(string) { none[0]++ }}, []script{{name: "panic", code: `P.yaml('a: 1\na: 2')`, fails: "HELPER_RUNTIME yaml parse-failed"}})
}

func TestFailureIsAnError(t *testing.T) {
	run(t, nil, []script{{name: "error", code: `try { P.csv() } catch (e) { return [e instanceof Error, e instanceof TypeError, Object.keys(e), e.kind, e.helper, e.reason, String(e), typeof e.stack] }`,
		want: `[true,false,[],"INVALID_INPUT","safety.parser.csv","missing-input","SafetyError: safety.parser.csv: the text is missing","string"]`}})
}

// TestHostileTexts: each within its time, refused or not.
func TestHostileTexts(t *testing.T) {
	start := time.Now()
	vm := runtime(t, nil)
	for name, code := range map[string]string{
		"quotes":            `P.csv('"'.repeat(2e6))`,
		"commas":            `P.csv(','.repeat(2e6))`,
		"one open quote":    `P.csv('"' + 'a,'.repeat(1e6))`,
		"elements":          `P.xml('<a>'.repeat(1e6))`,
		"xml attributes":    `P.xml('<a ' + Array.from({length: 210000}, (_, i) => 'a' + i + '=""').join(' ') + '/>')`,
		"references":        `P.xml('<a>' + '&amp;'.repeat(2e5) + '</a>')`,
		"small texts":       `P.xml('<a>' + 'x<!---->'.repeat(2e5) + '</a>')`,
		"nested flow":       `P.yaml('['.repeat(3e6))`,
		"nested lists":      `P.yaml('- '.repeat(1.5e6))`,
		"keys":              `P.yaml('a: b\n'.repeat(6e5))`,
		"comments":          `P.yaml('- #\n'.repeat(7e5))`,
		"tag directives":    `P.yaml(Array.from({length: 150000}, (_, i) => '%TAG !a' + i + '! b').join('\n'))`,
		"digits":            `P.yaml('1'.repeat(3e6))`,
		"nested divs":       `P.html('<div>'.repeat(1e6)).text()`,
		"nested divs, tree": `P.html('<div>'.repeat(1e6)).select('div')`,
		"laughing texts":    `const h = P.html('<div>'.repeat(400) + 'x'.repeat(3e5)); h.select('div').text()`,
		"shared attribute":  `const h2 = P.html('<p></p>'.repeat(1e5)); h2.select('p').attr('a', 'x'.repeat(1e6))`,
		"ever deeper":       `let e = P.html('<div></div>').selectFirst('div'); for (;;) e = e.append('<div></div>').child(0)`,
		"ever longer":       `const h3 = P.html('<div></div>').selectFirst('div'); for (;;) h3.append('<p></p>'.repeat(1e4))`,
		"nested selectors":  `P.html('<p>').select(':not('.repeat(1000))`,
	} {
		_, err := vm.RunString(code)
		if err != nil {
			words := strings.Fields(failure(t, err))
			assert.Contains(t, []string{parser.ReasonParseFailed, parser.ReasonOutput, parser.ReasonInvalidSelector}, words[len(words)-1], name)
		}
	}
	assert.Less(t, time.Since(start), 2*time.Minute)
}
