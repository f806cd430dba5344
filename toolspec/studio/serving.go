package studio

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/toolspec"
)

// wanted is a tool that this program was asked to serve. It is served while it has a
// valid pass.
type wanted struct {
	spec *toolspec.Spec // what was published
	// stored says that the tool was published from a stored document, which then
	// determines whether and what is served.
	stored bool
}

// Publish makes the spec callable. It refuses a spec without a valid receipt for exactly
// this content, posture, runtime and tier (ErrNoPass), a spec whose placeholders have no
// value, and a spec whose name another published tool has (ErrNameTaken). Publishing a
// tool id again replaces the published tool. If a document with this content is stored,
// it is marked as published too; if another program edits it meanwhile, the error matches
// localpass.ErrConflict. The store records that a bundled spec is published. Watchers
// have been notified when Publish returns.
//
// Publish is for specs from elsewhere, such as a file. Use [Studio.PublishDraft] for
// stored specs.
func (s *Studio) Publish(ctx context.Context, spec *toolspec.Spec) (*Passed, error) {
	if spec == nil {
		return nil, noSpec("publish")
	}
	spec = spec.Clone()
	status, err := s.Status(ctx, spec)
	if err != nil {
		return nil, err
	}
	return s.publish(ctx, spec, status, nil, true)
}

// PublishDraft publishes a stored spec like Publish, but refuses it if the stored
// document has changed since d was read: the error then matches localpass.ErrConflict.
func (s *Studio) PublishDraft(ctx context.Context, d Draft) (*Passed, error) {
	if d.Spec == nil {
		return nil, noSpec("publish the draft")
	}
	spec := d.Spec.Clone()
	status, err := s.Status(ctx, spec)
	if err != nil {
		return nil, err
	}
	return s.publish(ctx, spec, status, &d.Version, true)
}

// publish publishes a spec with a known status. version is the version of its stored
// document; nil if it comes from elsewhere. keep says to record the publication of a
// bundled spec.
func (s *Studio) publish(ctx context.Context, spec *toolspec.Spec, status *Status, version *int64, keep bool) (*Passed, error) {
	if err := refusal(spec, status); err != nil {
		return nil, err
	}
	passed, err := s.snapshot(spec, status)
	if err != nil {
		return nil, err
	}
	unlock, err := s.tools.lock(ctx, spec.ID())
	if err != nil {
		return nil, fmt.Errorf("studio: publish %s: %w", strconv.Quote(spec.Name), err)
	}
	changed, err := s.publishLocked(ctx, spec, passed, version, keep)
	unlock()
	if changed {
		s.changed.Notify()
	}
	if err != nil {
		return nil, fmt.Errorf("studio: publish %s: %w", strconv.Quote(spec.Name), err)
	}
	return passed, nil
}

// refusal returns the reason why a spec cannot be published, or nil.
func refusal(spec *toolspec.Spec, status *Status) error {
	switch status.State {
	case StateActive:
		return nil
	case StateMissingRequirements:
		return fmt.Errorf("studio: publish %s: %w", strconv.Quote(spec.Name), missingProblem(status.Missing))
	}
	if err := status.Problems.Err(); err != nil {
		return fmt.Errorf("studio: publish %s: %w: %w", strconv.Quote(spec.Name), ErrNoPass, err)
	}
	return fmt.Errorf("studio: publish %s (%s): %w: test it first", strconv.Quote(spec.Name), status.State, ErrNoPass)
}

var errVoided = fmt.Errorf("%w: a test failed meanwhile: test it again", ErrNoPass)

// publishLocked checks the pass and the stored document, publishes the tool, and checks
// again, because another program may have made a change before the tool was published.
// The caller must hold the tool's lock.
func (s *Studio) publishLocked(ctx context.Context, spec *toolspec.Spec, passed *Passed, version *int64, keep bool) (changed bool, err error) {
	id := passed.core.id
	if err := s.renewReceipt(ctx, passed); err != nil {
		return false, err
	}
	if err := s.reserve(spec.Name, id); err != nil {
		return false, err
	}
	stored, err := s.markPublished(ctx, id, spec, version)
	if err == nil && !stored && keep && passed.core.bundled {
		err = s.markBundled(ctx, id, true)
	}
	if err != nil {
		s.release(spec.Name, id)
		return false, err
	}
	s.mu.Lock()
	s.wanted[id] = &wanted{spec: spec, stored: stored && (version != nil || s.restored)}
	delete(s.held, id)
	s.mu.Unlock()
	if err := s.show(passed); err != nil {
		return false, err
	}
	if err := s.lookAgain(ctx, id, spec, passed, stored); err != nil {
		s.drop(id)
		return true, err
	}
	return true, nil
}

// renewReceipt sets the currently valid receipt of a tool before it is served.
func (s *Studio) renewReceipt(ctx context.Context, passed *Passed) error {
	receipt, _, err := s.receipts.find(ctx, passed.core.receipt.Subject)
	switch {
	case err != nil:
		return err
	case receipt == nil:
		return errVoided
	}
	passed.core.receipt = *receipt
	return nil
}

// lookAgain checks whether the tool that was just published may still be published.
func (s *Studio) lookAgain(ctx context.Context, id string, spec *toolspec.Spec, passed *Passed, stored bool) error {
	receipt, _, err := s.receipts.find(ctx, passed.core.receipt.Subject)
	switch {
	case err != nil:
		return err
	case receipt == nil:
		return errVoided
	case !stored:
		return s.notUnpublished(ctx, id)
	}
	now, err := s.Draft(ctx, id)
	switch {
	case err != nil && !errors.Is(err, localpass.ErrNotFound):
		return err
	case err != nil || now.Spec.Draft || now.Spec.ContentHash() != spec.ContentHash():
		return fmt.Errorf("the document was changed meanwhile: %w", localpass.ErrConflict)
	}
	return nil
}

// markPublished records in the stored document, if there is one with exactly this
// content, that it is no longer a draft. It reports whether there is one.
func (s *Studio) markPublished(ctx context.Context, id string, spec *toolspec.Spec, version *int64) (stored bool, err error) {
	hash, was := spec.ContentHash(), false
	for range 3 { // another program may write in between
		doc, err := s.store.Get(ctx, collectionSpecs, id)
		if err != nil && !errors.Is(err, localpass.ErrNotFound) {
			return false, err
		}
		there := err == nil
		var now Draft
		same := false
		if there {
			now, err = readDraft(doc)
			same = err == nil && now.Spec.ContentHash() == hash
		}
		switch {
		case version != nil && (!same || doc.Version != *version), !same && was:
			return false, fmt.Errorf("the document was changed meanwhile: %w", localpass.ErrConflict)
		case !same:
			return false, nil // there is none, or another one
		case !now.Spec.Draft:
			return true, nil
		}
		was = true
		now.Spec.Draft = false
		if _, err = s.putSpec(ctx, id, now.Spec, now.Version); !errors.Is(err, localpass.ErrConflict) {
			return err == nil, err
		}
	}
	return false, fmt.Errorf("the document changes again and again: %w", localpass.ErrConflict)
}

// reserve takes a name for a tool id, unless another tool has it.
func (s *Studio) reserve(name, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.takeName(name, id)
}

func (s *Studio) takeName(name, id string) error {
	if other, taken := s.names[name]; taken && other != id {
		return fmt.Errorf("%w: %w", toolspec.ErrNameTaken, toolspec.Problem{Code: toolspec.CodeResolver, Severity: toolspec.SeverityError,
			Reason: "name-taken", Pointer: "name", Message: "another published tool has this name", Remedy: "rename one of the two"})
	}
	s.names[name] = id
	return nil
}

// release frees a name under which the tool is not served.
func (s *Studio) release(name, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if on := s.published[id]; s.names[name] == id && (on == nil || on.core.def.Name != name) {
		delete(s.names, name)
	}
}

// show serves a tool, replacing the one with the same id, without notifying watchers.
func (s *Studio) show(passed *Passed) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, name := passed.core.id, passed.core.def.Name
	if err := s.takeName(name, id); err != nil {
		return err
	}
	if old := s.published[id]; old != nil {
		if old.core.def.Name != name {
			delete(s.names, old.core.def.Name)
		}
		old.withdraw()
	}
	s.published[id] = passed
	return nil
}

// onAir returns the tool that is served under an id, or nil.
func (s *Studio) onAir(id string) *Passed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.published[id]
}

// takeOff stops serving a tool that is still wanted, without notifying watchers.
func (s *Studio) takeOff(id string) (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.takeOffLocked(id)
}

func (s *Studio) takeOffLocked(id string) bool {
	passed := s.published[id]
	if passed == nil {
		return false
	}
	delete(s.published, id)
	delete(s.names, passed.core.def.Name)
	passed.withdraw()
	return true
}

// drop stops serving a tool that is no longer wanted.
func (s *Studio) drop(id string) (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.wanted, id)
	return s.takeOffLocked(id)
}

// Withdraw unpublishes a tool by its id, in this program only and until it is published
// here again; the stored documents do not change. Running calls finish; later calls are
// refused, even to callers that still hold the tool. Withdrawing an unpublished tool does
// nothing. Watchers have been notified when Withdraw returns.
func (s *Studio) Withdraw(id string) {
	s.mu.Lock()
	if s.wanted[id] != nil || s.published[id] != nil {
		s.held[id] = true
	}
	delete(s.wanted, id)
	changed := s.takeOffLocked(id)
	s.mu.Unlock()
	if changed {
		s.changed.Notify()
	}
}

// voided withdraws the tools served under a subject that no longer has a pass.
func (s *Studio) voided(subject string, hold bool) (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, passed := range s.published {
		if passed.core.receipt.Subject == subject {
			s.held[id] = s.held[id] || hold
			changed = s.takeOffLocked(id) || changed
		}
	}
	return changed
}
