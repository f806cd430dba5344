package parser_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/parser"
)

// runtime makes a runtime with the parsers in it.
func runtime(t testing.TB, opts *parser.Options) *goja.Runtime {
	t.Helper()
	vm := goja.New()
	safety := vm.NewObject()
	require.NoError(t, parser.Install(vm, safety, opts))
	require.NoError(t, vm.Set("safety", safety))
	_, err := vm.RunString(`const P = safety.parser`)
	require.NoError(t, err)
	return vm
}

// script is code and the JSON of what it gives, or the failure it ends with.
type script struct{ name, code, want, fails string }

func run(t *testing.T, opts *parser.Options, scripts []script) {
	t.Helper()
	for _, s := range scripts {
		t.Run(s.name, func(t *testing.T) {
			vm := runtime(t, opts)
			v, err := vm.RunString("(function () {" + s.code + "})()")
			if s.fails != "" {
				assert.Equal(t, s.fails, failure(t, err))
				return
			}
			require.NoError(t, err)
			assert.JSONEq(t, s.want, jsonOf(t, vm, v))
		})
	}
}

func jsonOf(t testing.TB, vm *goja.Runtime, v goja.Value) string {
	t.Helper()
	stringify, _ := goja.AssertFunction(vm.Get("JSON").ToObject(vm).Get("stringify"))
	text, err := stringify(goja.Undefined(), v)
	require.NoError(t, err)
	return text.String()
}

// failure tells what was thrown: kind, helper and reason of a SafetyError.
func failure(t testing.TB, err error) string {
	t.Helper()
	var thrown *goja.Exception
	require.True(t, errors.As(err, &thrown), "nothing was thrown: %v", err)
	obj, ok := thrown.Value().(*goja.Object)
	require.True(t, ok)
	if obj.Get("name").String() != "SafetyError" {
		return obj.Get("name").String()
	}
	assert.True(t, strings.HasPrefix(obj.Get("message").String(), obj.Get("helper").String()+": "), obj.Get("message"))
	return obj.Get("kind").String() + " " + strings.TrimPrefix(obj.Get("helper").String(), "safety.parser.") + " " + obj.Get("reason").String()
}

// quote writes a text as a literal of JavaScript.
func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func repeat(s string, n int) string { return strings.Repeat(s, n) }
