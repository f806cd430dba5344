package mcphub_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/toolspec"
)

// keysOf reads a list to its end.
func keysOf(t *testing.T, ask func(method, name, params string) string, method, list, key string) (keys []string, pages int) {
	t.Helper()
	for params := ""; ; {
		r := result(t, ask(method, "", params))
		for _, item := range r[list].([]any) {
			keys = append(keys, item.(map[string]any)[key].(string))
		}
		pages++
		next, more := r["nextCursor"].(string)
		if !more {
			return keys, pages
		}
		params = `"cursor":"` + next + `"`
	}
}

func TestListsHavePages(t *testing.T) {
	h := hubtest.NewHub(t, &mcphub.Options{PageSize: 3}, hubtest.EchoTool(t, "t4"), hubtest.EchoTool(t, "t2"), hubtest.EchoTool(t, "t1"), hubtest.EchoTool(t, "t3"))
	want := map[string][]string{"tools": {"t1", "t2", "t3", "t4"}}
	for i := range 7 {
		uri := fmt.Sprintf("x://%d", 6-i)
		require.NoError(t, h.AddResource(mcphub.Resource{URI: uri}, mcphub.ReadText("")))
		want["resources"] = append(want["resources"], fmt.Sprintf("x://%d", i))
		template := fmt.Sprintf("x://%d/{a}", 6-i)
		require.NoError(t, h.AddResourceTemplate(mcphub.ResourceTemplate{URITemplate: template}, mcphub.ReadText("")))
		want["resourceTemplates"] = append(want["resourceTemplates"], fmt.Sprintf("x://%d/{a}", i))
	}
	for _, name := range []string{"c", "a", "b"} {
		require.NoError(t, h.AddPrompt(mcphub.Prompt{Name: name}, func(context.Context, *mcphub.PromptRequest) (*mcphub.PromptResult, error) { return nil, nil }))
	}
	want["prompts"] = []string{"a", "b", "c"}
	bothEras(t, h, func(t *testing.T, _ bool, ask func(method, name, params string) string) {
		for _, list := range []struct {
			method, name, key string
			pages             int
		}{{"tools/list", "tools", "name", 2}, {"resources/list", "resources", "uri", 3}, {"resources/templates/list", "resourceTemplates", "uriTemplate", 3}, {"prompts/list", "prompts", "name", 1}} {
			keys, pages := keysOf(t, ask, list.method, list.name, list.key)
			assert.Equal(t, want[list.name], keys)
			assert.Equal(t, list.pages, pages, list.method)
		}
		// A cursor of another list is none, and one whose place is gone still is.
		next := result(t, ask("resources/list", "", ""))["nextCursor"].(string)
		code, _ := rpcErr(t, ask("resources/templates/list", "", `"cursor":"`+next+`"`))
		assert.Equal(t, -32602, code)
		r := result(t, ask("resources/list", "", `"cursor":"`+base64.RawURLEncoding.EncodeToString([]byte("1\x00resource\x00x://55"))+`"`))
		assert.Equal(t, "x://6", r["resources"].([]any)[0].(map[string]any)["uri"])
		assert.Len(t, result(t, ask("resources/list", "", `"cursor":null`))["resources"], 3)
	})
}

// A page has a size in bytes too, and at least one item.
func TestPagesAreBounded(t *testing.T) {
	h := hubtest.NewHub(t, nil)
	long := strings.Repeat("x", 700<<10)
	for i := range 3 {
		require.NoError(t, h.AddResource(mcphub.Resource{URI: fmt.Sprint("x://", i), Description: long}, mcphub.ReadText("")))
	}
	bothEras(t, h, func(t *testing.T, _ bool, ask func(method, name, params string) string) {
		keys, pages := keysOf(t, ask, "resources/list", "resources", "uri")
		assert.Equal(t, []string{"x://0", "x://1", "x://2"}, keys)
		assert.Equal(t, 3, pages)
	})
}

// A tool's description has all that its definition has.
func TestToolsAreListedWhole(t *testing.T) {
	yes, no := true, false
	tool, err := toolspec.Func("whole", "All of it.", func(context.Context, struct{}) (struct {
		N int `json:"n"`
	}, error,
	) {
		return struct {
			N int `json:"n"`
		}{1}, nil
	}, &toolspec.FuncOptions{Title: "Whole", Annotations: toolspec.Annotations{ReadOnly: &yes, OpenWorld: &no}, Icons: []toolspec.Icon{{Src: "data:,x"}}})
	require.NoError(t, err)
	h := hubtest.NewHub(t, nil, hubtest.Certify(t, tool, `{}`, `{"n":1}`))
	bothEras(t, h, func(t *testing.T, _ bool, ask func(method, name, params string) string) {
		var r struct {
			Result struct{ Tools []json.RawMessage }
		}
		require.NoError(t, json.Unmarshal([]byte(ask("tools/list", "", "")), &r))
		def := tool.Definition()
		assert.Equal(t, `{"name":"whole","title":"Whole","description":"All of it.","inputSchema":`+string(def.InputSchema)+`,"outputSchema":`+string(def.OutputSchema)+
			`,"annotations":{"readOnlyHint":true,"openWorldHint":false},"icons":[{"src":"data:,x"}]}`, string(r.Result.Tools[0]))
	})
}

func FuzzCursor(f *testing.F) {
	h := hubtest.NewHub(f, &mcphub.Options{PageSize: 2}, hubtest.EchoTool(f, "a"), hubtest.EchoTool(f, "b"), hubtest.EchoTool(f, "c"))
	s, err := h.InProcess(nil).Dial(f.Context(), nil)
	require.NoError(f, err)
	f.Cleanup(func() { _ = s.Close() })
	f.Add("MQB0b29sAGE")
	f.Add("")
	f.Add(base64.RawURLEncoding.EncodeToString([]byte("1\x00tool\x00\xff")))
	f.Fuzz(func(t *testing.T, cursor string) {
		params, err := json.Marshal(map[string]string{"cursor": cursor})
		require.NoError(t, err)
		raw, err := s.Call(t.Context(), "tools/list", params, nil)
		if err != nil {
			var refused *client.RPCError
			require.ErrorAs(t, err, &refused)
			require.Equal(t, -32602, refused.Code)
			return
		}
		var page struct{ Tools []struct{ Name string } }
		require.NoError(t, json.Unmarshal(raw, &page))
		require.LessOrEqual(t, len(page.Tools), 2)
		require.True(t, slices.IsSortedFunc(page.Tools, func(a, b struct{ Name string }) int { return strings.Compare(a.Name, b.Name) }))
	})
}
