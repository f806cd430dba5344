package home

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"path/filepath"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/file"
)

// IsKey reports whether a collection holds keys, which no store outside of the home gets.
func IsKey(collection string) bool { return collection == keysCollection }

// keysCollection holds the key that authenticates passes (toolspec/studio). It stays in the
// home: otherwise all who can write to a database could write a pass.
const keysCollection = "keys"

// The document of a store that says which key its passes have.
const (
	ownerCollection = "home"
	ownerKey        = "passes"
)

type owner struct {
	// Fingerprint identifies the key of the passes; it does not help to find the key.
	Fingerprint string `json:"fingerprint"`
}

// withKeys is a store outside of the home, with the keys in files of the home.
type withKeys struct {
	Documents
	keys *file.Store
}

func (s *withKeys) storeOf(collection string) Documents {
	if collection == keysCollection {
		return s.keys
	}
	return s.Documents
}

// Get implements localpass.Persistence.
func (s *withKeys) Get(ctx context.Context, collection, key string) (localpass.Document, error) {
	return s.storeOf(collection).Get(ctx, collection, key)
}

// Put implements localpass.Persistence.
func (s *withKeys) Put(ctx context.Context, collection, key string, doc localpass.Document) (localpass.Document, error) {
	return s.storeOf(collection).Put(ctx, collection, key, doc)
}

// Delete implements localpass.Persistence.
func (s *withKeys) Delete(ctx context.Context, collection, key string) error {
	return s.storeOf(collection).Delete(ctx, collection, key)
}

// List implements localpass.Persistence.
func (s *withKeys) List(ctx context.Context, collection string, opts localpass.ListOptions) iter.Seq2[localpass.Document, error] {
	return s.storeOf(collection).List(ctx, collection, opts)
}

// Watch implements localpass.Watcher.
func (s *withKeys) Watch(ctx context.Context, collection string) iter.Seq2[localpass.Change, error] {
	return s.storeOf(collection).Watch(ctx, collection)
}

// Batch implements localpass.Batcher. Keys can't be part of a batch.
func (s *withKeys) Batch(ctx context.Context, ops ...localpass.Op) ([]localpass.Document, error) {
	for _, op := range ops {
		if op.Collection == keysCollection {
			return nil, fmt.Errorf("localpass: keys are in the home and can't be part of a batch: %s", op.Key)
		}
	}
	return s.Documents.Batch(ctx, ops...)
}

// Close implements io.Closer.
func (s *withKeys) Close() error { return errors.Join(s.Documents.Close(), s.keys.Close()) }

// checkOwner compares the key of the home with the key that the passes of the store have. A
// store without an owner gets this home as its owner, unless it is only read.
func (s *withKeys) checkOwner(ctx context.Context, readOnly bool) error {
	key, err := s.keys.Get(ctx, keysCollection, "receipts")
	missing := errors.Is(err, localpass.ErrNotFound)
	if err != nil && !missing {
		return err
	}
	sum := sha256.Sum256(append([]byte("localpass key of passes\n"), key.Data...))
	own := hex.EncodeToString(sum[:8])
	for {
		doc, err := s.Documents.Get(ctx, ownerCollection, ownerKey)
		var stored owner
		switch {
		case err == nil:
			if err := doc.Decode(&stored); err != nil {
				return fmt.Errorf("the owner of the store: %w", err)
			}
		case !errors.Is(err, localpass.ErrNotFound):
			return err
		case missing || readOnly:
			return nil
		default:
			data := fmt.Appendf(nil, "{\"fingerprint\": %q}", own)
			_, err := s.Documents.Put(ctx, ownerCollection, ownerKey, localpass.Document{Data: data})
			if errors.Is(err, localpass.ErrConflict) {
				continue
			}
			return err
		}
		place := filepath.Join(s.keys.Dir(), keysCollection, "receipts.json")
		switch {
		case missing:
			return fmt.Errorf("the store has passes of the key %s, and this home has no key: copy keys/receipts.json of a home that uses the store to %s", stored.Fingerprint, place)
		case stored.Fingerprint != own:
			return fmt.Errorf("the store has passes of the key %s, and this home has the key %s: copy keys/receipts.json of a home that uses the store to %s", stored.Fingerprint, own, place)
		}
		return nil
	}
}

// CheckKeys returns an error if the store belongs to homes with another key. Call it after the
// studio was opened, which makes the key of a new home.
func (h *State) CheckKeys(ctx context.Context) error {
	if s, ok := h.Documents.(*withKeys); ok {
		return s.checkOwner(ctx, h.readOnly)
	}
	return nil
}
