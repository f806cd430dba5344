package localpass_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	depcheck.Check(t, ".", depcheck.Rules{
		Forbid: map[string]string{
			"net/http": "the contract that every package shares links no network",
			"os/exec":  "nor starts programs",
		},
		Ours: []string{},
	})
}
