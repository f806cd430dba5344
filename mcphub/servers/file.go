package servers

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/mcphub/internal/rpc"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/canon/scan"
)

// maxServersFile is the maximum size of a servers file, in bytes.
const maxServersFile = 1 << 20

// File is the content of a servers file: the common format of MCP clients, with some additional members. See [Parse].
type File struct {
	// Servers are the entries, in the order of the file.
	Servers []Entry
	// Unknown are the places of unknown members, which have no effect, such as "mcpServers.files.autoApprove".
	Unknown []string
}

// Entry is one server of a [File].
type Entry struct {
	// Record is the record for [Connections]. Placeholders, ${NAME}, are kept as written.
	Record Record
	// Tools are the tools to serve. nil: all that the server offers.
	Tools []ToolEntry
	// Share is what else to serve. nil: nothing.
	Share *ShareEntry
	// Approve and Ask apply to tools that do not set them; see [ToolEntry].
	Approve bool
	Ask     Ask
}

// ToolEntry is one tool of an [Entry].
type ToolEntry struct {
	Tool, Alias, Description string
	// Approve is the operator's approval in advance: of the tool as its server first describes it, but not of later
	// changes.
	Approve bool
	Ask     Ask
}

// ShareEntry says what an [Entry] serves besides tools: resources, templates and prompts
// by URI, URI template and name, as the server spells them; * matches any text.
type ShareEntry struct {
	Resources, Templates, Prompts []string
	// AllowChanges also serves items that the server adds or changes later.
	AllowChanges bool
}

// Ask says whether a person is asked about the calls of a tool. The zero value
// leaves it to the gate.
type Ask uint8

// The choices.
const (
	AskByRule Ask = iota
	AskAlways
	AskNever
)

// Read reads a servers file. See [Parse].
func Read(r io.Reader) (*File, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxServersFile+1))
	if err != nil {
		return nil, fmt.Errorf("servers: %w", err)
	}
	return Parse(data)
}

// Parse reads the text of a servers file, at most 1 MiB:
//
//	{"mcpServers": {
//	  "files":  {"command": "npx", "args": ["-y", "some-server", "/srv"], "env": {"KEY": "${FILES_KEY}"}, "cwd": "/srv"},
//	  "search": {"type": "http", "url": "https://mcp.example.com/mcp", "headers": {"Authorization": "Bearer ${SEARCH_TOKEN}"},
//	             "timeoutMs": 30000,
//	             "tools": ["find", {"tool": "open", "alias": "open_page", "description": "Opens a page.", "hitl": true}]}
//	}}
//
// The name of an entry becomes the id of its record. An entry has "command" or "url", and may name its kind as "type" or
// "transport"; it has the connection members that [client.Registry] accepts, and an entry of a kind that is not built in
// keeps all its other members for its factory. Further members are: "name", "description", "category", "tags", "disabled",
// "timeoutMs", "protocolVersions", "relay", "results", "rates", "toolSelection" and "toolPrefix" which go into the record; "tools" lists which
// of the selected tools are served, all by default, each by its name or as {"tool", "alias", "description", "hitl",
// "approve"}; "share" selects resources, templates and prompts, none by default: true for all, or {"resources",
// "resourceTemplates", "prompts", "allowChanges"} as in [ShareEntry].
//
// "approve": true approves what the server offers when it is first connected. Tools that appear later wait for the operator,
// even if the entry has no "tools". "hitl": true asks a person about each call, false asks nobody ([Entry.Policies]). On an
// entry both apply to all its tools.
//
// The error joins all faults, each with its place. Unknown members are collected in Unknown, since other programs have their
// own members; within a tool they are an error.
func Parse(data []byte) (*File, error) {
	if len(data) > maxServersFile {
		return nil, fmt.Errorf("servers: the file is larger than %d bytes", maxServersFile)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	at, bad := scan.Text(data, canon.MaxDepth)
	if bad != nil {
		line, column := scan.Position(data, bad.Offset)
		text := fmt.Sprintf("servers: line %d, column %d: %s", line, column, bad)
		if bad.Hint != "" {
			text += ": " + bad.Hint
		}
		return nil, errors.New(text)
	}
	p := &serversParser{file: &File{}}
	scan.Repeated(data, at, func(pointer string, name scan.Span) {
		p.wrong(strings.TrimPrefix(pointer, "."), "the member %s occurs twice: remove one", clip.To(string(name.Of(data)), 80))
	})
	if p.errs == nil { // which of two duplicates counts is not guessed
		p.top(at.Of(data))
	}
	if err := errors.Join(p.errs...); err != nil {
		return nil, err
	}
	return p.file, nil
}

// EntryOf reads the entry back from a record that [mcphub.Composition.ApplyServers] wrote; nil if the record did not
// come from a file.
func EntryOf(r Record) (*Entry, error) {
	if r.Source() == "" {
		return nil, nil
	}
	e := &Entry{Record: r.Clone()}
	p := &serversParser{}
	for _, name := range choiceMembers {
		if value, ok := r.Extra[name]; ok {
			p.choice(e, r.ID+"."+name, name, value)
		}
	}
	p.inherit(e)
	if err := errors.Join(p.errs...); err != nil {
		return nil, err
	}
	return e, nil
}

// Policies returns the gate policies for "hitl": false: clients may call these tools,
// once they are served, without an approval request. They are for the server side; pass
// them in approval.Options.Fixed.
func (e *Entry) Policies() []approval.Policy {
	var out []approval.Policy
	never := func(tool string) {
		out = append(out, approval.Policy{Server: e.Record.ID, Tool: tool, Side: approval.SideServer, Effect: approval.AlwaysAllow})
	}
	if e.Tools == nil && e.Ask == AskNever {
		never(approval.Any)
	}
	for _, t := range e.Tools {
		if t.Ask == AskNever && t.Tool != approval.Any {
			never(t.Tool)
		}
	}
	return out
}

// serversParser parses a file that is well-formed JSON.
type serversParser struct {
	file *File
	errs []error
}

func (p *serversParser) wrong(place, format string, args ...any) {
	const most = 50 // more errors than an operator fixes at once
	if len(p.errs) < most {
		p.errs = append(p.errs, fmt.Errorf("servers: %s: %s", cmp.Or(place, "the file"), fmt.Sprintf(format, args...)))
	}
}

func (p *serversParser) unknown(place string) {
	if len(p.file.Unknown) < 100 {
		p.file.Unknown = append(p.file.Unknown, place)
	}
}

// is reports whether a value has a kind, and reports an error if it does not.
func (p *serversParser) is(place string, value []byte, want scan.Kind) bool {
	if got := scan.KindOf(value); got != want {
		p.wrong(place, "it is %s, and should be %s", got, want)
		return false
	}
	return true
}

func (p *serversParser) top(raw []byte) {
	if !p.is("", raw, scan.Object) {
		return
	}
	found := false
	var others []string
	p.each(raw, func(name string, value json.RawMessage) {
		if name != "mcpServers" {
			others = append(others, clip.To(name, 80))
			return
		}
		if found = true; !p.is(name, value, scan.Object) {
			return
		}
		p.each(value, func(id string, value json.RawMessage) { p.entry(id, value) })
	})
	if !found {
		hint := ""
		if slices.Contains(others, "servers") {
			hint = `; it has "servers": call it "mcpServers"`
		}
		p.wrong("", `the member "mcpServers" is missing%s`, hint)
		return
	}
	for _, name := range others {
		p.unknown(name)
	}
}

// each visits the members of a value that is known to be an object.
func (p *serversParser) each(raw []byte, visit func(name string, value json.RawMessage)) {
	_ = rpc.Members(raw, func(name, value []byte) error { // visit never fails
		visit(string(name), json.RawMessage(value))
		return nil
	})
}
