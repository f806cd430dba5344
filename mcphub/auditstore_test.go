package mcphub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/audit"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

// plainStore keeps documents and has no upgrade.
type plainStore struct{ localpass.Persistence }

// batchStore has one more.
type batchStore struct {
	localpass.Persistence
	localpass.Batcher
}

func TestAuditInDocuments(t *testing.T) {
	for name, wrap := range map[string]func(*memory.Store) localpass.Persistence{
		"one by one": func(s *memory.Store) localpass.Persistence { return plainStore{s} },
		"in batches": func(s *memory.Store) localpass.Persistence { return batchStore{s, s} },
	} {
		t.Run(name, func(t *testing.T) {
			under := memory.New()
			store := wrap(under)
			h := hubtest.NewHub(t, &mcphub.Options{Store: store}, hubtest.EchoTool(t, "echo"))
			tools, err := h.Tools(t.Context())
			require.NoError(t, err)
			for range 5 {
				_, err := tools[0].Call(t.Context(), &toolspec.Call{Arguments: json.RawMessage(`{"text":"x"}`)})
				require.NoError(t, err)
			}
			assert.Len(t, records(t, h), 5)
			assert.Equal(t, 5, sound(t, store))
			problem := func() string {
				report, err := audit.Verify(t.Context(), store)
				require.NoError(t, err)
				require.ErrorIs(t, report.Err(), audit.ErrBroken)
				return report.Problems[0].Reason
			}

			var docs []localpass.Document
			for d, err := range store.List(t.Context(), "audit", localpass.ListOptions{}) {
				require.NoError(t, err)
				docs = append(docs, d)
			}
			require.Len(t, docs, 6, "the calls, and the begin of the chain")
			changed := docs[2]
			changed.Data = json.RawMessage(strings.Replace(string(changed.Data), `"ok":true`, `"ok":false`, 1))
			_, err = store.Put(t.Context(), "audit", changed.Key, changed)
			require.NoError(t, err)
			assert.Equal(t, "changed", problem())
			require.NoError(t, store.Delete(t.Context(), "audit", docs[2].Key))
			assert.Equal(t, "missing", problem())
			for _, bad := range []string{`{}`, `7`} {
				_, err = store.Put(t.Context(), "audit", "0", localpass.Document{Version: localpass.AnyVersion, Data: json.RawMessage(bad)})
				require.NoError(t, err)
				assert.Equal(t, "foreign", problem())
			}
			for _, err := range h.AuditRecords(t.Context()) {
				assert.ErrorContains(t, err, "not readable")
			}
			for range h.AuditRecords(t.Context()) {
				break
			}
		})
	}
	h := hubtest.NewHub(t, &mcphub.Options{Store: &brokenStore{Persistence: memory.New(), put: errFailing}}, hubtest.EchoTool(t, "echo"))
	tools, err := h.Tools(t.Context())
	require.NoError(t, err)
	r, err := tools[0].Call(t.Context(), &toolspec.Call{Arguments: json.RawMessage(`{"text":"x"}`)})
	require.NoError(t, err)
	assert.ErrorIs(t, r.Err, errFailing)
}

// unreadable is a store whose log cannot be read.
type unreadable struct{ *memory.Store }

func (unreadable) Records(context.Context, string, localpass.LogOptions) iter.Seq2[localpass.Record, error] {
	return func(yield func(localpass.Record, error) bool) { yield(localpass.Record{}, errFailing) }
}

func TestAuditThatCannotBeRead(t *testing.T) {
	store := unreadable{memory.New()}
	require.NoError(t, store.Append(t.Context(), "audit", json.RawMessage(`{}`)))
	_, err := audit.Verify(t.Context(), store)
	assert.ErrorIs(t, err, errFailing)
	for _, err := range hubtest.NewHub(t, &mcphub.Options{Store: store}).AuditRecords(t.Context()) {
		assert.ErrorIs(t, err, errFailing)
	}
}

func TestAuditInMemoryIsBounded(t *testing.T) {
	h := hubtest.NewHub(t, nil, hubtest.EchoTool(t, "echo"))
	tools, err := h.Tools(t.Context())
	require.NoError(t, err)
	for i := range 1010 {
		_, err := tools[0].Call(t.Context(), &toolspec.Call{ID: fmt.Sprint(i), Arguments: json.RawMessage(`{"text":"x"}`)})
		require.NoError(t, err)
	}
	all := records(t, h)
	require.Len(t, all, 1000)
	assert.Equal(t, "10", all[0].Call)
	assert.Equal(t, "1009", all[999].Call)
	for range h.AuditRecords(t.Context()) {
		break
	}
}
