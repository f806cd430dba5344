package fetch_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/fetch"
	"github.com/localpass/localpass/sandbox/internal/hostcall"
	"github.com/localpass/localpass/toolspec"
)

// Requests that the JS half would never make: a worker may be in an attacker's
// hands.
func TestServiceTrustsNothing(t *testing.T) {
	long := strings.Repeat("x", 70000)
	for name, tt := range map[string]struct {
		req  hostcall.Request
		want string
	}{
		"unknown op":        {hostcall.Request{Op: "fs.readText"}, "invalid-request"},
		"empty op":          {hostcall.Request{}, "invalid-request"},
		"long op":           {hostcall.Request{Op: long}, "invalid-request"},
		"no args":           {hostcall.Request{Op: "fetch"}, "invalid-request"},
		"args of a list":    {hostcall.Request{Op: "fetch", Args: json.RawMessage(`[]`)}, "invalid-request"},
		"wrong types":       {hostcall.Request{Op: "fetch", Args: json.RawMessage(`{"url":5}`)}, "invalid-request"},
		"deep args":         {hostcall.Request{Op: "fetch", Args: json.RawMessage(`{"url":` + strings.Repeat("[", 100000))}, "invalid-request"},
		"headers of three":  {hostcall.Request{Op: "fetch", Args: json.RawMessage(`{"url":"http://a.test/","headers":[["a","b","c"]]}`)}, ""},
		"headers of none":   {hostcall.Request{Op: "fetch", Args: json.RawMessage(`{"url":"http://a.test/","headers":[[]]}`)}, "invalid-header"},
		"null":              {hostcall.Request{Op: "fetch", Args: json.RawMessage(`null`)}, "missing-url"},
		"huge args":         {hostcall.Request{Op: "fetch", Args: json.RawMessage(`"` + strings.Repeat("x", 2<<20) + `"`)}, "invalid-request"},
		"huge data":         {hostcall.Request{Op: "fetch", Args: json.RawMessage(`{"url":"http://a.test/"}`), Data: make([]byte, hostcall.MaxData+1)}, "invalid-request"},
		"long URL":          {hostcall.Request{Op: "fetch", Args: json.RawMessage(`{"url":"http://a.test/` + long + `"}`)}, "invalid-url"},
		"many headers":      {hostcall.Request{Op: "fetch", Args: json.RawMessage(`{"url":"http://a.test/","headers":[` + strings.Repeat(`["a","b"],`, 200) + `["a","b"]]}`)}, "invalid-header"},
		"header injection":  {hostcall.Request{Op: "fetch", Args: json.RawMessage(`{"url":"http://a.test/","headers":[["a\r\nb","c"]]}`)}, "invalid-header"},
		"method injection":  {hostcall.Request{Op: "fetch", Args: json.RawMessage(`{"url":"http://a.test/","method":"GET / HTTP/1.1\r\nX: y"}`)}, "invalid-method"},
		"Host":              {hostcall.Request{Op: "fetch", Args: json.RawMessage(`{"url":"http://a.test/echo","headers":[["Host","inner.test"]]}`)}, ""},
		"private":           {hostcall.Request{Op: "fetch", Args: json.RawMessage(`{"url":"http://127.0.0.1/"}`)}, "literal-private-ip"},
		"negative window":   {hostcall.Request{Op: "fetch", Args: json.RawMessage(`{"url":"http://a.test/","startIndex":-1}`)}, "invalid-request"},
		"window too far":    {hostcall.Request{Op: "fetch", Args: json.RawMessage(`{"url":"http://a.test/","maxLength":9223372036854775807}`)}, "invalid-request"},
		"window no integer": {hostcall.Request{Op: "fetch", Args: json.RawMessage(`{"url":"http://a.test/","maxLength":1e99}`)}, "invalid-request"},
		"upload of nothing": {hostcall.Request{Op: "fetch", Args: json.RawMessage(`{"url":"http://a.test/","method":"POST","upload":true}`)}, ""},
		"upload garbage":    {hostcall.Request{Op: "fetch.upload", Args: json.RawMessage(`{"reset":1}`)}, "invalid-request"},
		"part of nothing":   {hostcall.Request{Op: "fetch.body", Args: json.RawMessage(`{"id":1,"offset":0}`)}, "invalid-part"},
		"text of nothing":   {hostcall.Request{Op: "fetch.text", Args: json.RawMessage(`{"id":1}`)}, "invalid-part"},
		"text garbage":      {hostcall.Request{Op: "fetch.text", Args: json.RawMessage(`x`)}, "invalid-request"},
		"part garbage":      {hostcall.Request{Op: "fetch.body", Args: json.RawMessage(`x`)}, "invalid-request"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, site, nil)
			reply, failed := w.service.Serve(t.Context(), tt.req)
			if tt.want == "" {
				require.Nil(t, failed)
				assert.True(t, json.Valid(reply.Value))
				return
			}
			require.NotNil(t, failed)
			assert.Equal(t, tt.want, failed.Reason)
			assert.Equal(t, "fetch", failed.Component)
			assert.True(t, strings.HasPrefix(failed.Message, "[fetch] "))
		})
	}
}

func TestParts(t *testing.T) {
	w := newWorld(t, site, nil)
	reply, failed := w.service.Serve(t.Context(), hostcall.Request{Op: "fetch", Args: json.RawMessage(`{"url":"http://a.test/big?n=4000000"}`)})
	require.Nil(t, failed)
	assert.Equal(t, hostcall.MaxData, len(reply.Data)+len(reply.Value))
	var answer struct{ ID, Size int }
	require.NoError(t, json.Unmarshal(reply.Value, &answer))
	assert.Equal(t, 4000000, answer.Size)
	part := func(id int, offset string) (hostcall.Reply, *toolspec.CallError) {
		args, err := json.Marshal(map[string]any{"id": id, "offset": json.RawMessage(offset)})
		require.NoError(t, err)
		return w.service.Serve(t.Context(), hostcall.Request{Op: "fetch.body", Args: args})
	}
	for offset, want := range map[string]int{"3145728": 4000000 - 3145728, "0": hostcall.MaxData, "4000000": 0} {
		reply, failed = part(answer.ID, offset)
		require.Nil(t, failed)
		assert.Len(t, reply.Data, want, offset)
	}
	for _, offset := range []string{"-1", "4000001"} {
		_, failed = part(answer.ID, offset)
		require.NotNil(t, failed, offset)
	}
	_, failed = part(answer.ID+1, "0")
	assert.NotNil(t, failed)
	require.NoError(t, w.service.Close())
	require.NoError(t, w.service.Close())
	_, failed = part(answer.ID, "0")
	assert.NotNil(t, failed, "closed")
}

// Without a decoder, only the text of a foreign charset is an error; an unknown label
// counts as one.
func TestNoDecoder(t *testing.T) {
	w := newWorld(t, site, nil)
	w.service = fetch.NewService(w.call, nil)
	assert.Equal(t, "HELPER_RUNTIME unknown-charset", w.run(`return (await fetch("http://a.test/charset?c=Shift_JIS")).text()`))
	assert.Equal(t, "HELPER_RUNTIME unknown-charset", w.run(`return (await fetch("http://a.test/charset?c=nonsense")).json()`))
	assert.Equal(t, `3`, w.run(`return (await fetch("http://a.test/charset?c=Shift_JIS")).arrayBuffer().byteLength`))
	assert.Equal(t, `"é¤¹"`, w.run(`return (await fetch("http://a.test/charset?c=latin1")).text()`))
}

// What is uploaded for one request is bounded and gone after it.
func TestUpload(t *testing.T) {
	var got []int64
	w := newWorld(t, func(_ http.ResponseWriter, r *http.Request) { got = append(got, r.ContentLength) }, nil)
	up := func(n int, args string) *toolspec.CallError {
		_, failed := w.service.Serve(t.Context(), hostcall.Request{Op: "fetch.upload", Args: json.RawMessage(args), Data: make([]byte, n)})
		return failed
	}
	send := func() *toolspec.CallError {
		_, failed := w.service.Serve(t.Context(), hostcall.Request{Op: "fetch", Args: json.RawMessage(`{"url":"http://a.test/","method":"POST","upload":true}`), Data: []byte("end")})
		return failed
	}
	require.Nil(t, up(1000, ""))
	require.Nil(t, up(1000, `{}`))
	require.Nil(t, send())
	require.Nil(t, send())
	require.Nil(t, up(1000, ""))
	require.Nil(t, up(10, `{"reset":true}`))
	require.Nil(t, send())
	for range 3 {
		require.Nil(t, up(hostcall.MaxData, ""))
	}
	require.NotNil(t, up(hostcall.MaxData, ""))
	require.Nil(t, send())
	assert.Equal(t, []int64{2003, 3, 13, 3}, got)
}

func FuzzServe(f *testing.F) {
	f.Add("fetch", []byte(`{"url":"http://a.test/text","maxLength":3}`), []byte("x"))
	f.Add("fetch", []byte(`{"url":"http://a.test/echo","method":"POST","headers":[["a","b"]]}`), []byte("x"))
	f.Add("fetch.body", []byte(`{"id":1,"offset":0}`), []byte(nil))
	f.Add("fetch.text", []byte(`{"id":1}`), []byte(nil))
	f.Add("fetch.upload", []byte(`{"reset":true}`), []byte("y"))
	w := newWorld(f, site, nil)
	f.Fuzz(func(t *testing.T, op string, args, data []byte) {
		reply, failed := w.service.Serve(t.Context(), hostcall.Request{Op: op, Args: args, Data: data})
		if failed == nil && !json.Valid(reply.Value) {
			t.Fatalf("%s gave %q", op, reply.Value)
		}
		if failed != nil && (failed.Kind == "" || failed.Reason == "" || failed.Component != "fetch") {
			t.Fatalf("%s failed with %+v", op, failed)
		}
	})
}
