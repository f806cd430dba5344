package mcphub

import (
	"context"
	"slices"

	"github.com/localpass/localpass/toolspec"
)

var _ toolspec.Explainer = (*Hub)(nil)

// Unserved says why tools are not offered, as a [toolspec.Explainer]. Names that are
// offered are left out. A tool of another server that is not served counts as not
// exposed. If several studios know a name, the first one gives the reason.
func (h *Hub) Unserved(ctx context.Context, names []string) ([]toolspec.Unserved, error) {
	var out []toolspec.Unserved
	at := map[string]int{}
	for _, name := range names {
		if _, twice := at[name]; !twice && h.findTool(name) == nil {
			at[name] = len(out)
			out = append(out, toolspec.Unserved{Name: name, Reason: toolspec.UnservedUnknown})
		}
	}
	h.mu.Lock()
	studios := slices.Clone(h.sources.studios)
	added := map[string]bool{} // by name
	for _, e := range h.sources.added {
		if e.pass.Err() == nil {
			added[e.def.Name] = true
		}
	}
	composition := h.sources.composition
	h.mu.Unlock()
	for i, u := range out {
		if added[u.Name] || composition.named(u.Name) != nil {
			out[i].Reason = toolspec.UnservedNotExposed
		}
	}
	for _, a := range studios {
		var unknown []string
		for _, u := range out {
			if u.Reason == toolspec.UnservedUnknown {
				unknown = append(unknown, u.Name)
			}
		}
		known, err := a.studio.UnservedBy(ctx, unknown, h.Serving)
		if err != nil {
			return nil, err
		}
		for _, u := range known {
			out[at[u.Name]] = u
		}
	}
	return out, nil
}
