package servers_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

func TestToolSelectionTakes(t *testing.T) {
	for name, test := range map[string]struct {
		selection *servers.Selection
		takes     []string // of "read", "write" and "Read"
	}{
		"none":               {nil, []string{"read", "write", "Read"}},
		"empty":              {&servers.Selection{}, []string{"read", "write", "Read"}},
		"only":               {&servers.Selection{Only: []string{"read"}}, []string{"read"}},
		"only nothing":       {&servers.Selection{Only: []string{}}, nil},
		"except":             {&servers.Selection{Except: []string{"write"}}, []string{"read", "Read"}},
		"both":               {&servers.Selection{Only: []string{"read", "write"}, Except: []string{"write"}}, []string{"read"}},
		"what is not there":  {&servers.Selection{Only: []string{"rea", "read "}}, nil},
		"no pattern":         {&servers.Selection{Only: []string{"*"}}, nil},
		"except has its way": {&servers.Selection{Only: []string{"read"}, Except: []string{"read"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var takes []string
			for _, tool := range []string{"read", "write", "Read"} {
				if test.selection.Takes(tool) {
					takes = append(takes, tool)
				}
			}
			assert.Equal(t, test.takes, takes)
		})
	}
}

// What is wrong with a selection or a prefix is said when the record is saved.
func TestToolSelectionIsChecked(t *testing.T) {
	many := make([]string, 1001)
	for i := range many {
		many[i] = fmt.Sprint("tool", i)
	}
	for name, test := range map[string]struct {
		change func(r *servers.Record)
		says   string
	}{
		"good": {func(r *servers.Record) {
			r.Prefix = "fs-2_x"
			r.Selection = &servers.Selection{Only: many[:1000]}
		}, ""},
		"no name": {func(r *servers.Record) { r.Selection = &servers.Selection{Only: []string{""}} }, "toolSelection.only"},
		"a long name": {func(r *servers.Record) {
			r.Selection = &servers.Selection{Except: []string{strings.Repeat("x", 1025)}}
		}, "toolSelection.except"},
		"no text":           {func(r *servers.Record) { r.Selection = &servers.Selection{Except: []string{"a\xff"}} }, "toolSelection.except"},
		"two lines":         {func(r *servers.Record) { r.Selection = &servers.Selection{Except: []string{"a\nb"}} }, "control characters"},
		"too many":          {func(r *servers.Record) { r.Selection = &servers.Selection{Except: many} }, "1001 names"},
		"capitals":          {func(r *servers.Record) { r.Prefix = "Fs" }, "toolPrefix"},
		"begins with digit": {func(r *servers.Record) { r.Prefix = "2fs" }, "toolPrefix"},
		"a dot":             {func(r *servers.Record) { r.Prefix = "f.s" }, "toolPrefix"},
		"too long":          {func(r *servers.Record) { r.Prefix = strings.Repeat("a", 33) }, "toolPrefix"},
	} {
		t.Run(name, func(t *testing.T) {
			r := servers.Record{ID: "files"}
			test.change(&r)
			err := r.Validate()
			if test.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.says)
			require.ErrorContains(t, err, `server "files"`)
		})
	}
	var s servers.Selection
	require.ErrorContains(t, json.Unmarshal([]byte(`{"onyl":["a"]}`), &s), "onyl", "what is misspelt would let everything through")
	require.Error(t, json.Unmarshal([]byte(`["a"]`), &s))
	require.NoError(t, json.Unmarshal([]byte(`{"only":[]}`), &s))
	assert.False(t, s.Takes("a"), "an empty list takes nothing, also when it was kept")
	kept, err := json.Marshal(s)
	require.NoError(t, err)
	assert.JSONEq(t, `{"only":[]}`, string(kept))
}

// A tool that is left out is not on the list and not called, whoever calls it, and
// no session is made anew for that.
func TestToolSelectionOfAServer(t *testing.T) {
	for _, kind := range []client.TransportKind{client.TransportHTTP, client.TransportStdio} {
		t.Run(string(kind), func(t *testing.T) {
			leak.Check(t)
			peer := mcphubtest.NewPeer(&mcphubtest.PeerOptions{Versions: []string{"2025-11-25"}}).
				On("tools/list", mcphubtest.Reply(hubtest.ToolList("", hubtest.Describe("read", ""), hubtest.Describe("write", ""), hubtest.Describe("drop", "")))).
				On("tools/call", mcphubtest.Reply(`{"content":[]}`))
			calls := func() int {
				return len(slices.DeleteFunc(peer.Methods(), func(m string) bool { return m != "tools/call" }))
			}
			c := hubtest.Connections(t, hubtest.Fakes{"files": peer.Transport(kind)}, nil)
			p := hubtest.ToolProvider(t, c, nil)
			defer p.Close()
			require.Empty(t, p.Refresh(t.Context()))
			require.Equal(t, []string{"files_drop", "files_read", "files_write"}, hubtest.ToolNamesOf(t, p))
			all, err := p.Tools(t.Context())
			require.NoError(t, err)
			drop := all[0]

			hubtest.Select(t, c, "files", &servers.Selection{Only: []string{"read", "write"}, Except: []string{"write"}}, "fs")
			require.Eventually(t, func() bool { return slices.Equal([]string{"fs_read"}, hubtest.ToolNamesOf(t, p)) }, hubtest.Patience, time.Millisecond)
			s, err := c.Status("files")
			require.NoError(t, err)
			assert.Equal(t, []int{3, 2}, []int{s.Tools, s.LeftOut})
			assert.Equal(t, uint64(1), s.Generation, "no session is made for it")

			r, err := drop.Call(t.Context(), &toolspec.Call{})
			require.NoError(t, err)
			require.True(t, r.IsError, "one that was held on to is refused")
			assert.Equal(t, []any{toolspec.KindSecurity, servers.ReasonLeftOut}, []any{r.Err.Kind, r.Err.Reason})
			for _, params := range []string{`{"name":"drop","arguments":{}}`, `{"name":"write"}`, `{"name":"nobody"}`, `{"n\u0061me":"drop"}`,
				`{"name":"read","name":"drop"}`, `{"name":"read","Name":"drop"}`, `{"Name":"read"}`, `{"name":["read"]}`, `{}`, ``, `[]`} {
				_, err = c.Call(t.Context(), "files", "tools/call", json.RawMessage(params), nil)
				require.ErrorIs(t, err, servers.ErrLeftOut, params)
				require.ErrorContains(t, err, "files")
			}
			assert.Zero(t, calls(), "the server heard of none of them")
			_, err = c.Call(t.Context(), "files", "tools/call", json.RawMessage(`{"arguments":{"name":"drop"},"name":"read"}`), nil)
			require.NoError(t, err)
			assert.Equal(t, 1, calls())

			hubtest.Select(t, c, "files", &servers.Selection{Only: []string{}}, "")
			require.Eventually(t, func() bool { return len(hubtest.ToolNamesOf(t, p)) == 0 }, hubtest.Patience, time.Millisecond)
			hubtest.Select(t, c, "files", nil, "")
			require.Eventually(t, func() bool { return len(hubtest.ToolNamesOf(t, p)) == 3 }, hubtest.Patience, time.Millisecond)
			r, err = drop.Call(t.Context(), &toolspec.Call{})
			require.NoError(t, err)
			assert.False(t, r.IsError, r.Text())
			require.NoError(t, p.Close())
			require.NoError(t, c.Close())
		})
	}
}

// The selection is kept with the record.
func TestToolSelectionIsKept(t *testing.T) {
	store := memory.New()
	open := func() *servers.Connections {
		c, err := servers.New(store, &servers.Options{Kinds: hubtest.Fakes{"a": &hubtest.Fake{}}.Kinds(t)})
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	c := open()
	r := hubtest.FakeRecord("a", "a")
	r.Selection, r.Prefix = &servers.Selection{Only: []string{"x"}, Except: []string{"y"}}, "fs"
	saved, err := c.Save(t.Context(), r)
	require.NoError(t, err)
	saved.Selection.Only[0] = "changed by the caller"
	require.NoError(t, c.Close())
	again, err := open().Get("a")
	require.NoError(t, err)
	assert.Equal(t, &servers.Selection{Only: []string{"x"}, Except: []string{"y"}}, again.Selection)
	assert.Equal(t, "fs", again.Prefix)
	assert.Empty(t, again.Extra)
}
