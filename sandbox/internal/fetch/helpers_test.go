package fetch_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/charsets"
	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/sandbox/internal/fetch"
	"github.com/localpass/localpass/sandbox/internal/hostcall"
	"github.com/localpass/localpass/toolspec"
)

// public is a resolver for which every name ends in the public internet.
type public struct{}

func (public) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("93.184.215.20")}, nil
}

// world is a runtime with fetch, its service, and a server behind every address.
type world struct {
	t       testing.TB
	vm      *goja.Runtime
	service *fetch.Service
	call    *egress.Call
	ops     []string // as they were asked for
	thrown  map[*goja.Object]*toolspec.CallError
}

func newWorld(t testing.TB, handler http.HandlerFunc, change func(*egress.Policy, *egress.Options)) *world {
	t.Helper()
	srv := httptest.NewServer(handler)
	t.Cleanup(srv.Close)
	policy := egress.Policy{Mode: toolspec.NetworkStrict}
	opts := &egress.Options{Resolver: public{}, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", srv.Listener.Addr().String())
	}}
	if change != nil {
		change(&policy, opts)
	}
	guard, err := egress.New(policy, opts)
	require.NoError(t, err)
	t.Cleanup(func() { guard.Close() })
	w := &world{t: t, vm: goja.New(), thrown: map[*goja.Object]*toolspec.CallError{}}
	w.call, err = guard.NewCall(nil)
	require.NoError(t, err)
	w.service = fetch.NewService(w.call, charsets.Decode)
	t.Cleanup(func() { w.service.Close() })
	err = fetch.Install(w.vm, fetch.Options{
		Call: func(req hostcall.Request) (hostcall.Reply, *toolspec.CallError) {
			w.ops = append(w.ops, req.Op)
			require.LessOrEqual(t, len(req.Data), hostcall.MaxData)
			reply, failed := w.service.Serve(t.Context(), req)
			require.LessOrEqual(t, len(reply.Data), hostcall.MaxData)
			return reply, failed
		},
		Thrown: func(o *goja.Object, e *toolspec.CallError) { w.thrown[o] = e },
	})
	require.NoError(t, err)
	return w
}

// run runs code as the body of an async function and gives what it returned as
// JSON; a failure is given as "kind reason" of a SafetyError, otherwise as the
// text of what was thrown.
func (w *world) run(code string) string {
	w.t.Helper()
	v, err := w.vm.RunString("(async function () {\n" + code + "\n})()")
	require.NoError(w.t, err)
	promise, ok := v.Export().(*goja.Promise)
	require.True(w.t, ok)
	switch promise.State() {
	case goja.PromiseStateFulfilled:
		if goja.IsUndefined(promise.Result()) {
			return "undefined"
		}
		text, err := json.Marshal(promise.Result().Export())
		require.NoError(w.t, err)
		return string(text)
	case goja.PromiseStateRejected:
		if o, ok := promise.Result().(*goja.Object); ok && w.thrown[o] != nil {
			e := w.thrown[o]
			require.Equal(w.t, "fetch", e.Component)
			return string(e.Kind) + " " + e.Reason
		}
		return promise.Result().String()
	}
	w.t.Fatal("the code still waits")
	return ""
}
