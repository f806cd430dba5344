package mcphub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/audit"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
)

// reached runs one call whose run reached this and returns its record.
func reached(t *testing.T, out toolspec.Outcome, arguments string) (audit.Record, string) {
	t.Helper()
	out.Result, out.Runtime = json.RawMessage(`{"text":"hello"}`), fakeRuntime
	st := newStudio(t, &fakeRunner{do: func(context.Context, *toolspec.RunRequest) (*toolspec.Outcome, error) { own := out; return &own, nil }}, nil)
	publish(t, st, specOf(t, 1, "one"))
	store := memory.New()
	h := hubtest.NewHub(t, &mcphub.Options{Store: store})
	require.NoError(t, h.Attach(st))
	tools, err := h.Tools(t.Context())
	require.NoError(t, err)
	_, err = tools[0].Call(t.Context(), &toolspec.Call{Arguments: json.RawMessage(arguments)})
	require.NoError(t, err)
	all := records(t, h)
	require.Len(t, all, 1)
	raw := logged(t, store)
	return all[0], raw[len(raw)-1]
}

func TestAuditedAccessesAreBounded(t *testing.T) {
	var out toolspec.Outcome
	for i := range 250 {
		out.Accesses = append(out.Accesses, activity.Access{Component: "fs", Op: "readText", Target: fmt.Sprint(i), Count: 1})
		out.Denials = append(out.Denials, activity.Denial{Component: "fs", Reason: "not-granted"})
	}
	out.AccessesCut = 1000
	r, _ := reached(t, out, `{"text":"x","text2":1,"more":{"a":[1]}}`)
	require.Len(t, r.Accesses, 100)
	assert.Equal(t, "99", r.Accesses[99].Target)
	assert.Equal(t, 1150, r.AccessesCut)
	assert.Len(t, r.Denials, 100)
	assert.Equal(t, 150, r.DenialsCut)
	assert.Equal(t, 2, r.Undeclared)
}

// What a runner says of a request is cut down to method and host, and its own
// list stays as it is.
func TestAuditedAccessesOfALooseRunner(t *testing.T) {
	const key = "hunter2"
	list := []activity.Access{
		{Component: "fetch", Op: "GET", Target: "https://api.example.com:8443", Status: 200, Count: 1},
		{Component: "fetch", Op: "POST", Target: "https://ada:" + key + "@api.example.com/a/" + key + "?key=" + key + "#" + key, Count: 1},
		{Component: "fetch", Op: "X-" + key, Target: "http://[::1]:80?" + key, Count: 1},
		{Component: "fetch", Op: "GET", Target: "api.example.com/" + key, Count: 1},
		{Component: "fetch", Op: "GET", Target: `https://api.example.com\` + key, Count: 1},
		{Component: "fs", Op: "readText", Target: "a/b@c?d#e", Count: 1},
	}
	r, raw := reached(t, toolspec.Outcome{Accesses: list}, `{"text":"x"}`)
	assert.NotContains(t, raw, key)
	var got []string
	for _, a := range r.Accesses {
		got = append(got, a.Op+" "+a.Target)
	}
	assert.Equal(t, []string{"GET https://api.example.com:8443", "POST https://api.example.com", "other http://[::1]:80", "GET api.example.com",
		"GET https://api.example.com", "readText a/b@c?d#e"}, got)
	assert.Contains(t, list[1].Target, key)
}
