package openai

import "context"

// ModelFor returns a model without asking the server for its list.
func ModelFor(p *Provider, name string) (*Model, error) {
	p.mu.Lock()
	if p.listed == nil {
		p.listed = map[string]listedModel{}
	}
	p.mu.Unlock()
	m, err := p.Model(context.Background(), name)
	if err != nil {
		return nil, err
	}
	return m.(*Model), nil
}

// ProgressOf and Complaint are tested by themselves.
func ProgressOf(s string) int { return int(progressOf(s)) }
