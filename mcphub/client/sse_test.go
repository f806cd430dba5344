package client_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub/client"
)

// A server over SSE that does not name its endpoint is not waited for any longer than
// the option says.
func TestEndpointTimeout(t *testing.T) {
	t.Parallel()
	silent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer silent.Close()
	kinds := client.NewRegistry(&client.RegistryOptions{EndpointTimeout: time.Millisecond})
	transport, err := kinds.Transport(client.TransportSSE, []byte(`{"url":"`+silent.URL+`/sse"}`))
	require.NoError(t, err)
	_, err = transport.Dial(t.Context(), &client.DialOptions{Timeout: time.Hour})
	assert.Error(t, err)
}
