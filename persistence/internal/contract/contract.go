// Package contract holds the checks and error messages that all implementations of
// localpass.Persistence share: which names, keys, versions and data are accepted, and how
// the errors read.
package contract

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/clip"
)

// Key checks the key of a document.
func Key(collection, key string) error {
	if err := localpass.CheckKey(key); err != nil {
		return fmt.Errorf("%w (in %s)", err, collection)
	}
	return nil
}

// Version checks a version that a writer named.
func Version(collection, key string, version int64) error {
	if version >= localpass.AnyVersion {
		return nil
	}
	return fmt.Errorf("localpass: bad version %d for %s in %s: use NoVersion, AnyVersion or one that was read", version, clip.Quote(key, 80), collection)
}

// Compact checks that data is one JSON value in valid UTF-8 and returns a copy
// without the white space between its tokens. The tokens stay as they are.
func Compact(data json.RawMessage) (json.RawMessage, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("the data is not valid UTF-8")
	}
	var buf bytes.Buffer
	buf.Grow(len(data))
	if err := json.Compact(&buf, data); err != nil {
		if len(bytes.TrimSpace(data)) == 0 {
			return nil, errors.New("the data is empty; a JSON value is needed (null is one)")
		}
		return nil, fmt.Errorf("the data is not valid JSON: %w", err)
	}
	return buf.Bytes(), nil
}

// Put checks the arguments of a put and returns the data to store.
func Put(ctx context.Context, collection, key string, version int64, data json.RawMessage) (json.RawMessage, error) {
	if err := Get(ctx, collection, key); err != nil {
		return nil, err
	}
	if err := Version(collection, key, version); err != nil {
		return nil, err
	}
	compact, err := Compact(data)
	if err != nil {
		return nil, fmt.Errorf("localpass: cannot put %s in %s: %w", clip.Quote(key, 80), collection, err)
	}
	return compact, nil
}

// Get checks the arguments of a get or a delete.
func Get(ctx context.Context, collection, key string) error {
	if err := localpass.CheckCollection(collection); err != nil {
		return err
	}
	if err := Key(collection, key); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return Ended(ctx, "%s in %s", clip.Quote(key, 80), collection)
	}
	return nil
}

// List checks the arguments of a listing.
func List(ctx context.Context, collection string, opts localpass.ListOptions) error {
	if err := localpass.CheckCollection(collection); err != nil {
		return err
	}
	if opts.Limit < 0 {
		return fmt.Errorf("localpass: bad limit %d for a listing of %s: use 0 for no limit", opts.Limit, collection)
	}
	return Named(ctx, collection)
}

// Records checks the arguments of a read of a log.
func Records(ctx context.Context, log string, opts localpass.LogOptions) error {
	if err := localpass.CheckCollection(log); err != nil {
		return err
	}
	if opts.Limit < 0 {
		return fmt.Errorf("localpass: bad limit %d for the log %s: use 0 for no limit", opts.Limit, log)
	}
	return Named(ctx, log)
}

// NoSegment says that a log has no such segment.
func NoSegment(log, segment string) error {
	return fmt.Errorf("%w: segment %s of the log %s", localpass.ErrNotFound, clip.Quote(segment, 80), log)
}

// NoPosition says that a log has no such position.
func NoPosition(log, position string) error {
	return fmt.Errorf("localpass: the log %s has no position %s: use one that Records gave", log, clip.Quote(position, 80))
}

// OpenSegment says that a segment cannot be removed yet.
func OpenSegment(log, segment string) error {
	return fmt.Errorf("%w: segment %s of the log %s is still written to", localpass.ErrConflict, clip.Quote(segment, 80), log)
}

// Named checks the context and the name of a collection or log.
func Named(ctx context.Context, name string) error {
	if err := localpass.CheckCollection(name); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return Ended(ctx, "%s", name)
	}
	return nil
}

// Batch checks the operations of a batch and returns them with the data to
// store.
func Batch(ctx context.Context, ops []localpass.Op) ([]localpass.Op, error) {
	type place struct{ collection, key string }
	seen := make(map[place]int, len(ops))
	ops = slices.Clone(ops)
	for i := range ops {
		op := &ops[i]
		err := Get(ctx, op.Collection, op.Key)
		if err == nil && op.Delete && op.Version == localpass.NoVersion {
			err = fmt.Errorf("localpass: cannot delete %s in %s: name the version that it must have, or AnyVersion", clip.Quote(op.Key, 80), op.Collection)
		}
		if err == nil && op.Delete {
			err = Version(op.Collection, op.Key, op.Version)
		}
		if err == nil && !op.Delete {
			op.Data, err = Put(ctx, op.Collection, op.Key, op.Version, op.Data)
		}
		if err == nil {
			if first, twice := seen[place{op.Collection, op.Key}]; twice {
				err = fmt.Errorf("localpass: %s in %s is already written by operation %d", clip.Quote(op.Key, 80), op.Collection, first+1)
			}
		}
		if err != nil {
			return nil, InBatch(i, len(ops), err)
		}
		seen[place{op.Collection, op.Key}] = i
	}
	return ops, nil
}

// InBatch adds to an error which operation of a batch it is about.
func InBatch(i, n int, err error) error {
	return fmt.Errorf("%w (operation %d of %d; nothing was written)", err, i+1, n)
}

// NotFound says that no document is stored under the key.
func NotFound(collection, key string) error {
	return fmt.Errorf("%w: %s in %s", localpass.ErrNotFound, clip.Quote(key, 80), collection)
}

// Check compares the version that a writer named with the stored one, which is 0 when
// there is no document.
func Check(collection, key string, named, stored int64) error {
	switch {
	case named == localpass.AnyVersion || named == stored:
		return nil
	case stored == 0:
		return fmt.Errorf("%w: %s in %s is gone, version %d was named", localpass.ErrConflict, clip.Quote(key, 80), collection, named)
	case named == localpass.NoVersion:
		return fmt.Errorf("%w: %s in %s already exists, in version %d", localpass.ErrConflict, clip.Quote(key, 80), collection, stored)
	}
	return fmt.Errorf("%w: %s in %s has version %d, %d was named", localpass.ErrConflict, clip.Quote(key, 80), collection, stored, named)
}

// CheckDelete is Check for the delete of a batch.
func CheckDelete(collection, key string, named, stored int64) error {
	if named == localpass.AnyVersion && stored == 0 {
		return NotFound(collection, key)
	}
	return Check(collection, key, named, stored)
}

// Ended says that ctx ended during the named work.
func Ended(ctx context.Context, format string, args ...any) error {
	return fmt.Errorf("localpass: %s: %w", fmt.Sprintf(format, args...), ctx.Err())
}

// Closed says that the named store was closed.
func Closed(store string) error {
	return fmt.Errorf("%w: %s", localpass.ErrClosed, store)
}
