//go:build unix

package ollama_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/internal/tinymodel"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/ollama"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/persistence/memory"
)

// ownServer is a server that the test may kill.
type ownServer struct {
	program, home, address string
	cmd                    *exec.Cmd
}

func newOwnServer(t *testing.T) *ownServer {
	t.Helper()
	program := os.Getenv("LOCALPASS_OLLAMA_SERVER")
	if program == "" {
		t.Skip("LOCALPASS_OLLAMA_SERVER does not name the program of the server: run the test by .ci/ollama run")
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0") // it must find its port again
	require.NoError(t, err)
	s := &ownServer{program: program, home: t.TempDir(), address: ln.Addr().String()}
	require.NoError(t, ln.Close())
	return s
}

func (s *ownServer) start(t *testing.T) {
	t.Helper()
	s.cmd = exec.Command(s.program, "serve")
	s.cmd.Env = append(os.Environ(), "OLLAMA_HOST="+s.address, "OLLAMA_MODELS="+filepath.Join(s.home, "models"), "HOME="+s.home, "OLLAMA_NUM_PARALLEL=32")
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, s.cmd.Start())
	t.Cleanup(s.kill)
	require.Eventually(t, func() bool {
		resp, err := http.Get("http://" + s.address + "/api/version")
		if err != nil {
			return false
		}
		return resp.Body.Close() == nil
	}, time.Minute, 20*time.Millisecond)
}

// kill kills the server and its child processes.
func (s *ownServer) kill() {
	if s.cmd != nil {
		_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
		_ = s.cmd.Wait() // killed
		s.cmd = nil
	}
}

// If the server is killed during an answer, the turn fails, and the next turn works when
// the server is back.
func TestLiveKill(t *testing.T) {
	leak.Check(t)
	s := newOwnServer(t)
	s.start(t)
	require.NoError(t, tinymodel.Register(t.Context(), "http://"+s.address))
	p, err := ollama.New(&ollama.Options{BaseURL: "http://" + s.address, HTTPClient: ownConnections(t)})
	require.NoError(t, err)
	m, err := p.Model(t.Context(), tinymodel.ModelPlain)
	require.NoError(t, err)
	store, err := conversation.NewStore(memory.New())
	require.NoError(t, err)
	for _, id := range []string{"c_1", "c_2"} {
		require.NoError(t, store.Create(t.Context(), &conversation.Conversation{ID: id}))
	}
	client, err := chat.NewClient(m, &chat.ClientOptions{Store: store, Retry: &llm.RetryPolicy{MaxAttempts: 1}})
	require.NoError(t, err)

	ask := func(conversation, question string, each func()) (*chat.Response, error) {
		var events []chat.Event
		var last error
		c := chat.NewCollector()
		for ev, err := range client.Stream(t.Context(), conversation, llm.UserText(question), nil) {
			if err != nil {
				last = err
				continue
			}
			c.Add(ev)
			events = append(events, ev)
			if _, ok := ev.(*chat.TextDelta); ok && each != nil {
				each()
			}
		}
		require.NoError(t, chattest.CheckEvents(events))
		return c.Response(), last
	}
	n := 0
	r, err := ask("c_1", tinymodel.AskLong, func() {
		if n++; n == 3 {
			s.kill()
		}
	})
	require.Error(t, err)
	e := codeOf(t, err)
	assert.Equal(t, llm.CodeStreamBroken, e.Code)
	assert.True(t, e.Retryable)
	assert.NotEmpty(t, r.Text(), "what came is kept")

	_, err = ask("c_2", tinymodel.AskHello, nil)
	e = codeOf(t, err)
	assert.Equal(t, llm.CodeUnavailable, e.Code)
	assert.Contains(t, e.Message, "is Ollama running?")

	s.start(t)
	r, err = ask("c_1", tinymodel.AskHello, nil)
	require.NoError(t, err)
	assert.Equal(t, tinymodel.SayHello, r.Text())
}

// A cancelled turn ends at once. The test has its own server with several slots, since
// version 0.17.4 may never free the slot of an answer that is stopped (its handler waits
// for a reader of the next piece).
func TestLiveCancel(t *testing.T) {
	leak.Check(t)
	s := newOwnServer(t)
	s.start(t)
	require.NoError(t, tinymodel.Register(t.Context(), "http://"+s.address))
	p, err := ollama.New(&ollama.Options{BaseURL: "http://" + s.address, HTTPClient: ownConnections(t)})
	require.NoError(t, err)
	m, err := p.Model(t.Context(), tinymodel.ModelPlain)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	var last error
	for d, err := range m.Generate(ctx, question(llm.UserText(tinymodel.AskLong))) {
		last = err
		if d.Kind == llm.DeltaText {
			if n++; n == 5 {
				cancel()
			}
		}
	}
	require.ErrorIs(t, last, context.Canceled)

	// The server can answer the next request.
	within, done := context.WithTimeout(t.Context(), 20*time.Second)
	defer done()
	text := ""
	for d, err := range m.Generate(within, question(llm.UserText(tinymodel.AskHello))) {
		require.NoError(t, err)
		text += d.Text
	}
	assert.Equal(t, tinymodel.SayHello, text)

	client, err := chat.NewClient(m, nil)
	require.NoError(t, err)
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	var events []chat.Event
	for ev, err := range client.Stream(ctx, "", llm.UserText(tinymodel.AskLong), nil) {
		if err != nil {
			continue
		}
		events = append(events, ev)
		if _, ok := ev.(*chat.TextDelta); ok {
			cancel()
		}
	}
	require.NoError(t, chattest.CheckEvents(events))
	finished, ok := events[len(events)-1].(*chat.TurnFinished)
	require.True(t, ok)
	assert.Equal(t, llm.FinishCancelled, finished.Finish)
}
