package servers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
)

// Half of the servers are dead, slow or broken: the others are there at once.
func TestProviderHidesAndDelaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := func(ctx context.Context) error {
			<-ctx.Done()
			return hubtest.ConnError(client.ConnTimeout, true, ctx.Err())
		}
		f := hubtest.Fakes{
			"good":  (&hubtest.Fake{}).Offer("a"),
			"fine":  (&hubtest.Fake{}).Offer("b"),
			"dead":  &hubtest.Fake{OnDial: func(context.Context, int) error { return hubtest.Refused() }},
			"stuck": &hubtest.Fake{OnDial: func(ctx context.Context, _ int) error { return hang(ctx) }},
			"slow": (&hubtest.Fake{OnCall: func(ctx context.Context, method string, _ json.RawMessage) (json.RawMessage, error) {
				if method == "tools/list" {
					return nil, hang(ctx)
				}
				return nil, nil
			}}).Offer("c"),
			"broken": (&hubtest.Fake{OnCall: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
				return nil, hubtest.ConnError(client.ConnProtocol, true, client.ErrProtocol)
			}}).Offer("d"),
			"other": (&hubtest.Fake{}).Offer("e"),
		}
		for i := range 8 { // more than are synchronized side by side by schedule
			f[fmt.Sprint("slow", i)] = f["slow"]
		}
		c := hubtest.Connections(t, f, nil)
		r, err := c.Get("other")
		require.NoError(t, err)
		r.Disabled = true
		_, err = c.Save(t.Context(), r)
		require.NoError(t, err)
		p := hubtest.ToolProvider(t, c, nil)
		var changes atomic.Int64
		stop := p.Watch(func() { changes.Add(1) })
		begin := time.Now()
		assert.Empty(t, hubtest.ToolNamesOf(t, p), "nothing is known yet, and nothing waited for")
		synctest.Wait()
		assert.Equal(t, []string{"fine_b", "good_a"}, hubtest.ToolNamesOf(t, p))
		assert.Zero(t, time.Since(begin))
		assert.Positive(t, changes.Load())

		warnings := p.Refresh(t.Context())
		assert.LessOrEqual(t, time.Since(begin), 16*time.Second, "each has its own time, and they are asked side by side")
		assert.Equal(t, []string{"fine_b", "good_a"}, hubtest.ToolNamesOf(t, p))
		var who []string
		for _, w := range warnings {
			require.Error(t, w.Err)
			who = append(who, w.Server)
		}
		assert.NotContains(t, who, "good")
		assert.NotContains(t, who, "fine")
		assert.Contains(t, who, "dead")
		assert.Contains(t, who, "broken")
		assert.Zero(t, f["other"].(*hubtest.Fake).Dials.Load())

		// A call of one that works is not held up either.
		tools, err := p.Tools(t.Context())
		require.NoError(t, err)
		begin = time.Now()
		result, err := tools[0].Call(t.Context(), &toolspec.Call{})
		require.NoError(t, err)
		assert.Equal(t, "done", result.Text())
		assert.Zero(t, time.Since(begin))
		stop()
		require.NoError(t, p.Close())
		require.NoError(t, c.Close())
	})
}

func TestProviderFollowsChanges(t *testing.T) {
	leak.Check(t)
	a, b := (&hubtest.Fake{}).Offer("x", "y"), (&hubtest.Fake{}).Offer("x")
	c := hubtest.Connections(t, hubtest.Fakes{"a": a, "b": b, "c": &hubtest.Fake{}}, nil)
	require.NoError(t, c.ConnectAll(t.Context()))
	p := hubtest.ToolProvider(t, c, &servers.ToolProviderOptions{Servers: []string{"a", "b"}, Filter: servers.Not(servers.Named("b/hidden"))})
	before, err := p.Tools(t.Context())
	require.NoError(t, err)
	generation := p.Generation()
	assert.Equal(t, []string{"a_x", "a_y", "b_x"}, hubtest.ToolNamesOf(t, p))
	require.NoError(t, c.Sync(t.Context(), "a"))
	assert.Equal(t, generation, p.Generation(), "nothing changed")
	b.Offer("x=changed", "hidden")
	require.NoError(t, c.Sync(t.Context(), "b"))
	after, err := p.Tools(t.Context())
	require.NoError(t, err)
	assert.Greater(t, p.Generation(), generation)
	assert.Same(t, before[0], after[0], "what did not change is the same value")
	assert.NotSame(t, before[2], after[2])
	assert.Equal(t, "changed", after[2].Definition().Description)
	require.NoError(t, c.Delete(t.Context(), "a"))
	assert.Equal(t, []string{"b_x"}, hubtest.ToolNamesOf(t, p))
	_, err = c.Save(t.Context(), hubtest.FakeRecord("d", "a"))
	require.NoError(t, err)
	require.NoError(t, p.Close())
	require.NoError(t, p.Close())
	r, err := before[0].Call(t.Context(), &toolspec.Call{})
	require.NoError(t, err)
	assert.Equal(t, servers.ReasonNotConfigured, r.Err.Reason, "its server is gone")
	require.NoError(t, c.Close())
}

func TestProviderNames(t *testing.T) {
	c := hubtest.Connections(t, hubtest.Fakes{"a": (&hubtest.Fake{}).Offer("x", "y"), "b": (&hubtest.Fake{}).Offer("x")}, nil)
	require.NoError(t, c.ConnectAll(t.Context()))
	p := hubtest.ToolProvider(t, c, &servers.ToolProviderOptions{Namer: servers.NoPrefix{}})
	defer p.Close()
	assert.Equal(t, []string{"y"}, hubtest.ToolNamesOf(t, p))
	w := p.Warnings()
	require.Len(t, w, 2)
	assert.Equal(t, []string{"x"}, w[0].Tools)
	same := hubtest.ToolProvider(t, c, &servers.ToolProviderOptions{Namer: sameName{}})
	defer same.Close()
	assert.Empty(t, hubtest.ToolNamesOf(t, same), "a Namer that breaks its promise")
	assert.Len(t, same.Warnings(), 2)
}

// A filter that panics takes nothing with it.
func TestProviderSurvivesAFilter(t *testing.T) {
	f := (&hubtest.Fake{}).Offer("x")
	c := hubtest.Connections(t, hubtest.Fakes{"a": f}, nil)
	require.NoError(t, c.Connect(t.Context(), "a"))
	p := hubtest.ToolProvider(t, c, &servers.ToolProviderOptions{Filter: func(ref servers.ToolRef) bool {
		if ref.Tool.Name == "bad" {
			panic("bad")
		}
		return true
	}})
	defer p.Close()
	f.Offer("x", "bad")
	require.NoError(t, c.Sync(t.Context(), "a"))
	assert.Equal(t, []string{"a_x"}, hubtest.ToolNamesOf(t, p))
}

type sameName struct{}

func (sameName) Names(tools []servers.ToolRef) []string {
	names := make([]string, len(tools))
	for i := range names {
		names[i] = "same"
	}
	return names
}

// The server of a tool may be replaced by another session between two calls.
func TestProviderToolsOutliveSessions(t *testing.T) {
	f := (&hubtest.Fake{}).Offer("x")
	c := hubtest.Connections(t, hubtest.Fakes{"a": f}, nil)
	require.NoError(t, c.Connect(t.Context(), "a"))
	p := hubtest.ToolProvider(t, c, nil)
	defer p.Close()
	tools, err := p.Tools(t.Context())
	require.NoError(t, err)
	for range 3 {
		r, err := tools[0].Call(t.Context(), &toolspec.Call{})
		require.NoError(t, err)
		require.False(t, r.IsError, r.Text())
		f.Sessions()[0].Lose(hubtest.ConnError(client.ConnSessionLost, false, errors.New("gone")))
	}
	assert.GreaterOrEqual(t, f.Made.Load(), int64(3))
}

func BenchmarkProviderTools(b *testing.B) {
	f := hubtest.Fakes{}
	for s := range 10 {
		var tools []string
		for i := range 100 {
			tools = append(tools, fmt.Sprint("tool-", i))
		}
		f[fmt.Sprint("server-", s)] = (&hubtest.Fake{}).Offer(tools...)
	}
	c := hubtest.Connections(b, f, nil)
	require.NoError(b, c.ConnectAll(b.Context()))
	p := hubtest.ToolProvider(b, c, nil)
	defer p.Close()
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if tools, _ := p.Tools(ctx); len(tools) != 1000 {
			b.Fatal(len(tools))
		}
	}
}

func BenchmarkProviderRebuild(b *testing.B) {
	var tools []string
	for i := range 1000 {
		tools = append(tools, fmt.Sprint("tool-", i))
	}
	c := hubtest.Connections(b, hubtest.Fakes{"a": (&hubtest.Fake{}).Offer(tools...)}, nil)
	require.NoError(b, c.ConnectAll(b.Context()))
	b.ReportAllocs()
	for b.Loop() {
		p := hubtest.ToolProvider(b, c, nil)
		_ = p.Close()
	}
}
