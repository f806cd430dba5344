package platform_test

import (
	"errors"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/platform"
)

// await evaluates the body of an async function, fires its timers without
// waiting, and gives the JSON of what it returns.
func await(t testing.TB, opts *platform.Options, body string) (string, error) {
	t.Helper()
	vm := goja.New()
	p := platform.Install(vm, opts)
	v, err := vm.RunString("(async function () {" + body + "\n})().then(JSON.stringify)")
	require.NoError(t, err, body)
	promise := v.Export().(*goja.Promise)
	for promise.State() == goja.PromiseStatePending {
		if _, ok := p.Timers().Next(); !ok {
			return "", errors.New("never settles")
		}
		if err := p.Timers().Fire(); err != nil {
			return "", err
		}
	}
	if promise.State() == goja.PromiseStateRejected {
		return "", errors.New(promise.Result().String())
	}
	return promise.Result().String(), nil
}

func mustAwait(t testing.TB, opts *platform.Options, body string) string {
	t.Helper()
	got, err := await(t, opts, body)
	require.NoError(t, err, body)
	return got
}
