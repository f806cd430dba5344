package files_test

import (
	"os"
	"testing"

	"github.com/localpass/localpass/internal/testrun"
)

func TestMain(m *testing.M) {
	testrun.InMemory()
	os.Exit(m.Run())
}
