package approvalapi_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/approval/approvalapi"
	"github.com/localpass/localpass/approval/internal/approvaltest"
	"github.com/localpass/localpass/internal/httpapi/apitest"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// apiWorld is an API that serves a gate.
type apiWorld struct {
	*apitest.Client
	store localpass.Persistence
	gate  *approval.Gate
	api   *approvalapi.API
	clock *approvaltest.Clock
}

func newAPIWorld(t *testing.T, gateOpts *approval.Options, opts *approvalapi.Options) *apiWorld {
	t.Helper()
	if gateOpts == nil {
		gateOpts = &approval.Options{}
	}
	if gateOpts.Store == nil {
		gateOpts.Store = memory.New()
	}
	w := &apiWorld{store: gateOpts.Store, clock: approvaltest.NewClock()}
	gateOpts.NoAudit = true
	gateOpts.Clock = w.clock.Now
	if gateOpts.Approvers == nil {
		gateOpts.Approvers = []approval.Approver{approval.Inbox(-1)}
	}
	var err error
	w.gate, err = approval.NewGate(gateOpts)
	require.NoError(t, err)
	w.api, err = approvalapi.New(w.gate, opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.gate.Close()) })
	w.Client = apitest.NewClient(t, w.api)
	t.Cleanup(func() {
		w.CloseClientConnections()
		require.NoError(t, w.api.Close())
	})
	return w
}

// asks stores a request as a gate would.
func (w *apiWorld) asks(change func(*approval.Request)) approval.Record {
	w.T.Helper()
	r := approval.Request{Tool: "writeNote", Level: toolspec.L3, Fingerprint: "f1", Arguments: json.RawMessage(`{"path":"a","text":"b"}`),
		Schema: json.RawMessage(approvaltest.NoteSchema), Prompt: "May it run?", Shown: `{"path":"a","text":"b"}`, Side: approval.SideServer,
		Principal: toolspec.Principal{Subject: "client", Via: "http"}, Scopes: []approval.Scope{approval.ScopeOnce, approval.ScopeCalls, approval.ScopeTime}}
	if change != nil {
		change(&r)
	}
	rec, err := w.gate.Broker().Ask(w.T.Context(), r)
	require.NoError(w.T, err)
	return rec
}

// itemOf returns the request in a response.
func itemOf(r *apitest.Reply) (item approval.View) {
	r.T.Helper()
	r.Into(&item)
	return item
}
