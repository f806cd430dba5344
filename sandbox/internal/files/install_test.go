package files_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/files"
	"github.com/localpass/localpass/sandbox/internal/hostcall"
	"github.com/localpass/localpass/toolspec"
)

// What is installed shows nothing of Go and cannot be changed.
func TestInstalledObject(t *testing.T) {
	w := newWorld(t)
	populate(w)
	for expr, want := range map[string]string{
		`Object.isFrozen(fs)`:                      `true`,
		`Object.values(fs).every(Object.isFrozen)`: `true`,
		`Object.keys(fs).length`:                   `22`,
		`Object.keys(fs).every(k => fs[k].name === k && typeof fs[k] === 'function')`: `true`,
		`[fs.grep.length, fs.list.length, fs.readText.length]`:                        `[2,0,1]`,
		`safety.fs === fs`:                                                                             `true`,
		`fs.readText.toString().includes('github')`:                                                    `false`,
		`(fs.readText = 1, fs.x = 1, typeof fs.readText + typeof fs.x)`:                                `"functionundefined"`,
		`Object.getPrototypeOf(fs) === Object.prototype`:                                               `true`,
		`(safety.fs = 1, delete safety.fs, typeof safety.fs)`:                                          `"object"`,
		`Object.getOwnPropertyDescriptor(safety, 'fs').get.name`:                                       `"get fs"`,
		`Object.getOwnPropertyNames(fs.stat('a.txt'))`:                                                 `["size","mtime","directory"]`,
		`[fs.list('dir') instanceof Array, Object.getPrototypeOf(fs.list('dir')) === Array.prototype]`: `[true,true]`,
		`(l => (l.push('x'), l.length))(fs.list('dir'))`:                                               `4`,
		`(b => (b[0] = 7, b[0]))(fs.readBytes('a.txt'))`:                                               `7`,
		`new fs.readText('a.txt')`:                                                                     `TypeError: Value is not a constructor`,
	} {
		got := w.eval(expr)
		if strings.HasPrefix(want, "TypeError") {
			assert.Contains(t, got, "TypeError", expr)
			continue
		}
		assert.Equal(t, want, got, expr)
	}
	_, err := w.vm.RunString(`'use strict'; safety.fs.readText = 1`)
	assert.ErrorContains(t, err, "TypeError")
}

// Code that has changed the prototypes before its first use of fs neither sees
// more nor breaks the host.
func TestPatchedPrototypes(t *testing.T) {
	w := newWorld(t)
	populate(w)
	_, err := w.vm.RunString(`
		var seen = [];
		for (const name of ['size', 'file', 'line', 'text', 'kind', 'reason', 'name', 'helper', 'path', 'replacements', '0', 'get', 'set'])
			Object.defineProperty(Object.prototype, name, {configurable: true, set(v) { seen.push(name) }, get() { return undefined }});
		Object.defineProperty(Array.prototype, '0', {set(v) { seen.push('array') }, get() { seen.push('hole'); return 1 }});
		Array.prototype.push = Array.prototype.map = Array.prototype[Symbol.iterator] = () => { throw 'patched' };
		String.prototype.toString = Function.prototype.call = Function.prototype.apply = () => { throw 'patched' };
		JSON.parse = JSON.stringify = () => { throw 'patched' };
		Error = TypeError = Object.freeze = function () { throw 'patched' };
		Uint8Array = function () { throw 'patched' };
	`)
	require.NoError(t, err)
	run := func(code string) string {
		v, err := w.vm.RunString(code)
		require.NoError(t, err, code)
		return v.String()
	}
	_, err = w.vm.RunString(`safety.fs`)
	assert.ErrorContains(t, err, "patched", "a freeze that throws keeps fs from its own code only")
	_, err = w.vm.RunString(`Object.freeze = x => x`)
	require.NoError(t, err)
	assert.Equal(t, "one\ntwo\nthree\n", run(`safety.fs.readText('a.txt')`))
	assert.Equal(t, "3 dir/sub", run(`var l = safety.fs.list('dir'); l.length + ' ' + l[0]`))
	assert.Equal(t, "2 // TODO one", run(`var h = safety.fs.searchInFiles('dir', 'x.go', 'TODO')[0]; h.line + ' ' + h.text`))
	assert.Equal(t, "14", run(`'' + safety.fs.stat('a.txt').size`))
	assert.Equal(t, "3", run(`'' + safety.fs.readBytes('latin.txt').slice(2).byteLength`), "an ArrayBuffer: the code has no Uint8Array any more")
	assert.Equal(t, "SafetyError SECURITY path-escapes-base safety.fs", run(`try { safety.fs.readText('..') } catch (e) { [e.name, e.kind, e.reason, e.helper] + '' === 1; e.name + ' ' + e.kind + ' ' + e.reason + ' ' + e.helper }`))
	assert.Equal(t, "", run(`seen.join ? '' + seen.length === '0' ? '' : seen[0] + '' : ''`), "no setter of the code saw an answer")
}

// Arguments that are objects with code in them run it, and nothing else.
func TestHostileArguments(t *testing.T) {
	w := newWorld(t)
	populate(w)
	for expr, want := range map[string]string{
		`fs.grep('t', 'a.txt', {get limit() { throw new RangeError('mine') }})`:                                    `RangeError: mine`,
		`fs.grep('t', 'a.txt', {get limit() { return fs.grep('o', 'a.txt').length }})`:                             `["two","three"]`,
		`fs.grep('t', 'a.txt', new Proxy({}, {get(t, k) { return k === 'limit' ? 1 : undefined }}))`:               `["two"]`,
		`fs.grep('t', 'a.txt', new Proxy({}, {get() { return Symbol() }}))`:                                        `INVALID_INPUT invalid-options`,
		`fs.readText({toString() { throw 1 }})`:                                                                    `INVALID_INPUT invalid-path`,
		`fs.readText(new String('a.txt'))`:                                                                         `INVALID_INPUT invalid-path`,
		`fs.readText(['a.txt'])`:                                                                                   `INVALID_INPUT invalid-path`,
		`fs.readText(true)`:                                                                                        `HELPER_RUNTIME io`,
		`fs.cut('table.tsv', {fields: new Proxy([1], {})})`:                                                        `INVALID_INPUT fields-not-array`,
		`fs.cut('table.tsv', {fields: Object.defineProperty([1], '0', {get() { throw new RangeError('mine') }})})`: `RangeError: mine`,
		`fs.cut('table.tsv', {fields: Array(1e9)})`:                                                                `INVALID_INPUT cut-too-many-fields`,
		`fs.writeBytes('x', new Proxy(new Uint8Array(1), {}))`:                                                     `INVALID_INPUT content-not-bytes`,
		`fs.writeBytes('x', {get length() { throw 1 }})`:                                                           `INVALID_INPUT content-not-bytes`,
		`fs.writeText('x', Symbol())`:                                                                              `INVALID_INPUT content-not-text`,
		`fs.writeText('x', 2n ** 4000n)`:                                                                           `INVALID_INPUT content-not-text`,
		`fs.writeText('x', null) && fs.readText('x')`:                                                              `""`,
		`fs.slice('a.txt', 1n)`:                                                                                    `INVALID_INPUT invalid-range`,
		`fs.editText('dir/x.go', 'TODO', 'x', {valueOf() { throw 1 }}).replacements`:                               `1`,
		`fs.readText.call(null, 'b.txt')`:                                                                          `"b"`,
		`Reflect.apply(fs.readText, {}, ['b.txt'])`:                                                                `"b"`,
		`['b.txt'].map(fs.readText)`:                                                                               `["b"]`,
	} {
		assert.Equal(t, want, w.eval(expr), expr)
	}
}

// A getter of the code that does not end is ended by the engine.
func TestEndlessGetter(t *testing.T) {
	for _, code := range []string{
		`safety.fs.grep('t', 'a.txt', {get limit() { for (;;) {} }})`,
		`Uint8Array = function () { for (;;) {} }; safety.fs.readBytes('a.txt')`,
		`Object.freeze = function () { for (;;) {} }; safety.fs`,
	} {
		w := newWorld(t)
		populate(w)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		stop := context.AfterFunc(ctx, func() { w.vm.Interrupt("enough") })
		_, err := w.vm.RunString(code)
		var interrupted *goja.InterruptedError
		assert.ErrorAs(t, err, &interrupted, code)
		stop()
		cancel()
	}
}

// The JS half believes the program no more than the program believes it.
func TestGarbledReplies(t *testing.T) {
	for _, reply := range []hostcall.Reply{
		{}, {Value: json.RawMessage(`{`)}, {Value: json.RawMessage(`[]`)}, {Value: json.RawMessage(`{"bytes":-1,"count":0}`)}, {Value: json.RawMessage(`{"bytes":1e18}`)},
		{Value: json.RawMessage(`{"bytes":9000000000000000000,"count":1}`)}, {Value: json.RawMessage(`{"bytes":5,"count":1}`)}, {Value: json.RawMessage(`{"bytes":0,"count":1}`), Data: []byte("x")},
		{Value: json.RawMessage(`{"bytes":3,"count":2}`), Data: []byte("\x01ab")}, {Value: json.RawMessage(`{"bytes":2,"count":1}`), Data: []byte("\x05a")},
		{Value: json.RawMessage(`{"bytes":2,"count":1000000000}`), Data: []byte("\x01a")}, {Value: json.RawMessage(`{"bytes":10,"count":1}`), Data: []byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")},
		{Value: json.RawMessage(`{"bytes":3,"count":1}`), Data: []byte("\x01ab")}, {Value: json.RawMessage(`{"bytes":2,"count":1}`), Data: []byte("\x01a")},
	} {
		vm := goja.New()
		safety := vm.NewObject()
		require.NoError(t, vm.Set("safety", safety))
		require.NoError(t, files.Install(vm, safety, &files.Options{Read: true, Write: true, Call: func(hostcall.Request) (hostcall.Reply, *toolspec.CallError) { return reply, nil }}))
		for _, use := range []string{`searchInFiles('.', '*', 'x')`, `stat('x')`, `exists('x')`, `writeText('x')`, `deleteDir('x')`, `editText('x', 'y', 'z')`} {
			if use == `stat('x')` && len(reply.Value) > 0 && reply.Value[0] == '{' || strings.HasPrefix(use, "edit") && len(reply.Value) > 0 && reply.Value[0] == '{' {
				continue // an object is what they expect
			}
			v, err := vm.RunString(`(() => { try { return 'gave ' + safety.fs.` + use + ` } catch (e) { return e.kind + ' ' + e.reason } })()`)
			require.NoError(t, err)
			assert.Equal(t, "HELPER_RUNTIME io", v.String(), "%s of %s %q", use, reply.Value, reply.Data)
		}
	}
	hits := hostcall.Reply{Value: json.RawMessage(`{"bytes":6,"count":3}`), Data: []byte("\x01f\x01x\x01t")}
	vm := goja.New()
	safety := vm.NewObject()
	require.NoError(t, vm.Set("safety", safety))
	require.NoError(t, files.Install(vm, safety, &files.Options{Read: true, Call: func(hostcall.Request) (hostcall.Reply, *toolspec.CallError) { return hits, nil }}))
	_, err := vm.RunString(`safety.fs.searchInFiles('.', '*', 'x')`)
	assert.ErrorContains(t, err, "cannot be read", "the number of a line is none")
}

// A stub whose refusal got lost gives nothing.
func TestStubsGiveNothing(t *testing.T) {
	vm := goja.New()
	safety := vm.NewObject()
	require.NoError(t, vm.Set("safety", safety))
	asked := ""
	require.NoError(t, files.Install(vm, safety, &files.Options{Read: true, Call: func(r hostcall.Request) (hostcall.Reply, *toolspec.CallError) {
		asked = r.Op + string(r.Args) + string(r.Data)
		return hostcall.Reply{Value: json.RawMessage(`"yes"`)}, nil
	}}))
	v, err := vm.RunString(`safety.fs.writeText('a', 'b')`)
	require.NoError(t, err)
	assert.True(t, goja.IsUndefined(v))
	assert.Equal(t, `fs.writeText{"path":"a"}`, asked, "what code wanted to write is not even sent")
}

// The owner of the engine can make the errors, to know them again.
func TestFailure(t *testing.T) {
	vm := goja.New()
	safety := vm.NewObject()
	require.NoError(t, vm.Set("safety", safety))
	want := &toolspec.CallError{Kind: toolspec.KindSecurity, Reason: "x", Component: files.Helper, Message: "no"}
	var got *toolspec.CallError
	require.NoError(t, files.Install(vm, safety, &files.Options{
		Read: true,
		Call: func(hostcall.Request) (hostcall.Reply, *toolspec.CallError) { return hostcall.Reply{}, want },
		Failure: func(e *toolspec.CallError) *goja.Object {
			got = e
			return vm.NewObject()
		},
	}))
	_, err := vm.RunString(`safety.fs.readText('x')`)
	require.Error(t, err)
	assert.Same(t, want, got)
}
