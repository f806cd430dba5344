package client_test

import (
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/internal/smoke/peer"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/toolspec/secret"
)

func TestStdioTransport(t *testing.T) {
	mcphubtest.TestTransport(t, func() client.Transport { return hubtest.Program(t, "hub", nil) })
}

func TestStdioMCPGo(t *testing.T) {
	leak.Check(t)
	for _, version := range []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} {
		s := hubtest.Connect(t, hubtest.Program(t, "mcpgo", nil), &client.DialOptions{Versions: []string{version}})
		assert.Equal(t, version, s.Info().Version)
		assert.Equal(t, client.Identity{Name: "mcpgo", Version: "1.0.0"}, s.Info().Server)
		raw, err := s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"echo","arguments":{"text":"hi"}}`), nil)
		require.NoError(t, err)
		assert.Contains(t, string(raw), `"text":"hi"`)
	}
}

func TestStdioGoodEnough(t *testing.T) {
	leak.Check(t)
	for as, want := range map[string]string{"banner": "2026-07-28", "flood": "2026-07-28", "old": "2025-06-18", "silent": "2025-03-26"} {
		t.Run(as, func(t *testing.T) {
			tr := hubtest.Program(t, as, nil)
			opts := &client.DialOptions{Timeout: hubtest.Patience, ProbeTimeout: hubtest.Patience}
			if as == "silent" {
				opts.ProbeTimeout = 200 * time.Millisecond
			}
			s := hubtest.Connect(t, tr, opts)
			assert.Equal(t, want, s.Info().Version)
			require.NoError(t, client.Ping(t.Context(), s))
			again := hubtest.Connect(t, tr, opts) // what was learnt is remembered
			assert.Equal(t, want, again.Info().Version)
		})
	}
}

// TestStdioBad meets servers that misbehave: each ends in an error of the right
// class, soon, and leaves nothing behind.
func TestStdioBad(t *testing.T) {
	for as, want := range map[string]struct {
		class client.ConnClass
		say   string
	}{
		"garbage": {client.ConnProtocol, "not JSON"},
		"chatter": {client.ConnProtocol, "still starting"},
		"hang":    {client.ConnTimeout, "deadline"},
		"deaf":    {client.ConnTimeout, "deadline"},
		"exit":    {client.ConnSessionLost, "exit status 3: the server said: cannot start: *** is wrong"},
		"no such": {client.ConnSessionLost, `there is no server "no such"`},
	} {
		t.Run(as, func(t *testing.T) {
			leak.Check(t)
			files := hubtest.OpenFiles(t)
			tr, err := client.NewStdio(client.StdioConfig{Command: peer.Program(t), Args: []string{"-as", as}, Env: map[string]string{"SECRET": "${TOKEN}"}},
				&client.StdioOptions{Lookup: secret.Map(map[string]string{"TOKEN": "tok-12345"}), CloseGrace: 100 * time.Millisecond, KillGrace: 100 * time.Millisecond})
			require.NoError(t, err)
			opts := &client.DialOptions{ProbeTimeout: hubtest.Patience, Timeout: hubtest.Patience}
			if want.class == client.ConnTimeout {
				opts = &client.DialOptions{ProbeTimeout: 100 * time.Millisecond, Timeout: 300 * time.Millisecond}
			}
			_, err = tr.Dial(t.Context(), opts)
			e := hubtest.Classed(t, err, want.class)
			assert.Contains(t, err.Error(), want.say)
			assert.NotContains(t, err.Error(), "tok-12345")
			assert.Equal(t, client.TransportStdio, e.Endpoint.Kind)
			if runtime.GOOS == "linux" {
				assert.Zero(t, hubtest.Children(t))
				assert.Eventually(t, func() bool { return hubtest.OpenFiles(t) <= files }, hubtest.Patience, time.Millisecond, "files %d then %d", files, hubtest.OpenFiles(t))
			}
		})
	}
}

func TestStdioServerEnds(t *testing.T) {
	leak.Check(t)
	t.Run("crash", func(t *testing.T) {
		s := hubtest.Connect(t, hubtest.Program(t, "crash", nil), nil)
		_, err := s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"x"}`), nil)
		e := hubtest.Classed(t, err, client.ConnSessionLost)
		require.ErrorIs(t, err, client.ErrSessionLost)
		assert.Contains(t, err.Error(), "exit status 4")
		assert.Equal(t, "fatal: out of luck", e.Detail)
		assert.Equal(t, "tools/call", e.Op)
		assert.True(t, e.Sent, "the program may have done something before it ended")
		<-s.Done()
		require.ErrorIs(t, s.Err(), client.ErrSessionLost)
		_, err = s.Call(t.Context(), "tools/call", nil, nil)
		require.ErrorIs(t, err, client.ErrSessionLost)
		assert.False(t, hubtest.Classed(t, err, client.ConnSessionLost).Sent)
	})
	t.Run("oversize", func(t *testing.T) {
		s := hubtest.Connect(t, hubtest.Program(t, "oversize", nil), nil)
		_, err := s.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"x"}`), nil)
		hubtest.Classed(t, err, client.ConnProtocol)
		require.ErrorIs(t, err, client.ErrTooLarge)
		require.ErrorIs(t, s.Err(), client.ErrTooLarge)
	})
	for as, want := range map[string]time.Duration{"stubborn": 600 * time.Millisecond, "polite": 300 * time.Millisecond, "hub": 0} {
		t.Run(as, func(t *testing.T) {
			s := hubtest.Connect(t, hubtest.Program(t, as, nil), nil)
			began := time.Now()
			require.NoError(t, s.Close())
			took := time.Since(began)
			assert.GreaterOrEqual(t, took, want)
			assert.Less(t, took, hubtest.Patience)
			if runtime.GOOS == "linux" {
				assert.Zero(t, hubtest.Children(t))
			}
		})
	}
}

func TestStdioEnvironment(t *testing.T) {
	t.Setenv("LOCALPASS_TEST_PRIVATE", "not for others")
	dir := t.TempDir()
	tr, err := client.NewStdio(client.StdioConfig{Command: peer.Program(t), Args: []string{"-as", "environment", "$HOME; echo", "${WORD}"},
		Env: map[string]string{"GIVEN": "x${WORD}y", "TZ": "Test"}, Dir: dir}, &client.StdioOptions{Lookup: secret.Map(map[string]string{"WORD": "a b"})})
	require.NoError(t, err)
	assert.Equal(t, []string{"WORD"}, tr.Describe().Required)
	s := hubtest.Connect(t, tr, nil)
	raw, err := s.Call(t.Context(), "tools/list", nil, nil)
	require.NoError(t, err)
	var got struct{ Env, Args, Dir string }
	require.NoError(t, json.Unmarshal(raw, &got))
	assert.Equal(t, "$HOME; echo|a b", got.Args, "no shell reads the arguments")
	assert.Contains(t, got.Env, "GIVEN=xa by")
	assert.Contains(t, got.Env, "TZ=Test")
	assert.Contains(t, got.Env, "PATH=")
	assert.NotContains(t, got.Env, "LOCALPASS_TEST_PRIVATE")
	real, err := filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	assert.Equal(t, real, got.Dir)
	for want, inherit := range map[string][]string{"GIVEN=x\nLOCALPASS_TEST_PRIVATE=not for others": {"LOCALPASS_TEST_PRIVATE", "NO_SUCH_VARIABLE"}, "GIVEN=x": {}} {
		tr, err := client.NewStdio(client.StdioConfig{Command: peer.Program(t), Args: []string{"-as", "environment"}, Env: map[string]string{"GIVEN": "x"}, Inherit: inherit}, nil)
		require.NoError(t, err)
		raw, err := hubtest.Connect(t, tr, nil).Call(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(raw, &got))
		lines := slices.DeleteFunc(strings.Split(got.Env, "\n"), func(s string) bool { return strings.HasPrefix(s, "SYSTEMROOT=") || strings.HasPrefix(s, "PWD=") })
		slices.Sort(lines)
		assert.Equal(t, want, strings.Join(lines, "\n"))
	}
}

func TestStdioRefusals(t *testing.T) {
	for name, cfg := range map[string]client.StdioConfig{
		"no command":  {},
		"bad inherit": {Command: "x", Inherit: []string{"A=B"}},
		"bad env":     {Command: "x", Env: map[string]string{"A=B": "c"}},
		"bad require": {Command: "x", Required: []string{"lower"}},
	} {
		_, err := client.NewStdio(cfg, nil)
		require.Error(t, err, name)
	}
	tr, err := client.NewStdio(client.StdioConfig{Command: "x", Args: []string{"${B}"}, Env: map[string]string{"E": "${A} ${B}"}, Required: []string{"C"}},
		&client.StdioOptions{Lookup: secret.Map(map[string]string{"B": " "})})
	require.NoError(t, err)
	_, err = tr.Dial(t.Context(), nil)
	var missing *client.MissingConfigError
	require.ErrorAs(t, err, &missing)
	require.ErrorIs(t, err, client.ErrMissingConfig)
	assert.Equal(t, []string{"A", "B", "C"}, missing.Names)
	assert.Contains(t, err.Error(), "set A, B, C")

	tr, err = client.NewStdio(client.StdioConfig{Command: "x", Args: []string{"${A}"}}, &client.StdioOptions{Lookup: secret.Map(map[string]string{"A": "one\ntwo"})})
	require.NoError(t, err)
	_, err = tr.Dial(t.Context(), nil)
	require.ErrorContains(t, err, "line break")
	assert.NotContains(t, err.Error(), "two")

	tr, err = client.NewStdio(client.StdioConfig{Command: filepath.Join(t.TempDir(), "missing")}, nil)
	require.NoError(t, err)
	_, err = tr.Dial(t.Context(), nil)
	assert.False(t, hubtest.Classed(t, err, client.ConnTransport).Sent)

	tr = hubtest.Program(t, "hub", &client.StdioOptions{Prepare: func(*exec.Cmd) error { return errors.New("not today") }})
	_, err = tr.Dial(t.Context(), nil)
	require.ErrorContains(t, err, "not today")
}
