package ollama_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/ollama"
)

// Details of many models are requested in parallel, and the models stay in order.
func TestManyModels(t *testing.T) {
	const many, together = 40, 4
	var met atomic.Int32
	full := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/api/tags", func(w http.ResponseWriter, _ *http.Request) {
		var list []map[string]any
		for i := range many {
			list = append(list, map[string]any{"name": fmt.Sprintf("m%02d:latest", i)})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"models": list})
	})
	mux.HandleFunc("/api/ps", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"models":[]}`) })
	mux.HandleFunc("/api/show", func(w http.ResponseWriter, _ *http.Request) {
		if met.Add(1) == together {
			close(full)
		}
		select { // the first requests wait for each other
		case <-full:
		case <-time.After(time.Minute):
			t.Error("one model after another is asked about")
		}
		fmt.Fprint(w, `{"capabilities":["completion"]}`)
	})
	s := httptest.NewServer(mux)
	defer s.Close()
	p, err := ollama.New(&ollama.Options{BaseURL: s.URL})
	require.NoError(t, err)
	models, err := p.Models(t.Context())
	require.NoError(t, err)
	require.Len(t, models, many)
	for i, m := range models {
		assert.Equal(t, fmt.Sprintf("m%02d:latest", i), m.Name)
	}
}
