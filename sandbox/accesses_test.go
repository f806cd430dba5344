package sandbox

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec/activity"
	"github.com/localpass/localpass/toolspec/secret"
)

func TestAccesses(t *testing.T) {
	const key = "Hunter2Key"
	secrets := secret.NewRedactor(key)
	args := func(v any) json.RawMessage {
		raw, err := json.Marshal(v)
		require.NoError(t, err)
		return raw
	}
	var a accesses
	request := func(req HostRequest, reply HostReply, secrets *secret.Redactor) {
		if what, ok := accessOf("fetch", req, reply, secrets); ok {
			a.add(what)
		}
	}
	file := func(req HostRequest, reply HostReply, secrets *secret.Redactor) {
		if what, ok := accessOf("fs", req, reply, secrets); ok {
			a.add(what)
		}
	}
	for _, c := range []struct{ url, method string }{
		{"https://api.example.com/a?key=" + key, ""}, {"HTTPS://API.example.com:443/b", "get"},
		{"https://" + key + ".example.com/", "POST"}, {"https://" + strings.ToLower(key) + ".example.com/", "POST"},
		{"http://ada:" + key + "@[::1]:80/", key}, {"http://[::1]:8080/" + key + "#" + key, "PUT"},
	} {
		request(HostRequest{Op: "fetch", Args: args(map[string]string{"url": c.url, "method": c.method})}, HostReply{Value: []byte(`{"status":200,"size":3}`)}, secrets)
	}
	request(HostRequest{Op: "fetch.next"}, HostReply{}, secrets)
	file(HostRequest{Op: "fs.readText", Args: args(map[string]string{"path": "a/" + key + ".txt"})}, HostReply{Value: []byte(`{"bytes":7}`)}, secrets)
	file(HostRequest{Op: "fs.move", Args: args(map[string]string{"path": strings.Repeat("x", maxTarget-4) + key, "to": key})}, HostReply{}, secrets)
	file(HostRequest{Op: "fs.list"}, HostReply{}, secrets)
	file(HostRequest{Op: "fs.next"}, HostReply{}, secrets)
	assert.Equal(t, []activity.Access{
		{Component: "fetch", Op: "GET", Target: "https://api.example.com", Status: 200, Bytes: 6, Count: 2},
		{Component: "fetch", Op: "POST", Target: "https://***.example.com", Status: 200, Bytes: 6, Count: 2},
		{Component: "fetch", Op: "***", Target: "http://[::1]", Status: 200, Bytes: 3, Count: 1},
		{Component: "fetch", Op: "PUT", Target: "http://[::1]:8080", Status: 200, Bytes: 3, Count: 1},
		{Component: "fs", Op: "readText", Target: "a/***.txt", Bytes: 7, Count: 1},
		{Component: "fs", Op: "move", Target: strings.Repeat("x", maxTarget-4) + "***…", Count: 1},
		{Component: "fs", Op: "list", Target: ".", Count: 1},
	}, a.list)

	a = accesses{}
	for i := range maxAccesses + 20 {
		file(HostRequest{Op: "fs.readText", Args: args(map[string]string{"path": strings.Repeat("x", i)})}, HostReply{}, nil)
	}
	assert.Len(t, a.list, maxAccesses)
	assert.Equal(t, 20, a.cut)
}
