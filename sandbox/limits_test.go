package sandbox_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/toolspec"
)

// Memory is what code may keep alive in a worker: what ends a small one fits into a
// large one. What is alive is known after a collection only, and the watchdog looks every
// 2 ms, so code that keeps too much goes on allocating until it is ended.
func TestMemory(t *testing.T) {
	keep := func(mib int, fits bool) *toolspec.RunRequest {
		return request(fmt.Sprintf(`const kept = []; for (let i = 0; i < %d; i++) kept.push(new Uint8Array(1 << 20));
			while (!%t) kept[0] = new Uint8Array(1 << 20);
			return kept.length`, mib, fits))
	}
	for _, c := range []struct {
		memory int64
		mib    int
		fits   bool
	}{
		{0, 60, true}, {0, 200, false},
		{16 << 20, 6, true}, {16 << 20, 60, false},
		{400 << 20, 200, true}, {400 << 20, 600, false},
	} {
		t.Run(fmt.Sprintf("%d of %d", c.mib, c.memory>>20), func(t *testing.T) {
			s := newSandbox(t, &sandbox.Options{Workers: 1, Memory: c.memory})
			out, err := s.Run(context.Background(), keep(c.mib, c.fits))
			require.NoError(t, err)
			if c.fits {
				require.Nil(t, out.Err)
				return
			}
			require.NotNil(t, out.Err)
			assert.Equal(t, toolspec.KindResourceLimit, out.Err.Kind)
			plainCall(t, s)
		})
	}
}

// CallDepth is how deep calls may nest, in both tiers.
func TestCallDepth(t *testing.T) {
	eachTier(t, func(t *testing.T, tier toolspec.Tier) {
		for _, c := range []struct {
			limit, depth int
			fits         bool
		}{{0, 1900, true}, {0, 2100, false}, {100, 80, true}, {100, 120, false}, {20_000, 19_000, true}, {20_000, 21_000, false}} {
			s := newSandbox(t, &sandbox.Options{Tier: tier, Workers: 1, CallDepth: c.limit})
			out, err := s.Run(context.Background(), request(fmt.Sprintf(`const f = n => n === 0 ? 0 : 1 + f(n - 1); return f(%d)`, c.depth)))
			require.NoError(t, err)
			if c.fits {
				require.Nil(t, out.Err, "%+v", c)
				continue
			}
			require.NotNil(t, out.Err, "%+v", c)
			assert.Equal(t, toolspec.KindResourceLimit, out.Err.Kind)
		}
	})
}

func TestLimitsOutOfRange(t *testing.T) {
	for _, o := range []sandbox.Options{{Memory: 1}, {Memory: -1}, {Memory: 1 << 40}, {CallDepth: 1}, {CallDepth: -1}, {CallDepth: 1 << 20}} {
		_, err := sandbox.New(&o)
		assert.ErrorContains(t, err, "or 0 for")
	}
}
