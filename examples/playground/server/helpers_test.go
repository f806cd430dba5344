package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"github.com/localpass/localpass/examples/internal/config"
	"github.com/localpass/localpass/toolspec/secret"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/examples/playground/server"
	"github.com/localpass/localpass/internal/testrun"
	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/sandbox/typescript"
)

// patience is how long a test waits for what must happen. Only what hangs takes as
// long, on the slowest machine too.
const patience = time.Minute

func TestMain(m *testing.M) {
	sandbox.Main(typescript.Engine())
	_ = os.Unsetenv("OPENAI_API_KEY") // a key of the person who runs the tests must not count
	testrun.InMemory()
	testrun.Parallel(4)
	os.Exit(m.Run())
}

// open opens a playground over a home of its own.
func open(t *testing.T, opts *server.Options) *server.Server {
	t.Helper()
	if opts == nil {
		opts = &server.Options{}
	}
	if opts.Home == "" && opts.Config == nil {
		opts.Home = t.TempDir()
	}
	s, err := server.New(t.Context(), opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// configured is the configuration of flags; an empty home is a new one.
func configured(t *testing.T, home string, args ...string) *config.Config {
	t.Helper()
	if home == "" {
		home = t.TempDir()
	}
	c, err := config.Load(config.Playground, append(args, "-home", home), secret.Env())
	require.NoError(t, err)
	return c
}

// world is a playground that is served.
type world struct {
	*server.Server
	t    *testing.T
	url  string
	stop func()
}

func serve(t *testing.T, opts *server.Options) *world {
	t.Helper()
	s := open(t, opts)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	w := &world{Server: s, t: t, url: "http://" + l.Addr().String()}
	stopped := false
	w.stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		require.NoError(t, <-ended)
	}
	t.Cleanup(w.stop)
	require.Eventually(t, s.Ready, patience, 5*time.Millisecond)
	return w
}

// do sends a request and decodes the answer.
func (w *world) do(method, path string, body any, header ...string) (status int, h http.Header, answer map[string]any) {
	w.t.Helper()
	var in io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		require.NoError(w.t, err)
		in = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, in)
	require.NoError(w.t, err)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(w.t, err)
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	require.NoError(w.t, err)
	return res.StatusCode, res.Header, decode(w.t, raw)
}

func decode(t *testing.T, raw []byte) (answer map[string]any) {
	t.Helper()
	if len(raw) > 0 && raw[0] == '{' {
		require.NoError(t, json.Unmarshal(raw, &answer))
	}
	return answer
}
