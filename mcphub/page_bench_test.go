package mcphub_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
)

// BenchmarkListResources lists the first page of 10,000.
func BenchmarkListResources(b *testing.B) {
	h := hubtest.NewHub(b, nil)
	for i := range 10_000 {
		require.NoError(b, h.AddResource(mcphub.Resource{URI: fmt.Sprintf("x://%05d", i), Name: "one of many"}, mcphub.ReadText("")))
	}
	s, err := h.InProcess(nil).Dial(b.Context(), nil)
	require.NoError(b, err)
	defer s.Close()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Call(b.Context(), "resources/list", nil, nil); err != nil {
			b.Fatal(err)
		}
	}
}
