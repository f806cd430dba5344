package server

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/localpass/localpass/toolspec/studio"
)

// surveyPatience is how long the first page waits for a survey under way. With many tools
// the page shows the previous result, and is notified when there is a new one.
const surveyPatience = 40 * time.Millisecond

// survey examines all tools of the user, again after each change of any tool.
type survey struct {
	*core
	studio *studio.Studio
	tour   *tour

	mu      sync.Mutex
	last    surveyed
	changes int           // the number of changes since the start
	seen    int           // the number of changes that the last survey covers
	done    chan struct{} // closed when the survey under way ends; nil if there is none
}

// surveyed is the result of a survey.
type surveyed struct {
	attention []Attention
	tour      TourState
	err       error
}

func newSurvey(c *core, st *studio.Studio, t *tour) *survey {
	return &survey{core: c, studio: st, tour: t, changes: 1}
}

// changed notes that the last result may be outdated.
func (v *survey) changed() {
	v.mu.Lock()
	v.changes++
	v.mu.Unlock()
}

// get returns the last result, and waits briefly for a new one.
func (v *survey) get(ctx context.Context) surveyed {
	v.mu.Lock()
	if v.seen != v.changes && v.done == nil {
		done := make(chan struct{})
		v.done = done
		v.background(func(ctx context.Context) {
			defer close(done)
			v.run(ctx)
		})
	}
	done, last := v.done, v.last
	v.mu.Unlock()
	if done == nil {
		return last
	}
	timer := time.NewTimer(surveyPatience)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-ctx.Done():
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.last
}

// run repeats the survey until nothing changed in the meantime, and announces a new
// result.
func (v *survey) run(ctx context.Context) {
	for {
		v.mu.Lock()
		at, before := v.changes, v.last
		v.mu.Unlock()
		found := v.look(ctx)
		v.mu.Lock()
		v.last, v.seen = found, at
		over := v.changes == at || ctx.Err() != nil
		if over {
			v.done = nil
		}
		v.mu.Unlock()
		if !reflect.DeepEqual(found, before) {
			v.events.send("home", "home.changed", struct{}{})
		}
		if over {
			return
		}
	}
}

// mine is a tool of the user, reduced to what the first page needs.
type mine struct {
	id, name            string
	passed, live, stale bool
}

func (v *survey) look(ctx context.Context) (out surveyed) {
	st := v.studio
	passed, live := map[string]bool{}, map[string]bool{}
	for _, p := range st.Published() {
		live[p.Spec().ID()] = true
	}
	for r, err := range st.Receipts(ctx) {
		if err != nil {
			return surveyed{err: err}
		}
		passed[r.ToolID] = true
	}
	var tools []mine
	for d, err := range st.Drafts(ctx) {
		if err != nil {
			return surveyed{err: err}
		}
		if d.Spec == nil {
			continue
		}
		id := d.Spec.ID()
		status, err := st.Status(ctx, d.Spec)
		if err != nil {
			return surveyed{err: err}
		}
		one := mine{id: id, name: d.Spec.Name, passed: passed[id], live: live[id]}
		where := "/tools/" + id
		switch {
		case len(status.Missing) > 0 && passed[id]:
			out.attention = append(out.attention, Attention{"settings", d.Spec.Name + " needs a value for " + strings.Join(status.Missing, ", ") + ".", where})
		case status.State == studio.StateTestFailed:
			out.attention = append(out.attention, Attention{"test_failed", "The last test of " + d.Spec.Name + " failed.", where})
		case status.Receipt == nil && passed[id]:
			one.stale = true
			out.attention = append(out.attention, Attention{"stale_pass", d.Spec.Name + " was changed since it passed.", where})
		}
		tools = append(tools, one)
	}
	slices.SortStableFunc(out.attention, func(a, b Attention) int { return strings.Compare(a.Text, b.Text) })
	const most = 20
	out.attention = out.attention[:min(len(out.attention), most)]
	out.tour, out.err = v.tour.look(ctx, tools)
	return out
}

// surveyAgain starts a new survey of the tools, and makes the first page reload.
func (s *Server) surveyAgain() {
	s.survey.changed()
	s.events.send("home", "home.changed", struct{}{})
}
