package dom_test

import (
	"testing"

	"github.com/localpass/localpass/internal/depcheck"
)

func TestDeps(t *testing.T) {
	depcheck.Check(t, "sandbox/internal/parser/dom", depcheck.Rules{
		Ours: []string{},
		Forbid: map[string]string{
			"net":                        "a parser opens no connection",
			"os/exec":                    "a parser starts nothing",
			"github.com/dop251/goja/...": "documents know no engine",
		},
	})
}
