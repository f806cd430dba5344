package mcphub_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/persistence/file"
	"github.com/localpass/localpass/toolspec"
)

// BenchmarkGate measures what a gate costs a call that nobody is asked about,
// over a store on the disk.
func BenchmarkGate(b *testing.B) {
	for _, with := range []string{"without", "with"} {
		b.Run(with, func(b *testing.B) {
			store, err := file.Open(b.TempDir(), nil)
			require.NoError(b, err)
			defer store.Close()
			opts := &mcphub.Options{Store: store}
			if with == "with" {
				opts.Approval, err = approval.NewGate(&approval.Options{Store: store, NoAudit: true})
				require.NoError(b, err)
				defer opts.Approval.Close()
			}
			h := hubtest.NewHub(b, opts, hubtest.EchoTool(b, "echo"))
			defer h.Close()
			tools, err := h.Tools(b.Context())
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				_, err := tools[0].Call(b.Context(), &toolspec.Call{Arguments: json.RawMessage(`{"text":"hi"}`)})
				require.NoError(b, err)
			}
		})
	}
}
