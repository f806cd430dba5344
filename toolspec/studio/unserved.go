package studio

import (
	"context"

	"github.com/localpass/localpass/toolspec"
)

// Unserved says why tools cannot be called: [toolspec.Explainer]. Names of published
// tools are left out.
func (s *Studio) Unserved(ctx context.Context, names []string) ([]toolspec.Unserved, error) {
	return s.UnservedBy(ctx, names, func(string) Serving { return ServingOffered })
}

// UnservedBy is [Studio.Unserved] for what offers only some of the published tools:
// serving is its verdict on a published tool, by tool id. Of published, own and bundled
// specs of one name the first counts.
func (s *Studio) UnservedBy(ctx context.Context, names []string, serving func(id string) Serving) ([]toolspec.Unserved, error) {
	if len(names) == 0 {
		return nil, nil
	}
	published := map[string]*Passed{}
	for _, p := range s.Published() {
		published[p.core.def.Name] = p
	}
	var specs map[string]*toolspec.Spec // by name; made when a name is not published
	var out []toolspec.Unserved
	for _, name := range names {
		if p := published[name]; p != nil {
			if reason := unservedReason(serving(p.ID())); reason != "" {
				out = append(out, toolspec.Unserved{Name: name, Reason: reason})
			}
			continue
		}
		if specs == nil {
			var err error
			if specs, err = s.specsByName(ctx); err != nil {
				return nil, err
			}
		}
		u := toolspec.Unserved{Name: name, Reason: toolspec.UnservedUnknown}
		if spec := specs[name]; spec != nil {
			status, err := s.Status(ctx, spec)
			if err != nil {
				return nil, err
			}
			switch u.Keys = status.Missing; {
			case len(u.Keys) > 0:
				u.Reason = toolspec.UnservedNeedsKey
			case status.State == StateActive:
				u.Reason = toolspec.UnservedNotPublished
			default:
				u.Reason = toolspec.UnservedNotPassed
			}
		}
		out = append(out, u)
	}
	return out, nil
}

// unservedReason is a verdict on a published tool as the reason that users are given;
// empty: it is offered.
func unservedReason(s Serving) toolspec.UnservedReason {
	switch s {
	case ServingOffered:
		return ""
	case ServingNoPass:
		return toolspec.UnservedNotPassed
	case ServingNotPublished:
		return toolspec.UnservedNotPublished
	}
	return toolspec.UnservedNotExposed
}

// specsByName are the specs of the store and those that came with the program.
func (s *Studio) specsByName(ctx context.Context) (map[string]*toolspec.Spec, error) {
	specs := map[string]*toolspec.Spec{}
	bundled, err := s.bundled()
	if err != nil {
		return nil, err
	}
	for _, spec := range bundled {
		specs[spec.Name] = spec
	}
	stock, err := s.inventory(ctx)
	if err != nil {
		return nil, err
	}
	for _, d := range stock.drafts {
		if d.Spec != nil {
			specs[d.Spec.Name] = d.Spec
		}
	}
	return specs, nil
}
