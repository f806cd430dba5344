package persistencetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
)

// random compares the store with a map during long runs of random operations. It reopens
// the store in between if the engine supports that.
func (s *suite) random(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprintf("Seed%d", seed), func(t *testing.T) {
			m := &model{
				t: t, store: s.open(t), rand: rand.New(rand.NewPCG(seed, 2026)),
				docs: map[string]map[string]localpass.Document{}, highest: map[string]int64{},
			}
			for step := range 250 {
				if s.Reopen != nil && m.rand.IntN(40) == 0 {
					m.store = s.Reopen(t, m.store)
				}
				m.step()
				if t.Failed() {
					t.Fatalf("seed %d failed at step %d", seed, step)
				}
			}
			if s.Reopen != nil {
				m.store = s.Reopen(t, m.store)
			}
			m.checkAll()
		})
	}
}

type model struct {
	t     *testing.T
	store localpass.Persistence
	rand  *rand.Rand
	docs  map[string]map[string]localpass.Document
	// highest holds the highest version that each key ever had.
	highest map[string]int64
	logged  []string
}

func (m *model) collection() string { return pick(m.rand, "c", "C", "logs", "c.d") }

func (m *model) key() string {
	return pick(m.rand, "a", "A", "b/c", "..", "con", "%41", "é", "\x00", HostileKeys()[m.rand.IntN(len(HostileKeys()))])
}

func (m *model) data() json.RawMessage {
	return json.RawMessage(pick(m.rand, `{"a": 1.0, "b": [true, null]}`, "0", `"x"`, "[]", "{}", "\"\u2028\"", fmt.Sprintf(`[%d]`, m.rand.IntN(1000))))
}

// version returns a version for a write, which is right more often than not.
func (m *model) version(collection, key string) int64 {
	stored := m.docs[collection][key].Version
	return pick(m.rand, stored, stored, stored, localpass.AnyVersion, localpass.NoVersion, stored+1, max(m.highest[collection+"\x00"+key], 1))
}

func pick[T any](r *rand.Rand, choices ...T) T { return choices[r.IntN(len(choices))] }

func (m *model) step() {
	switch n := m.rand.IntN(20); {
	case n < 7:
		m.put()
	case n < 10:
		m.delete()
	case n < 13:
		m.get()
	case n < 15:
		m.list()
	case n < 18:
		m.batch()
	default:
		m.append()
	}
}

// stored records a document that the store reported as written.
func (m *model) stored(collection string, doc localpass.Document, data json.RawMessage) {
	place := collection + "\x00" + doc.Key
	assert.Greater(m.t, doc.Version, m.highest[place], "version of %q in %s", doc.Key, collection)
	assert.Equal(m.t, compact(data), compact(doc.Data))
	m.highest[place] = doc.Version
	if m.docs[collection] == nil {
		m.docs[collection] = map[string]localpass.Document{}
	}
	m.docs[collection][doc.Key] = doc
}

func (m *model) put() {
	collection, key, data := m.collection(), m.key(), m.data()
	version := m.version(collection, key)
	made, err := m.store.Put(m.t.Context(), collection, key, localpass.Document{Version: version, Data: data})
	if want := m.docs[collection][key].Version; version != localpass.AnyVersion && version != want {
		require.ErrorIs(m.t, err, localpass.ErrConflict)
		return
	}
	require.NoError(m.t, err)
	assert.Equal(m.t, key, made.Key)
	m.stored(collection, made, data)
}

func (m *model) delete() {
	collection, key := m.collection(), m.key()
	err := m.store.Delete(m.t.Context(), collection, key)
	if _, ok := m.docs[collection][key]; !ok {
		require.ErrorIs(m.t, err, localpass.ErrNotFound)
		return
	}
	require.NoError(m.t, err)
	delete(m.docs[collection], key)
}

func (m *model) get() {
	collection, key := m.collection(), m.key()
	want, ok := m.docs[collection][key]
	if !ok {
		missing(m.t, m.store, collection, key)
		return
	}
	same(m.t, want, get(m.t, m.store, collection, key))
}

func (m *model) list() {
	collection := m.collection()
	all := slices.Sorted(maps.Keys(m.docs[collection]))
	opts := localpass.ListOptions{
		Prefix:  pick(m.rand, "", "", "a", "b/", "."),
		After:   pick(m.rand, "", "", m.key()),
		Limit:   pick(m.rand, 0, 1, 3, 100),
		Reverse: m.rand.IntN(2) == 0,
	}
	assert.Equal(m.t, selected(all, opts), keys(m.t, m.store, collection, opts), "%s %+v", collection, opts)
}

func (m *model) batch() {
	batcher, ok := m.store.(localpass.Batcher)
	if !ok {
		return
	}
	var ops []localpass.Op
	var want error
	used := map[string]bool{}
	for range m.rand.IntN(6) {
		op := localpass.Op{Collection: m.collection(), Key: m.key(), Data: m.data()}
		if place := op.Collection + "\x00" + op.Key; used[place] {
			continue
		} else {
			used[place] = true
		}
		stored := m.docs[op.Collection][op.Key].Version
		op.Version = pick(m.rand, localpass.AnyVersion, m.version(op.Collection, op.Key))
		if op.Delete = m.rand.IntN(3) == 0 && op.Version != localpass.NoVersion; op.Delete {
			op.Data = nil
		}
		if want == nil {
			switch {
			case op.Delete && op.Version == localpass.AnyVersion && stored == 0:
				want = localpass.ErrNotFound
			case op.Version != localpass.AnyVersion && op.Version != stored:
				want = localpass.ErrConflict
			}
		}
		ops = append(ops, op)
	}
	docs, err := batcher.Batch(m.t.Context(), ops...)
	if want != nil {
		require.ErrorIs(m.t, err, want)
		return
	}
	require.NoError(m.t, err)
	require.Len(m.t, docs, len(ops))
	for i, op := range ops {
		assert.Equal(m.t, op.Key, docs[i].Key)
		if op.Delete {
			delete(m.docs[op.Collection], op.Key)
		} else {
			m.stored(op.Collection, docs[i], op.Data)
		}
	}
}

func (m *model) append() {
	log, ok := m.store.(localpass.Log)
	if !ok {
		return
	}
	var data []json.RawMessage
	for range 1 + m.rand.IntN(3) {
		data = append(data, m.data())
		m.logged = append(m.logged, compact(data[len(data)-1]))
	}
	require.NoError(m.t, log.Append(m.t.Context(), "logs", data...))
}

func (m *model) checkAll() {
	for collection, docs := range m.docs {
		assert.Equal(m.t, slices.Sorted(maps.Keys(docs)), keys(m.t, m.store, collection, localpass.ListOptions{}))
		for key, doc := range docs {
			same(m.t, doc, get(m.t, m.store, collection, key))
		}
	}
	if log, ok := m.store.(localpass.Log); ok && len(m.logged) > 0 {
		assert.Equal(m.t, m.logged, records(m.t, log, "logs", localpass.LogOptions{}))
	}
}
