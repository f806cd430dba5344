package sandbox_test

import (
	"os"
	"testing"

	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/sandbox/typescript"
)

// TestMain lets the test binary be more than a program with tests: under some
// names it plays programs and workers that do not behave, and as a worker it
// has an engine that does not.
func TestMain(m *testing.M) {
	if play := actor(); play != nil {
		play()
		os.Exit(0)
	}
	sandbox.Main(oddEngine{}, typescript.Engine())
	os.Exit(m.Run())
}
