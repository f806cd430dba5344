package egress_test

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/toolspec"
)

func TestPool(t *testing.T) {
	leak.Check(t)
	b := newBench(t, egress.Policy{}, nil, public(), nil)
	p := egress.NewPool(&egress.Options{Resolver: b.dns, Dial: b.net.dial})
	one, err := p.Guard(allow("good.test", "also.test"))
	require.NoError(t, err)
	same, err := p.Guard(allow("also.test", "good.test", "also.test"))
	require.NoError(t, err)
	assert.Same(t, one, same, "the order of rules means nothing")
	other, err := p.Guard(allow("good.test"))
	require.NoError(t, err)
	assert.NotSame(t, one, other)

	// No connection is shared between policies; one policy uses its own again.
	for _, g := range []*egress.Guard{one, same, other, other} {
		_, err := get(t, g, "http://good.test/")
		require.NoError(t, err)
	}
	assert.Len(t, b.net.dialed, 2)

	_, err = p.Guard(allow("https://x"))
	assert.Equal(t, "invalid-rule", reason(t, err))
	for i := range 70 { // more than the pool keeps
		_, err := p.Guard(allow("h" + strconv.Itoa(i) + ".test"))
		require.NoError(t, err)
	}
	_, err = get(t, one, "http://good.test/")
	assert.NoError(t, err, "a guard that the pool let go still works")
	again, err := p.Guard(allow("good.test", "also.test"))
	require.NoError(t, err)
	assert.NotSame(t, one, again)
	one.Close()

	require.NoError(t, p.Close())
	require.NoError(t, p.Close())
	_, err = p.Guard(allow("good.test"))
	assert.ErrorIs(t, err, egress.ErrClosed)
	_, err = get(t, again, "http://good.test/")
	assert.ErrorIs(t, err, egress.ErrClosed)
	_, err = egress.NewPool(nil).Guard(egress.Policy{Mode: toolspec.NetworkStrict})
	assert.NoError(t, err)
}

// A guard serves many goroutines at once.
func TestConcurrency(t *testing.T) {
	leak.Check(t)
	b := newBench(t, egress.Policy{Mode: toolspec.NetworkStrict}, http.HandlerFunc(redirecting), public(), nil)
	call, err := b.NewCall(nil)
	require.NoError(t, err)
	done := make(chan error)
	for i := range 8 {
		go func() {
			var first error
			for range 5 {
				if _, err := get(t, call, "http://good.test/go?to=/x"+strconv.Itoa(i)); err != nil && first == nil {
					first = err
				}
			}
			done <- first
		}()
	}
	failed := 0
	for range 8 {
		if err := <-done; err != nil {
			assert.Equal(t, "request-budget", reason(t, err))
			failed++
		}
	}
	assert.Positive(t, failed, "80 requests do not fit into a budget of 50")
	requests, _ := call.Usage()
	assert.GreaterOrEqual(t, requests, 50)
	b.Close()
}
