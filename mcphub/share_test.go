package mcphub_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// byHeader tells principals apart by a header.
func byHeader(r *http.Request) (toolspec.Principal, error) {
	return toolspec.Principal{Subject: r.Header.Get("X-User")}, nil
}

// hold is a tool whose calls say that they run, and end when release is closed.
func hold(t *testing.T, running chan<- struct{}, release <-chan struct{}) *studio.Passed {
	return hubtest.ToolDoing(t, "hold", func(context.Context, *toolspec.Call) (*toolspec.Result, error) {
		running <- struct{}{}
		<-release
		return &toolspec.Result{Content: []toolspec.Content{toolspec.Text("held")}}, nil
	})
}

// Twelve calls of one client keep no other out: by its principal, or without
// credentials by its session.
func TestCallsAreShared(t *testing.T) {
	for name, authenticate := range map[string]func(*http.Request) (toolspec.Principal, error){"principals": byHeader, "sessions": nil} {
		t.Run(name, func(t *testing.T) {
			running, release := make(chan struct{}, 12), make(chan struct{})
			h := hubtest.NewHub(t, &mcphub.Options{MaxCalls: 3, Authenticate: authenticate}, hold(t, running, release), hubtest.EchoTool(t, "echo"))
			c := serve(t, h)
			loop, other := c.with("X-User", "ada").open("2025-11-25", `{}`), c.with("X-User", "bob").open("2025-11-25", `{}`)
			answers := make(chan int, 12)
			for range 12 {
				req := loop.request(http.MethodPost, call("1", "hold", `{}`))
				go func() { answers <- loop.do(req).status }()
			}
			<-running
			<-running
			for range 5 {
				assert.Contains(t, other.post(call("2", "echo", `{"text":"let in"}`)).body, "let in")
			}
			assert.Empty(t, running, "one place is kept for others")
			close(release)
			for range 12 {
				assert.Equal(t, http.StatusOK, <-answers)
			}
		})
	}
}

// The sessions of one principal do not fill the table for others.
func TestSessionsAreShared(t *testing.T) {
	c := serve(t, hubtest.NewHub(t, &mcphub.Options{MaxSessions: 4, Authenticate: byHeader}))
	ada := c.with("X-User", "ada")
	var own []*httpClient
	for range 4 {
		own = append(own, ada.open("2025-11-25", `{}`))
	}
	bob := c.with("X-User", "bob").open("2025-11-25", `{}`)
	assert.Equal(t, http.StatusNotFound, own[0].post(listTools).status, "her idlest session has ended")
	for range 3 {
		own = append(own, ada.open("2025-11-25", `{}`))
	}
	assert.Equal(t, http.StatusOK, bob.post(listTools).status, "his goes on")
	carl := c.with("X-User", "carl").open("2025-11-25", `{}`)
	assert.Equal(t, http.StatusOK, bob.post(listTools).status)
	assert.Equal(t, http.StatusOK, carl.post(listTools).status)
}

// The messages of one principal that are under way have a bound in all.
func TestBodiesAreShared(t *testing.T) {
	running, release := make(chan struct{}, 12), make(chan struct{})
	h := hubtest.NewHub(t, &mcphub.Options{MaxBody: 300 << 10, Authenticate: byHeader}, hold(t, running, release))
	c := serve(t, h)
	ada, bob := c.with("X-User", "ada").open("2025-11-25", `{}`), c.with("X-User", "bob").open("2025-11-25", `{}`)
	large := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hold","arguments":{},"_meta":{"x/y":"` + strings.Repeat("x", 290<<10) + `"}}}`
	answers := make(chan int, 8)
	for range 8 {
		req := ada.request(http.MethodPost, large)
		go func() { answers <- ada.do(req).status }()
		<-running
	}
	refused := ada.post(large)
	assert.Equal(t, http.StatusTooManyRequests, refused.status)
	assert.Equal(t, "1", refused.header.Get("Retry-After"))
	assert.Contains(t, refused.body, "under way")
	assert.Equal(t, http.StatusOK, bob.post(listTools).status, "others have their own")
	close(release)
	for range 8 {
		assert.Equal(t, http.StatusOK, <-answers)
	}
	require.Equal(t, http.StatusOK, ada.post(large).status)
}
