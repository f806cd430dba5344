package sandbox_test

import (
	"os"
	"testing"

	"github.com/localpass/localpass/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}
