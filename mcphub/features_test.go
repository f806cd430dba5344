package mcphub_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/toolspec"
)

// bothEras runs a test with a client of each era. ask sends a request and returns
// the body of the answer.
func bothEras(t *testing.T, h *mcphub.Hub, test func(t *testing.T, modern bool, ask func(method, name, params string) string)) {
	t.Helper()
	c := serve(t, h)
	t.Run("2025-11-25", func(t *testing.T) {
		s := c.open("2025-11-25", `{}`)
		test(t, false, func(method, _, params string) string {
			return s.post(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `}}`).body
		})
	})
	t.Run("2026-07-28", func(t *testing.T) {
		test(t, true, func(method, name, params string) string { return c.modern("1", method, name, params, "").body })
	})
}

// notes is a hub with one of everything.
func notes(t testing.TB, opts *mcphub.Options) *mcphub.Hub {
	t.Helper()
	h := hubtest.NewHub(t, opts)
	half := 0.5
	require.NoError(t, h.AddResource(mcphub.Resource{URI: "notes://today", Title: "Today", Description: "What is on.", MIMEType: "text/plain", Size: 5,
		Icons:    []toolspec.Icon{{Src: "https://example.com/i.png", MIMEType: "image/png", Sizes: []string{"48x48", "any"}, Theme: "dark"}, {Src: "data:,x"}},
		Audience: []string{"user"}, Priority: &half, Modified: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Meta: map[string]json.RawMessage{"a/b": json.RawMessage(`{"c":1}`)}},
		mcphub.ReadText("lunch")))
	require.NoError(t, h.AddResource(mcphub.Resource{URI: "notes://face", Name: "face"}, func(context.Context, *mcphub.ReadRequest) (*mcphub.ReadResult, error) {
		return &mcphub.ReadResult{TTL: 1500 * time.Millisecond, Public: true, Meta: map[string]json.RawMessage{"x": json.RawMessage(`1`)},
			Contents: []toolspec.Content{{URI: "notes://face/1", MIMEType: "image/png", Data: []byte("png"), Meta: map[string]json.RawMessage{"y": json.RawMessage(`2`)}}}}, nil
	}))
	require.NoError(t, h.AddResourceTemplate(mcphub.ResourceTemplate{URITemplate: "notes://{day}/{+path}", Title: "Any", MIMEType: "text/plain",
		Complete: map[string]mcphub.CompleteFunc{"day": mcphub.CompleteFrom("Monday", "Tuesday", "monsoon")}},
		func(_ context.Context, req *mcphub.ReadRequest) (*mcphub.ReadResult, error) {
			if req.Variables["day"] == "never" {
				return nil, fmt.Errorf("no such day: %w", mcphub.ErrUnknownResource)
			}
			return &mcphub.ReadResult{Contents: []toolspec.Content{{Text: fmt.Sprint(req.Variables, " by ", req.Principal.Subject)}}}, nil
		}))
	require.NoError(t, h.AddPrompt(mcphub.Prompt{Name: "greet", Title: "Greeting", Description: "Greets.",
		Arguments: []mcphub.PromptArgument{{Name: "who", Title: "Who", Description: "The name.", Required: true},
			{Name: "how", Complete: func(_ context.Context, req *mcphub.CompleteRequest) (*mcphub.Completion, error) {
				return &mcphub.Completion{Values: []string{req.Argument + " " + req.Value + " for " + req.Arguments["who"]}, Total: 7}, nil
			}}},
		Meta: map[string]json.RawMessage{"m": json.RawMessage(`true`)}},
		func(_ context.Context, req *mcphub.PromptRequest) (*mcphub.PromptResult, error) {
			return &mcphub.PromptResult{Description: "To " + req.Arguments["who"], Messages: []toolspec.SampleMessage{
				{Content: toolspec.Text(req.Arguments["how"] + " " + req.Arguments["who"])},
				{Role: "assistant", Content: toolspec.Image([]byte("i"), "image/png")}}}, nil
		}))
	return h
}

// Everything is listed and read in both eras, in the same words but for what the
// newer one adds.
func TestFeaturesAreServed(t *testing.T) {
	leak.Check(t)
	complete := func(cache string) string { return cache + `,"resultType":"complete","_meta":{` + serverInfo + `}` }
	const private = `,"ttlMs":0,"cacheScope":"private"`
	for _, test := range []struct{ name, method, target, params, legacy, modern string }{
		{"resources", "resources/list", "", "",
			`{"resources":[{"uri":"notes://face","name":"face"},{"uri":"notes://today","name":"notes://today","title":"Today","description":"What is on.","mimeType":"text/plain","size":5,` +
				`"icons":[{"src":"https://example.com/i.png","mimeType":"image/png","sizes":["48x48","any"],"theme":"dark"},{"src":"data:,x"}],` +
				`"annotations":{"audience":["user"],"priority":0.5,"lastModified":"2026-01-02T03:04:05Z"},"_meta":{"a/b":{"c":1}}}]`, complete(private)},
		{"templates", "resources/templates/list", "", "",
			`{"resourceTemplates":[{"uriTemplate":"notes://{day}/{+path}","name":"notes://{day}/{+path}","title":"Any","mimeType":"text/plain"}]`, complete(private)},
		{"prompts", "prompts/list", "", "", `{"prompts":[{"name":"greet","title":"Greeting","description":"Greets.","arguments":[` +
			`{"name":"who","title":"Who","description":"The name.","required":true},{"name":"how"}],"_meta":{"m":true}}]`, complete(private)},
		{"text", "resources/read", "notes://today", `"uri":"notes://today"`,
			`{"contents":[{"uri":"notes://today","mimeType":"text/plain","text":"lunch"}]`, complete(private)},
		{"bytes", "resources/read", "notes://face", `"uri":"notes://face"`,
			`{"contents":[{"uri":"notes://face/1","mimeType":"image/png","blob":"cG5n","_meta":{"y":2}}],"_meta":{"x":1}`,
			strings.Replace(complete(`,"ttlMs":1500,"cacheScope":"public"`), `"_meta":{`, `"_meta":{"x":1,`, 1)},
		{"by template", "resources/read", "notes://a%2Fb/c/d", `"uri":"notes://a%2Fb/c/d"`,
			`{"contents":[{"uri":"notes://a%2Fb/c/d","mimeType":"text/plain","text":"map[day:a/b path:c/d] by local"}]`, complete(private)},
		{"prompt", "prompts/get", "greet", `"name":"greet","arguments":{"who":"you","how":"hi"}`,
			`{"messages":[{"role":"user","content":{"type":"text","text":"hi you"}},{"role":"assistant","content":{"type":"image","data":"aQ==","mimeType":"image/png"}}],"description":"To you"`, complete("")},
		{"variable", "completion/complete", "", `"ref":{"type":"ref/resource","uri":"notes://{day}/{+path}"},"argument":{"name":"day","value":"MON"}`,
			`{"completion":{"values":["Monday","monsoon"],"total":2,"hasMore":false}`, complete("")},
		{"argument", "completion/complete", "", `"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"how","value":"x"},"context":{"arguments":{"who":"you"}}`,
			`{"completion":{"values":["how x for you"],"total":7,"hasMore":true}`, complete("")},
		{"nothing to suggest", "completion/complete", "", `"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":""}`,
			`{"completion":{"values":[],"hasMore":false}`, complete("")},
		{"of a resource", "completion/complete", "", `"ref":{"type":"ref/resource","uri":"notes://today"},"argument":{"name":"x","value":""}`,
			`{"completion":{"values":[],"hasMore":false}`, complete("")},
	} {
		t.Run(test.name, func(t *testing.T) {
			bothEras(t, notes(t, nil), func(t *testing.T, modern bool, ask func(method, name, params string) string) {
				want := test.legacy
				if modern {
					if i := strings.LastIndex(want, `,"_meta":{"x":1}`); i > 0 {
						want = want[:i]
					}
					want += test.modern
				}
				assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":`+want+`}}`, ask(test.method, test.target, test.params))
			})
		})
	}
}

func TestFeaturesRefuse(t *testing.T) {
	h := notes(t, nil)
	require.NoError(t, h.AddResource(mcphub.Resource{URI: "x://panic"}, func(context.Context, *mcphub.ReadRequest) (*mcphub.ReadResult, error) { panic("secret") }))
	require.NoError(t, h.AddResource(mcphub.Resource{URI: "x://empty"}, func(context.Context, *mcphub.ReadRequest) (*mcphub.ReadResult, error) { return nil, nil }))
	require.NoError(t, h.AddResource(mcphub.Resource{URI: "x://meta"}, func(context.Context, *mcphub.ReadRequest) (*mcphub.ReadResult, error) {
		return &mcphub.ReadResult{Contents: []toolspec.Content{{Text: "a", Meta: map[string]json.RawMessage{"x": json.RawMessage(`{`)}}}}, nil
	}))
	for name, err := range map[string]error{"hidden": errors.New("secret"), "meant": &client.RPCError{Code: -32001, Message: "not today", Data: json.RawMessage(`{"a":1}`)}} {
		require.NoError(t, h.AddPrompt(mcphub.Prompt{Name: name, Arguments: []mcphub.PromptArgument{{Name: "a",
			Complete: func(context.Context, *mcphub.CompleteRequest) (*mcphub.Completion, error) { return nil, err }}}},
			func(context.Context, *mcphub.PromptRequest) (*mcphub.PromptResult, error) { return nil, err }))
	}
	require.NoError(t, h.AddPrompt(mcphub.Prompt{Name: "nothing"}, func(context.Context, *mcphub.PromptRequest) (*mcphub.PromptResult, error) { return nil, nil }))
	require.NoError(t, h.AddPrompt(mcphub.Prompt{Name: "negative", Arguments: []mcphub.PromptArgument{{Name: "a",
		Complete: func(context.Context, *mcphub.CompleteRequest) (*mcphub.Completion, error) {
			return &mcphub.Completion{Total: -1}, nil
		}}}}, func(context.Context, *mcphub.PromptRequest) (*mcphub.PromptResult, error) {
		return &mcphub.PromptResult{Meta: map[string]json.RawMessage{"x": json.RawMessage(`{`)}}, nil
	}))
	bothEras(t, h, func(t *testing.T, modern bool, ask func(method, name, params string) string) {
		gone := -32002
		if modern {
			gone = -32602
		}
		for _, test := range []struct {
			name, method, target, params string
			code                         int
			text                         string
		}{
			{"no resource", "resources/read", "x://none", `"uri":"x://none"`, gone, `"data":{"uri":"x://none"}`},
			{"not there", "resources/read", "notes://never/x", `"uri":"notes://never/x"`, gone, `"data":{"uri":"notes://never/x"}`},
			{"no prompt", "prompts/get", "none", `"name":"none"`, -32602, "Unknown prompt: none"},
			{"argument missing", "prompts/get", "greet", `"name":"greet"`, -32602, `the prompt \"greet\" needs the argument \"who\"`},
			{"argument no text", "prompts/get", "greet", `"name":"greet","arguments":{"who":1}`, -32602, "must be a string"},
			{"argument twice", "prompts/get", "greet", `"name":"greet","arguments":{"who":"a","who":"b"}`, -32602, "twice"},
			{"arguments no object", "prompts/get", "greet", `"name":"greet","arguments":[]`, -32602, "must be an object"},
			{"panic", "resources/read", "x://panic", `"uri":"x://panic"`, -32603, "the server failed to answer"},
			{"empty", "resources/read", "x://empty", `"uri":"x://empty"`, -32603, "the server failed to answer"},
			{"meta", "resources/read", "x://meta", `"uri":"x://meta"`, -32603, "the server failed to answer"},
			{"no result", "prompts/get", "nothing", `"name":"nothing"`, -32603, "the server failed to answer"},
			{"bad result", "prompts/get", "negative", `"name":"negative"`, -32603, "the server failed to answer"},
			{"hidden error", "prompts/get", "hidden", `"name":"hidden"`, -32603, "the server failed to answer"},
			{"meant error", "prompts/get", "meant", `"name":"meant"`, -32001, `"message":"not today","data":{"a":1}`},
			{"hidden completion", "completion/complete", "", `"ref":{"type":"ref/prompt","name":"hidden"},"argument":{"name":"a","value":""}`, -32603, "failed to answer"},
			{"bad completion", "completion/complete", "", `"ref":{"type":"ref/prompt","name":"negative"},"argument":{"name":"a","value":""}`, -32603, "failed to answer"},
			{"completion of none", "completion/complete", "", `"ref":{"type":"ref/prompt","name":"none"},"argument":{"name":"a","value":""}`, -32602, "Unknown prompt"},
			{"template of none", "completion/complete", "", `"ref":{"type":"ref/resource","uri":"x://{a}"},"argument":{"name":"a","value":""}`, -32602, "Unknown resource template"},
			{"other ref", "completion/complete", "", `"ref":{"type":"ref/tool","name":"a"},"argument":{"name":"a","value":""}`, -32602, `\"ref\" must`},
			{"no argument", "completion/complete", "", `"ref":{"type":"ref/prompt","name":"greet"}`, -32602, `\"argument\" must`},
			{"bad context", "completion/complete", "", `"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"a","value":""},"context":{"arguments":3}`, -32602, "must be an object"},
			{"cursor", "prompts/list", "", `"cursor":"abc"`, -32602, "cursor"},
			{"cursor no text", "prompts/list", "", `"cursor":3`, -32602, "cursor"},
			{"cursor twice", "prompts/list", "", `"cursor":"","cursor":""`, -32602, "twice"},
			{"unknown method", "prompts/put", "", ``, -32601, "prompts/put"},
		} {
			body := ask(test.method, test.target, test.params)
			code, _ := rpcErr(t, body)
			assert.Equal(t, test.code, code, "%s: %s", test.name, body)
			assert.Contains(t, body, test.text, test.name)
			assert.NotContains(t, body, "secret", test.name)
		}
	})
	c := serve(t, h).open("2025-06-18", `{}`)
	for _, params := range []string{`{}`, `{"uri":3}`, `{"uri":""}`, `{"uri":"` + strings.Repeat("a", 9000) + `"}`, `{"uri":"a","uri":"b"}`} {
		code, _ := rpcErr(t, c.post(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":`+params+`}`).body)
		assert.Equal(t, -32602, code)
	}
	code, _ := rpcErr(t, c.post(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":7}}`).body)
	assert.Equal(t, -32602, code)
	for _, body := range []string{`{"level":"loud"}`, `{}`, `{"level":"info","level":"info"}`} {
		code, _ = rpcErr(t, c.post(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":`+body+`}`).body)
		assert.Equal(t, -32602, code)
	}
}

func TestFeaturesAreChecked(t *testing.T) {
	h := hubtest.NewHub(t, nil)
	read := mcphub.ReadText("x")
	get := func(context.Context, *mcphub.PromptRequest) (*mcphub.PromptResult, error) { return nil, nil }
	bad := []toolspec.Icon{{Src: "file:///x"}}
	meta := map[string]json.RawMessage{"x": json.RawMessage(`{`)}
	for name, test := range map[string]struct {
		err  error
		text string
	}{
		"relative":         {h.AddResource(mcphub.Resource{URI: "x"}, read), "absolute"},
		"no URI":           {h.AddResource(mcphub.Resource{URI: "a:\x00"}, read), "absolute"},
		"long":             {h.AddResource(mcphub.Resource{URI: "x:" + strings.Repeat("a", 9000)}, read), "bytes"},
		"no read":          {h.AddResource(mcphub.Resource{URI: "x://a"}, nil), "nil"},
		"icon":             {h.AddResource(mcphub.Resource{URI: "x://a", Icons: bad}, read), "icon"},
		"meta":             {h.AddResource(mcphub.Resource{URI: "x://a", Meta: meta}, read), "_meta"},
		"no template":      {h.AddResourceTemplate(mcphub.ResourceTemplate{}, read), "URI template"},
		"malformed":        {h.AddResourceTemplate(mcphub.ResourceTemplate{URITemplate: "x://{a"}, read), "no URI template"},
		"no variable":      {h.AddResourceTemplate(mcphub.ResourceTemplate{URITemplate: "x://a"}, read), "no variable"},
		"many variables":   {h.AddResourceTemplate(mcphub.ResourceTemplate{URITemplate: "x://" + strings.Repeat("{a}", 40)}, read), "more than 32"},
		"long prefixes":    {h.AddResourceTemplate(mcphub.ResourceTemplate{URITemplate: "x://{a:300}{b:300}"}, read), "prefix modifiers"},
		"template no read": {h.AddResourceTemplate(mcphub.ResourceTemplate{URITemplate: "x://{a}"}, nil), "nil"},
		"template icon":    {h.AddResourceTemplate(mcphub.ResourceTemplate{URITemplate: "x://{a}", Icons: bad}, read), "icon"},
		"template complete": {h.AddResourceTemplate(mcphub.ResourceTemplate{URITemplate: "x://{a}",
			Complete: map[string]mcphub.CompleteFunc{"b": mcphub.CompleteFrom()}}, read), `no variable "b"`},
		"prompt name": {h.AddPrompt(mcphub.Prompt{Name: "a b"}, get), "characters"},
		"no name":     {h.AddPrompt(mcphub.Prompt{}, get), "characters"},
		"prompt get":  {h.AddPrompt(mcphub.Prompt{Name: "a"}, nil), "nil"},
		"prompt icon": {h.AddPrompt(mcphub.Prompt{Name: "a", Icons: bad}, get), "icon"},
		"argument":    {h.AddPrompt(mcphub.Prompt{Name: "a", Arguments: []mcphub.PromptArgument{{Name: "x"}, {Name: "x"}}}, get), "argument 2"},
	} {
		t.Run(name, func(t *testing.T) { assert.ErrorContains(t, test.err, test.text) })
	}
	require.NoError(t, h.AddPrompt(mcphub.Prompt{Name: "a"}, get))
	require.ErrorIs(t, h.AddPrompt(mcphub.Prompt{Name: "a"}, get), toolspec.ErrNameTaken)
	require.NoError(t, h.RemovePrompt("a"))
	require.ErrorIs(t, h.RemovePrompt("a"), mcphub.ErrUnknownPrompt)
	require.NoError(t, h.AddResource(mcphub.Resource{URI: "x://a"}, read))
	require.NoError(t, h.RemoveResource("x://a"))
	require.ErrorIs(t, h.RemoveResource("x://a"), mcphub.ErrUnknownResource)
	require.NoError(t, h.AddResourceTemplate(mcphub.ResourceTemplate{URITemplate: "x://{a}"}, read))
	require.NoError(t, h.RemoveResourceTemplate("x://{a}"))
	require.ErrorIs(t, h.RemoveResourceTemplate("x://{a}"), mcphub.ErrUnknownResource)
	require.NoError(t, h.Close())
	require.ErrorIs(t, h.AddPrompt(mcphub.Prompt{Name: "a"}, get), toolspec.ErrClosed)
}

// A capability is declared once there was something, and its methods are there
// from then on.
func TestCapabilitiesGrow(t *testing.T) {
	h := hubtest.NewHub(t, &mcphub.Options{Instructions: "Be kind.", Tasks: mcphub.TaskOptions{Off: true}, Icons: []toolspec.Icon{{Src: "data:,x"}, {Src: "no"}}})
	c := serve(t, h)
	declared := func() (legacy, modern string) {
		legacy = c.post(initialize("2025-11-25", `{}`)).body
		modern = c.modern("1", "server/discover", "", "", "").body
		return legacy, modern
	}
	legacy, modern := declared()
	const none = `"capabilities":{"logging":{},"tools":{"listChanged":true}}`
	assert.Equal(t, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25",`+none+
		`,"serverInfo":{"name":"localpass-built-in-mcp","version":"0.1.0","icons":[{"src":"data:,x"}]},"instructions":"Be kind."}}`, legacy)
	assert.Contains(t, modern, none)
	for method, params := range map[string]string{"prompts/list": "", "prompts/get": `"name":"a"`, "resources/list": "", "resources/templates/list": "",
		"resources/read": `"uri":"a:b"`, "completion/complete": ""} {
		name := strings.Trim(params[strings.Index(params, ":")+1:], `"`)
		a := c.modern("1", method, name, params, "")
		code, _ := rpcErr(t, a.body)
		assert.Equal(t, -32601, code, method)
		assert.Equal(t, http.StatusNotFound, a.status, method)
	}
	old := c.open("2025-06-18", `{}`)
	for _, method := range []string{"resources/subscribe", "resources/unsubscribe"} {
		code, _ := rpcErr(t, old.post(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{"uri":"a:b"}}`).body)
		assert.Equal(t, -32601, code, method)
	}
	require.NoError(t, h.AddPrompt(mcphub.Prompt{Name: "a", Arguments: []mcphub.PromptArgument{{Name: "x", Complete: mcphub.CompleteFrom("y")}}},
		func(context.Context, *mcphub.PromptRequest) (*mcphub.PromptResult, error) { return nil, nil }))
	require.NoError(t, h.AddResource(mcphub.Resource{URI: "a:b"}, mcphub.ReadText("x")))
	const all = `"capabilities":{"logging":{},"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"completions":{}}`
	require.NoError(t, h.RemovePrompt("a"))
	legacy, modern = declared()
	assert.Contains(t, legacy, all)
	assert.Contains(t, modern, all)
	assert.Contains(t, c.modern("1", "prompts/list", "", "", "").body, `"prompts":[]`)
	for _, body := range []string{`{"protocolVersion":3}`, `{"protocolVersion":"a","protocolVersion":"b"}`, `{}`} {
		code, _ := rpcErr(t, c.post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":`+body+`}`).body)
		assert.Equal(t, -32602, code)
	}
	code, _ := rpcErr(t, old.post(`{"jsonrpc":"2.0","id":1,"method":"server/discover"}`).body)
	assert.Equal(t, -32601, code, "a session knows already")
}

// A handler has the time and the slots of a call, and no peer after its end.
func TestHandlersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := mcphub.New(&mcphub.Options{MaxCalls: 1, CallTimeout: time.Second})
		require.NoError(t, err)
		var peer toolspec.Peer
		require.NoError(t, h.AddResource(mcphub.Resource{URI: "x://slow"}, func(ctx context.Context, req *mcphub.ReadRequest) (*mcphub.ReadResult, error) {
			peer = req.Peer
			<-ctx.Done()
			return nil, ctx.Err()
		}))
		s, err := h.InProcess(nil).Dial(t.Context(), &client.DialOptions{Versions: []string{"2025-11-25"}})
		require.NoError(t, err)
		first := make(chan error)
		go func() {
			_, err := s.Call(t.Context(), "resources/read", json.RawMessage(`{"uri":"x://slow"}`), nil)
			first <- err
		}()
		synctest.Wait()
		time.Sleep(time.Millisecond)
		_, err = s.Call(t.Context(), "resources/read", json.RawMessage(`{"uri":"x://slow"}`), nil)
		require.ErrorContains(t, <-first, "took too long")
		require.ErrorContains(t, err, "took too long")
		require.ErrorIs(t, peer.Log(t.Context(), toolspec.LogMessage{Level: "info"}), toolspec.ErrClosed)

		go func() {
			_, err := s.Call(t.Context(), "resources/read", json.RawMessage(`{"uri":"x://slow"}`), nil)
			first <- err
		}()
		synctest.Wait()
		require.NoError(t, h.Close())
		require.Error(t, <-first)
		require.NoError(t, s.Close())
	})
}
