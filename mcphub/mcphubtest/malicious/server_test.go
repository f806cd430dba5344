package malicious_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest/malicious"
)

func TestNewRefusesAnUnknownAttack(t *testing.T) {
	_, err := malicious.New("kind", nil)
	require.ErrorContains(t, err, `there is no attack "kind"`)
	for _, attack := range malicious.Attacks() {
		assert.NotEmpty(t, attack.Describe())
	}
}

// dial connects to a server in memory.
func dial(t *testing.T, attack malicious.Attack, opts *malicious.Options, version string) (*malicious.Server, client.Session) {
	t.Helper()
	server, err := malicious.New(attack, opts)
	require.NoError(t, err)
	return server, hubtest.Connect(t, server.Transport(client.TransportStdio), &client.DialOptions{Versions: []string{version}})
}

func TestServerKeepsItsOptions(t *testing.T) {
	var lines []string
	server, session := dial(t, malicious.RugPull, &malicious.Options{From: 3, Before: malicious.Log{Listings: 1, Calls: []string{"weather"}},
		OnLog: func(line string) { lines = append(lines, line) }}, hubtest.Older)
	for _, poisoned := range []bool{false, true} {
		raw, err := session.Call(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
		assert.Equal(t, poisoned, strings.Contains(string(raw), "id_rsa"))
	}
	_, err := session.Call(t.Context(), "tools/call", json.RawMessage(`{"name":"other"}`), nil)
	require.NoError(t, err)
	assert.Equal(t, malicious.Log{Listings: 3, Calls: []string{"weather", "other"}}, server.Log())
	assert.Equal(t, []string{"list", "list", "call other"}, lines)
}

func TestServerChangesItsIdentity(t *testing.T) {
	for _, version := range []string{hubtest.Older, hubtest.Newer} {
		server, session := dial(t, malicious.StolenIdentity, nil, version)
		assert.Equal(t, malicious.Identity, session.Info().Server)
		_, err := session.Call(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
		again := hubtest.Connect(t, server.Transport(client.TransportHTTP), &client.DialOptions{Versions: []string{version}})
		assert.Equal(t, malicious.Stolen, again.Info().Server)
	}
}

func TestShadowingLooksAlike(t *testing.T) {
	for name, twin := range map[string]string{"send_mail": "send_m\u0430il", "XYZ": "XYZ_"} {
		_, session := dial(t, malicious.Shadowing, &malicious.Options{Shadows: name}, hubtest.Newer)
		raw, err := session.Call(t.Context(), "tools/list", nil, nil)
		require.NoError(t, err)
		assert.Contains(t, string(raw), `"`+twin+`"`)
	}
}

// run runs the program with this input and returns its exit code and output.
func run(t *testing.T, input string, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr strings.Builder
	code = malicious.Main(t.Context(), args, io.NopCloser(strings.NewReader(input)), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func TestProgramArguments(t *testing.T) {
	code, out, _ := run(t, "", "-list")
	assert.Zero(t, code)
	assert.Len(t, strings.Split(strings.TrimSpace(out), "\n"), len(malicious.Attacks()))
	code, _, errs := run(t, "", "-h")
	assert.Zero(t, code)
	assert.Contains(t, errs, "-protocol version")
	for want, args := range map[string][]string{
		`there is no attack "kind"`: {"-attack", "kind"},
		`"more" is no flag`:         {"-attack", "poisoned", "more"},
		"not defined: -x":           {"-x"},
	} {
		code, _, errs := run(t, "", args...)
		assert.Equal(t, 2, code)
		assert.Contains(t, errs, want)
	}
	for _, args := range [][]string{{"-log", t.TempDir()}, {"-log", filepath.Join(t.TempDir(), "none", "log")}, {"-http", "nowhere"}} {
		code, _, errs := run(t, "", append([]string{"-attack", "poisoned"}, args...)...)
		assert.Equal(t, 1, code, args)
		assert.NotEmpty(t, errs)
	}
}

func TestProgramGoesOnWithItsLog(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n"
	for _, attacks := range []bool{false, true} {
		code, out, errs := run(t, list, "-attack", "rug-pull", "-protocol", hubtest.Older, "-log", log)
		require.Zero(t, code, errs)
		assert.Equal(t, attacks, strings.Contains(out, "id_rsa"))
	}
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	assert.Equal(t, "list\nlist\n", string(text))
}

func TestProgramOverHTTP(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	out, stdout := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- malicious.Main(ctx, []string{"-attack", "poisoned", "-http", "127.0.0.1:0"}, nil, stdout, io.Discard)
	}()
	addr, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	tr, err := client.NewHTTP(client.HTTPConfig{URL: "http://" + strings.TrimSpace(addr)}, nil)
	require.NoError(t, err)
	session := hubtest.Connect(t, tr, nil)
	_, err = session.Call(t.Context(), "tools/list", nil, nil)
	require.NoError(t, err)
	stop()
	assert.Zero(t, <-ended)
}

// Over stdio, the program ends with its context although its input stays open.
func TestProgramEndsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	in, stdin := io.Pipe()
	defer stdin.Close()
	ended := make(chan int, 1)
	go func() { ended <- malicious.Main(ctx, []string{"-attack", "poisoned"}, in, io.Discard, io.Discard) }()
	stop()
	assert.Zero(t, <-ended)
}
