package mcphubtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/toolspec"
)

// begin starts a call that does not end by itself, and returns when the call is in
// progress.
func begin(t *testing.T, ctx context.Context, s client.Session) <-chan error {
	t.Helper()
	begun, done := make(chan struct{}, 1), make(chan error, 1)
	go func() {
		_, err := s.Call(ctx, "tools/call", tool("wait", "{}"), &client.CallOptions{Progress: func(toolspec.Progress) { begun <- struct{}{} }})
		done <- err
	}()
	select {
	case <-begun:
	case err := <-done:
		t.Fatalf("a call that should wait ends in %v", err)
	case <-time.After(patience):
		t.Fatal("a call does not begin")
	}
	return done
}

func testCancel(t *testing.T, tr client.Transport) {
	s := dial(t, tr, nil)
	for range 3 {
		ctx, cancel := context.WithCancel(context.Background())
		done := begin(t, ctx, s)
		call(t, s, "echo", `{"text":"meanwhile"}`)
		cancel()
		select {
		case err := <-done:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("a cancelled call ends in %v", err)
			}
		case <-time.After(patience):
			t.Fatal("a cancelled call does not end")
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var failed *client.ConnError
	if _, err := s.Call(ctx, "tools/call", tool("echo", "{}"), nil); !errors.As(err, &failed) || failed.Sent || failed.Class != client.ConnCancelled {
		t.Errorf("a call with a context that has ended gives %v", err)
	}
	if text, _ := call(t, s, "echo", `{"text":"still here"}`); text != "still here" {
		t.Errorf("after a cancelled call the session answers %q", text)
	}
}

// expiring is a context that expires when the test says so.
type expiring struct {
	context.Context
	done chan struct{}
}

func (e expiring) Deadline() (time.Time, bool) { return time.Now().Add(patience), true }
func (e expiring) Done() <-chan struct{}       { return e.done }

func (e expiring) Err() error {
	select {
	case <-e.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

func testDeadline(t *testing.T, tr client.Transport) {
	s := dial(t, tr, nil)
	ctx := expiring{context.Background(), make(chan struct{})}
	done := begin(t, ctx, s)
	close(ctx.done)
	select {
	case err := <-done:
		var failed *client.ConnError
		if !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &failed) || failed.Class != client.ConnTimeout {
			t.Errorf("a call whose time is up ends in %v", err)
		}
	case <-time.After(patience):
		t.Fatal("a call whose time is up does not end")
	}
	call(t, s, "echo", `{"text":"still here"}`)
}

func testClose(t *testing.T, tr client.Transport) {
	s := dial(t, tr, nil)
	select {
	case <-s.Done():
		t.Error("a living session is done")
	default:
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	select {
	case <-s.Done():
	default:
		t.Error("a closed session is not done")
	}
	if !errors.Is(s.Err(), client.ErrSessionClosed) {
		t.Errorf("a closed session has the error %v", s.Err())
	}
	if _, err := s.Call(bounded(t), "tools/list", nil, nil); !errors.Is(err, client.ErrSessionClosed) {
		t.Errorf("a call after close gives %v", err)
	}
	if err := s.Notify(bounded(t), "notifications/cancelled", nil); !errors.Is(err, client.ErrSessionClosed) {
		t.Errorf("a notification after close gives %v", err)
	}
	again := dial(t, tr, nil)
	call(t, again, "echo", `{"text":"again"}`)
}

func testCloseWhileCalling(t *testing.T, tr client.Transport) {
	s := dial(t, tr, nil)
	failed := make([]<-chan error, 4)
	for i := range failed {
		failed[i] = begin(t, context.Background(), s)
	}
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	for _, failed := range failed {
		select {
		case err := <-failed:
			if !errors.Is(err, client.ErrSessionClosed) {
				t.Errorf("a call under way ends in %v", err)
			}
		case <-time.After(patience):
			t.Fatal("a call outlives its session")
		}
	}
}
