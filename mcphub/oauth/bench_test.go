package oauth_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// A request with a token that is good costs next to nothing.
func BenchmarkAuthorizeRequest(b *testing.B) {
	w := newSetup(b, nil)
	w.must()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, w.rs.address(), nil)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		req.Header = http.Header{}
		if err := w.client.AuthorizeRequest(req); err != nil {
			b.Fatal(err)
		}
	}
}
