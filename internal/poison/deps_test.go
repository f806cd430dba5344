package poison_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	depcheck.Check(t, "internal/poison", depcheck.Rules{
		Forbid: map[string]string{"net/...": "texts are judged by themselves", "os/exec": "nothing is run"},
		Ours:   []string{"internal/fair", "internal/descriptors", "internal/termtext"},
	})
}
