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

// The program as a process: the server that is named answers, and nothing reaches
// another one.
func TestServersOfAProcess(t *testing.T) {
	t.Parallel()
	for _, c := range testrun.Every(3, modelserver.Cases(), 0) { // the other programs run the others
		t.Run(c.Name, func(t *testing.T) {
			w := c.Arrange(t)
			cmd := exec.CommandContext(t.Context(), os.Args[0], append(w.Args, "-tools", "none", "hi")...)
			cmd.Env = append(w.Env, asProgram+"="+realModels)
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			err := cmd.Run()
			w.Check(t, &c, true)
			assert.NotContains(t, out.String()+errs.String(), "-0815")
			if c.Who == "" {
				assert.Error(t, err)
				return
			}
			assert.NoError(t, err, errs.String())
			says := c.Says
			if says == "" {
				says = "I am " + c.Who
			}
			assert.Equal(t, says+"\n", out.String())
			assert.Equal(t, []string{c.Model}, w.Servers[c.Who].Models())
		})
	}
}
