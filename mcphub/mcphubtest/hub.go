package mcphubtest

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// NewHub returns a hub, closed with the test, with the tools of [AddTools].
func NewHub(t testing.TB) *mcphub.Hub {
	t.Helper()
	hub, err := mcphub.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = hub.Close() })
	if err := AddTools(hub); err != nil {
		t.Fatal(err)
	}
	return hub
}

// AddTools gives a hub the tools that [TestTransport] calls: "echo" answers with
// its argument text, "count" reports progress n times before it answers, "wait"
// reports progress once and answers when it is cancelled, and "fail" fails.
func AddTools(hub *mcphub.Hub) error {
	type in struct {
		Text string `json:"text,omitempty"`
		N    int    `json:"n,omitempty"`
		Test bool   `json:"test,omitempty"` // the call that earns the pass
	}
	for name, do := range map[string]func(context.Context, in) (string, error){
		"echo": func(_ context.Context, a in) (string, error) { return a.Text, nil },
		"count": func(ctx context.Context, a in) (string, error) {
			for i := range a.N {
				if err := toolspec.CallFrom(ctx).Peer.Progress(ctx, toolspec.Progress{Done: float64(i + 1), Total: float64(a.N)}); err != nil {
					return "", err
				}
			}
			return a.Text, nil
		},
		"wait": func(ctx context.Context, a in) (string, error) {
			if !a.Test {
				_ = toolspec.CallFrom(ctx).Peer.Progress(ctx, toolspec.Progress{Done: 1}) // to the client that asked for it
				<-ctx.Done()
			}
			return a.Text, nil
		},
		"fail": func(_ context.Context, a in) (string, error) {
			if !a.Test {
				return "", errors.New("as it should")
			}
			return a.Text, nil
		},
	} {
		tool, err := toolspec.Func(name, "A tool for tests of transports.", do, nil)
		if err != nil {
			return err
		}
		pass, err := studio.Certify(context.Background(), tool, []toolspec.Case{{Args: json.RawMessage(`{"text":"a","test":true}`), Want: json.RawMessage(`"a"`)}}, nil)
		if err != nil {
			return err
		}
		if err := hub.Add(pass); err != nil {
			return err
		}
	}
	return nil
}
