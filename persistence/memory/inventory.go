package memory

import (
	"context"
	"slices"

	"github.com/localpass/localpass/persistence/internal/contract"
)

// Collections implements localpass.Inventory.
func (s *Store) Collections(ctx context.Context) (names []string, err error) {
	if ctx.Err() != nil {
		return nil, contract.Ended(ctx, "listing collections")
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, errClosed()
	}
	for name, c := range s.collections {
		if len(c.docs) > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Logs implements localpass.Inventory.
func (s *Store) Logs(ctx context.Context) (names []string, err error) {
	if ctx.Err() != nil {
		return nil, contract.Ended(ctx, "listing logs")
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, errClosed()
	}
	for name, l := range s.logs {
		if len(l.segments) > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}
