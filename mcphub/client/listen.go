package client

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// Subscription says what [Session]'s Listen should receive. Up to 2025-11-25 a server
// announces list changes as it likes; since 2026-07-28 it announces only what is
// requested here.
//
// Over HTTP, Listen keeps a stream open (the listening stream of a session, or
// subscriptions/listen) and opens it again when it breaks. It returns
// errors.ErrUnsupported if the server has no such stream. Other transports need none.
type Subscription struct {
	// Tools, Prompts and Resources request a notification when that list changes.
	Tools, Prompts, Resources bool
	// URIs are the resources whose changes are requested.
	URIs []string
	// Ready is called each time listening starts, also after an interruption, during
	// which notifications may have been missed. It must not block. Optional.
	Ready func()
}

const (
	listenTries = 5                // failures in a row before Listen gives up
	listenPause = time.Second      // before the first retry, if the server sets no time
	listenCap   = 30 * time.Second // the longest pause
)

func (s *session) Listen(ctx context.Context, sub *Subscription) error {
	if sub == nil {
		sub = &Subscription{Tools: true, Prompts: true, Resources: true}
	}
	ready := func() {
		if sub.Ready != nil {
			s.guarded("listen", sub.Ready)
		}
	}
	var err error
	if s.modern {
		err = s.subscribe(ctx, sub, ready)
	} else {
		err = s.listenInSession(ctx, sub, ready)
	}
	if err != nil {
		err = s.failure("listen", true, s.whyNot(ctx, err))
	}
	return err
}

// listenInSession implements Listen up to 2025-11-25.
func (s *session) listenInSession(ctx context.Context, sub *Subscription, ready func()) error {
	for i, uri := range sub.URIs {
		params := append(rpc.AppendString([]byte(`{"uri":`), uri), '}')
		if _, err := s.Call(ctx, "resources/subscribe", params, nil); err != nil {
			s.unsubscribe(sub.URIs[:i])
			return err
		}
	}
	err := s.link.listen(ctx, ready)
	s.unsubscribe(sub.URIs)
	return err
}

// unsubscribe is best effort: no caller waits for it.
func (s *session) unsubscribe(uris []string) {
	for _, uri := range uris {
		params := append(rpc.AppendString([]byte(`{"uri":`), uri), '}')
		s.run(func(ctx context.Context) {
			ctx, cancel := context.WithTimeout(ctx, rpc.Courtesy)
			defer cancel()
			_, _ = s.Call(ctx, "resources/unsubscribe", params, nil)
		})
	}
}

// subscribe implements Listen since 2026-07-28, with a request that the server answers
// when it will send no more. If the stream breaks, the request is repeated.
func (s *session) subscribe(ctx context.Context, sub *Subscription, ready func()) error {
	params, err := json.Marshal(map[string]any{"notifications": subscriptionFilter(sub)})
	if err != nil {
		return err
	}
	for tries := 0; ; {
		begun := false
		rq := &request{id: s.lastID.Add(1), method: rpc.MethodListen}
		if err := s.frame(rq, params, &CallOptions{}, nil); err != nil {
			return err
		}
		w := &waiter{answer: make(chan *rpc.Message, 1), ready: func() { begun = true; ready() }}
		m, err := s.exchange(ctx, rq, w)
		if err == nil {
			if m.Error != nil {
				return s.refusal(m.Error)
			}
			return nil // the normal end by the server
		}
		var conn *ConnError
		if ctx.Err() != nil || s.Err() != nil || !errors.As(err, &conn) {
			return err
		}
		switch conn.Class {
		case ConnTransport, ConnBusy, ConnServer:
		default:
			return err
		}
		if tries++; begun {
			tries = 1
		}
		if tries >= listenTries {
			return err
		}
		if err := s.pause(ctx, max(conn.RetryAfter, listenPause<<(tries-1))); err != nil {
			return err
		}
	}
}

func subscriptionFilter(sub *Subscription) map[string]any {
	filter := map[string]any{}
	for name, wanted := range map[string]bool{"toolsListChanged": sub.Tools, "promptsListChanged": sub.Prompts, "resourcesListChanged": sub.Resources} {
		if wanted {
			filter[name] = true
		}
	}
	if len(sub.URIs) > 0 {
		filter["resourceSubscriptions"] = sub.URIs
	}
	return filter
}

// listening notes that a subscription has started.
func (s *session) listening(m *rpc.Message) {
	id, err := strconv.ParseInt(string(rpc.Object(m.Meta)[rpc.KeySubscription]), 10, 64)
	if err != nil {
		return
	}
	s.mu.Lock()
	w := s.waiting[id]
	s.mu.Unlock()
	if w != nil && w.ready != nil {
		w.ready()
	}
}

// pause waits before a retry.
func (s *session) pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(min(d, listenCap))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.done:
		return s.Err()
	}
}

// Ping checks whether the server still answers, with ping, or with server/discover since
// 2026-07-28, which has no ping.
func Ping(ctx context.Context, s Session) error {
	method := rpc.MethodPing
	if s.Info().Era == EraStateless {
		method = rpc.MethodDiscover
	}
	_, err := s.Call(ctx, method, nil, nil)
	return err
}
