package mcphub

import (
	"fmt"
	"slices"
	"strings"

	"github.com/localpass/localpass/toolspec"
)

// kind tells apart what a hub lists.
type kind uint8

const (
	kindTool kind = iota
	kindPrompt
	kindResource
	kindTemplate
	kinds
)

// words are how a kind is spoken of, and the letter of its cursors.
var words = [kinds]string{"tool", "prompt", "resource", "resource template"}

// feature is one prompt, resource or template as it is served.
type feature struct {
	kind     kind
	key      string // the prompt's name, the URI, the URI template
	listed   []byte // its description, as it is listed
	mimeType string
	pattern  *pattern // of a template
	required []string // arguments of a prompt

	read     ReadFunc
	get      PromptFunc
	complete map[string]CompleteFunc
	remote   *sharedItem // in place of the functions: it belongs to another server
}

func (f *feature) completes(name string, complete CompleteFunc) {
	if complete == nil {
		return
	}
	if f.complete == nil {
		f.complete = map[string]CompleteFunc{}
	}
	f.complete[name] = complete
}

// featureList is an immutable list, ordered by key.
type featureList struct {
	list  []*feature
	byKey map[string]*feature
}

func (l *featureList) find(key string) *feature { return l.byKey[key] }

// featureSet is an immutable snapshot of what is served beside tools.
type featureSet struct {
	prompts, resources, templates featureList
	changes                       listState // that of tools is not used

	// What is offered at all. It never becomes less: a client that was told of
	// a capability finds an empty list, and not a method that is gone.
	offers offers
}

// offers are the capabilities that depend on what there is.
type offers struct{ prompts, resources, completions bool }

// listState counts how often each list changed.
type listState struct{ tools, prompts, resources uint64 }

func (s *featureSet) list(k kind) *featureList {
	switch k {
	case kindPrompt:
		return &s.prompts
	case kindResource:
		return &s.resources
	case kindTemplate:
		return &s.templates
	}
	return nil
}

// now is the state of the lists.
func (h *Hub) now() listState {
	c := h.features.Load().changes
	c.tools = h.served.Load().change
	return c
}

// addFeature serves a prompt, a resource or a template of this program.
func (h *Hub) addFeature(f *feature) error {
	h.mu.Lock()
	switch {
	case h.closed:
		h.mu.Unlock()
		return errHubClosed("add " + words[f.kind])
	case slices.ContainsFunc(h.own, func(o *feature) bool { return o.kind == f.kind && o.key == f.key }):
		h.mu.Unlock()
		return fmt.Errorf("mcphub: add %s %q: %w: remove the other", words[f.kind], f.key, toolspec.ErrNameTaken)
	}
	h.own = append(h.own, f)
	h.mu.Unlock()
	h.refreshFeatures()
	return nil
}

func (h *Hub) removeFeature(k kind, key string) error {
	h.mu.Lock()
	n := len(h.own)
	h.own = slices.DeleteFunc(h.own, func(f *feature) bool { return f.kind == k && f.key == key })
	removed := len(h.own) < n
	h.mu.Unlock()
	if !removed {
		unknown := ErrUnknownResource
		if k == kindPrompt {
			unknown = ErrUnknownPrompt
		}
		return fmt.Errorf("mcphub: remove %s %q: %w: only what was added can be removed", words[k], cut(key, 200), unknown)
	}
	h.refreshFeatures()
	return nil
}

// refreshFeatures works out anew what is served beside tools and, when that
// changed, tells everybody who watches. It does not block.
func (h *Hub) refreshFeatures() {
	h.mu.Lock()
	before := h.features.Load()
	next := &featureSet{changes: before.changes, offers: before.offers}
	shared, offers := h.composition.shared()
	if !h.closed {
		for _, f := range h.own {
			next.serve(f)
		}
		for _, f := range shared { // after: what this program has, wins
			next.serve(f)
		}
	}
	next.offers.prompts = next.offers.prompts || offers.prompts
	next.offers.resources = next.offers.resources || offers.resources
	next.offers.completions = next.offers.completions || offers.completions
	changed := next.offers != before.offers
	for k := kindPrompt; k < kinds; k++ {
		list := next.list(k)
		slices.SortFunc(list.list, func(a, b *feature) int { return strings.Compare(a.key, b.key) })
		if slices.Equal(list.list, before.list(k).list) {
			continue
		}
		changed = true
		if k == kindPrompt {
			next.changes.prompts++
		} else {
			next.changes.resources++
		}
	}
	if changed {
		h.features.Store(next)
	}
	h.mu.Unlock()
	if changed {
		h.notify()
		h.subscriptions.arrange()
	}
}

// serve puts a feature into a set that is being made. The first of a key counts.
func (s *featureSet) serve(f *feature) {
	list := s.list(f.kind)
	if list.byKey[f.key] != nil {
		return
	}
	if list.byKey == nil {
		list.byKey = map[string]*feature{}
	}
	list.byKey[f.key] = f
	list.list = append(list.list, f)
	if f.kind == kindPrompt {
		s.offers.prompts = true
	} else {
		s.offers.resources = true
	}
	s.offers.completions = s.offers.completions || len(f.complete) > 0
}

// resource finds who serves a URI: the resource of that URI, or the first
// template that it follows, with its variables.
func (s *featureSet) resource(uri string) (*feature, map[string]string) {
	if f := s.resources.find(uri); f != nil {
		return f, nil
	}
	for _, f := range s.templates.list {
		if variables, ok := f.pattern.match(uri); ok {
			return f, variables
		}
	}
	return nil, nil
}
