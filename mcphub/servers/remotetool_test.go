package servers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
)

// callerFunc is a server of one function.
type callerFunc func(ctx context.Context, method string, params json.RawMessage, opts *client.CallOptions) (json.RawMessage, error)

func (f callerFunc) Call(ctx context.Context, method string, params json.RawMessage, opts *client.CallOptions) (json.RawMessage, error) {
	return f(ctx, method, params, opts)
}

func callGives(result string) callerFunc {
	return func(context.Context, string, json.RawMessage, *client.CallOptions) (json.RawMessage, error) {
		return json.RawMessage(result), nil
	}
}

func callFails(err error) callerFunc {
	return func(context.Context, string, json.RawMessage, *client.CallOptions) (json.RawMessage, error) {
		return nil, err
	}
}

// Arguments and results pass as they are written; the server is called by its own
// name.
func TestRemoteToolPassesWhatIsWritten(t *testing.T) {
	for _, kind := range []client.TransportKind{client.TransportHTTP, client.TransportStdio} {
		for _, versions := range [][]string{nil, {"2025-06-18"}} {
			peer := mcphubtest.NewPeer(&mcphubtest.PeerOptions{Versions: versions})
			peer.On("tools/list", mcphubtest.Reply(hubtest.ToolList("", `{"name":"get.Item","title":"Get","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"destructiveHint":false}}`)))
			peer.On("tools/call", func(x *mcphubtest.Exchange) {
				x.Reply(`{"resultType":"complete","content":[{"type":"text","text":"t","annotations":{"audience":["user"],"priority":0.5,"lastModified":"2026-01-02T03:04:05Z"},"_meta":{"k":1}},` +
					`{"type":"image","data":"AQI=","mimeType":"image/png"},{"type":"audio","data":"AQI=","mimeType":"audio/wav"},` +
					`{"type":"resource","resource":{"uri":"file:///x","text":"r"}},{"type":"resource","resource":{"uri":"file:///y","blob":"AQI="}},` +
					`{"type":"resource_link","uri":"file:///z","name":"z","size":7},{"type":"hologram","x":1}],` +
					`"structuredContent":{"n": 9007199254740993, "f":1.50},"_meta":{"example.com/more":{"a":1.0}}}`)
			})
			t.Run(fmt.Sprint(kind, versions), func(t *testing.T) {
				c := hubtest.Connections(t, hubtest.Fakes{"My.Server--1": peer.Transport(kind)}, nil)
				p := hubtest.ToolProvider(t, c, nil)
				defer p.Close()
				require.Empty(t, p.Refresh(t.Context()))
				tools, err := p.Tools(t.Context())
				require.NoError(t, err)
				require.Len(t, tools, 1)
				def := tools[0].Definition()
				assert.Equal(t, "my_server_1_get_Item", def.Name)
				assert.Equal(t, "Get", def.Title)
				assert.True(t, *def.Annotations.ReadOnly)
				assert.Nil(t, def.Annotations.OpenWorld, "what is not said is not made up")
				assert.Equal(t, toolspec.LevelUnknown, def.Level)
				r, err := tools[0].Call(t.Context(), &toolspec.Call{Arguments: json.RawMessage(` {"big":9007199254740993,"f":1.50,"s":"\u00e9"} `)})
				require.NoError(t, err)
				require.False(t, r.IsError, r.Text())
				assert.Equal(t, `{"n": 9007199254740993, "f":1.50}`, string(r.Structured))
				assert.Equal(t, `{"a":1.0}`, string(r.Meta["example.com/more"]))
				require.Len(t, r.Content, 7)
				half := 0.5
				assert.Equal(t, "t", r.Content[0].Text)
				assert.Equal(t, []string{"user"}, r.Content[0].Audience)
				assert.Equal(t, &half, r.Content[0].Priority)
				assert.Equal(t, 2026, r.Content[0].Modified.Year())
				assert.Equal(t, `1`, string(r.Content[0].Meta["k"]))
				assert.Equal(t, toolspec.Image([]byte{1, 2}, "image/png"), r.Content[1])
				assert.Equal(t, toolspec.Audio([]byte{1, 2}, "audio/wav"), r.Content[2])
				assert.Equal(t, toolspec.TextResource("file:///x", "", "r"), r.Content[3])
				assert.Equal(t, toolspec.BlobResource("file:///y", "", []byte{1, 2}), r.Content[4])
				assert.Equal(t, int64(7), r.Content[5].Size)
				assert.Equal(t, `{"type":"hologram","x":1}`, r.Content[6].Text)
				var got struct {
					Name      string
					Arguments json.RawMessage
				}
				require.NoError(t, json.Unmarshal(hubtest.LastSeen(t, peer, "tools/call").Params, &got))
				assert.Equal(t, "get.Item", got.Name)
				assert.Equal(t, `{"big":9007199254740993,"f":1.50,"s":"\u00e9"}`, string(got.Arguments))
				require.NoError(t, c.Close())
			})
		}
	}
}

func TestRemoteToolFailures(t *testing.T) {
	tool := &servers.OfferedTool{Name: "x", InputSchema: json.RawMessage(`{"type":"object"}`)}
	promising := &servers.OfferedTool{Name: "x", InputSchema: tool.InputSchema,
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for name, test := range map[string]struct {
		caller servers.Caller
		tool   *servers.OfferedTool
		args   string
		kind   toolspec.Kind
		reason string
		ctx    context.Context
	}{
		"upstream":      {callGives(`{"content":[{"type":"text","text":"no"}],"isError":true}`), tool, ``, toolspec.KindRuntimeError, servers.ReasonUpstreamFailed, nil},
		"transport":     {callFails(hubtest.Refused()), tool, ``, toolspec.KindRuntimeError, servers.ReasonTransport, nil},
		"broken":        {callFails(hubtest.ConnError(client.ConnSessionLost, true, client.ErrSessionLost)), tool, ``, toolspec.KindRuntimeError, servers.ReasonTransport, nil},
		"timeout":       {callFails(hubtest.ConnError(client.ConnTimeout, true, context.DeadlineExceeded)), tool, ``, toolspec.KindTimeout, toolspec.ReasonDeadline, nil},
		"cancelled":     {callFails(hubtest.ConnError(client.ConnCancelled, true, context.Canceled)), tool, ``, toolspec.KindCancelled, "cancelled", ended},
		"unauthorized":  {callFails(hubtest.ConnError(client.ConnAuth, true, client.ErrAuthorizationRequired)), tool, ``, toolspec.KindSecurity, servers.ReasonAuthorization, nil},
		"forbidden":     {callFails(hubtest.ConnError(client.ConnAuth, true, client.ErrForbidden)), tool, ``, toolspec.KindSecurity, servers.ReasonAuthorization, nil},
		"protocol":      {callFails(hubtest.ConnError(client.ConnProtocol, true, client.ErrProtocol)), tool, ``, toolspec.KindRuntimeError, servers.ReasonProtocol, nil},
		"too large":     {callFails(hubtest.ConnError(client.ConnProtocol, true, client.ErrTooLarge)), tool, ``, toolspec.KindResourceLimit, toolspec.ReasonResultTooLarge, nil},
		"refused":       {callFails(&client.RPCError{Code: -32603, Message: "no"}), tool, ``, toolspec.KindRuntimeError, servers.ReasonProtocol, nil},
		"params":        {callFails(&client.RPCError{Code: -32602, Message: "n is missing"}), tool, ``, toolspec.KindInvalidInput, toolspec.ReasonArguments, nil},
		"arguments":     {callGives(`{}`), tool, `[1]`, toolspec.KindInvalidInput, toolspec.ReasonArguments, nil},
		"circuit":       {callFails(&servers.CircuitOpenError{}), tool, ``, toolspec.KindRuntimeError, servers.ReasonCircuitOpen, nil},
		"overloaded":    {callFails(servers.ErrOverloaded), tool, ``, toolspec.KindResourceLimit, toolspec.ReasonBusy, nil},
		"busy":          {callFails(hubtest.ConnError(client.ConnBusy, true, client.ErrBusy)), tool, ``, toolspec.KindResourceLimit, toolspec.ReasonBusy, nil},
		"configuration": {callFails(&client.MissingConfigError{Names: []string{"X"}}), tool, ``, toolspec.KindRuntimeError, servers.ReasonNotConfigured, nil},
		"input":         {callFails(&client.InputRequired{Method: "tools/call"}), tool, ``, toolspec.KindRuntimeError, servers.ReasonInputRequired, nil},
		"withheld":      {callFails(servers.ErrWithheld), tool, ``, toolspec.KindSecurity, servers.ReasonWithheld, nil},
		"closing":       {callFails(fmt.Errorf("x: %w", toolspec.ErrClosed)), tool, ``, toolspec.KindCancelled, "closing", nil},
		"no result":     {callGives(`[]`), tool, ``, toolspec.KindRuntimeError, toolspec.ReasonInvalidResult, nil},
		"bad content":   {callGives(`{"content":[{"type":"image","data":"???"}]}`), tool, ``, toolspec.KindRuntimeError, toolspec.ReasonInvalidResult, nil},
		"no structure":  {callGives(`{"content":[]}`), promising, ``, toolspec.KindRuntimeError, servers.ReasonInvalidOutput, nil},
		"wrong output":  {callGives(`{"content":[],"structuredContent":{"n":"1"}}`), promising, ``, toolspec.KindRuntimeError, servers.ReasonInvalidOutput, nil},
		"panic": {callerFunc(func(context.Context, string, json.RawMessage, *client.CallOptions) (json.RawMessage, error) {
			panic("SECRET")
		}),
			tool, ``, toolspec.KindRuntimeError, toolspec.ReasonPanic, nil},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := test.ctx
			if ctx == nil {
				ctx = t.Context()
			}
			r, err := servers.NewRemoteTool(test.caller, test.tool, nil).Call(ctx, &toolspec.Call{Arguments: json.RawMessage(test.args)})
			require.NoError(t, err)
			require.True(t, r.IsError)
			require.NotNil(t, r.Err)
			assert.Equal(t, [2]string{string(test.kind), test.reason}, [2]string{string(r.Err.Kind), r.Err.Reason})
			assert.NotContains(t, r.Text(), "SECRET")
			assert.NotContains(t, r.Text(), "refused by", "what goes wrong inside is for the operator")
		})
	}
	r, err := servers.NewRemoteTool(callGives(`{"content":[],"structuredContent":{"n":1}}`), promising, nil).Call(t.Context(), &toolspec.Call{})
	require.NoError(t, err)
	assert.False(t, r.IsError)
	r, err = servers.NewRemoteTool(callGives(`{"content":[{"type":"text","text":"as it is"}],"isError":true}`), tool, nil).Call(t.Context(), &toolspec.Call{})
	require.NoError(t, err)
	assert.Equal(t, "as it is", r.Text(), "a failed tool's own words reach the model")
}

// By default nothing of a call leaves but its arguments and the trace.
func TestRemoteToolMeta(t *testing.T) {
	var sent *client.CallOptions
	caller := callerFunc(func(_ context.Context, _ string, _ json.RawMessage, opts *client.CallOptions) (json.RawMessage, error) {
		sent = opts
		if opts.Progress != nil {
			opts.Progress(toolspec.Progress{Done: 1, Total: 2})
		}
		return json.RawMessage(`{"content":[]}`), nil
	})
	tool := &servers.OfferedTool{Name: "x"}
	parent := "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	call := &toolspec.Call{ID: "id", Conversation: "talk", Principal: toolspec.Principal{Subject: "ada"}, Meta: map[string]json.RawMessage{
		"traceparent": json.RawMessage(`"` + parent + `"`), "tracestate": json.RawMessage(`"a=b"`), "baggage": json.RawMessage(`"user=ada, region=eu;p=1"`),
		"progressToken": json.RawMessage(`7`), "io.modelcontextprotocol/clientInfo": json.RawMessage(`{}`), "tenant": json.RawMessage(`"t1"`)}}
	meta := func(ctx context.Context, f servers.MetaFunc) string {
		_, err := servers.NewRemoteTool(caller, tool, &servers.RemoteToolOptions{Meta: f}).Call(ctx, call)
		require.NoError(t, err)
		data, err := json.Marshal(sent.Meta)
		require.NoError(t, err)
		return string(data)
	}
	ctx := t.Context()
	own := `{"traceparent":"` + parent + `","tracestate":"a=b"}`
	assert.JSONEq(t, own, meta(ctx, nil))
	assert.Equal(t, `null`, meta(ctx, servers.NoMeta))
	assert.JSONEq(t, `{"traceparent":"`+parent+`","tracestate":"a=b","tenant":"t1"}`,
		meta(ctx, servers.MetaKeys("tenant", "absent", "progressToken", "io.modelcontextprotocol/clientInfo")))
	assert.JSONEq(t, `{"traceparent":"`+parent+`","tracestate":"a=b","baggage":"region=eu;p=1"}`, meta(ctx, servers.BaggageKeys("region")))
	traceID, _ := trace.TraceIDFromHex("11111111111111111111111111111111")
	spanID, _ := trace.SpanIDFromHex("2222222222222222")
	span := trace.ContextWithSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{TraceID: traceID, SpanID: spanID, TraceFlags: trace.FlagsSampled}))
	assert.JSONEq(t, `{"traceparent":"00-11111111111111111111111111111111-2222222222222222-01"}`, meta(span, nil), "the span at hand wins")
	call.Meta["traceparent"] = json.RawMessage(`"nonsense"`)
	assert.Equal(t, `null`, meta(ctx, nil))

	for _, f := range []servers.MetaFunc{
		func(context.Context, *toolspec.Call) map[string]json.RawMessage {
			return map[string]json.RawMessage{"big": json.RawMessage(`"` + strings.Repeat("x", 5000) + `"`)}
		},
		func(context.Context, *toolspec.Call) map[string]json.RawMessage {
			return map[string]json.RawMessage{"bad": json.RawMessage(`{`)}
		},
	} {
		sent = nil
		r, err := servers.NewRemoteTool(caller, tool, &servers.RemoteToolOptions{Meta: f}).Call(ctx, call)
		require.NoError(t, err)
		assert.True(t, r.IsError)
		assert.Nil(t, sent)
	}

	// Progress is asked for when there is somebody to tell.
	_ = meta(ctx, nil)
	assert.Nil(t, sent.Progress)
	told := &hubtest.ProgressPeer{Peer: toolspec.NoPeer}
	call.Peer = told
	_ = meta(ctx, nil)
	assert.Equal(t, []toolspec.Progress{{Done: 1, Total: 2}}, told.Told)
}
