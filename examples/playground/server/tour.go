package server

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/localpass/localpass"
)

// The collection and key of the stored tour.
const (
	tourCollection = "playground"
	tourKey        = "tour"
)

// The steps of the tour, in order.
const (
	stepMake    = "make"    // the user stored a tool of their own
	stepTest    = "test"    // the tool earned its pass
	stepPublish = "publish" // the tool was published
	stepCall    = "call"    // the tool was called
	stepBreak   = "break"   // an edit made the pass invalid
)

func tourSteps() []string { return []string{stepMake, stepTest, stepPublish, stepCall, stepBreak} }

// TourState is the progress of the tour. A completed step stays completed.
type TourState struct {
	Skipped bool       `json:"skipped"`
	Steps   []TourStep `json:"steps"`
	// Dared is not a step: it belongs to a separate card.
	Dared time.Time `json:"daredAt,omitzero" doc:"When a person approved a call of L4 or L5 for the first time; left out before that."`
}

// TourStep is one step of the tour.
type TourStep struct {
	ID   string    `json:"id" enum:"make,test,publish,call,break"`
	Done time.Time `json:"doneAt,omitzero" doc:"Left out while it is not done."`
	// ToolID is the tool that the step concerns, if any.
	ToolID string `json:"toolId,omitempty"`
}

type tourRecord struct {
	Skipped bool                 `json:"skipped,omitempty"`
	Done    map[string]time.Time `json:"done,omitempty"`
	ToolID  string               `json:"toolId,omitempty"`
	Dared   time.Time            `json:"dared,omitzero"`
}

// preparedTool is the tool that the page creates for the card about risky calls. It does
// not count for the steps, which concern a tool created by the user.
const preparedTool = "saveNote"

// tour determines completed steps from the state of the server, not from clicks.
type tour struct {
	*core
	store    localpass.Persistence
	activity *activity

	mu sync.Mutex
}

func (t *tour) read(ctx context.Context) (rec tourRecord, version int64, err error) {
	doc, err := t.store.Get(ctx, tourCollection, tourKey)
	if errors.Is(err, localpass.ErrNotFound) {
		return tourRecord{Done: map[string]time.Time{}}, localpass.NoVersion, nil
	}
	if err != nil {
		return rec, 0, err
	}
	if doc.Decode(&rec) != nil { // the tour is not important: start again
		rec = tourRecord{}
	}
	if rec.Done == nil {
		rec.Done = map[string]time.Time{}
	}
	return rec, doc.Version, nil
}

func (t *tour) write(ctx context.Context, rec tourRecord, version int64) error {
	data, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	_, err = t.store.Put(ctx, tourCollection, tourKey, localpass.Document{Version: version, Data: data})
	return err
}

// look updates the record of the tour.
func (t *tour) look(ctx context.Context, tools []mine) (TourState, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rec, version, err := t.read(ctx)
	if err != nil {
		return TourState{}, err
	}
	if t.observe(&rec, tools) {
		if err := t.write(ctx, rec, version); err != nil && !errors.Is(err, localpass.ErrConflict) && !errors.Is(err, localpass.ErrReadOnly) {
			return TourState{}, err
		}
	}
	return rec.state(), nil
}

func (r tourRecord) state() TourState {
	state := TourState{Skipped: r.Skipped, Dared: r.Dared}
	for _, id := range tourSteps() {
		state.Steps = append(state.Steps, TourStep{ID: id, Done: r.Done[id], ToolID: r.ToolID})
	}
	return state
}

// observe marks the steps that are completed according to the user's own tools.
func (t *tour) observe(rec *tourRecord, tools []mine) (changed bool) {
	if len(rec.Done) == len(tourSteps()) {
		return false
	}
	now := t.opts.Clock().UTC()
	called := map[string]bool{}
	calls, _ := t.activity.recent(keptCalls)
	for _, c := range calls {
		called[c.ToolID] = called[c.ToolID] || c.OK
	}
	for _, tool := range tools {
		if tool.name == preparedTool {
			continue
		}
		for _, step := range []struct {
			id   string
			done bool
		}{
			{stepMake, true}, {stepTest, tool.passed}, {stepPublish, tool.live}, {stepCall, called[tool.id]},
			{stepBreak, tool.stale && !tool.live && !rec.Done[stepPublish].IsZero()},
		} {
			if !step.done || !rec.Done[step.id].IsZero() {
				continue
			}
			rec.Done[step.id], rec.ToolID, changed = now, tool.id, true
		}
	}
	return changed
}

// dared notes that a user approved a risky call, and reports whether it was the first
// time.
func (t *tour) dared(ctx context.Context) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	rec, _, err := t.read(ctx)
	fresh := err == nil && rec.Dared.IsZero()
	if fresh {
		rec.Dared = t.opts.Clock().UTC()
		err = t.write(ctx, rec, localpass.AnyVersion)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, localpass.ErrReadOnly) {
		t.opts.Logger.Warn("the tour cannot be kept", "error", err)
	}
	return fresh && err == nil
}

// skip hides the tour, or shows it again.
func (t *tour) skip(ctx context.Context, skipped bool) (TourState, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rec, _, err := t.read(ctx)
	if err != nil {
		return TourState{}, err
	}
	rec.Skipped = skipped
	if err := t.write(ctx, rec, localpass.AnyVersion); err != nil {
		return TourState{}, err
	}
	return rec.state(), nil
}
