package transfer_test

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/persistence/transfer"
)

var errBroken = errors.New("the disk is broken")

// failing fails at one of its reads.
type failing struct {
	full
	left *int
}

func (f failing) fail() error {
	if *f.left--; *f.left == 0 {
		return errBroken
	}
	return nil
}

func orFail[T any](f failing, read func() (T, error)) (got T, err error) {
	if err := f.fail(); err != nil {
		return got, err
	}
	return read()
}

func eachOrFail[T any](f failing, all iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		if err := f.fail(); err != nil {
			yield(none, err)
			return
		}
		all(yield)
	}
}

func (f failing) Collections(ctx context.Context) ([]string, error) {
	return orFail(f, func() ([]string, error) { return f.full.Collections(ctx) })
}

func (f failing) Logs(ctx context.Context) ([]string, error) {
	return orFail(f, func() ([]string, error) { return f.full.Logs(ctx) })
}

func (f failing) Get(ctx context.Context, collection, key string) (localpass.Document, error) {
	return orFail(f, func() (localpass.Document, error) { return f.full.Get(ctx, collection, key) })
}

func (f failing) Segments(ctx context.Context, log string) ([]localpass.LogSegment, error) {
	return orFail(f, func() ([]localpass.LogSegment, error) { return f.full.Segments(ctx, log) })
}

func (f failing) SegmentTail(ctx context.Context, log, segment string) (localpass.LogTail, error) {
	return orFail(f, func() (localpass.LogTail, error) { return f.full.SegmentTail(ctx, log, segment) })
}

func (f failing) LogWriter(log string) (localpass.LogWriter, error) {
	return orFail(f, func() (localpass.LogWriter, error) { return f.full.LogWriter(log) })
}

func (f failing) List(ctx context.Context, collection string, opts localpass.ListOptions) iter.Seq2[localpass.Document, error] {
	return eachOrFail(f, f.full.List(ctx, collection, opts))
}

func (f failing) Records(ctx context.Context, log string, opts localpass.LogOptions) iter.Seq2[localpass.Record, error] {
	return eachOrFail(f, f.full.Records(ctx, log, opts))
}

// Whatever read of either side fails, Copy returns its error.
func TestFailingReads(t *testing.T) {
	source := memory.New()
	put(t, source, "c", "a", "1")
	put(t, source, "c", "b", "2")
	w, err := source.LogWriter("audit")
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, w.Append(t.Context(), []byte("1"), []byte("2")))
		require.NoError(t, w.Rotate(t.Context()))
	}
	for _, broken := range []string{"source", "target"} {
		for n := 1; ; n++ {
			left := n
			from, to := full(source), full(memory.New())
			put(t, to, "c", "a", "1")
			interrupted, err := to.LogWriter("audit")
			require.NoError(t, err)
			require.NoError(t, interrupted.Append(t.Context(), []byte("1")))
			require.NoError(t, interrupted.Close())
			if broken == "source" {
				from = failing{from, &left}
			} else {
				to = failing{to, &left}
			}
			_, err = transfer.Copy(t.Context(), from, to, nil)
			if err == nil {
				require.Greater(t, n, 5)
				break
			}
			require.ErrorIs(t, err, errBroken, "%s, read %d", broken, n)
		}
	}
}
