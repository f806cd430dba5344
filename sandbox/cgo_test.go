//go:build cgotest

package sandbox_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/sandbox/internal/cgo"
)

// TestIsolatedWithCgo: the binary really is linked with C, and so are its
// workers, which are the binary itself. The other tests of the isolated tier
// run with the same build.
func TestIsolatedWithCgo(t *testing.T) {
	assert.Equal(t, 4, cgo.Threads(4))
	s := newSandbox(t, &sandbox.Options{Workers: 2})
	for range 100 {
		plainCall(t, s)
	}
}
