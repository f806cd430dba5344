package ollama_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Plain HTTP is only allowed for registries on this machine.
func TestPullWithoutTLS(t *testing.T) {
	for name, insecure := range map[string]bool{
		"m": false, "127.0.0.1:5000/library/m": false, "https://127.0.0.1:5000/library/m": false, "http://registry.test/library/m": false, "http://10.0.0.1/library/m": false,
		"http://localhost.test:5000/library/m": false, "http://me@127.0.0.1:5000/library/m": false, "http://127.0.0.1:5000/library/m": true, "http://[::1]:5000/library/m": true,
	} {
		t.Run(name, func(t *testing.T) {
			var got struct {
				Model    string
				Insecure bool
			}
			p := admin(t, map[string]http.HandlerFunc{"POST /api/pull": func(w http.ResponseWriter, r *http.Request) {
				assert.NoError(t, json.NewDecoder(r.Body).Decode(&got))
				answer(`{"status":"success"}`+"\n")(w, r)
			}})
			for _, err := range p.Pull(t.Context(), name) {
				require.NoError(t, err)
			}
			assert.Equal(t, insecure, got.Insecure)
			assert.Equal(t, name+":latest", got.Model)
		})
	}
}
