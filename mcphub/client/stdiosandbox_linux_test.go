package client_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/internal/smoke/peer"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/toolspec/secret"
)

// TestStdioSandbox: a server in a sandbox reads and changes what the sandbox names and nothing
// else, and reaches no port of this machine. Without a sandbox it does.
func TestStdioSandbox(t *testing.T) {
	leak.Check(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	open, shut := t.TempDir(), t.TempDir()
	for _, dir := range []string{open, shut} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), []byte("text"), 0o600))
	}
	args := []string{"-as", "reach", "read:" + filepath.Join(open, "a"), "read:" + filepath.Join(shut, "a"), "write:" + filepath.Join(open, "b"), "write:" + filepath.Join(shut, "b"),
		"read:/proc/" + fmt.Sprint(os.Getpid()) + "/environ", "connect:" + listener.Addr().String()}
	for name, c := range map[string]struct {
		sandbox *client.StdioSandbox
		want    string // for each argument
	}{
		"none":        {nil, "yes yes yes yes yes yes"},
		"nothing":     {&client.StdioSandbox{}, "no no no no no no"},
		"one to read": {&client.StdioSandbox{Read: []string{"${OPEN}"}}, "yes no no no no no"},
		"one file":    {&client.StdioSandbox{Read: []string{filepath.Join(open, "a")}}, "yes no no no no no"},
		"to write":    {&client.StdioSandbox{Write: []string{open}}, "yes no yes no no no"},
		"the network": {&client.StdioSandbox{Network: true}, "no no no no no yes"},
	} {
		t.Run(name, func(t *testing.T) {
			tr, err := client.NewStdio(client.StdioConfig{Command: peer.Program(t), Args: args, Sandbox: c.sandbox}, &client.StdioOptions{Lookup: secret.Map(map[string]string{"OPEN": open})})
			require.NoError(t, err)
			s, err := tr.Dial(t.Context(), nil)
			if c.sandbox != nil && errors.Is(err, client.ErrNoSandbox) {
				t.Skip(err) // not on this system
			}
			require.NoError(t, err)
			defer s.Close()
			raw, err := s.Call(t.Context(), "tools/list", nil, nil)
			require.NoError(t, err)
			var got struct{ Reached string }
			require.NoError(t, json.Unmarshal(raw, &got))
			assert.Equal(t, c.want, got.Reached)
		})
	}
	// This process is limited by none of it.
	_, err = os.ReadFile(filepath.Join(shut, "a"))
	require.NoError(t, err)
}

func TestStdioSandboxRefuses(t *testing.T) {
	for want, c := range map[string]struct {
		command string
		sandbox client.StdioSandbox
		prepare func(*exec.Cmd) error
	}{
		`the sandbox names "home": write an absolute path`:            {peer.Program(t), client.StdioSandbox{Read: []string{"home"}}, nil},
		"the sandbox names /no/such: no such file or directory":       {peer.Program(t), client.StdioSandbox{Write: []string{"/no/such"}}, nil},
		"executable file not found":                                   {"no-such-program", client.StdioSandbox{}, nil},
		"a program in a sandbox cannot have Pdeathsig: the thread th": {peer.Program(t), client.StdioSandbox{}, func(cmd *exec.Cmd) error { cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL; return nil }},
	} {
		tr, err := client.NewStdio(client.StdioConfig{Command: c.command, Sandbox: &c.sandbox}, &client.StdioOptions{Prepare: c.prepare})
		require.NoError(t, err)
		_, err = tr.Dial(t.Context(), nil)
		hubtest.Classed(t, err, client.ConnTransport)
		assert.ErrorContains(t, err, want)
	}
	_, err := client.NewRegistry(nil).Transport(client.TransportStdio, json.RawMessage(`{"command":"x","sandbox":{"net":true}}`))
	require.ErrorContains(t, err, `the sandbox has "read", "write" and "network"`)
}
