package studio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/toolspec"
)

// collectionPublished records by tool id whether a bundled spec was published or
// unpublished, because it has no stored document for this.
const collectionPublished = "published"

// ErrUnpublished reports a bundled tool that was unpublished on this home, so that no
// program serves it automatically.
var ErrUnpublished = errors.New("it was unpublished on this home: publish it again")

// bundledRecord is what is stored under the tool id of a bundled spec. Without a
// record, each program decides whether it serves the tool.
type bundledRecord struct {
	Name      string `json:"name"`
	Published bool   `json:"published"`
}

// loadBundled reads the bundled specs.
func (s *Studio) loadBundled() (map[string]*toolspec.Spec, error) {
	if s.opts.Bundled == nil {
		return nil, nil
	}
	specs, err := s.opts.Bundled()
	if err != nil {
		return nil, fmt.Errorf("studio: the bundled specs: %w", err)
	}
	byID := make(map[string]*toolspec.Spec, len(specs))
	for _, spec := range specs {
		byID[spec.ID()] = spec
	}
	return byID, nil
}

// PublishedBundled returns which of the bundled specs ([Options].Bundled) were published
// (true) or unpublished (false), by tool id. Specs that were neither are absent: the
// program decides whether it serves them.
func (s *Studio) PublishedBundled(ctx context.Context) (map[string]bool, error) {
	marks := map[string]bool{}
	for doc, err := range s.store.List(ctx, collectionPublished, localpass.ListOptions{}) {
		if err != nil {
			return nil, fmt.Errorf("studio: list %s: %w", collectionPublished, err)
		}
		bundled, err := s.bundled()
		if err != nil {
			return nil, err
		}
		if bundled[doc.Key] != nil {
			marks[doc.Key] = readBundled(doc)
		}
	}
	return marks, nil
}

// readBundled reads a record; an unreadable record publishes nothing.
func readBundled(doc localpass.Document) bool {
	var rec bundledRecord
	return doc.Decode(&rec) == nil && rec.Published
}

// bundledMark returns a bundled spec and whether it is published; nil if there is no
// record of it, or if the id is not of a bundled spec.
func (s *Studio) bundledMark(ctx context.Context, id string) (spec *toolspec.Spec, published bool, err error) {
	doc, err := s.store.Get(ctx, collectionPublished, id)
	if errors.Is(err, localpass.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	bundled, err := s.bundled()
	return bundled[id], readBundled(doc), err
}

// notUnpublished returns an error for a bundled spec that was unpublished.
func (s *Studio) notUnpublished(ctx context.Context, id string) error {
	spec, published, err := s.bundledMark(ctx, id)
	if err == nil && spec != nil && !published {
		return ErrUnpublished
	}
	return err
}

// wantBundled determines what to serve for a bundled spec with a record. decided is false
// for any other tool. An error is an errStore.
func (s *Studio) wantBundled(ctx context.Context, id string, serves, held bool) (_ desired, decided bool, err error) {
	spec, published, err := s.bundledMark(ctx, id)
	if err != nil {
		if down := s.answers(ctx, collectionPublished); down != nil {
			return desired{}, true, errStore{down}
		}
		return desired{why: "whether it is published cannot be read: " + err.Error()}, true, nil
	}
	if spec == nil || !serves {
		return desired{}, false, nil
	}
	if _, err := s.store.Get(ctx, collectionSpecs, id); !errors.Is(err, localpass.ErrNotFound) {
		return desired{}, false, nil // a stored document takes precedence
	}
	switch {
	case !published:
		s.mu.Lock()
		delete(s.held, id) // the store agrees
		s.mu.Unlock()
		return desired{why: "it was unpublished"}, true, nil
	case held:
		return desired{why: "it was withdrawn"}, true, nil
	}
	return desired{spec: spec}, true, nil
}

// markBundled records that a bundled spec was published or unpublished. For any other
// spec it does nothing.
func (s *Studio) markBundled(ctx context.Context, id string, published bool) error {
	bundled, err := s.bundled()
	if err != nil || bundled[id] == nil {
		return err
	}
	if spec, was, err := s.bundledMark(ctx, id); err != nil || spec != nil && was == published {
		return err
	}
	data, err := json.Marshal(bundledRecord{Name: bundled[id].Name, Published: published})
	if err != nil {
		return err
	}
	_, err = s.store.Put(ctx, collectionPublished, id, localpass.Document{Version: localpass.AnyVersion, Data: data})
	return err
}
