package canon_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	forbid := map[string]string{"net/...": "canonical form is text alone", "os/exec": "nothing is run", "regexp": "a scanner is enough"}
	depcheck.Check(t, "internal/canon", depcheck.Rules{Forbid: forbid, Ours: []string{"internal/canon/scan"}})
	depcheck.Check(t, "internal/canon/scan", depcheck.Rules{Forbid: forbid, Ours: []string{}})
}
