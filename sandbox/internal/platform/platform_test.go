package platform_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/platform"
)

// run evaluates the body of a function on a runtime of its own and gives the
// JSON of what it returns.
func run(t *testing.T, opts *platform.Options, body string) (string, error) {
	t.Helper()
	vm := goja.New()
	platform.Install(vm, opts)
	v, err := vm.RunString("JSON.stringify((function () {" + body + "\n})())")
	if err != nil {
		return "", err
	}
	return v.String(), nil
}

func mustRun(t *testing.T, opts *platform.Options, body string) string {
	t.Helper()
	got, err := run(t, opts, body)
	require.NoError(t, err, body)
	return got
}

func TestInstallIsLazyAndReadOnly(t *testing.T) {
	vm := goja.New()
	platform.Install(vm, nil)
	got, err := vm.RunString(`
		var before = Object.getOwnPropertyDescriptor(this, 'crypto');
		var first = crypto, again = crypto;
		var after = Object.getOwnPropertyDescriptor(this, 'crypto');
		crypto = 1; Intl = 2;
		JSON.stringify([typeof before.get, before.get.name, before.set === undefined, before.enumerable,
			first === again, after.value === first, after.writable, after.configurable, typeof crypto, typeof Intl])`)
	require.NoError(t, err)
	assert.Equal(t, `["function","get crypto",true,false,true,true,false,true,"object","object"]`, got.String())
}

func TestInstalledObjectsAreFrozenAndPlain(t *testing.T) {
	for _, object := range []string{
		"crypto", "crypto.randomUUID", "crypto.getRandomValues", "Intl", "Intl.DateTimeFormat", "Intl.DateTimeFormat.prototype",
	} {
		assert.Equal(t, "true", mustRun(t, nil, "return Object.isFrozen("+object+")"), object)
	}
	names := mustRun(t, nil, `var f = new Intl.DateTimeFormat(), seen = [];
		[Intl.DateTimeFormat, crypto.randomUUID, crypto.getRandomValues, f.format, f.formatToParts, f.resolvedOptions].forEach(function (g) {
			seen.push(g.name + '/' + g.length, String(g)) });
		return seen.join(' ')`)
	assert.NotContains(t, names, "platform", "no name of a Go function is visible")
	assert.NotContains(t, names, "github.com")
	assert.Equal(t, `["{}","{}"]`, mustRun(t, nil, "return [JSON.stringify(crypto.x || {}), JSON.stringify(new Intl.DateTimeFormat())]"))
}

func TestReplacedBuiltinsHurtOnlyTheScript(t *testing.T) {
	for _, body := range []string{
		"Object = 1; return typeof crypto.randomUUID()",
		"Object.freeze = null; return typeof crypto.randomUUID()",
		"Object.freeze = function () { throw new Error('mine') }; return typeof crypto.randomUUID()",
		"RangeError = null; return new Intl.DateTimeFormat('?')",
		"RangeError = function () { throw 1 }; return new Intl.DateTimeFormat('?')",
		"Error = null; return crypto.getRandomValues(1)",
		"Object.defineProperty(this, 'crypto', {value: 7}); return crypto",
		"Object.preventExtensions(globalThis); return typeof Intl.DateTimeFormat().format(0)",
	} {
		assert.NotPanics(t, func() {
			if _, err := run(t, nil, body); err != nil {
				assert.ErrorAs(t, err, new(*goja.Exception), body)
			}
		}, body)
	}
}

func TestRandomUUID(t *testing.T) {
	opts := &platform.Options{Random: bytes.NewReader(bytes.Repeat([]byte{0xff}, 16))}
	assert.Equal(t, `"ffffffff-ffff-4fff-bfff-ffffffffffff"`, mustRun(t, opts, "return crypto.randomUUID()"))
	opts.Random = bytes.NewReader(make([]byte, 16))
	assert.Equal(t, `"00000000-0000-4000-8000-000000000000"`, mustRun(t, opts, "return crypto.randomUUID()"))
}

func TestGetRandomValuesFillsWholeElements(t *testing.T) {
	for array, want := range map[string]string{
		"new Uint8Array(2)":                     "[255,255]",
		"new Int8Array(2)":                      "[-1,-1]",
		"new Uint8ClampedArray(2)":              "[255,255]",
		"new Uint16Array(2)":                    "[65535,65535]",
		"new Int16Array(2)":                     "[-1,-1]",
		"new Uint32Array(2)":                    "[4294967295,4294967295]",
		"new Int32Array(2)":                     "[-1,-1]",
		"new Uint8Array(0)":                     "[]",
		"new Uint8Array(new ArrayBuffer(4), 3)": "[255]",
	} {
		opts := &platform.Options{Random: ones{}}
		assert.Equal(t, want, mustRun(t, opts, "return Array.from(crypto.getRandomValues("+array+"))"), array)
	}
	opts := &platform.Options{Random: ones{}}
	assert.Equal(t, `["18446744073709551615","-1"]`, mustRun(t, opts,
		"return [String(crypto.getRandomValues(new BigUint64Array(1))[0]), String(crypto.getRandomValues(new BigInt64Array(1))[0])]"))
	assert.Equal(t, `[0,0,255,255,0,0]`, mustRun(t, opts,
		"var b = new Uint8Array(6); crypto.getRandomValues(b.subarray(2, 4)); return Array.from(b)"), "only the view is filled")
}

type ones struct{}

func (ones) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 0xff
	}
	return len(b), nil
}

func TestGetRandomValuesRefuses(t *testing.T) {
	for argument, reason := range map[string]string{
		"":                                 "not-array",
		"null":                             "not-array",
		"[1, 2]":                           "not-array",
		"'text'":                           "not-array",
		"{length: 4}":                      "not-array",
		"new Float32Array(1)":              "not-array",
		"new DataView(new ArrayBuffer(4))": "not-array",
		"new ArrayBuffer(4)":               "not-array",
		"new Proxy(new Uint8Array(4), {})": "not-array",
		"new Proxy([], {get: function () { throw 1 }})": "not-array",
		"new Uint8Array(65537)":                         "array-too-large",
		"new BigInt64Array(8193)":                       "array-too-large",
	} {
		got := mustRun(t, nil, "try { crypto.getRandomValues("+argument+") } catch (e) { return [e instanceof Error, e.name, e.kind, e.helper, e.reason, Object.keys(e).length] }")
		assert.Equal(t, `[true,"SafetyError","INVALID_INPUT","crypto","`+reason+`",0]`, got, argument)
	}
}

func TestRandomnessThatEndsIsAnError(t *testing.T) {
	for _, call := range []string{"crypto.randomUUID()", "crypto.getRandomValues(new Uint8Array(8))"} {
		for _, source := range []io.Reader{strings.NewReader("abc"), failing{}} {
			got := mustRun(t, &platform.Options{Random: source}, "try { "+call+" } catch (e) { return [e.kind, e.reason, e.message] }")
			assert.Equal(t, `["HELPER_RUNTIME","no-randomness","crypto: the host has no random bytes left"]`, got, "nothing of the host's error shows")
		}
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("/dev/secret") }

func TestNowComesFromTheHost(t *testing.T) {
	opts := &platform.Options{Clock: func() time.Time { return time.Date(2024, 2, 29, 23, 59, 0, 0, time.UTC) }}
	assert.Equal(t, `["2/29/2024","3/1/2024"]`, mustRun(t, opts,
		"return [new Intl.DateTimeFormat().format(), new Intl.DateTimeFormat('en', {timeZone: 'Asia/Tokyo'}).format(undefined)]"))
}

func TestEachRuntimeStandsAlone(t *testing.T) {
	a, b := goja.New(), goja.New()
	platform.Install(a, nil)
	platform.Install(b, nil)
	_, err := a.RunString("Object.defineProperty(globalThis, 'Intl', {value: 'gone'})")
	require.NoError(t, err)
	v, err := b.RunString("typeof Intl.DateTimeFormat")
	require.NoError(t, err)
	assert.Equal(t, "function", v.String())
}
