package inspector

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec"
)

// Limits of what the inspector keeps for one server.
const (
	maxRoots     = 100
	maxResources = 100 // subscriptions
)

// Roots returns the folders that a server gets when it asks for roots. Initially there
// are none.
func (i *Inspector) Roots(server string) (roots []toolspec.Root, err error) {
	err = i.state(server, func(s *inspected) { roots = slices.Clone(s.roots) })
	return roots, err
}

// AddRoot adds a folder, a file: URI, or changes the name of one, and notifies the server
// (up to 2025-11-25) that the roots changed. Servers ask for roots only if
// [Options].Answers declares them.
func (i *Inspector) AddRoot(ctx context.Context, server string, root toolspec.Root) (*Inspection, error) {
	u, err := url.Parse(root.URI)
	if err != nil || u.Scheme != "file" || len(root.URI) > maxAddress || len(root.Name) > maxName {
		return nil, invalidOperation("a root is a file: URI with a name of at most %d bytes", maxName)
	}
	full := false
	err = i.state(server, func(s *inspected) {
		at := slices.IndexFunc(s.roots, func(r toolspec.Root) bool { return r.URI == root.URI })
		switch {
		case at >= 0:
			s.roots[at] = root
		case len(s.roots) == maxRoots:
			full = true
		default:
			s.roots = append(s.roots, root)
		}
	})
	if err == nil && full {
		err = invalidOperation("there are %d roots already: remove one first", maxRoots)
	}
	if err != nil {
		return nil, err
	}
	return i.rootsChanged(ctx, server)
}

// RemoveRoot removes a folder, and notifies the server.
func (i *Inspector) RemoveRoot(ctx context.Context, server, uri string) (*Inspection, error) {
	found := false
	err := i.state(server, func(s *inspected) {
		before := len(s.roots)
		s.roots = slices.DeleteFunc(s.roots, func(r toolspec.Root) bool { return r.URI == uri })
		found = len(s.roots) < before
	})
	if err == nil && !found {
		err = invalidOperation("there is no root %q", clip.To(uri, maxName))
	}
	if err != nil {
		return nil, err
	}
	return i.rootsChanged(ctx, server)
}

// rootsChanged notifies the server if there is a session whose protocol has that
// notification. A session opened later asks for the roots anyway.
func (i *Inspector) rootsChanged(ctx context.Context, server string) (*Inspection, error) {
	o, err := i.begin(ctx, server, "roots")
	if err != nil {
		return nil, err
	}
	const method = "notifications/roots/list_changed"
	if l := o.server.Current(); l != nil {
		if s := l.Session(); s.Info().Era != client.EraStateless && i.opts.Answers.Roots {
			o.notified(s, method, nil)
			err = s.Notify(o.ctx, method, nil)
		}
		l.Release()
	}
	result, _ := i.rootsResult(server)
	return o.end(nil, result, err), nil
}

// rootsResult returns the answer to roots/list.
func (i *Inspector) rootsResult(server string) (json.RawMessage, error) {
	roots, _ := i.Roots(server) // none for a server that is gone
	dst := []byte(`{"roots":[`)
	for n, r := range roots {
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = rpc.AppendField(rpc.AppendString(append(dst, `{"uri":`...), r.URI), "name", r.Name)
		dst = append(dst, '}')
	}
	return append(dst, "]}"...), nil
}

// resourceSub is a subscription to one resource.
type resourceSub struct {
	cancel context.CancelFunc
	ended  chan struct{} // closed when the subscription has ended
	begun  atomic.Bool

	// Guarded by the inspector's lock.
	by     *inspecting // the operation that ended it; nil if it ended by itself
	failed error       // why the server could not be notified
}

// Subscriptions returns the URIs of the resources that are subscribed to, sorted.
func (i *Inspector) Subscriptions(server string) (uris []string, err error) {
	err = i.state(server, func(s *inspected) { uris = slices.Sorted(maps.Keys(s.subs)) })
	return uris, err
}

// Subscribe asks the server to report each change of a resource: see
// [Inspector.Notifications]. The subscription lasts until Unsubscribe and keeps the
// session open. If the session ends, it ends too, and a note says so.
func (i *Inspector) Subscribe(ctx context.Context, server, uri string) (*Inspection, error) {
	if uri == "" || len(uri) > maxAddress {
		return nil, invalidOperation("name the resource by its URI")
	}
	o, err := i.begin(ctx, server, "resources/subscribe")
	if err != nil {
		return nil, err
	}
	params := append(rpc.AppendString([]byte(`{"uri":`), uri), '}')
	return o.end(params, nil, o.subscribe(uri, params)), nil
}

func (o *inspecting) subscribe(uri string, params json.RawMessage) error {
	i, server := o.i, o.rec.Server
	life, cancel := context.WithCancel(i.ctx)
	sub := &resourceSub{cancel: cancel, ended: make(chan struct{})}
	var bad error
	if err := i.state(server, func(s *inspected) {
		switch {
		case s.subs[uri] != nil:
			bad = invalidOperation("it is subscribed to already")
		case len(s.subs) == maxResources:
			bad = invalidOperation("%d resources are subscribed to already: end one first", maxResources)
		default:
			s.subs[uri] = sub
		}
	}); err != nil {
		bad = err
	}
	if bad != nil {
		cancel()
		return bad
	}
	ready := make(chan error, 1)
	begun := i.run(func() {
		defer close(sub.ended)
		defer cancel()
		err := o.listen(life, sub, uri, params, ready)
		gone := false
		_ = i.state(server, func(s *inspected) {
			if gone = s.subs[uri] == sub; gone {
				delete(s.subs, uri)
			}
		})
		if !sub.begun.Load() {
			ready <- err
		} else if gone && i.ctx.Err() == nil {
			i.note(ServerNote{Server: server, Kind: NoteSubscription, Summary: uri})
		}
	})
	if !begun {
		cancel()
		return fmt.Errorf("inspector: the inspector is closed: %w", toolspec.ErrClosed)
	}
	select {
	case err := <-ready:
		return err
	case <-o.ctx.Done():
		cancel()
		<-sub.ended
		return o.ctx.Err()
	}
}

// listen subscribes, reports that on ready, and stays until life or the session ends.
func (o *inspecting) listen(life context.Context, sub *resourceSub, uri string, params json.RawMessage, ready chan<- error) error {
	l, err := o.i.c.Lease(o.ctx, o.rec.Server)
	if err != nil {
		return err
	}
	defer l.Release()
	defer context.AfterFunc(l.Context(), sub.cancel)() // a subscription that holds a session open must not keep it from closing
	session := l.Session()
	began := sync.OnceFunc(func() {
		sub.begun.Store(true)
		ready <- nil
	})
	info := session.Info()
	if info.Era == client.EraStateless {
		err := session.Listen(life, &client.Subscription{URIs: []string{uri}, Ready: began})
		return cmp.Or(err, client.ErrSessionClosed)
	}
	// Up to 2025-11-25 the session has one stream for all notifications, and most servers
	// do not offer a second one: the goroutine that manages the session listens.
	if _, err := session.Call(o.ctx, "resources/subscribe", params, o.options()); err != nil {
		return err
	}
	defer func() {
		var opts *client.CallOptions
		o.i.mu.Lock()
		by := sub.by
		o.i.mu.Unlock()
		if by != nil {
			opts = by.options()
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(life), rpc.Courtesy)
		defer cancel()
		_, err := session.Call(ctx, "resources/unsubscribe", params, opts)
		o.i.mu.Lock()
		sub.failed = err
		o.i.mu.Unlock()
	}()
	began()
	if c := &info.Capabilities; !c.ToolsChanged && !c.PromptsChanged && !c.ResourcesChanged && info.Endpoint.Kind == client.TransportHTTP {
		// A server without such a stream reports changes within its other responses.
		if err := session.Listen(life, &client.Subscription{}); !errors.Is(err, errors.ErrUnsupported) {
			return cmp.Or(err, client.ErrSessionClosed)
		}
	}
	select {
	case <-life.Done():
		return life.Err()
	case <-session.Done():
		return cmp.Or(session.Err(), client.ErrSessionClosed)
	}
}

// Unsubscribe ends a subscription, and waits until it has ended.
func (i *Inspector) Unsubscribe(ctx context.Context, server, uri string) (*Inspection, error) {
	o, err := i.begin(ctx, server, "resources/unsubscribe")
	if err != nil {
		return nil, err
	}
	var sub *resourceSub
	err = i.state(server, func(s *inspected) {
		if sub = s.subs[uri]; sub != nil {
			sub.by = o
			delete(s.subs, uri)
		}
	})
	if err == nil && sub == nil {
		err = invalidOperation("it is not subscribed to")
	}
	if err == nil {
		sub.cancel()
		select {
		case <-sub.ended:
			err = sub.failed
		case <-o.ctx.Done():
			err = o.ctx.Err()
		}
	}
	return o.end(append(rpc.AppendString([]byte(`{"uri":`), uri), '}'), json.RawMessage("{}"), err), nil
}
