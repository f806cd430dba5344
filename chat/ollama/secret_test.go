package ollama_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/ollama"
)

func TestSecretsAreNotShown(t *testing.T) {
	o := ollama.Options{BaseURL: "http://ada:secret@localhost?k=secret", Header: http.Header{"Authorization": {"Bearer secret"}}, NumCtx: 4096}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "options", o)
	inJSON, err := json.Marshal(o)
	require.NoError(t, err)
	for _, shown := range []string{fmt.Sprintf("%v %+v %#v %s", o, o, o, o), log.String(), string(inJSON)} {
		assert.NotContains(t, shown, "secret")
		assert.Contains(t, shown, "Authorization")
		assert.Contains(t, shown, "4096")
	}
}

func TestKeysOverPlainHTTP(t *testing.T) {
	key := http.Header{"Authorization": {"Bearer secret"}}
	for base, c := range map[string]struct {
		o  ollama.Options
		ok bool
	}{
		"http://192.0.2.7:11434":  {ollama.Options{Header: key}, false},
		"http://192.0.2.8:11434":  {ollama.Options{Header: key, AllowKeyOverHTTP: true}, true},
		"http://192.0.2.9:11434":  {ollama.Options{}, true},
		"https://ollama.example":  {ollama.Options{Header: key}, true},
		"http://localhost:11434":  {ollama.Options{Header: key}, true},
		"http://a.localhost":      {ollama.Options{Header: key}, true},
		"http://[::1]:11434":      {ollama.Options{Header: key}, true},
		"http://127.0.0.1:11434/": {ollama.Options{Header: key}, true},
	} {
		c.o.BaseURL = base
		_, err := ollama.New(&c.o)
		if c.ok {
			assert.NoError(t, err, base)
			continue
		}
		require.ErrorIs(t, err, llm.ErrInvalid, base)
		assert.NotContains(t, err.Error(), "secret")
	}
}
