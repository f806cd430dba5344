package terminal_test

import (
	"os"
	"testing"

	"github.com/localpass/localpass/internal/testrun"
)

func TestMain(m *testing.M) {
	testrun.Parallel(8)
	os.Exit(m.Run())
}
