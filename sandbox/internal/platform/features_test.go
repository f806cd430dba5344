package platform_test

import (
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/platform"
)

func TestFeaturesIn(t *testing.T) {
	for code, want := range map[string][]string{
		"":                                    nil,
		"return 1 + 1":                        nil,
		"return a.map(x => x)":                nil,
		"return new URL(u).host":              {"URL"},
		"return u['atob']('x') // btoa":       {"atob", "btoa"},
		"crypto$.x; myURL; URLs":              nil,
		"return n.toLocaleString()":           {"Number.toLocaleString", "Date.toLocaleString"},
		"d.toLocaleDateString()":              {"Date.toLocaleString"},
		"Object.groupBy(a, f)":                {"Object.groupBy"},
		"Map.groupBy(a, f)":                   {"Map.groupBy"},
		"Array.from(x)":                       nil,
		"Uint8Array.from(x)":                  {"TypedArray.from"},
		"Object.keys(o).map(f)":               nil,
		"Object.entries(o) .find(f); values":  {"Iterator.prototype.find"},
		"o.keys().map(f)":                     {"Iterator.prototype.map"},
		"function* g() { yield 1 } g().map()": {"Iterator.prototype.map"},
		"try { await Promise.all(x) } catch":  {"Promise.try"},
		"Promise.withResolvers()":             {"Promise.withResolvers"},
		"RegExp.escape(s)":                    {"RegExp.escape"},
		"escape(s)":                           nil,
		"é.toWellFormed()":                    {"String.isWellFormed"},
		"setTimeout(f); clearTimeout(t)":      {"setTimeout", "clearTimeout"},
	} {
		f := platform.FeaturesIn(code)
		assert.Equal(t, want, f.Names(), code)
		assert.Equal(t, want == nil, f.None(), code)
	}
	assert.False(t, platform.Features{}.None(), "the zero value is everything")
	assert.GreaterOrEqual(t, len(platform.Features{}.Names()), 25)
}

func TestOnlyWhatIsNamedIsInstalled(t *testing.T) {
	vm := goja.New()
	platform.Install(vm, &platform.Options{Features: platform.FeaturesIn("URL")})
	v, err := vm.RunString("[typeof URL, typeof URLSearchParams, typeof crypto, typeof Object.groupBy, typeof new URL('http://h/?a').searchParams].join()")
	require.NoError(t, err)
	assert.Equal(t, "function,undefined,undefined,undefined,object", v.String())
}

// Every feature works alone: nothing leans on another one that is not there.
func TestEachFeatureStandsAlone(t *testing.T) {
	for name, code := range map[string]string{
		"crypto": "typeof crypto.randomUUID()", "Intl": "new Intl.NumberFormat('en').format(1)", "URL": "new URL('http://h/?a=1').searchParams.get('a')",
		"URLSearchParams": "new URLSearchParams('a=1').get('a')", "TextEncoder": "new TextEncoder().encode('a').length", "TextDecoder": "new TextDecoder().decode()",
		"atob": "atob('YQ==')", "btoa": "btoa('a')", "structuredClone": "structuredClone(1)", "queueMicrotask": "queueMicrotask(() => 1)", "setTimeout": "setTimeout(() => 1)",
		"setInterval": "setInterval(() => 1)", "clearTimeout": "clearTimeout(1)", "clearInterval": "clearInterval(1)", "Number.toLocaleString": "(1).toLocaleString('en-GB')",
		"Date.toLocaleString": "new Date(0).toLocaleString('en')", "TypedArray.from": "Uint8Array.from('1')", "Object.groupBy": "Object.groupBy([], x => x)",
		"Map.groupBy": "Map.groupBy([], x => x)", "Promise.withResolvers": "Promise.withResolvers()", "Promise.try": "Promise.try(() => 1)", "Array.fromAsync": "Array.fromAsync([])",
		"RegExp.escape": "RegExp.escape('')", "String.isWellFormed": "''.isWellFormed()", "Iterator": "Iterator.from([])",
		"Iterator.prototype.map": "[1].values().map(x => x).next()", "Iterator.prototype.filter": "[1].values().filter(x => x).next()", "Iterator.prototype.take": "[1].values().take(1).next()",
		"Iterator.prototype.drop": "[1].values().drop(1).next()", "Iterator.prototype.flatMap": "[1].values().flatMap(x => [x]).next()", "Iterator.prototype.reduce": "[1].values().reduce(x => x)",
		"Iterator.prototype.toArray": "[1].values().toArray()", "Iterator.prototype.forEach": "[1].values().forEach(x => x)", "Iterator.prototype.some": "[1].values().some(x => x)",
		"Iterator.prototype.every": "[1].values().every(x => x)", "Iterator.prototype.find": "[1].values().find(x => x)",
	} {
		vm := goja.New()
		platform.Install(vm, &platform.Options{Features: platform.OnlyFeature(name)})
		_, err := vm.RunString(code)
		assert.NoError(t, err, name)
		found := platform.FeaturesIn("Map Object RegExp Promise constructor try values Uint8Array " + code)
		assert.Contains(t, found.Names(), name, "the scan of %s", code)
	}
	assert.Len(t, platform.FeatureNames(), 36, "a new feature needs a line above")
}
