package audit

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/persistence/memory"
)

var errFaulty = errors.New("the store is faulty")

// faultyLog is a store of which one thing fails or is not there.
type faultyLog struct {
	*memory.Store
	fault atomic.Pointer[string]
}

func (f *faultyLog) set(fault string) { f.fault.Store(&fault) }

func (f *faultyLog) err(call string) error {
	switch at := f.fault.Load(); {
	case at == nil:
	case *at == call:
		return errFaulty
	case *at == call+" gone":
		return fmt.Errorf("%w: removed by another program", localpass.ErrNotFound)
	}
	return nil
}

func (f *faultyLog) LogWriter(log string) (localpass.LogWriter, error) {
	if err := f.err("writer"); err != nil {
		return nil, err
	}
	return f.Store.LogWriter(log)
}

func (f *faultyLog) Segments(ctx context.Context, log string) ([]localpass.LogSegment, error) {
	if err := f.err("list"); err != nil {
		return nil, err
	}
	return f.Store.Segments(ctx, log)
}

func (f *faultyLog) SegmentTail(ctx context.Context, log, segment string) (localpass.LogTail, error) {
	if err := f.err("tail"); err != nil {
		return localpass.LogTail{}, err
	}
	return f.Store.SegmentTail(ctx, log, segment)
}

func (f *faultyLog) Records(ctx context.Context, log string, opts localpass.LogOptions) iter.Seq2[localpass.Record, error] {
	if err := f.err("read"); err != nil {
		return func(yield func(localpass.Record, error) bool) { yield(localpass.Record{}, err) }
	}
	return f.Store.Records(ctx, log, opts)
}

func (f *faultyLog) RemoveSegment(ctx context.Context, log, segment string) error {
	if err := f.err("remove"); err != nil {
		return err
	}
	return f.Store.RemoveSegment(ctx, log, segment)
}

// What retention meets keeps nobody from being recorded, and what another
// program has removed meanwhile is no fault.
func TestRetentionThatFails(t *testing.T) {
	leak.Check(t)
	for _, fault := range []string{"list", "tail", "read", "remove", "tail gone", "read gone", "remove gone"} {
		store := &faultyLog{Store: memory.New()}
		a := openLog(t, store, Options{SegmentSize: 1, KeepBytes: 1}, nil)
		recordCalls(t, a, 1)
		waitRemoved(t, a)
		store.set(fault)
		for range 3 {
			recordCalls(t, a, 1)
			waitRemoved(t, a)
		}
		store.set("nothing")
		recordCalls(t, a, 1)
		waitRemoved(t, a)
		require.NoError(t, a.close())
		report, err := Verify(t.Context(), store)
		require.NoError(t, err)
		require.NoError(t, report.Err(), "%s: %v", fault, report.Problems)
		assert.NotEmpty(t, report.Removed, fault)
	}
}

func TestVerifyOfAStoreThatFails(t *testing.T) {
	store := &faultyLog{Store: memory.New()}
	a := openLog(t, store, Options{}, nil)
	recordCalls(t, a, 1)
	for _, fault := range []string{"list", "read"} {
		store.set(fault)
		_, err := Verify(t.Context(), store)
		require.ErrorIs(t, err, errFaulty, fault)
	}
	store.set("read gone")
	report, err := Verify(t.Context(), store)
	require.NoError(t, err, "it was removed while it was listed")
	require.NoError(t, report.Err())
	store.set("writer")
	b := openLog(t, store, Options{}, nil)
	require.ErrorIs(t, b.Audit(t.Context(), &Record{}), errFaulty)
}

// A store whose logs have no segments keeps one chain after the other.
func TestAuditInAPlainLog(t *testing.T) {
	under := memory.New()
	store := struct {
		localpass.Persistence
		localpass.Log
	}{under, under}
	for i := range 2 {
		a := openLog(t, store, Options{SegmentSize: 1, KeepBytes: 1}, nil)
		recordCalls(t, a, 3)
		require.NoError(t, a.close())
		report, err := Verify(t.Context(), store)
		require.NoError(t, err)
		require.NoError(t, report.Err())
		assert.Equal(t, 3*(i+1), report.Calls)
		assert.Len(t, report.Chains, i+1)
		assert.Equal(t, 5*(i+1), report.Records)
		assert.Equal(t, 1, report.Segments)
	}
}

// Records with long names of chains are linked too.
func TestLongChainNames(t *testing.T) {
	store := memory.New()
	a := newStoreLog(store, Options{}, nil)
	a.clock.IDFunc = func() string { return string(make([]byte, 300)) }
	a.restart()
	recordCalls(t, a, 3)
	require.NoError(t, a.close())
	report, err := Verify(t.Context(), store)
	require.NoError(t, err)
	require.NoError(t, report.Err())
	assert.Equal(t, 3, report.Calls)
}

func TestAuditFilesThatCannotBeRead(t *testing.T) {
	home, files, _ := smallLog(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := VerifyFiles(ctx, []string{home}, nil)
	require.ErrorIs(t, err, context.Canceled)
	for _, err := range FileEntries(ctx, []string{home}) {
		require.ErrorIs(t, err, context.Canceled)
	}
	for _, err := range FileEntries(t.Context(), nil) {
		require.Error(t, err)
	}
	n := 0
	for _, err := range FileEntries(t.Context(), []string{home}) {
		require.NoError(t, err)
		if n++; n == 2 {
			break
		}
	}
	assert.Equal(t, 2, n)
	require.NoError(t, os.Mkdir(filepath.Join(filepath.Dir(files[0]), "a.log"), 0o700))
	whole(t, home) // a folder is no segment
	_, err = VerifyFiles(t.Context(), []string{filepath.Join(filepath.Dir(files[0]), "a.log")}, nil)
	require.ErrorContains(t, err, "there is no audit log")
	assert.Equal(t, "what", Problem{Message: "what"}.String())
	assert.Equal(t, "f: what", Problem{File: "f", Message: "what"}.String())
}

// Chains that are rebuilt in part: what a segment says of another decides.
func TestStitches(t *testing.T) {
	run := func(source int, first, last uint64, prev, digest, seal string) *segmentRun {
		r := &segmentRun{source: source, chain: "c", first: first, prev: prev, line: 1, lastLine: 9, digest: digest}
		if r.last.Seq = last; seal != "" {
			r.last.Seal = &sealRecord{Why: seal}
		}
		return r
	}
	for name, tc := range map[string]struct {
		runs []*segmentRun
		head recordHead
		want []string
	}{
		"whole":             {[]*segmentRun{run(0, 1, 5, "", "a", sealDay), run(1, 6, 9, "a", "b", sealEnd)}, recordHead{}, nil},
		"behind the end":    {[]*segmentRun{run(0, 1, 5, "", "a", sealEnd), run(1, 6, 9, "a", "b", sealEnd)}, recordHead{}, []string{"forged"}},
		"not sealed":        {[]*segmentRun{run(0, 1, 5, "", "a", ""), run(1, 6, 9, "a", "b", sealEnd)}, recordHead{}, []string{"seal"}},
		"another digest":    {[]*segmentRun{run(0, 1, 5, "", "a", sealDay), run(1, 6, 9, "x", "b", sealEnd)}, recordHead{}, []string{"changed"}},
		"a hole":            {[]*segmentRun{run(0, 1, 5, "", "a", sealDay), run(1, 8, 9, "x", "b", sealEnd)}, recordHead{}, []string{"missing"}},
		"twice":             {[]*segmentRun{run(0, 1, 5, "", "a", sealDay), run(1, 1, 5, "", "a", sealDay), run(1, 6, 9, "a", "b", sealEnd)}, recordHead{}, []string{"doubled"}},
		"removed":           {[]*segmentRun{run(0, 6, 9, "a", "b", sealEnd)}, recordHead{"c", 5, "a"}, nil},
		"removed, other":    {[]*segmentRun{run(0, 6, 9, "x", "b", sealEnd)}, recordHead{"c", 5, "a"}, []string{"changed"}},
		"removed, not all":  {[]*segmentRun{run(0, 4, 5, "x", "a", sealDay), run(1, 6, 9, "a", "b", sealEnd)}, recordHead{"c", 5, "a"}, nil},
		"removed, too much": {[]*segmentRun{run(0, 7, 9, "x", "b", sealEnd)}, recordHead{"c", 5, "a"}, []string{"missing"}},
	} {
		v := &verifier{sources: []logSource{{name: "one"}, {name: "two"}}, report: &Report{}, chains: map[string][]*segmentRun{"c": tc.runs},
			heads: map[string]recordHead{"c": tc.head}}
		v.chain("c")
		assert.Equal(t, tc.want, reasons(v.report), name)
	}
}
