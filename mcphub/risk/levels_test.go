package risk_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/mcphub/risk"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

var (
	ada    = toolspec.Principal{Subject: "ada", Via: "http"}
	record = servers.Record{ID: "far", Connection: json.RawMessage(`{"url":"http://127.0.0.1:1/mcp"}`)}
)

func sum() *servers.OfferedTool {
	return &servers.OfferedTool{Name: "sum", Description: about, InputSchema: described, Fingerprint: "1"}
}

func levelsOf(t *testing.T, store localpass.Persistence) *risk.Levels {
	t.Helper()
	l, err := risk.NewLevels(t.Context(), store, nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, l.Close()) })
	return l
}

// A level counts for the definition and the connection for which it was confirmed, and for
// nothing else.
func TestConfirm(t *testing.T) {
	leak.Check(t)
	store := memory.New()
	l := levelsOf(t, store)
	var changes atomic.Int32
	stop := l.Watch(func() { changes.Add(1) })
	defer stop()
	r := l.Of(record, sum())
	assert.Equal(t, toolspec.LevelUnknown, r.Level)
	assert.Equal(t, toolspec.L2, r.Proposal.Level)
	assert.Contains(t, r.Why()[0], "no person")

	for _, low := range []toolspec.Level{toolspec.LevelUnknown, toolspec.L0, toolspec.L1, 99} {
		assert.ErrorIs(t, l.Confirm(t.Context(), record, sum(), low, ada), risk.ErrTooLow, low)
	}
	before := changes.Load()
	require.NoError(t, l.Confirm(t.Context(), record, sum(), toolspec.L3, ada))
	assert.Greater(t, changes.Load(), before)
	check := func(l *risk.Levels) {
		t.Helper()
		r := l.Of(record, sum())
		assert.Equal(t, toolspec.L3, r.Level)
		assert.Equal(t, ada, r.Confirmed.By)
		assert.WithinDuration(t, time.Now(), r.Confirmed.At, time.Minute)
		assert.Equal(t, []string{"the level L3 was confirmed by ada"}, r.Why())
		changed, elsewhere, other := sum(), record, sum()
		changed.Fingerprint = "2"
		elsewhere.Connection = json.RawMessage(`{"url":"http://127.0.0.1:2/mcp"}`)
		other.Name = "product"
		assert.Equal(t, toolspec.LevelUnknown, l.Of(record, changed).Level)
		assert.Equal(t, toolspec.LevelUnknown, l.Of(elsewhere, sum()).Level)
		assert.Equal(t, toolspec.LevelUnknown, l.Of(record, other).Level)
	}
	check(l)
	check(levelsOf(t, store))
	require.NoError(t, l.Confirm(t.Context(), record, sum(), toolspec.L2, ada), "it can be confirmed anew")
	assert.Equal(t, toolspec.L2, l.Of(record, sum()).Level)
	require.NoError(t, l.Withdraw(t.Context(), "far", "sum", ada))
	require.NoError(t, l.Withdraw(t.Context(), "far", "sum", ada), "twice is the same")
	assert.Equal(t, toolspec.LevelUnknown, l.Of(record, sum()).Level)
	require.NoError(t, l.Confirm(t.Context(), record, sum(), toolspec.L2, ada))
	require.NoError(t, l.Forget(t.Context(), "other", ada))
	assert.Equal(t, toolspec.L2, l.Of(record, sum()).Level)
	require.NoError(t, l.Forget(t.Context(), "far", ada))
	assert.Equal(t, toolspec.LevelUnknown, l.Of(record, sum()).Level)
}

// A confirmation in one program counts in the others that share the store.
func TestConfirmElsewhere(t *testing.T) {
	leak.Check(t)
	store := memory.New()
	here, there := levelsOf(t, store), levelsOf(t, store)
	told := make(chan struct{}, 100)
	defer here.Watch(func() { told <- struct{}{} })()
	require.NoError(t, there.Confirm(t.Context(), record, sum(), toolspec.L2, ada))
	for here.Of(record, sum()).Level != toolspec.L2 {
		select {
		case <-told:
		case <-time.After(time.Minute):
			t.Fatal("the confirmation did not arrive")
		}
	}
}

func TestNilLevels(t *testing.T) {
	var l *risk.Levels
	assert.Equal(t, toolspec.L2, l.Of(record, sum()).Proposal.Level)
	assert.Equal(t, toolspec.LevelUnknown, l.Of(record, sum()).Level)
	l.Watch(func() {})()
	assert.NoError(t, l.Close())
	_, err := risk.NewLevels(t.Context(), nil, nil)
	assert.ErrorContains(t, err, "nil")
}

// failingStore fails when it is told to.
type failingStore struct {
	localpass.Persistence
	fail bool
}

var errDisk = errors.New("the disk is full")

func (f *failingStore) Put(ctx context.Context, collection, key string, doc localpass.Document) (localpass.Document, error) {
	if f.fail {
		return localpass.Document{}, errDisk
	}
	return f.Persistence.Put(ctx, collection, key, doc)
}

func (f *failingStore) Get(ctx context.Context, collection, key string) (localpass.Document, error) {
	if f.fail {
		return localpass.Document{}, errDisk
	}
	return f.Persistence.Get(ctx, collection, key)
}

func (f *failingStore) List(ctx context.Context, collection string, opts localpass.ListOptions) iter.Seq2[localpass.Document, error] {
	if f.fail {
		return func(yield func(localpass.Document, error) bool) { yield(localpass.Document{}, errDisk) }
	}
	return f.Persistence.List(ctx, collection, opts)
}

// What cannot be stored is not confirmed, and an unreadable confirmation counts as none.
func TestConfirmFails(t *testing.T) {
	inner := memory.New()
	store := &failingStore{Persistence: inner}
	l := levelsOf(t, store)
	store.fail = true
	assert.ErrorIs(t, l.Confirm(t.Context(), record, sum(), toolspec.L2, ada), errDisk)
	assert.Equal(t, toolspec.LevelUnknown, l.Of(record, sum()).Level)
	_, err := risk.NewLevels(t.Context(), store, nil)
	assert.ErrorIs(t, err, errDisk)
	store.fail = false
	require.NoError(t, l.Confirm(t.Context(), record, sum(), toolspec.L2, ada))
	for doc, err := range inner.List(t.Context(), "mcp-tool-levels", localpass.ListOptions{}) {
		require.NoError(t, err)
		_, err = inner.Put(t.Context(), "mcp-tool-levels", doc.Key, localpass.Document{Version: doc.Version, Data: json.RawMessage(`{"confirmed":{"level":"L9"}}`)})
		require.NoError(t, err)
	}
	assert.Equal(t, toolspec.LevelUnknown, levelsOf(t, inner).Of(record, sum()).Level)
}

// auditor keeps the records, or fails.
type auditor struct {
	records []approval.AuditRecord
	err     error
}

func (a *auditor) AuditApproval(_ context.Context, r *approval.AuditRecord) error {
	if a.err == nil {
		a.records = append(a.records, *r)
	}
	return a.err
}

// A confirmation and its withdrawal are recorded before they take effect.
func TestLevelsAreAudited(t *testing.T) {
	t.Parallel()
	log := &auditor{}
	l, err := risk.NewLevels(t.Context(), memory.New(), &risk.Options{Audit: log})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	require.NoError(t, l.Withdraw(t.Context(), "far", "sum", ada))
	assert.Empty(t, log.records, "there was nothing to withdraw")
	require.NoError(t, l.Confirm(t.Context(), record, sum(), toolspec.L3, ada))
	require.NoError(t, l.Forget(t.Context(), "far", ada))
	require.Len(t, log.records, 2)
	assert.Equal(t, []toolspec.Level{toolspec.L3, toolspec.LevelUnknown}, []toolspec.Level{log.records[0].Level, log.records[1].Level})
	for _, r := range log.records {
		assert.Equal(t, []any{approval.AuditLevel, "far", "sum", sum().Fingerprint, ada}, []any{r.Kind, r.Server, r.Tool, r.Fingerprint, r.By})
		assert.False(t, r.At.IsZero())
	}
	log.err = errors.New("the disk is full")
	require.ErrorIs(t, l.Confirm(t.Context(), record, sum(), toolspec.L3, ada), log.err)
	assert.Nil(t, l.Of(record, sum()).Confirmed, "what cannot be recorded does not count")
}
