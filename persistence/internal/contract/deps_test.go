package contract_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	depcheck.Check(t, "persistence/internal/contract", depcheck.Rules{
		Forbid: map[string]string{"net/...": "rules about documents need no network", "os/exec": "they start nothing"},
		Ours:   []string{"."},
	})
}
