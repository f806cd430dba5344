package main

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/examples/internal/modelserver"
	"github.com/localpass/localpass/internal/testrun"
)

// As a process, the program reads the configuration file and the environment variables, and
// sends no request to a model server.
func TestModelServersOfAProcess(t *testing.T) {
	t.Parallel()
	for _, c := range testrun.Every(3, modelserver.Cases(), 1) { // the other programs run the others
		t.Run(c.Name, func(t *testing.T) {
			w := c.Arrange(t)
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(w.Env, asProgram+"=1")
			var out, errs bytes.Buffer
			cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(nil), &out, &errs
			assert.NoError(t, cmd.Run(), errs.String())
			w.Check(t, &c, false)
			for name, s := range w.Servers {
				assert.Zero(t, s.Asked(), name)
			}
			assert.NotContains(t, out.String()+errs.String(), "-0815")
		})
	}
}
