package mcphub_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/persistence/file"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
)

// BenchmarkAuditedCall measures one call in process with its record in a file,
// not flushed to the disk: of a Go tool, and of a spec whose sandbox does
// nothing.
func BenchmarkAuditedCall(b *testing.B) {
	arguments := json.RawMessage(`{"text":"hello there"}`)
	measure := func(b *testing.B, add func(h *mcphub.Hub)) {
		store, err := file.Open(b.TempDir(), &file.Options{NoSync: true})
		require.NoError(b, err)
		defer store.Close()
		h := hubtest.NewHub(b, &mcphub.Options{Store: store})
		add(h)
		tools, err := h.Tools(b.Context())
		require.NoError(b, err)
		require.Len(b, tools, 1)
		b.ReportAllocs()
		for b.Loop() {
			r, err := tools[0].Call(b.Context(), &toolspec.Call{Arguments: arguments})
			if err != nil || r.IsError {
				b.Fatal(err, r.Err)
			}
		}
		b.StopTimer()
		require.NoError(b, h.Close())
	}
	b.Run("go", func(b *testing.B) {
		measure(b, func(h *mcphub.Hub) { require.NoError(b, h.Add(hubtest.EchoTool(b, "echo"))) })
	})
	b.Run("spec", func(b *testing.B) {
		outcome := &toolspec.Outcome{Result: json.RawMessage(`{"text":"hello"}`), Runtime: fakeRuntime,
			Limits: toolspec.Limits{Timeout: 5 * time.Second}, Usage: activity.Usage{Duration: time.Millisecond, CPU: time.Millisecond, HostCalls: 2},
			Accesses: []activity.Access{{Component: "fetch", Op: "GET", Target: "https://api.example.com", Status: 200, Bytes: 1234, Count: 1},
				{Component: "fs", Op: "writeText", Target: "notes/today.txt", Bytes: 99, Count: 1}}}
		st := newStudio(b, &fakeRunner{do: func(context.Context, *toolspec.RunRequest) (*toolspec.Outcome, error) { return outcome, nil }}, nil)
		publish(b, st, specOf(b, 1, "one"))
		measure(b, func(h *mcphub.Hub) { require.NoError(b, h.Attach(st)) })
	})
}
