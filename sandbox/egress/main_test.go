package egress_test

import (
	"os"
	"testing"

	"github.com/localpass/localpass/internal/testrun"
)

func TestMain(m *testing.M) {
	testrun.Parallel(10) // they wait for connections that are never made
	os.Exit(m.Run())
}
