package approval

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/internal/termtext"
	"github.com/localpass/localpass/internal/verbs"
	"github.com/localpass/localpass/toolspec"
)

// changes describes what the call may change and reach: the enforced limits of the tool,
// if there are any, otherwise the hints of the tool, which can make the call look riskier
// but never safer.
func (g *Gate) changes(in *input) []string {
	var changes []string
	for _, line := range in.call.Changes {
		changes = append(changes, g.about(line))
	}
	def := &in.call.Definition
	effect := def.Posture.Effect()
	if len(effect) == 0 {
		effect = claimed(&def.Annotations, in.call.Server != "")
	}
	for _, line := range effect {
		changes = append(changes, g.about(line))
	}
	return changes
}

// claimed describes what a tool says about itself in its hints, which nothing enforces.
// remote says that the tool belongs to another server.
func claimed(a *toolspec.Annotations, remote bool) []string {
	who, limit := "The tool", "It is part of this program, which limits nothing of it."
	if remote {
		who, limit = "The server", "localpass cannot restrict this tool."
	}
	says := func(hint *bool) bool { return hint != nil && *hint }
	var out []string
	switch {
	case says(a.Destructive):
		out = append(out, who+" says that it may delete or overwrite things.")
	case a.ReadOnly != nil && !*a.ReadOnly:
		out = append(out, who+" says that it may change things.")
	case a.ReadOnly == nil:
		out = append(out, who+" does not say what it may change.")
	}
	if says(a.OpenWorld) {
		out = append(out, who+" says that it reaches other systems.")
	}
	return append(out, limit)
}

const (
	// maxTargets is the maximum number of targets in a question; the arguments contain
	// all of them.
	maxTargets = 8
	// maxTarget is the maximum length of one target, in characters.
	maxTarget = 200
)

// An argument is a file or a folder if its name ends with one of pathWords. With one of
// placeWords it is one only if its value also looks like a path, because dates and units
// use the same names.
var (
	pathWords  = []string{"path", "file", "filename", "filepath", "folder", "dir", "directory"}
	placeWords = []string{"from", "to", "source", "target", "destination"}
)

// targets lists the files and URLs among the top-level arguments: files by the names of
// the members, URLs under any name.
func (g *Gate) targets(in *input) []string {
	var members map[string]json.RawMessage
	if json.Unmarshal(in.form, &members) != nil {
		return nil
	}
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	var out []string
	for _, name := range names {
		var value string
		if json.Unmarshal(members[name], &value) != nil || strings.TrimSpace(value) == "" || strings.Contains(value, "\n") {
			continue
		}
		if !isPath(name, value) && !isAddress(value) {
			continue
		}
		if len(out) == maxTargets {
			break
		}
		out = append(out, clip.To(termtext.Escape(g.opts.Redactor.String(name+" "+value)), maxTarget))
	}
	return out
}

// isPath reports whether an argument is a file or a folder, by its name and value.
func isPath(name, value string) bool {
	words := verbs.Words(name)
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	return slices.Contains(pathWords, last) || slices.Contains(placeWords, last) && strings.ContainsAny(value, `/\.`)
}

// isAddress reports whether a text is an absolute URL with a host.
func isAddress(text string) bool {
	if !strings.Contains(text, "://") || strings.Contains(text, " ") {
		return false
	}
	u, err := url.Parse(text)
	return err == nil && u.Host != ""
}
