package mcphub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

const allCaps = `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{}}`

// askingHub is a hub of tools that ask, and clients of 2026-07-28 in front of it, in a
// bubble.
type askingHub struct {
	t    testing.TB
	hub  *mcphub.Hub
	caps string
	meta string // more of the requests' _meta
	id   int
}

// inAskingHub runs a test in a bubble of its own. What it leaves running fails it.
func inAskingHub(t *testing.T, opts *mcphub.Options, tools func(t testing.TB) []*studio.Passed, do func(l *askingHub)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		own := mcphub.Options{SessionIdle: 1000 * time.Hour}
		if opts != nil {
			own = *opts
		}
		own.Authenticate = func(r *http.Request) (toolspec.Principal, error) {
			return toolspec.Principal{Subject: r.Header.Get("X-Who")}, nil
		}
		h, err := mcphub.New(&own)
		require.NoError(t, err)
		for _, pass := range tools(t) {
			require.NoError(t, h.Add(pass))
		}
		defer func() {
			assert.NoError(t, h.Close())
			synctest.Wait()
		}()
		do(&askingHub{t: t, hub: h, caps: allCaps})
	})
}

func (l *askingHub) client(who string) *rawClient {
	return &rawClient{who: who, modern: true, version: hubtest.Newer, handler: l.hub.Handler()}
}

// call sends a tools/call; extra is more of its params.
func (l *askingHub) call(c *rawClient, tool, arguments, extra string) {
	l.post(c, tool, arguments, extra)
	synctest.Wait()
}

// post is call that does not wait for what comes of it.
func (l *askingHub) post(c *rawClient, tool, arguments, extra string) {
	l.id++
	meta := `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":` + l.caps + l.meta
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s%s,"_meta":{%s}}}`, l.id, tool, arguments, extra, meta))
}

// begin calls and returns what the call is answered with.
func (l *askingHub) begin(c *rawClient, tool, arguments string) reply {
	l.t.Helper()
	l.call(c, tool, arguments, "")
	return l.last(c)
}

// again calls again with answers.
func (l *askingHub) again(c *rawClient, tool, arguments, state, answers string) reply {
	l.t.Helper()
	l.call(c, tool, arguments, `,"inputResponses":`+answers+`,"requestState":"`+state+`"`)
	return l.last(c)
}

func (l *askingHub) last(c *rawClient) reply {
	l.t.Helper()
	list := c.fresh()
	require.NotEmpty(l.t, list, "no answer")
	return parseReply(l.t, list[len(list)-1])
}

// asked makes sure that a call was answered with questions of these keys, and
// returns the state.
func (l *askingHub) asked(r reply, keys ...string) (state string) {
	l.t.Helper()
	require.Equal(l.t, "input_required", r.Result.ResultType, "%+v", r)
	require.Len(l.t, r.Result.InputRequests, len(keys), "%+v", r.Result.InputRequests)
	for _, key := range keys {
		require.Contains(l.t, r.Result.InputRequests, key)
	}
	require.NotEmpty(l.t, r.Result.RequestState)
	return r.Result.RequestState
}

// said makes sure that a call came to its end, and returns the text.
func (l *askingHub) said(r reply) string {
	l.t.Helper()
	require.Nil(l.t, r.Error)
	require.NotEqual(l.t, "input_required", r.Result.ResultType)
	require.Len(l.t, r.Result.Content, 1)
	return r.Result.Content[0].Text
}

// talks makes a passed tool of one text argument; do is not told of the call that
// earns the pass.
func talks(t testing.TB, name string, do func(ctx context.Context, peer toolspec.Peer, text string) string) *studio.Passed {
	return hubtest.Certified(t, name, func(ctx context.Context, in hubtest.TextIn) (string, error) {
		if in.Text == "certify" {
			return "certified", nil
		}
		return do(ctx, toolspec.CallFrom(ctx).Caller(), in.Text), nil
	}, `{"text":"certify"}`, `"certified"`, nil)
}

// elicits asks for a name.
func elicits(ctx context.Context, peer toolspec.Peer, _ string) string {
	answer, err := peer.Elicit(ctx, &toolspec.ElicitRequest{Message: "Who?", Schema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)})
	return show(answer, err)
}

const text1 = `{"text":"1"}`
