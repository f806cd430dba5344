package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/internal/modelserver"
	"github.com/localpass/localpass/internal/testrun"
)

// The program as a process: the server that is named is asked, and nothing reaches
// another one.
func TestServersOfAProcess(t *testing.T) {
	t.Parallel()
	for _, c := range testrun.Every(3, modelserver.Cases(), 2) { // the other programs run the others
		t.Run(c.Name, func(t *testing.T) {
			w := c.Arrange(t)
			cmd := exec.CommandContext(t.Context(), os.Args[0], append(w.Args, "-addr", "127.0.0.1:0")...)
			cmd.Env = append(w.Env, asProgram+"=1")
			cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
			out, errs := &text{}, &text{}
			cmd.Stdout, cmd.Stderr = out, errs
			require.NoError(t, cmd.Start())
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			defer func() {
				_ = cmd.Process.Signal(os.Interrupt)
				assert.NoError(t, <-ended, errs.String())
				w.Check(t, &c, true)
				assert.NotContains(t, out.String()+errs.String(), "-0815")
			}()
			var got struct {
				Model struct{ Provider, Name, State, Place string }
			}
			require.Eventually(t, func() bool {
				at := pageAt.FindStringSubmatch(out.String())
				if at == nil {
					return false
				}
				res, err := http.Get(at[1] + "/api/home")
				if err != nil {
					return false
				}
				defer res.Body.Close()
				raw, err := io.ReadAll(res.Body)
				return err == nil && json.Unmarshal(raw, &got) == nil && got.Model.State != "" && got.Model.State != "checking"
			}, time.Minute, 10*time.Millisecond, "%s%s", out, errs)
			if c.Who == "" {
				assert.Equal(t, "unreachable", got.Model.State)
				return
			}
			assert.Equal(t, "ready", got.Model.State)
			assert.Equal(t, c.Model, got.Model.Name)
			assert.Contains(t, got.Model.Place, w.Servers[c.Who].URL)
		})
	}
}
