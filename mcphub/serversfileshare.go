package mcphub

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/mcphub/internal/rpc"

	"github.com/localpass/localpass/internal/canon/scan"
)

// share reads what of a server is shared beside its tools: true for everything,
// or lists of URIs, URI templates and names.
func (p *serversParser) share(place string, raw json.RawMessage) *Share {
	switch {
	case string(raw) == "false":
		return nil
	case string(raw) == "true":
		all := []string{"*"}
		return &Share{Resources: all, Templates: all, Prompts: all}
	case scan.KindOf(raw) != scan.Object:
		p.wrong(place, `it must be true, or {"resources": […], "resourceTemplates": […], "prompts": […]}`)
		return nil
	}
	s := &Share{}
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

// ChooseShare makes what is shared of a server, its resources, templates and
// prompts, be what its entry says. Where the entry approves, what is chosen is
// approved as the server describes it when it is shared for the first time; what
// it adds or changes later waits for the operator, and so does everything once
// the approval was withdrawn.
//
// Call it when the server is connected, and when what it offers changed. It
// writes only when something is different.
func (c *Composition) ChooseShare(ctx context.Context, e *ServerEntry) error {
	id := e.Record.ID
	var now *Share
	for _, s := range c.Shares() {
		if s.Server == id {
			now = &s.Share
		}
	}
	if e.Share == nil {
		if now == nil {
			return nil
		}
		return c.RemoveShare(ctx, id)
	}
	wanted := *e.Share
	wanted.Server = id
	if now != nil && slices.Equal(now.Resources, wanted.Resources) && slices.Equal(now.Templates, wanted.Templates) &&
		slices.Equal(now.Prompts, wanted.Prompts) && now.AllowChanges == wanted.AllowChanges {
		return nil
	}
	snapshot := c.conns.Snapshot(id)
	if e.Approve && now == nil && (snapshot == nil || snapshot.Restored) {
		return nil // a stored snapshot is not enough for an approval
	}
	if err := c.PutShare(ctx, wanted); err != nil || now != nil || !e.Approve {
		return err
	}
	fingerprint, _ := wanted.chosen(snapshot)
	if fingerprint == "" {
		return nil // there is nothing of it
	}
	return c.ApproveShare(ctx, id, fingerprint)
}
