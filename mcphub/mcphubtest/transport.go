package mcphubtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/toolspec"
)

// patience is how long a test waits for an expected event.
const patience = 30 * time.Second

// TestTransport tests transports against the contracts of [client.Transport] and
// [client.Session]. open returns a transport to a hub made with [NewHub]; it is called
// once per test.
func TestTransport(t *testing.T, open func() client.Transport) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, tr client.Transport)
	}{
		{"describe", testDescribe}, {"call", testCall}, {"errors", testErrors}, {"order", testOrder}, {"parallel", testParallel},
		{"cancel", testCancel}, {"deadline", testDeadline}, {"close", testClose}, {"close while calling", testCloseWhileCalling},
		{"sessions apart", testSessions}, {"dial cancelled", testDialCancelled}, {"versions", testVersions}, {"limit", testLimit},
		{"listen", testListen},
	} {
		t.Run(c.name, func(t *testing.T) {
			leak.Check(t)
			c.test(t, open())
		})
	}
}

func dial(t *testing.T, tr client.Transport, opts *client.DialOptions) client.Session {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, err := tr.Dial(ctx, opts)
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

func tool(name, arguments string) json.RawMessage {
	return json.RawMessage(`{"name":"` + name + `","arguments":` + arguments + `}`)
}

// textOf returns the text of a result.
func textOf(t *testing.T, raw json.RawMessage) (text string, failed bool) {
	t.Helper()
	var r struct {
		Content []struct{ Text string }
		IsError bool
	}
	if err := json.Unmarshal(raw, &r); err != nil || len(r.Content) != 1 {
		t.Fatalf("the result is not one text: %s", raw)
	}
	return r.Content[0].Text, r.IsError
}

func call(t *testing.T, s client.Session, name, arguments string) (string, bool) {
	t.Helper()
	raw, err := s.Call(bounded(t), "tools/call", tool(name, arguments), nil)
	if err != nil {
		t.Fatalf("call %s: %v", name, err)
	}
	return textOf(t, raw)
}

func testDescribe(t *testing.T, tr client.Transport) {
	e := tr.Describe()
	if e.Kind == "" || e.Address == "" || e.Auth == client.AuthUnknown {
		t.Errorf("the description lacks kind, address or auth: %+v", e)
	}
	if strings.ContainsAny(e.Address, "@?#") {
		t.Errorf("the address %q may hold credentials: it has a user or a query", e.Address)
	}
	if again := tr.Describe(); fmt.Sprint(again) != fmt.Sprint(e) {
		t.Errorf("described as %+v and then as %+v", e, again)
	}
	info := dial(t, tr, nil).Info()
	if info.Endpoint.Kind != e.Kind || info.Endpoint.Address != e.Address {
		t.Errorf("the session says it leads to %v, the transport to %v", info.Endpoint, e)
	}
}

func testCall(t *testing.T, tr client.Transport) {
	s := dial(t, tr, nil)
	info := s.Info()
	if info.Era == client.EraUnknown || info.Version == "" || info.Server.Name == "" || !info.Capabilities.Tools || len(info.Raw) == 0 {
		t.Errorf("the session's info is not complete: %+v", info)
	}
	if s.Err() != nil {
		t.Errorf("a living session has the error %v", s.Err())
	}
	for _, text := range []string{"plain", `line\nbreak`, `quotes \" and \\`, "ünïcödé \u2028 \U0001F600", strings.Repeat("long ", 20_000)} {
		want := ""
		if err := json.Unmarshal([]byte(`"`+text+`"`), &want); err != nil {
			t.Fatal(err)
		}
		if got, _ := call(t, s, "echo", `{"text":"`+text+`"}`); got != want {
			t.Errorf("%.40q came back as %.40q", want, got)
		}
	}
	raw, err := s.Call(bounded(t), "tools/list", nil, nil)
	if err != nil || !strings.Contains(string(raw), `"echo"`) {
		t.Errorf("tools/list: %v: %s", err, raw)
	}
	if err := client.Ping(bounded(t), s); err != nil {
		t.Errorf("ping: %v", err)
	}
	if err := s.Notify(bounded(t), "notifications/cancelled", json.RawMessage(`{"requestId":"none"}`)); err != nil {
		t.Errorf("notify: %v", err)
	}
}

func testErrors(t *testing.T, tr client.Transport) {
	s := dial(t, tr, nil)
	var refused *client.RPCError
	if _, err := s.Call(bounded(t), "no/such/method", nil, nil); !errors.As(err, &refused) || refused.Code != -32601 || !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("an unknown method gives %v", err)
	}
	if _, err := s.Call(bounded(t), "tools/call", tool("no-such-tool", "{}"), nil); !errors.As(err, &refused) || refused.Code != -32602 {
		t.Errorf("an unknown tool gives %v", err)
	}
	if text, failed := call(t, s, "fail", "{}"); !failed {
		t.Errorf("a tool that fails gives the result %q", text)
	}
	for _, params := range []string{"[]", "7", "{", `{"a":1}{}`} {
		if _, err := s.Call(bounded(t), "tools/call", json.RawMessage(params), nil); err == nil {
			t.Errorf("params %s are sent", params)
		}
	}
	if text, _ := call(t, s, "echo", `{"text":"still here"}`); text != "still here" {
		t.Errorf("after errors the session answers %q", text)
	}
}

// testOrder checks that what is sent before an answer always arrives before it.
func testOrder(t *testing.T, tr client.Transport) {
	s := dial(t, tr, nil)
	for round := range 50 {
		var mu sync.Mutex
		var told []float64
		raw, err := s.Call(bounded(t), "tools/call", tool("count", `{"text":"done","n":5}`), &client.CallOptions{Progress: func(p toolspec.Progress) {
			mu.Lock()
			told = append(told, p.Done)
			mu.Unlock()
		}})
		if err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		if fmt.Sprint(told) != "[1 2 3 4 5]" {
			t.Fatalf("round %d: progress %v had come when the call returned", round, told)
		}
		mu.Unlock()
		if text, _ := textOf(t, raw); text != "done" {
			t.Fatalf("the call answers %q", text)
		}
	}
}

func testParallel(t *testing.T, tr client.Transport) {
	s := dial(t, tr, nil)
	ctx := bounded(t)
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			want := fmt.Sprintf("number %d", i)
			raw, err := s.Call(ctx, "tools/call", tool("echo", `{"text":"`+want+`"}`), nil)
			if err != nil {
				t.Errorf("call %d: %v", i, err)
			} else if !strings.Contains(string(raw), `"`+want+`"`) {
				t.Errorf("call %d is answered with %s", i, raw)
			}
		})
	}
	all.Wait()
}

func testSessions(t *testing.T, tr client.Transport) {
	one, two := dial(t, tr, nil), dial(t, tr, nil)
	if err := one.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if text, _ := call(t, two, "echo", `{"text":"two"}`); text != "two" || two.Err() != nil {
		t.Errorf("closing one session disturbs another: %q, %v", text, two.Err())
	}
}

func testDialCancelled(t *testing.T, tr client.Transport) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if s, err := tr.Dial(ctx, nil); !errors.Is(err, context.Canceled) || s != nil {
		t.Errorf("dialling with a context that has ended gives %v, %v", s, err)
	}
	dialled, cancel := context.WithCancel(context.Background())
	s, err := tr.Dial(dialled, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	cancel()
	call(t, s, "echo", `{"text":"the context was for dialling"}`)
}

func testVersions(t *testing.T, tr client.Transport) {
	for _, version := range []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"} {
		s := dial(t, tr, &client.DialOptions{Versions: []string{version}})
		if info := s.Info(); info.Version != version || info.Era != client.EraSession {
			t.Errorf("allowed %s, agreed on %s", version, info.Version)
		}
		call(t, s, "echo", `{"text":"old"}`)
	}
	if _, err := tr.Dial(bounded(t), &client.DialOptions{Versions: []string{"1999-01-01"}}); !errors.Is(err, client.ErrUnsupportedProtocol) {
		t.Errorf("without a common version dialling gives %v", err)
	}
}

func testLimit(t *testing.T, tr client.Transport) {
	s := dial(t, tr, &client.DialOptions{MaxMessage: 8 << 10})
	var failed *client.ConnError
	_, err := s.Call(bounded(t), "tools/call", tool("echo", `{"text":"`+strings.Repeat("x", 9<<10)+`"}`), nil)
	if !errors.Is(err, client.ErrTooLarge) || !errors.As(err, &failed) || failed.Sent {
		t.Errorf("a message above the limit gives %v", err)
	}
	call(t, s, "echo", `{"text":"within"}`)
}

func testListen(t *testing.T, tr client.Transport) {
	s := dial(t, tr, nil)
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan struct{}, 1), make(chan error, 1)
	go func() {
		done <- s.Listen(ctx, &client.Subscription{Tools: true, Ready: func() { ready <- struct{}{} }})
	}()
	select {
	case <-ready:
	case err := <-done:
		cancel()
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("listening ends at once: %v", err)
		}
		return
	case <-time.After(patience):
		t.Error("listening does not begin")
	}
	call(t, s, "echo", `{"text":"while listening"}`)
	cancel()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("listening ends in %v", err)
		}
	case <-time.After(patience):
		t.Error("listening does not end with its context")
	}
}
