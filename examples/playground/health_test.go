package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The health check succeeds exactly when the playground says that it is ready.
func TestHealth(t *testing.T) {
	status, text := http.StatusOK, "ready"
	playground := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "/readyz", r.URL.Path)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text + "\n"))
	}))
	check := func(args ...string) (int, string) {
		var out, errs bytes.Buffer
		code := run(t.Context(), append([]string{"health"}, args...), &out, &errs)
		return code, out.String() + errs.String()
	}
	code, said := check(playground.URL)
	assert.Equal(t, 0, code)
	assert.Equal(t, "ready\n", said)

	status, text = http.StatusServiceUnavailable, "not yet"
	code, said = check(playground.URL)
	assert.Equal(t, 1, code)
	assert.Equal(t, "playground: health: 503 Service Unavailable: not yet\n", said)

	playground.Close()
	code, said = check(playground.URL)
	assert.Equal(t, 1, code)
	assert.Contains(t, said, "refused")

	for _, args := range [][]string{{"127.0.0.1:8282"}, {"ftp://127.0.0.1"}, {playground.URL, playground.URL}} {
		code, said = check(args...)
		assert.Equal(t, 1, code, args)
		assert.Contains(t, said, "http://127.0.0.1:8282", "the error shows a right one")
	}
}
