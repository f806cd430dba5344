package file_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/file"
	"github.com/localpass/localpass/persistence/persistencetest"
)

func FuzzNames(f *testing.F) {
	keys := persistencetest.HostileKeys()
	for i, key := range keys {
		f.Add(key, keys[(i+1)%len(keys)])
	}
	f.Add("a", "A")
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, key := range []string{a, b} {
			if key != "" {
				checkName(t, key)
			}
			file.FileKey(key) // any file name: no panic
			if name, ok := file.DecodeName(key); ok {
				require.Equal(t, key, file.EncodeName(name), "one spelling only")
			}
		}
		if a != b && a != "" && b != "" {
			require.NotEqual(t, strings.ToLower(file.EncodeName(a)), strings.ToLower(file.EncodeName(b)))
		}
	})
}

func FuzzDocument(f *testing.F) {
	f.Add([]byte(`{"key":"k","version":5,"updated":"2026-01-02T03:04:05Z","data":{"a":[1.0,"\u2028"]}}`), "k", `{"a": 1}`)
	f.Add([]byte(`{"data":null,"x":{"}":"]"},"key":"\ud800","version":1,"updated":"2026-01-02T03:04:05.9+14:00"}`), "\u2028<>", "[[[]]]")
	f.Add([]byte(`{"data":null,"":{""""},"key":"0","version":1,"updated":"2026-01-02T03:04:05Z"}`), "k", "1")
	f.Add([]byte(`{"data":null,"\q":1,"key":"0","version":1,"updated":"2026-01-02T03:04:05Z"}`), "k", "1")
	f.Add([]byte(`{"key":"k","version":5,"updated":"9999-12-31T23:59:59-23:59","data":1}`), "k", strings.Repeat("[", 60)+strings.Repeat("0,", 5000)+"0"+strings.Repeat("]", 60))
	f.Add([]byte(`{"key":"k","version":4611686018427387903,"updated":"0000-01-01T00:00:00+01:00","data":1}`), "k", "1")
	f.Add([]byte(`{"key":"k","version":5,"updated"`), "\x00", `"\\\""`)
	f.Add([]byte(`{"key":"k" "version":5}`), "a", "-0.0e+1")
	f.Fuzz(func(t *testing.T, content []byte, key, data string) {
		if doc, err := file.ParseDocument(content); err == nil {
			require.True(t, json.Valid(content), "what is taken for a document is JSON")
			require.True(t, json.Valid(doc.Data))
			require.Positive(t, doc.Version)
			again, err := file.ParseDocument(file.FormatDocument(doc))
			require.NoError(t, err)
			require.Equal(t, doc.Data, again.Data)
			require.Equal(t, doc.Version, again.Version)
			require.True(t, doc.Updated.Equal(again.Updated))
			_, err = json.Marshal(doc)
			require.NoError(t, err)
			require.LessOrEqual(t, len(doc.Key), 1024)
		}
		if !utf8.ValidString(key) || key == "" || !utf8.ValidString(data) || !json.Valid([]byte(data)) {
			return
		}
		doc := localpass.Document{Key: key, Version: 1, Updated: time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC), Data: json.RawMessage(data)}
		b := file.FormatDocument(doc)
		require.LessOrEqual(t, len(b), 6*(len(data)+1<<10)+8*len(key))
		if len(key) > 1024 {
			return
		}
		back, err := file.ParseDocument(b)
		require.NoError(t, err, "%s", b)
		var want bytes.Buffer
		require.NoError(t, json.Compact(&want, doc.Data))
		require.Equal(t, want.String(), string(back.Data))
		require.Equal(t, key, back.Key)
		require.True(t, back.Updated.Equal(doc.Updated))
	})
}

func FuzzSegment(f *testing.F) {
	store := openIn(f, f.TempDir(), &file.Options{NoSync: true})
	var lines []byte
	for _, records := range [][]string{{"1"}, {`"a"`, `"b"`, "{}"}, {`[1.0,"x"]`}} {
		appendTo(f, store, "l", records...)
	}
	for record, err := range store.Records(f.Context(), "l", localpass.LogOptions{}) {
		require.NoError(f, err)
		segment, _, _ := strings.Cut(record.Position, "/")
		lines = must(osReadFile(store.Dir(), "_logs", "l", segment+".log"))
	}
	f.Add(lines)
	f.Add(lines[:len(lines)-3])
	f.Add(append([]byte("garbage\n"), lines...))
	f.Add(bytes.Replace(lines, []byte(`"more":1`), []byte(`"more":9`), 1))
	f.Add(bytes.ReplaceAll(lines, []byte("\n"), []byte("\r\n")))
	f.Add([]byte("\x00\x00\x00\n{\"crc\":\"\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		records, warnings, err := file.ReadSegment(bytes.NewReader(content), 1<<20)
		require.NoError(t, err)
		assert.LessOrEqual(t, len(records)+warnings, bytes.Count(content, []byte("\n"))+1)

		// After any content, a record on a line of its own is read.
		tail := append(append(bytes.Clone(content), '\n'), lines...)
		after, _, err := file.ReadSegment(bytes.NewReader(tail), 1<<20)
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(after), 5)
		assert.Equal(t, `[1.0,"x"]`, string(after[len(after)-1].Data))
		file.ParseJournal(content) // no panic
	})
}

// FuzzRecord appends any bytes. Accepted records are JSON, and are read back with the
// same tokens.
func FuzzRecord(f *testing.F) {
	store := openIn(f, f.TempDir(), &file.Options{NoSync: true})
	w, err := store.LogWriter("l")
	require.NoError(f, err)
	for _, s := range []string{"1", " null ", `{"a" : [1.0, "\u2028\ud800"]}`, "\"\u2028\"", "[1,]", "01", "\xff", `"\x"`, "{}{}", "",
		strings.Repeat("[", 150) + strings.Repeat("]", 150), "\"\t\"", `{"a":1,"a":2}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) {
		err := w.Append(t.Context(), json.RawMessage(data))
		if valid := utf8.ValidString(data) && json.Valid([]byte(data)); !valid {
			require.Error(t, err)
			return
		}
		require.NoError(t, err)
		segments, err := store.Segments(t.Context(), "l")
		require.NoError(t, err)
		tail, err := store.SegmentTail(t.Context(), "l", segments[len(segments)-1].ID)
		require.NoError(t, err)
		var want bytes.Buffer
		require.NoError(t, json.Compact(&want, []byte(data)))
		require.Equal(t, want.String(), string(tail.Last.Data))
		if tail.Last.Position[len(tail.Last.Position)-1] == '7' { // now and then, so that it stays short
			require.NoError(t, w.Rotate(t.Context()))
		}
	})
}
