package file

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/logline"
	"github.com/localpass/localpass/persistence/internal/contract"
)

// sealed returns a journal with correct checksums.
func sealed(t testing.TB, ops ...string) []byte {
	t.Helper()
	var buf bytes.Buffer
	for i, op := range ops {
		require.NoError(t, logline.Append(&buf, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), len(ops)-1-i, func(buf *bytes.Buffer) error {
			buf.WriteString(op)
			return nil
		}))
	}
	return buf.Bytes()
}

const goodOp = `{"collection":"c","key":"k","version":5,"data":{"a":1}}`

// FuzzJournal reads arbitrary bytes with correct checksums as a journal. An accepted
// journal is one that a batch could have written.
func FuzzJournal(f *testing.F) {
	for _, op := range []string{goodOp, `{"collection":"_batch","key":"k","version":5,"data":1}`, `{"collection":"../x","key":"k","version":5}`,
		`{"collection":"c","key":"k","version":9223372036854775807,"data":1}`, `{"collection":"c","key":"k","version":5,"data":{x}}`, `{"collection":"c","key":"","version":5}`,
		`{"collection":"c","collection":"d","key":"\ud800","version":5,"data":"\xff"}`} {
		f.Add(op)
	}
	f.Fuzz(func(t *testing.T, op string) {
		if bytes.IndexByte([]byte(op), '\n') >= 0 {
			return
		}
		j, err := parseJournal(sealed(t, goodOp, op))
		if err != nil {
			return
		}
		require.Len(t, j.ops, 2)
		for _, op := range j.ops {
			require.NoError(t, localpass.CheckCollection(op.Collection))
			require.NoError(t, contract.Key(op.Collection, op.Key))
			require.True(t, op.Version > 0 && op.Version < maxVersion)
			require.True(t, op.Delete || json.Valid(op.Data))
		}
	})
}

// A journal that names the folder of batches as a collection is refused: it would wait
// for its own lock.
func TestHostileJournal(t *testing.T) {
	s, err := Open(t.TempDir(), &Options{NoSync: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	put := func(version int64) error {
		_, err := s.Batch(t.Context(), localpass.Op{Collection: "c", Key: "a", Version: version, Data: json.RawMessage("1")},
			localpass.Op{Collection: "c", Key: "b", Version: version, Data: json.RawMessage("1")})
		return err
	}
	require.NoError(t, put(localpass.NoVersion))
	for _, op := range []string{`{"collection":"_batch","key":"k","version":5,"data":1}`, `{"collection":"c","key":"a","version":9223372036854775807,"data":2}`,
		`{"collection":"c","key":"a","version":4611686018427387000,"data":{bad}}`} {
		require.NoError(t, s.disk.mkdir(s.batch.dir))
		temp, err := s.disk.writeTemp(s.batch.dir, sealed(t, op))
		require.NoError(t, err)
		require.NoError(t, s.disk.rename(temp, s.journalPath))
		doc, err := s.Get(t.Context(), "c", "a")
		require.NoError(t, err)
		assert.Equal(t, "1", string(doc.Data))
		require.NoError(t, put(localpass.AnyVersion), "it is set aside")
		_, err = s.Get(t.Context(), "c", "b")
		require.NoError(t, err)
	}
}
