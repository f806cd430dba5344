package remote_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/internal/remote"
)

func TestAddressesThatCannotBe(t *testing.T) {
	for _, url := range []string{"", "localhost:11434", "ftp://localhost", "http://", "http://ada:secret@localhost", "http://localhost?key=secret", "http://local host"} {
		_, _, err := remote.Dial(remote.Options{Provider: "x", URL: url})
		require.ErrorIs(t, err, rag.ErrInvalid, url)
		assert.NotContains(t, err.Error(), "secret")
	}
	_, _, err := remote.Dial(remote.Options{URL: "http://localhost", Timeout: -1})
	require.ErrorIs(t, err, rag.ErrInvalid)
}

func TestRefusalsAreErrors(t *testing.T) {
	for name, c := range map[string]struct {
		status     int
		body, want string
		again      bool
	}{
		"OpenAI's form": {401, `{"error":{"message":"wrong key sk-secret"}}`, "x: the server answered 401: wrong key ***", false},
		"Ollama's form": {404, `{"error":"model \"y\" not found"}`, `x: the server answered 404: model "y" not found`, false},
		"a page":        {502, "<p>down\n</p>", "x: the server answered 502: <p>down </p>", true},
		"nothing":       {429, "", "x: the server answered 429: Too Many Requests", true},
		"a redirect":    {307, "", "x: the server answered 307: Temporary Redirect", false},
		"a long text":   {500, strings.Repeat("ä", 400), "x: the server answered 500: " + strings.Repeat("ä", 300) + "…", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				assert.Equal(t, "there", r.Header.Get("X-Here"))
				w.Header().Set("Location", "http://localhost/elsewhere")
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}))
			defer s.Close()
			base, client, err := remote.Dial(remote.Options{Provider: "x", URL: s.URL, Header: http.Header{"X-Here": {"there"}}, Secrets: []string{"sk-secret"}, Client: s.Client()})
			require.NoError(t, err)
			resp, err := client.Get(base.String())
			if err == nil {
				resp.Body.Close()
			}
			require.Error(t, err)
			assert.Equal(t, c.again, remote.Retry(err))
			assert.EqualError(t, remote.Plain("x", err), c.want)
		})
	}
	assert.True(t, remote.Retry(errors.New("connection reset")))
	assert.EqualError(t, remote.Plain("x", errors.New("connection reset")), "x: connection reset")
}
