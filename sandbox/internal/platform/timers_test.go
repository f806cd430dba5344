package platform_test

import (
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/platform"
)

func TestTimersClock(t *testing.T) {
	vm := goja.New()
	timers := platform.Install(vm, nil).Timers()
	_, ok := timers.Next()
	assert.False(t, ok)
	require.NoError(t, timers.Fire(), "with nothing pending")
	_, err := vm.RunString(`var out = [];
		setTimeout(() => { out.push('a'); setTimeout(() => out.push('c'), 50) }, 100);
		setTimeout((...x) => out.push(...x), 120, 'b', 1)`)
	require.NoError(t, err)

	at, ok := timers.Next()
	assert.True(t, ok)
	assert.Equal(t, 100*time.Millisecond, at)
	timers.Advance(110 * time.Millisecond) // late, as after work outside
	timers.Advance(10 * time.Millisecond)  // never back
	require.NoError(t, timers.Fire())
	at, _ = timers.Next()
	assert.Equal(t, 120*time.Millisecond, at)
	require.NoError(t, timers.Fire())
	at, _ = timers.Next()
	assert.Equal(t, 160*time.Millisecond, at, "50 after the clock was at 110")
	require.NoError(t, timers.Fire())
	got, err := vm.RunString("out.join()")
	require.NoError(t, err)
	assert.Equal(t, "a,b,1,c", got.String())
}

func TestTimersFailure(t *testing.T) {
	vm := goja.New()
	timers := platform.Install(vm, nil).Timers()
	_, err := vm.RunString("setTimeout(() => { throw new RangeError('mine') }, 1); setInterval(() => { for (;;); }, 5)")
	require.NoError(t, err)
	var thrown *goja.Exception
	require.ErrorAs(t, timers.Fire(), &thrown)
	assert.Contains(t, thrown.Error(), "RangeError: mine")
	stop := time.AfterFunc(20*time.Millisecond, func() { vm.Interrupt("enough") })
	defer stop.Stop()
	var interrupted *goja.InterruptedError
	require.ErrorAs(t, timers.Fire(), &interrupted)
	_, ok := timers.Next()
	assert.True(t, ok, "an interval goes on until it is cleared")
}

func TestTimersAreBounded(t *testing.T) {
	vm := goja.New()
	p := platform.Install(vm, &platform.Options{Limits: platform.Limits{Timers: 3}})
	v, err := vm.RunString(`for (var i = 0; i < 3; i++) setTimeout(() => 1, 1e9);
		var e; try { setInterval(() => 1, 1) } catch (x) { e = x } e`)
	require.NoError(t, err)
	failure, ok := p.Failure(v)
	require.True(t, ok)
	assert.Equal(t, platform.Failure{Kind: "RESOURCE_LIMIT", Helper: "timers", Reason: "too-many-timers", Message: "setInterval: more than 3 timers are pending"}, failure)
	at, _ := p.Timers().Next()
	assert.Equal(t, 1e9*time.Millisecond, at)
}

func TestTimersRefuse(t *testing.T) {
	assert.Equal(t, `["TypeError","TypeError","TypeError","ok"]`, mustRun(t, nil,
		"return [() => setTimeout('code'), () => setTimeout(() => 1, 1n), () => setTimeout(() => 1, Symbol()), () => clearTimeout({})].map(f => { try { f(); return 'ok' } catch (e) { return e.name } })"))
}

func TestMicrotaskThatThrows(t *testing.T) {
	vm := goja.New()
	p := platform.Install(vm, nil)
	assert.Nil(t, p.Uncaught())
	_, err := vm.RunString("Promise.prototype.then = null; queueMicrotask(() => { throw new Error('first') }); queueMicrotask(() => { throw new Error('second') })")
	require.NoError(t, err)
	require.NotNil(t, p.Uncaught())
	assert.Contains(t, p.Uncaught().Error(), "Error: first")
}
