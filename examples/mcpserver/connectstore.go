package main

import (
	"context"
	"fmt"
	"iter"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/examples/internal/home"
)

// serverRecords is the collection of the server records of a hub's connections.
const serverRecords = "servers"

// someServers is a view of the home that contains only the given servers: servers that
// another program connects in the same home are ignored.
type someServers struct {
	home.Documents
	these map[string]bool
}

func (s *someServers) hides(collection, key string) bool {
	return collection == serverRecords && !s.these[key]
}

// Get implements localpass.Persistence.
func (s *someServers) Get(ctx context.Context, collection, key string) (localpass.Document, error) {
	if s.hides(collection, key) {
		return localpass.Document{}, fmt.Errorf("%w: %q", localpass.ErrNotFound, key)
	}
	return s.Documents.Get(ctx, collection, key)
}

// List implements localpass.Persistence.
func (s *someServers) List(ctx context.Context, collection string, opts localpass.ListOptions) iter.Seq2[localpass.Document, error] {
	return func(yield func(localpass.Document, error) bool) {
		for doc, err := range s.Documents.List(ctx, collection, opts) {
			if err == nil && s.hides(collection, doc.Key) {
				continue
			}
			if !yield(doc, err) {
				return
			}
		}
	}
}

// Watch implements localpass.Watcher.
func (s *someServers) Watch(ctx context.Context, collection string) iter.Seq2[localpass.Change, error] {
	return func(yield func(localpass.Change, error) bool) {
		for change, err := range s.Documents.Watch(ctx, collection) {
			if err == nil && s.hides(collection, change.Key) {
				continue
			}
			if !yield(change, err) {
				return
			}
		}
	}
}
