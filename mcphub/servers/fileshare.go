package servers

import (
	"encoding/json"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/mcphub/internal/rpc"

	"github.com/localpass/localpass/internal/canon/scan"
)

// share parses what a server shares in addition to its tools: true for everything, or
// lists of URIs, URI templates and names.
func (p *serversParser) share(place string, raw json.RawMessage) *ShareEntry {
	switch {
	case string(raw) == "false":
		return nil
	case string(raw) == "true":
		all := []string{"*"}
		return &ShareEntry{Resources: all, Templates: all, Prompts: all}
	case scan.KindOf(raw) != scan.Object:
		p.wrong(place, `it must be true, or {"resources": […], "resourceTemplates": […], "prompts": […]}`)
		return nil
	}
	s := &ShareEntry{}
	p.each(raw, func(name string, value json.RawMessage) {
		at := place + "." + clip.To(name, 80)
		switch name {
		case "resources":
			s.Resources = p.patterns(at, value)
		case "resourceTemplates":
			s.Templates = p.patterns(at, value)
		case "prompts":
			s.Prompts = p.patterns(at, value)
		case "allowChanges":
			s.AllowChanges = p.flag(at, value)
		default:
			p.wrong(at, "there is no such member: a share has resources, resourceTemplates, prompts and allowChanges")
		}
	})
	switch n := len(s.Resources) + len(s.Templates) + len(s.Prompts); {
	case n == 0:
		p.wrong(place, "it chooses nothing: name some, or leave it out")
	case n > rpc.MaxPatterns:
		p.wrong(place, "it has %d patterns, and %d are allowed", n, rpc.MaxPatterns)
	}
	return s
}

func (p *serversParser) patterns(place string, raw json.RawMessage) []string {
	var out []string
	if !p.is(place, raw, scan.Array) {
		return nil
	}
	i := 0
	rpc.Elements(raw, func(value []byte) {
		at := scan.Index(place, i)
		i++
		if !p.is(at, value, scan.String) {
			return
		}
		s, _ := rpc.Text(value)
		if s == "" || len(s) > rpc.MaxURI {
			p.wrong(at, "it has %d bytes, and 1 to %d are allowed", len(s), rpc.MaxURI)
		}
		out = append(out, s)
	})
	return out
}
