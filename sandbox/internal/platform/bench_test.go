package platform_test

import (
	"strings"
	"testing"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/sandbox/internal/platform"
	"github.com/localpass/localpass/sandbox/internal/platform/intl"
)

// BenchmarkInstall is what every runtime pays; compare with Bare.
func BenchmarkInstall(b *testing.B) {
	program := goja.MustCompile("tool", "(function () { return 1 })()", true)
	var zones intl.Zones
	opts := &platform.Options{Zones: zones.Load}
	b.Run("Bare", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			vm := goja.New()
			if _, err := vm.RunProgram(program); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Installed", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			vm := goja.New()
			platform.Install(vm, opts)
			if _, err := vm.RunProgram(program); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkFirstUse is what a tool pays that formats one date, or takes one id.
func BenchmarkFirstUse(b *testing.B) {
	var zones intl.Zones
	opts := &platform.Options{Zones: zones.Load}
	for name, code := range map[string]string{
		"Format": "new Intl.DateTimeFormat('en-US', {timeZone: 'Europe/Paris'}).format(0)",
		"UUID":   "crypto.randomUUID()",
	} {
		program := goja.MustCompile("tool", code, true)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				vm := goja.New()
				platform.Install(vm, opts)
				if _, err := vm.RunProgram(program); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFormat is one more date with a format that is there.
func BenchmarkFormat(b *testing.B) {
	vm := goja.New()
	platform.Install(vm, nil)
	v, err := vm.RunString("new Intl.DateTimeFormat('en-US', {timeZone: 'Europe/Paris', dateStyle: 'full', timeStyle: 'long'}).format")
	if err != nil {
		b.Fatal(err)
	}
	format, _ := goja.AssertFunction(v)
	date := vm.ToValue(1720000000000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := format(goja.Undefined(), date); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFeature is what each feature costs a runtime that does not use it.
func BenchmarkFeature(b *testing.B) {
	program := goja.MustCompile("tool", "(function () { return 1 })()", true)
	for _, name := range platform.FeatureNames() {
		opts := &platform.Options{Features: platform.OnlyFeature(name)}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				vm := goja.New()
				platform.Install(vm, opts)
				if _, err := vm.RunProgram(program); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFeaturesIn is what finding the features of a code of 4 KB costs, once
// per code.
func BenchmarkFeaturesIn(b *testing.B) {
	code := strings.Repeat("const out = items.map(x => x.value + '\\n').filter(Boolean); // keep it\n", 56)
	b.SetBytes(int64(len(code)))
	b.ReportAllocs()
	for b.Loop() {
		platform.FeaturesIn(code)
	}
}

// BenchmarkUse is what one use of the common parts costs on top.
func BenchmarkUse(b *testing.B) {
	for name, code := range map[string]string{
		"URL":          "new URL('https://example.com/a?b=1').searchParams.get('b')",
		"base64":       "atob(btoa('hello'))",
		"NumberFormat": "(1234.5).toLocaleString('en-US', { style: 'currency', currency: 'USD' })",
		"clone":        "structuredClone({ a: [1, 2, 3] })",
		"encode":       "new TextDecoder().decode(new TextEncoder().encode('hello'))",
	} {
		vm := goja.New()
		platform.Install(vm, nil)
		program := goja.MustCompile("tool", code, true)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := vm.RunProgram(program); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
