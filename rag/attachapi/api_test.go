package attachapi_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/rag/attachapi"
	"github.com/localpass/localpass/rag/attachment"
	"github.com/localpass/localpass/rag/flat"
	"github.com/localpass/localpass/rag/library"
	"github.com/localpass/localpass/rag/reader"
)

// serve serves attachments in memory. There are the conversations c1 and c2; the documents
// of "shut" cannot be opened.
func serve(t *testing.T) (*httptest.Server, *attachment.Attachments) {
	t.Helper()
	store, err := flat.New(nil)
	require.NoError(t, err)
	l, err := library.Open(t.Context(), store, reader.New(nil), memory.New(), nil)
	require.NoError(t, err)
	docs, err := attachment.New(l, memory.New(), nil)
	require.NoError(t, err)
	api, err := attachapi.New(func(_ *http.Request, conversation string) (*attachment.Attachments, error) {
		switch conversation {
		case "c1", "c2":
			return docs, nil
		case "shut":
			return nil, fmt.Errorf("%w: they are being opened", attachapi.ErrUnavailable)
		case "torn":
			return nil, errors.New("a secret of the server")
		}
		return nil, localpass.ErrNotFound
	}, &attachapi.Options{MaxBytes: 1000, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	s := httptest.NewServer(api)
	t.Cleanup(func() {
		s.Close()
		assert.NoError(t, docs.Close())
		assert.NoError(t, l.Close())
		assert.NoError(t, store.Close())
	})
	return s, docs
}

// call sends a request, and returns the status and the answer.
func call(t *testing.T, s *httptest.Server, method, path, body string) (int, map[string]any) {
	t.Helper()
	req, err := http.NewRequest(method, s.URL+"/api/conversations/"+path, strings.NewReader(body))
	require.NoError(t, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/octet-stream")
	}
	resp, err := s.Client().Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	out := map[string]any{}
	if len(text) > 0 {
		require.NoError(t, json.Unmarshal(text, &out), string(text))
	}
	return resp.StatusCode, out
}

func TestAttachments(t *testing.T) {
	s, docs := serve(t)
	code, got := call(t, s, "POST", "c1/attachments?name=hotel.txt", "Breakfast is served from seven to ten.")
	require.Equal(t, 202, code, got)
	id := got["id"].(string)
	_, err := docs.Wait(t.Context(), "c1", id)
	require.NoError(t, err)
	code, got = call(t, s, "GET", "c1/attachments", "")
	require.Equal(t, 200, code, got)
	all := got["attachments"].([]any)
	require.Len(t, all, 1)
	one := all[0].(map[string]any)
	assert.Equal(t, []any{"hotel.txt", "ready", "small"}, []any{one["name"], one["state"], one["tier"]})
	_, got = call(t, s, "GET", "c2/attachments", "")
	assert.Equal(t, []any{}, got["attachments"])
	code, got = call(t, s, "POST", "c1/attachments/"+id+"/retry", "")
	assert.Equal(t, 422, code, got)
	code, got = call(t, s, "POST", "c1/attachments/"+id+"/promote", "")
	assert.Equal(t, []any{200, true}, []any{code, got["promoted"]})
	code, _ = call(t, s, "DELETE", "c1/attachments/"+id, "")
	assert.Equal(t, 204, code)
	_, got = call(t, s, "GET", "c1/attachments", "")
	assert.Equal(t, []any{}, got["attachments"])

	code, got = call(t, s, "POST", "c2/attachments?name=noise.bin", "\x00\x01\x02\xff")
	require.Equal(t, 202, code, got)
	failed, err := docs.Wait(t.Context(), "c2", got["id"].(string))
	require.NoError(t, err)
	assert.Equal(t, attachment.StateFailed, failed.State)
	code, got = call(t, s, "POST", "c2/attachments/"+failed.ID+"/retry", "")
	assert.Equal(t, 200, code, got)
}

func TestRequestsThatCannotBe(t *testing.T) {
	s, docs := serve(t)
	for request, want := range map[string]int{
		"POST c1/attachments?name=a\n":                             422,
		"POST c1/attachments?name=\nx":                             422,
		"POST c1/attachments?name=a\n" + strings.Repeat("x", 1001): 413,
		"POST c1/attachments/doc-none/promote\n":                   404,
		"POST c1/attachments/doc-none/retry\n":                     404,
		"DELETE c1/attachments/doc-none\n":                         204,
	} {
		line, body, _ := strings.Cut(request, "\n")
		method, path, _ := strings.Cut(line, " ")
		code, got := call(t, s, method, path, body)
		assert.Equal(t, want, code, "%s %v", line, got)
	}
	for conversation, want := range map[string]int{"c9": 404, "shut": 503, "torn": 500} {
		for _, request := range []string{"GET attachments\n", "POST attachments?name=a\nx", "DELETE attachments/x\n", "POST attachments/x/promote\n", "POST attachments/x/retry\n"} {
			line, body, _ := strings.Cut(request, "\n")
			method, path, _ := strings.Cut(line, " ")
			code, got := call(t, s, method, conversation+"/"+path, body)
			assert.Equal(t, want, code, "%s %s %v", conversation, line, got)
			assert.NotContains(t, fmt.Sprint(got), "secret")
		}
	}
	require.NoError(t, docs.Close())
	code, got := call(t, s, "POST", "c1/attachments?name=a", "x")
	assert.Equal(t, 503, code, got)
	_, err := attachapi.New(nil, nil)
	require.Error(t, err)
}

func Example() {
	api, err := attachapi.New(func(_ *http.Request, _ string) (*attachment.Attachments, error) { return nil, localpass.ErrNotFound }, nil)
	if err != nil {
		panic(err)
	}
	s := httptest.NewServer(api)
	defer s.Close()
	resp, err := http.Get(s.URL + "/api/conversations/none/attachments")
	if err != nil {
		panic(err)
	}
	defer resp.Body.Close()
	fmt.Println(resp.StatusCode)
	// Output: 404
}
