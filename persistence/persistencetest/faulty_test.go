package persistencetest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/memory"
)

// faulty is the engine in memory with some methods replaced.
type faulty struct {
	*memory.Store
	get   func(ctx context.Context, collection, key string) (localpass.Document, error)
	put   func(ctx context.Context, collection, key string, doc localpass.Document) (localpass.Document, error)
	list  func(ctx context.Context, collection string, opts localpass.ListOptions) iter.Seq2[localpass.Document, error]
	batch func(ctx context.Context, ops ...localpass.Op) ([]localpass.Document, error)
	watch func(ctx context.Context, collection string) iter.Seq2[localpass.Change, error]
	add   func(ctx context.Context, log string, records ...json.RawMessage) error
	read  func(ctx context.Context, log string, opts localpass.LogOptions) iter.Seq2[localpass.Record, error]
	names func(string) string

	writer   func(log string) (localpass.LogWriter, error)
	segments func(ctx context.Context, log string) ([]localpass.LogSegment, error)
	tail     func(ctx context.Context, log, segment string) (localpass.LogTail, error)
	remove   func(ctx context.Context, log, segment string) error
}

func (f *faulty) LogWriter(log string) (localpass.LogWriter, error) {
	if f.writer != nil {
		return f.writer(log)
	}
	return f.Store.LogWriter(log)
}

func (f *faulty) Segments(ctx context.Context, log string) ([]localpass.LogSegment, error) {
	if f.segments != nil {
		return f.segments(ctx, log)
	}
	return f.Store.Segments(ctx, log)
}

func (f *faulty) SegmentTail(ctx context.Context, log, segment string) (localpass.LogTail, error) {
	if f.tail != nil {
		return f.tail(ctx, log, segment)
	}
	return f.Store.SegmentTail(ctx, log, segment)
}

func (f *faulty) RemoveSegment(ctx context.Context, log, segment string) error {
	if f.remove != nil {
		return f.remove(ctx, log, segment)
	}
	return f.Store.RemoveSegment(ctx, log, segment)
}

// sharing is a writer that shares its log with all others.
type sharing struct {
	*memory.Store
	log string
}

func (s sharing) Append(ctx context.Context, records ...json.RawMessage) error {
	return s.Store.Append(ctx, s.log, records...)
}

func (s sharing) Rotate(context.Context) error { return nil }

func (s sharing) Close() error { return nil }

func (f *faulty) name(s string) string {
	if f.names != nil && s != "" {
		return f.names(s)
	}
	return s
}

func (f *faulty) Get(ctx context.Context, collection, key string) (localpass.Document, error) {
	if f.get != nil {
		return f.get(ctx, collection, key)
	}
	return f.Store.Get(ctx, f.name(collection), f.name(key))
}

func (f *faulty) Put(ctx context.Context, collection, key string, doc localpass.Document) (localpass.Document, error) {
	if f.put != nil {
		return f.put(ctx, collection, key, doc)
	}
	return f.Store.Put(ctx, f.name(collection), f.name(key), doc)
}

func (f *faulty) List(ctx context.Context, collection string, opts localpass.ListOptions) iter.Seq2[localpass.Document, error] {
	if f.list != nil {
		return f.list(ctx, collection, opts)
	}
	return f.Store.List(ctx, f.name(collection), opts)
}

func (f *faulty) Batch(ctx context.Context, ops ...localpass.Op) ([]localpass.Document, error) {
	if f.batch != nil {
		return f.batch(ctx, ops...)
	}
	return f.Store.Batch(ctx, ops...)
}

func (f *faulty) Watch(ctx context.Context, collection string) iter.Seq2[localpass.Change, error] {
	if f.watch != nil {
		return f.watch(ctx, collection)
	}
	return f.Store.Watch(ctx, collection)
}

func (f *faulty) Append(ctx context.Context, log string, records ...json.RawMessage) error {
	if f.add != nil {
		return f.add(ctx, log, records...)
	}
	return f.Store.Append(ctx, log, records...)
}

func (f *faulty) Records(ctx context.Context, log string, opts localpass.LogOptions) iter.Seq2[localpass.Record, error] {
	if f.read != nil {
		return f.read(ctx, log, opts)
	}
	return f.Store.Records(ctx, log, opts)
}

func faults() map[string]func(f *faulty) {
	type document = localpass.Document
	return map[string]func(f *faulty){
		"overwrites": func(f *faulty) {
			f.put = func(ctx context.Context, collection, key string, doc document) (document, error) {
				if doc.Version == localpass.NoVersion {
					doc.Version = localpass.AnyVersion
				}
				return f.Store.Put(ctx, collection, key, doc)
			}
		},
		"last writer wins": func(f *faulty) {
			f.put = func(ctx context.Context, collection, key string, doc document) (document, error) {
				doc.Version = localpass.AnyVersion
				return f.Store.Put(ctx, collection, key, doc)
			}
		},
		"old versions": func(f *faulty) { // counts anew after a delete
			f.put = func(ctx context.Context, collection, key string, doc document) (document, error) {
				made, err := f.Store.Put(ctx, collection, key, doc)
				if doc.Version == localpass.NoVersion {
					made.Version = 1
				}
				return made, err
			}
		},
		"rewrites numbers": func(f *faulty) {
			f.put = func(ctx context.Context, collection, key string, doc document) (document, error) {
				var value any
				if json.Unmarshal(doc.Data, &value) == nil {
					doc.Data, _ = json.Marshal(value)
				}
				return f.Store.Put(ctx, collection, key, doc)
			}
		},
		"escapes HTML": func(f *faulty) {
			f.put = func(ctx context.Context, collection, key string, doc document) (document, error) {
				var buf bytes.Buffer
				json.HTMLEscape(&buf, doc.Data)
				doc.Data = buf.Bytes()
				return f.Store.Put(ctx, collection, key, doc)
			}
		},
		"shares its bytes": func(f *faulty) {
			var mu sync.Mutex
			shared := map[string]json.RawMessage{}
			f.put = func(ctx context.Context, collection, key string, doc document) (document, error) {
				made, err := f.Store.Put(ctx, collection, key, doc)
				mu.Lock()
				defer mu.Unlock()
				shared[key] = doc.Data
				return made, err
			}
			f.get = func(ctx context.Context, collection, key string) (document, error) {
				doc, err := f.Store.Get(ctx, collection, key)
				mu.Lock()
				defer mu.Unlock()
				doc.Data = shared[key]
				return doc, err
			}
		},
		"ignores context": func(f *faulty) {
			f.get = func(_ context.Context, collection, key string) (document, error) {
				return f.Store.Get(context.Background(), collection, key)
			}
		},
		"takes any JSON": func(f *faulty) {
			f.put = func(ctx context.Context, collection, key string, doc document) (document, error) {
				if !json.Valid(doc.Data) {
					doc.Data = json.RawMessage("null")
				}
				return f.Store.Put(ctx, collection, key, doc)
			}
		},
		"plain errors": func(f *faulty) {
			f.get = func(ctx context.Context, collection, key string) (document, error) {
				doc, err := f.Store.Get(ctx, collection, key)
				if err != nil {
					err = errors.New(err.Error())
				}
				return doc, err
			}
		},
		"folds case": func(f *faulty) { f.names = strings.ToLower },
		"trims keys": func(f *faulty) {
			f.names = func(s string) string { return strings.TrimRight(s, ". ") + strings.Repeat("_", len(s)/900) }
		},
		"takes bad keys": func(f *faulty) {
			f.put = func(ctx context.Context, collection, key string, doc document) (document, error) {
				if key == "" {
					key = "empty"
				}
				return f.Store.Put(ctx, collection, strings.ToValidUTF8(key, "?"), doc)
			}
		},
		"unordered": func(f *faulty) {
			f.list = func(ctx context.Context, collection string, opts localpass.ListOptions) iter.Seq2[document, error] {
				opts.Reverse = !opts.Reverse
				return f.Store.List(ctx, collection, opts)
			}
		},
		"after is included": func(f *faulty) {
			f.list = func(ctx context.Context, collection string, opts localpass.ListOptions) iter.Seq2[document, error] {
				return func(yield func(document, error) bool) {
					if doc, err := f.Store.Get(ctx, collection, opts.After); err == nil && !yield(doc, nil) {
						return
					}
					f.Store.List(ctx, collection, opts)(yield)
				}
			}
		},
		"prefix then after": func(f *faulty) { // takes After as relative to the prefix
			f.list = func(ctx context.Context, collection string, opts localpass.ListOptions) iter.Seq2[document, error] {
				if opts.After != "" {
					opts.After = opts.Prefix + opts.After
				}
				return f.Store.List(ctx, collection, opts)
			}
		},
		"half a batch": func(f *faulty) {
			f.batch = func(ctx context.Context, ops ...localpass.Op) ([]document, error) {
				if _, err := f.Store.Batch(ctx, ops[:1]...); err != nil {
					return nil, err
				}
				_, err := f.Store.Batch(ctx, ops[1:]...)
				return nil, err
			}
		},
		"same key twice": func(f *faulty) {
			f.batch = func(ctx context.Context, ops ...localpass.Op) ([]document, error) {
				last := map[string]int{}
				for i, op := range ops {
					last[op.Collection+"\x00"+op.Key] = i
				}
				var kept []localpass.Op
				for i, op := range ops {
					if last[op.Collection+"\x00"+op.Key] == i {
						kept = append(kept, op)
					}
				}
				return f.Store.Batch(ctx, kept...)
			}
		},
		"silent end": func(f *faulty) {
			f.watch = func(ctx context.Context, collection string) iter.Seq2[localpass.Change, error] {
				return func(yield func(localpass.Change, error) bool) {
					for change, err := range f.Store.Watch(ctx, collection) {
						if err != nil || !yield(change, nil) {
							return
						}
					}
				}
			}
		},
		"newest first": func(f *faulty) {
			f.read = func(ctx context.Context, log string, opts localpass.LogOptions) iter.Seq2[localpass.Record, error] {
				return func(yield func(localpass.Record, error) bool) {
					var all []localpass.Record
					for record, err := range f.Store.Records(ctx, log, opts) {
						if err != nil {
							yield(record, err)
							return
						}
						all = append(all, record)
					}
					slices.Reverse(all)
					for _, record := range all {
						if !yield(record, nil) {
							return
						}
					}
				}
			}
		},
		"shares segments": func(f *faulty) {
			f.writer = func(log string) (localpass.LogWriter, error) { return sharing{f.Store, log}, nil }
		},
		"newest segments": func(f *faulty) {
			f.segments = func(ctx context.Context, log string) ([]localpass.LogSegment, error) {
				segments, err := f.Store.Segments(ctx, log)
				slices.Reverse(segments)
				return segments, err
			}
		},
		"never open": func(f *faulty) {
			f.tail = func(ctx context.Context, log, segment string) (localpass.LogTail, error) {
				tail, err := f.Store.SegmentTail(ctx, log, segment)
				tail.Open = false
				return tail, err
			}
		},
		"removes open ones": func(f *faulty) {
			f.remove = func(ctx context.Context, log, segment string) error {
				if err := f.Store.RemoveSegment(ctx, log, segment); !errors.Is(err, localpass.ErrConflict) {
					return err
				}
				return nil
			}
		},
		"good ones only": func(f *faulty) {
			f.add = func(ctx context.Context, log string, records ...json.RawMessage) error {
				for _, record := range records {
					if err := f.Store.Append(ctx, log, record); err != nil {
						return err
					}
				}
				return nil
			}
		},
	}
}
