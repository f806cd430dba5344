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

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
)

func noPrompt(context.Context, *mcphub.PromptRequest) (*mcphub.PromptResult, error) {
	return &mcphub.PromptResult{}, nil
}

func subscribeTo(method, uri string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"resources/` + method + `","params":{"uri":"` + uri + `"}}`
}

func notice(method, params string) string {
	if params != "" {
		params = `,"params":{` + params + `}`
	}
	return `{"jsonrpc":"2.0","method":"notifications/` + method + `"` + params + `}`
}

// A session is told of every list that it knows of, and of what it subscribed to,
// also of what came before its stream.
func TestSessionIsTold(t *testing.T) {
	t.Parallel()
	leak.Check(t)
	h := hubtest.NewHub(t, nil)
	c := serve(t, h)
	early := c.open("2025-06-18", `{}`) // before there is anything
	require.NoError(t, h.AddResource(mcphub.Resource{URI: "x://a"}, mcphub.ReadText("a")))
	require.NoError(t, h.AddResourceTemplate(mcphub.ResourceTemplate{URITemplate: "y://{a}"}, mcphub.ReadText("a")))
	require.NoError(t, h.AddPrompt(mcphub.Prompt{Name: "p"}, noPrompt))
	s := c.open("2025-06-18", `{}`)
	for uri, code := range map[string]int{"x://a": 0, "y://b": 0, "x://none": -32002} {
		got, _ := rpcErr(t, s.post(subscribeTo("subscribe", uri)).body)
		assert.Equal(t, code, got, uri)
	}
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":1,"result":{}}`, s.post(subscribeTo("subscribe", "x://a")).body, "again")
	h.ResourceUpdated("y://b")
	h.ResourceUpdated("y://b")
	h.ResourceUpdated("x://other")
	messages, closeStream := s.stream(s.request(http.MethodGet, ""))
	assert.Equal(t, notice("resources/updated", `"uri":"y://b"`), next(t, messages))
	h.ResourceUpdated("x://a")
	assert.Equal(t, notice("resources/updated", `"uri":"x://a"`), next(t, messages))
	require.NoError(t, h.RemovePrompt("p"))
	assert.Equal(t, notice("prompts/list_changed", ""), next(t, messages))
	require.NoError(t, h.RemoveResourceTemplate("y://{a}"))
	assert.Equal(t, notice("resources/list_changed", ""), next(t, messages))
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":1,"result":{}}`, s.post(subscribeTo("unsubscribe", "x://a")).body)
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":1,"result":{}}`, s.post(subscribeTo("unsubscribe", "x://a")).body, "again")
	h.ResourceUpdated("x://a")
	require.NoError(t, h.Add(hubtest.EchoTool(t, "echo")))
	assert.Equal(t, notice("tools/list_changed", ""), next(t, messages))
	closeStream()

	messages, closeStream = early.stream(early.request(http.MethodGet, ""))
	assert.Equal(t, notice("tools/list_changed", ""), next(t, messages), "it was told of tools, and of nothing else")
	closeStream()
	assert.Empty(t, messages)

	// The end of a session is the end of its subscriptions.
	got, _ := rpcErr(t, s.post(subscribeTo("subscribe", "x://a")).body)
	require.Zero(t, got)
	assert.Equal(t, http.StatusNoContent, s.do(s.request(http.MethodDelete, "")).status)
	h.ResourceUpdated("x://a")
}

func TestSubscriptionsAreBounded(t *testing.T) {
	h := hubtest.NewHub(t, nil)
	require.NoError(t, h.AddResourceTemplate(mcphub.ResourceTemplate{URITemplate: "x://{a}"}, mcphub.ReadText("a")))
	s, err := h.InProcess(nil).Dial(t.Context(), &client.DialOptions{Versions: []string{"2025-11-25"}})
	require.NoError(t, err)
	defer s.Close()
	for i := range 1001 {
		_, err = s.Call(t.Context(), "resources/subscribe", json.RawMessage(fmt.Sprintf(`{"uri":"x://%d"}`, i)), nil)
		if i < 1000 {
			require.NoError(t, err)
		}
	}
	require.ErrorContains(t, err, "too many subscriptions")
	uris := make([]string, 1001)
	for i := range uris {
		uris[i] = fmt.Sprint("x://", i)
	}
	many, err := json.Marshal(uris)
	require.NoError(t, err)
	a := serve(t, h).modern("1", "subscriptions/listen", "", `"notifications":{"resourceSubscriptions":`+string(many)+`}`, "")
	code, _ := rpcErr(t, a.body)
	assert.Equal(t, -32602, code)
}

// A client of 2026-07-28 is told of what it asks for and there is, each notice
// with the name of the subscription.
func TestListenHasFilters(t *testing.T) {
	leak.Check(t)
	h := hubtest.NewHub(t, nil)
	require.NoError(t, h.AddResource(mcphub.Resource{URI: "x://a"}, mcphub.ReadText("a")))
	c := serve(t, h)
	const tag = `"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}`
	for name, test := range map[string]struct {
		filter, ack string
		want        []string
	}{
		"all": {`"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["x://a","x://none","x://a"]`,
			`"toolsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["x://a"]`,
			[]string{notice("tools/list_changed", tag), notice("resources/list_changed", tag), notice("resources/updated", `"uri":"x://a",`+tag)}},
		"tools":     {`"toolsListChanged":true,"promptsListChanged":false`, `"toolsListChanged":true`, []string{notice("tools/list_changed", tag)}},
		"resources": {`"resourcesListChanged":true`, `"resourcesListChanged":true`, []string{notice("resources/list_changed", tag)}},
		"one":       {`"resourceSubscriptions":["x://a"]`, `"resourceSubscriptions":["x://a"]`, []string{notice("resources/updated", `"uri":"x://a",`+tag)}},
	} {
		t.Run(name, func(t *testing.T) {
			messages, closeStream := c.stream(c.modernRequest(`"s"`, "subscriptions/listen", "", `"notifications":{`+test.filter+`}`, ""))
			defer closeStream()
			assert.Equal(t, notice("subscriptions/acknowledged", tag+`,"notifications":{`+test.ack+`}`), next(t, messages))
			// All of it happens while the client is left alone after the first.
			h.ResourceUpdated("x://a")
			tool := hubtest.EchoTool(t, "tool")
			require.NoError(t, h.Add(tool))
			require.NoError(t, h.AddResource(mcphub.Resource{URI: "x://b"}, mcphub.ReadText("b")))
			got := []string{}
			for range test.want {
				got = append(got, next(t, messages))
			}
			assert.ElementsMatch(t, test.want, got)
			require.NoError(t, h.Remove("tool"))
			require.NoError(t, h.RemoveResource("x://b"))
		})
	}
	for params, want := range map[string]string{
		``:                   `\"notifications\" must be`,
		`"notifications":[]`: `\"notifications\" must be`,
		`"notifications":{"resourceSubscriptions":3}`: `must be a list`,
	} {
		a := c.modern("1", "subscriptions/listen", "", params, "")
		assert.Contains(t, a.body, want)
		assert.Equal(t, http.StatusBadRequest, a.status)
	}
	a := c.modern(`"s"`, "subscriptions/listen", "", `"notifications":{"promptsListChanged":true}`, "")
	assert.Equal(t, []string{notice("subscriptions/acknowledged", tag+`,"notifications":{}`),
		`{"jsonrpc":"2.0","id":"s","result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":"s",` + serverInfo + `}}}`}, a.events,
		"there is nothing to tell of: it ends")
}

// A storm of changes is a few notices.
func TestNoticesAreFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := mcphub.New(nil)
		require.NoError(t, err)
		require.NoError(t, h.AddResource(mcphub.Resource{URI: "x://a"}, mcphub.ReadText("a")))
		count := map[string]int{}
		s, err := h.InProcess(nil).Dial(t.Context(), &client.DialOptions{Handler: client.Handler{Notification: func(_ context.Context, n client.Notification) { count[n.Method]++ }}})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- s.Listen(ctx, &client.Subscription{Resources: true, URIs: []string{"x://a"}}) }()
		synctest.Wait()
		for i := range 1000 {
			require.NoError(t, h.AddResource(mcphub.Resource{URI: fmt.Sprint("y://", i)}, mcphub.ReadText("b")))
			h.ResourceUpdated("x://a")
			synctest.Wait()
		}
		time.Sleep(time.Second)
		cancel()
		<-done
		assert.LessOrEqual(t, count["notifications/resources/updated"], 3)
		assert.LessOrEqual(t, count["notifications/resources/list_changed"], 3)
		assert.Positive(t, count["notifications/resources/updated"])
		require.NoError(t, s.Close())
		require.NoError(t, h.Close())
	})
}
