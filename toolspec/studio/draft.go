package studio

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/toolspec"
)

// Draft is a spec as a studio stores it.
type Draft struct {
	Spec *toolspec.Spec
	// Version is the stored version, which [Studio.SaveDraft] compares; 0 for a new
	// draft.
	Version int64
	// Updated is when it was stored.
	Updated time.Time
	// Problems lists what was wrong with the document when it was read.
	Problems toolspec.Problems
}

// SaveDraft stores the spec under its tool id. A spec with problems is stored too, so
// that work in progress is never lost. localpass.ErrConflict means that another writer
// saved it in the meantime.
//
// If the content differs from the published one, the tool is unpublished, because an edit
// voids the pass.
func (s *Studio) SaveDraft(ctx context.Context, d Draft) (Draft, error) {
	if d.Spec == nil {
		return Draft{}, noSpec("save the draft")
	}
	spec := d.Spec.Clone()
	if spec.ToolID == "" {
		spec.ToolID = spec.ID()
	}
	id, now := spec.ToolID, s.clock.Now().UnixMilli()
	if spec.Created == 0 {
		spec.Created = now
	}
	spec.Updated = now
	unlock, err := s.tools.lock(ctx, id)
	if err != nil {
		return Draft{}, fmt.Errorf("studio: save %s: %w", strconv.Quote(spec.Name), err)
	}
	stored, changed, err := s.saveDraft(ctx, id, spec, d.Version)
	unlock()
	if changed {
		s.changed.Notify()
	}
	if err != nil {
		return Draft{}, fmt.Errorf("studio: save %s: %w", strconv.Quote(spec.Name), err)
	}
	return Draft{Spec: spec, Version: stored.Version, Updated: stored.Updated, Problems: spec.Validate(s.opts.Strict)}, nil
}

// saveDraft stores a spec and withdraws the tool if this is an edit of it. The caller
// must hold the tool's lock.
func (s *Studio) saveDraft(ctx context.Context, id string, spec *toolspec.Spec, version int64) (_ localpass.Document, changed bool, err error) {
	hash := spec.ContentHash()
	spec.Draft = true
	if on := s.onAir(id); on != nil && on.core.receipt.ContentHash == hash {
		spec.Draft = false
	} else if old, err := s.Draft(ctx, id); err == nil && !old.Spec.Draft && old.Spec.ContentHash() == hash {
		spec.Draft = false // another program serves it, or it waits for its pass
	}
	stored, err := s.putSpec(ctx, id, spec, version)
	if err == nil && spec.Draft {
		changed = s.drop(id)
	}
	return stored, changed, err
}

func (s *Studio) putSpec(ctx context.Context, id string, spec *toolspec.Spec, version int64) (localpass.Document, error) {
	data, err := spec.MarshalJSON() // json.Marshal would escape <, > and & in a file that people read
	if err != nil {
		return localpass.Document{}, err
	}
	return s.store.Put(ctx, collectionSpecs, id, localpass.Document{Version: version, Data: data})
}

// Draft returns the stored spec, or an error that matches localpass.ErrNotFound.
func (s *Studio) Draft(ctx context.Context, id string) (Draft, error) {
	doc, err := s.store.Get(ctx, collectionSpecs, id)
	if err != nil {
		return Draft{}, fmt.Errorf("studio: draft %s: %w", strconv.Quote(id), err)
	}
	return readDraft(doc)
}

// Drafts yields every stored spec, ordered by tool id. For an unreadable spec it yields
// an error that names it, and then continues.
func (s *Studio) Drafts(ctx context.Context) iter.Seq2[Draft, error] {
	return func(yield func(Draft, error) bool) {
		for doc, err := range s.store.List(ctx, collectionSpecs, localpass.ListOptions{}) {
			if err != nil {
				yield(Draft{}, fmt.Errorf("studio: list drafts: %w", err))
				return
			}
			if !yield(readDraft(doc)) {
				return
			}
		}
	}
}

// DeleteDraft removes the stored spec and unpublishes the tool.
func (s *Studio) DeleteDraft(ctx context.Context, id string) error {
	unlock, err := s.tools.lock(ctx, id)
	changed := false
	if err == nil {
		if err = s.store.Delete(ctx, collectionSpecs, id); err == nil {
			changed = s.drop(id)
		}
		unlock()
	}
	if changed {
		s.changed.Notify()
	}
	if err != nil {
		return fmt.Errorf("studio: delete draft %s: %w", strconv.Quote(id), err)
	}
	return nil
}

// Restore serves the stored specs that are published and have a valid pass. A program
// calls it at its start. From then on the stored documents determine what this studio
// serves: with [Studio.FollowStore] it also serves what other programs publish. The error
// joins the reasons why published specs are not served, each with the name of the spec.
func (s *Studio) Restore(ctx context.Context) error {
	s.mu.Lock()
	s.restored = true
	s.mu.Unlock()
	refused, err := s.lookAtAll(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.Join(append(refused, err)...)
}

func readDraft(doc localpass.Document) (Draft, error) {
	found, err := toolspec.Parse(doc.Data, &toolspec.ParseOptions{Source: collectionSpecs + "/" + doc.Key, KeepDraft: true})
	if err != nil {
		return Draft{}, err
	}
	if len(found) != 1 || found[0].Spec == nil {
		var problems toolspec.Problems
		for _, f := range found {
			problems = append(problems, f.Problems...)
		}
		return Draft{}, fmt.Errorf("studio: stored spec %s: %w", strconv.Quote(doc.Key), problems)
	}
	return Draft{Spec: found[0].Spec, Version: doc.Version, Updated: doc.Updated, Problems: found[0].Problems}, nil
}
