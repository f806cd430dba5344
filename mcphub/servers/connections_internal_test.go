package servers

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// NameDigest is for tests.
var NameDigest = nameDigest

func TestBreaker(t *testing.T) {
	at := time.Unix(1_800_000_000, 0)
	var b breaker
	feed := func(n int, o outcome, gap time.Duration) (changed bool) {
		for range n {
			ok, probe, _ := b.allow(at)
			require.True(t, ok)
			changed = b.report(at, probe, o)
			at = at.Add(gap)
		}
		return changed
	}
	// Five in a row; what says nothing does not break the row.
	feed(4, outcomeFailed, 0)
	feed(1, outcomeNeither, 0)
	assert.False(t, b.isOpen())
	assert.True(t, feed(1, outcomeFailed, 0))
	assert.True(t, b.isOpen())

	// Half of ten, in a minute.
	b = breaker{}
	for range 4 {
		feed(1, outcomeFailed, time.Second)
		feed(1, outcomeOK, time.Second)
	}
	feed(1, outcomeOK, time.Second)
	assert.False(t, b.isOpen(), "nine calls")
	assert.True(t, feed(1, outcomeFailed, 0), "five of ten")

	b = breaker{}
	for range 30 { // the same, too slowly
		feed(1, outcomeFailed, 5*time.Second)
		feed(1, outcomeOK, 10*time.Second)
	}
	assert.False(t, b.isOpen())

	// One probe at a time.
	b = breaker{}
	feed(5, outcomeFailed, 0)
	at = at.Add(30 * time.Second)
	ok, probe, _ := b.allow(at)
	assert.True(t, ok && probe)
	ok, _, retry := b.allow(at)
	assert.False(t, ok)
	assert.False(t, retry.IsZero())
	assert.False(t, b.report(at, false, outcomeOK), "what began before does not close it")
	assert.True(t, b.isOpen())
	b.report(at, true, outcomeNeither) // the prober went away
	ok, probe, _ = b.allow(at)
	assert.True(t, ok && probe, "the next one may")
	b.report(at, true, outcomeFailed)
	ok, _, retry = b.allow(at)
	assert.False(t, ok)
	assert.Equal(t, at.Add(time.Minute), retry)
	at = retry
	_, probe, _ = b.allow(at)
	assert.True(t, b.report(at, probe, outcomeOK))
	assert.False(t, b.isOpen())
}

func TestOutcomes(t *testing.T) {
	conn := func(class client.ConnClass, status int) error {
		return &client.ConnError{Class: class, Status: status, Err: errors.New("x")}
	}
	for _, test := range []struct {
		err  error
		own  bool
		want outcome
	}{
		{nil, false, outcomeOK},
		{&client.RPCError{Code: -32602}, false, outcomeOK},
		{&client.InputRequired{}, false, outcomeOK},
		{conn(client.ConnTransport, 0), false, outcomeFailed},
		{conn(client.ConnTimeout, 0), false, outcomeFailed},
		{conn(client.ConnTimeout, 0), true, outcomeNeither},
		{conn(client.ConnServer, 502), false, outcomeFailed},
		{conn(client.ConnServer, 418), false, outcomeNeither},
		{conn(client.ConnAuth, 401), false, outcomeNeither},
		{conn(client.ConnBusy, 429), false, outcomeNeither},
		{conn(client.ConnCancelled, 0), false, outcomeNeither},
		{context.Canceled, false, outcomeNeither},
		{context.DeadlineExceeded, false, outcomeFailed},
		{errors.New("a customizer"), false, outcomeNeither},
	} {
		assert.Equal(t, test.want, outcomeOf(test.err, test.own), "%v", test.err)
	}
}

func TestBackoff(t *testing.T) {
	full := func() float64 { return 1 }
	var got []time.Duration
	for n := 1; n <= 9; n++ {
		got = append(got, backoff(n, full))
	}
	second := time.Second
	assert.Equal(t, []time.Duration{second / 2, second, 2 * second, 4 * second, 8 * second, 16 * second, 30 * second, 30 * second, 30 * second}, got)
	assert.Zero(t, backoff(5, func() float64 { return 0 }), "full jitter")
	assert.Equal(t, 30*second, backoff(1000, full))
}

// A member of the record that its reading does not know would go to Extra: what it
// says would be forgotten, and stand in the store for ever.
func TestServerRecordKnowsItsMembers(t *testing.T) {
	fields := reflect.TypeFor[Record]()
	var named []string
	for i := range fields.NumField() {
		if name, _, _ := strings.Cut(fields.Field(i).Tag.Get("json"), ","); name != "-" && fields.Field(i).IsExported() {
			named = append(named, name)
		}
	}
	assert.ElementsMatch(t, named, recordMembers)
	kept, err := json.Marshal(Record{ID: "a", AutoConnect: true})
	require.NoError(t, err)
	r, _, err := new(Connections).decode(localpass.Document{Data: kept})
	require.NoError(t, err)
	assert.True(t, r.AutoConnect)
	assert.Empty(t, r.Extra)
}

func FuzzServerRecord(f *testing.F) {
	for _, s := range []string{
		`{"id":"a","connection":{"url":"https://mcp.example.com/mcp"}}`,
		`{"id":"a","name":"A","tags":["x"],"transport":"stdio","connection":{"command":"x"},"disabled":true,"x-more":[1,2.50]}`,
		`{"id":"a","ID":"b","connection":{}}`, `{"id":"a","id":"b"}`, `[]`, `{"id":5}`, `{"id":"a","connection":null}`, `{"\u0069d":"a"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, _, err := new(Connections).decode(localpass.Document{Data: data})
		if err != nil {
			return
		}
		out, err := json.Marshal(r)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		again, _, err := new(Connections).decode(localpass.Document{Data: out})
		if err != nil {
			t.Fatalf("what was written cannot be read: %v: %s", err, out)
		}
		more, err := json.Marshal(again)
		if err != nil || string(more) != string(out) {
			t.Fatalf("a round trip changes the record:\n%s\n%s", out, more)
		}
		if again.ID != r.ID || again.Definition() != r.Definition() || len(again.Extra) != len(r.Extra) {
			t.Fatalf("a round trip changes the record:\n%s\n%s", data, out)
		}
	})
}

func FuzzDecodeTool(f *testing.F) {
	f.Add([]byte(`{"name":"a","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`))
	f.Add([]byte(`{"name":"a","inputSchema":{},"inputSchema":[]}`))
	f.Add([]byte(`{"content":[{"type":"text","text":"x"},{"type":"image","data":"AA=="}],"structuredContent":{},"isError":true}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if !rpc.ValidJSON(data) {
			return
		}
		data = []byte(json.RawMessage(data))
		if tool, err := ParseTool(data); err == nil && (tool.Name == "" || len(tool.Fingerprint) != 64 || !rpc.IsObject(tool.InputSchema)) {
			t.Fatalf("%+v", tool)
		}
		if r, err := decodeResult(data); err == nil {
			if err := rpc.CheckResult(r); err != nil {
				t.Fatalf("a result that was read cannot be sent: %v: %s", err, data)
			}
		}
	})
}
