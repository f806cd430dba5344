package approval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/internal/termtext"
	"github.com/localpass/localpass/internal/verbs"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

// Action says what a call does, as far as the enforced limits of its tool and its
// arguments show it. It holds a kind and values instead of a text, so that a user
// interface can say it in any language and show the values as data; [Action.String] says
// it in English. [Request.Changes] says what else the tool may do.
type Action struct {
	Kind ActionKind `json:"kind" enum:"write,change,access,read,request,run,call"`
	Tool string     `json:"tool"`
	// Server is the id of the tool's server; empty means this program itself.
	Server string `json:"server,omitempty"`
	// Targets are the files or addresses, at most three; More is how many others the
	// arguments name.
	Targets []string `json:"targets,omitempty" doc:"The files or the addresses that the arguments name, at most three."`
	More    int      `json:"more,omitempty" doc:"How many others the arguments name."`
	// Content is the beginning of the text to write.
	Content string `json:"content,omitempty" doc:"The beginning of the text to write."`
	// Arguments is the beginning of the arguments, for the kinds run and call.
	Arguments string `json:"arguments,omitempty" doc:"The beginning of the arguments, for run and call."`
	// Also is what else the tool may do, the worst first.
	Also []ActionExtra `json:"also,omitempty" enum:"deletes,writes,reads,requests,claims" doc:"What else the tool may do. claims: its server says that it may delete or overwrite things."`
}

// ActionKind is what an [Action] is about.
type ActionKind string

// The kinds of actions. Only enforced limits lead to the first five: a tool that nothing
// restricts runs, and a tool of another server is called, whatever its arguments say.
const (
	ActionWrite   ActionKind = "write"   // writes files
	ActionChange  ActionKind = "change"  // writes, moves or deletes files
	ActionAccess  ActionKind = "access"  // reads or writes files
	ActionRead    ActionKind = "read"    // reads files
	ActionRequest ActionKind = "request" // sends requests to addresses
	ActionRun     ActionKind = "run"     // runs a tool of this program
	ActionCall    ActionKind = "call"    // calls a tool of another server
)

// ActionExtra is what else a tool may do.
type ActionExtra string

// What else a tool may do.
const (
	AlsoDeletes  ActionExtra = "deletes"  // write, move and delete files
	AlsoWrites   ActionExtra = "writes"   // write files
	AlsoReads    ActionExtra = "reads"    // read files
	AlsoRequests ActionExtra = "requests" // send requests
	AlsoClaims   ActionExtra = "claims"   // its server says that it may delete or overwrite things
)

const (
	// maxActionTargets is the maximum number of targets in an action.
	maxActionTargets = 3
	// maxActionValue is the maximum length of a value in an action, in characters.
	maxActionValue = 120
)

// contentWords are the last words in the names of arguments that hold a text to write.
var contentWords = []string{"text", "content", "contents", "body", "data", "note", "message", "value", "line"}

// action describes a call. A name or a hint of the tool never makes it look safer: the
// kind follows from what is enforced.
func (g *Gate) action(in *input) Action {
	def := &in.call.Definition
	a := Action{Kind: ActionRun, Tool: g.claim(def.Name), Server: g.claim(in.call.Server)}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(in.form, &members) // the canonical form is an object
	files, addresses := g.named(members)
	posture := def.Posture
	switch {
	case in.call.Server != "":
		a.Kind = ActionCall
		if d := def.Annotations.Destructive; d != nil && *d {
			a.Also = []ActionExtra{AlsoClaims}
		}
	case posture == nil:
	case posture.FileWrite && len(files) > 0:
		a.about(files)
		a.Kind = ActionAccess
		if content := g.content(members); content != "" || !posture.FileRead {
			a.Kind, a.Content = ActionWrite, content
		}
		if posture.Destructive {
			a.Kind, a.Content = ActionChange, ""
		}
		a.also(posture, AlsoRequests)
	case posture.GrantsNetwork() && len(addresses) > 0 && !posture.FileWrite:
		a.Kind = ActionRequest
		a.about(addresses)
		a.also(posture, AlsoReads)
	case posture.FileRead && len(files) > 0 && !posture.FileWrite:
		a.Kind = ActionRead
		a.about(files)
		a.also(posture, AlsoRequests)
	default:
		a.also(posture, AlsoDeletes, AlsoWrites, AlsoReads, AlsoRequests)
	}
	if a.Kind == ActionRun || a.Kind == ActionCall {
		a.Arguments = g.listed(members)
	}
	return a
}

// about sets the targets.
func (a *Action) about(targets []string) {
	a.Targets = targets[:min(len(targets), maxActionTargets)]
	a.More = len(targets) - len(a.Targets)
}

// also adds those of the extras that the posture permits.
func (a *Action) also(p *toolspec.Posture, extras ...ActionExtra) {
	for _, extra := range extras {
		permits := false
		switch extra {
		case AlsoDeletes:
			permits = p.FileWrite && p.Destructive
		case AlsoWrites:
			permits = p.FileWrite && !p.Destructive
		case AlsoReads:
			permits = p.FileRead
		case AlsoRequests:
			permits = p.GrantsNetwork()
		}
		if permits {
			a.Also = append(a.Also, extra)
		}
	}
}

// value makes a value from outside safe to display within one line.
func (g *Gate) value(text string) string {
	return clip.To(termtext.Escape(g.opts.Redactor.String(text)), maxActionValue)
}

// named returns the values of the top-level arguments that are files, and those that are
// addresses, in the order of their names.
func (g *Gate) named(members map[string]json.RawMessage) (files, addresses []string) {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var value string
		switch {
		case json.Unmarshal(members[name], &value) != nil || strings.TrimSpace(value) == "":
		case isAddress(value):
			addresses = append(addresses, g.value(value))
		case isPath(name, value):
			files = append(files, g.value(value))
		}
	}
	return files, addresses
}

// content returns the text to write. It is empty if several arguments may be that text,
// because one of them alone would be misleading.
func (g *Gate) content(members map[string]json.RawMessage) (content string) {
	found := false
	for name, raw := range members {
		words := verbs.Words(name)
		var value string
		if len(words) == 0 || !slices.Contains(contentWords, words[len(words)-1]) || json.Unmarshal(raw, &value) != nil {
			continue
		}
		if found {
			return ""
		}
		content, found = g.value(value), true
	}
	return content
}

// listed returns the arguments as a list of names and values.
func (g *Gate) listed(members map[string]json.RawMessage) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		var text string
		if json.Unmarshal(members[name], &text) != nil {
			text = string(bytes.TrimSpace(members[name]))
		}
		fmt.Fprintf(&b, "%s: %s", name, text)
	}
	return g.value(b.String())
}

// String says in one English sentence without a full stop what the call does, such as
// Write "buy milk" to notes/todo.md. Values that are not plain words are in quotation
// marks, so that none can be mistaken for our own words.
func (a *Action) String() string {
	targets := make([]string, len(a.Targets))
	for i, target := range a.Targets {
		targets[i] = quotedValue(target)
	}
	if a.More > 0 {
		targets = append(targets, fmt.Sprintf("%d more", a.More))
	}
	to := inWords(targets)
	var text string
	switch a.Kind {
	case ActionWrite:
		if text = "Write " + to; a.Content != "" {
			text = "Write " + literal(a.Content) + " to " + to
		}
	case ActionChange:
		text = "Write, move or delete " + to
	case ActionAccess:
		text = "Read or write " + to
	case ActionRead:
		text = "Read " + to
	case ActionRequest:
		text = "Send a request to " + to
	case ActionCall:
		text = "Call " + quotedValue(a.Tool) + " of the server " + quotedValue(a.Server)
	default:
		text = "Run " + quotedValue(a.Tool)
	}
	if a.Arguments != "" {
		text += " with " + literal(a.Arguments)
	}
	return text + a.rest()
}

// rest says what else the tool may do.
func (a *Action) rest() string {
	if slices.Contains(a.Also, AlsoClaims) {
		return "; the server says that it may delete or overwrite things"
	}
	var may []string
	for _, extra := range a.Also {
		switch extra {
		case AlsoDeletes:
			may = append(may, "write, move and delete files")
		case AlsoWrites:
			may = append(may, "write files")
		case AlsoReads:
			may = append(may, "read files")
		case AlsoRequests:
			may = append(may, "send requests")
		}
	}
	switch {
	case len(may) == 0:
		return ""
	case a.Kind == ActionRun:
		return "; it may " + inWords(may)
	}
	return "; it may also " + inWords(may)
}

// Doing returns what the call does: Action, or, for a request that was made without one,
// the call of its tool.
func (r *Request) Doing() Action {
	switch {
	case r.Action.Kind != "":
		return r.Action
	case r.Server != "":
		return Action{Kind: ActionCall, Tool: r.Tool, Server: r.Server}
	}
	return Action{Kind: ActionRun, Tool: r.Tool}
}

// mask returns a copy with secrets masked.
func (a Action) mask(redact *secret.Redactor) Action {
	out := a
	out.Targets = nil
	for _, target := range a.Targets {
		out.Targets = append(out.Targets, redact.String(target))
	}
	out.Content, out.Arguments = redact.String(a.Content), redact.String(a.Arguments)
	return out
}

func inWords(list []string) string {
	last := len(list) - 1
	if last < 1 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:last], ", ") + " and " + list[last]
}

// quotedValue returns a value that is one plain word as it is, and any other in quotation
// marks.
func quotedValue(text string) string {
	for _, r := range text {
		if !strings.ContainsRune("/._-:?=&%~@+#", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') {
			return literal(text)
		}
	}
	if text == "" {
		return `""`
	}
	return text
}

// marks replaces everything that looks like a double quotation mark, so that no value
// seems to end early.
var marks = strings.NewReplacer(`"`, "'", "“", "'", "”", "'", "„", "'", "‟", "'", "″", "'", "‶", "'", "＂", "'")

// literal returns a text in quotation marks.
func literal(text string) string { return `"` + marks.Replace(text) + `"` }
