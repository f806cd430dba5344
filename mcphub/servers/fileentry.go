package servers

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/localpass/localpass/internal/canon/scan"
	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec/secret"
)

// The members of an entry that belong to the connection, by the kind of their value, and
// those that belong to the record.
var (
	connectionTexts = []string{"command", "cwd", "url", "endpoint", "sse-endpoint"}
	connectionLists = []string{"args", "requiredEnv", "inheritEnv"}
	connectionMaps  = []string{"env", "headers"}
	stdioMembers    = []string{"command", "args", "env", "cwd", "requiredEnv", "inheritEnv", "sandbox"}
	httpMembers     = []string{"url", "endpoint", "sse-endpoint", "headers", "requiredEnv", "oauth"}
	entryMembers    = []string{"name", "description", "category", "tags", "disabled", "timeoutMs", "protocolVersions", "relay", "results", "rates", "toolSelection", "toolPrefix"}
	relayMembers    = []string{"noForms", "noUrls", "maxQuestions", "sampling", "samplingTools", "maxTokens", "maxSamples", "roots", "maxDepth"}
	resultMembers   = []string{"findings", "maxBytes"}
	rateMembers     = []string{"perMinute", "perCaller"}
	choiceMembers   = []string{"tools", "share", "approve", "hitl"} // also kept in the record
)

// entry parses one server.
func (p *serversParser) entry(id string, raw json.RawMessage) {
	at := "mcpServers." + clip.To(id, rpc.MaxServerID)
	if !rpc.IsServerID(id) {
		p.wrong(at, "%q cannot be the name of a server: use 1 to %d characters of A-Z a-z 0-9 . _ and -", clip.To(id, rpc.MaxServerID), rpc.MaxServerID)
		return
	}
	if !p.is(at, raw, scan.Object) {
		return
	}
	all := rpc.Object(raw)
	before := len(p.errs)
	kind := p.kind(at, all)
	if len(p.errs) > before {
		return
	}
	e := Entry{}
	own, custom := httpMembers, false
	switch kind {
	case client.TransportStdio:
		own = stdioMembers
	case client.TransportHTTP, client.TransportSSE:
	default:
		custom = true
	}
	connection, record := map[string]json.RawMessage{}, map[string]json.RawMessage{"id": rpc.AppendString(nil, id), "transport": rpc.AppendString(nil, string(kind))}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		value, place := all[name], at+"."+clip.To(name, 80)
		switch {
		case name == "type" || name == "transport":
		case slices.Contains(choiceMembers, name):
			p.choice(&e, place, name, value)
			record[name] = value
		case slices.Contains(entryMembers, name):
			switch name {
			case "relay":
				p.policy(place, value, relayMembers)
			case "results":
				p.policy(place, value, resultMembers)
			case "rates":
				p.policy(place, value, rateMembers)
			}
			record[name] = value
		case slices.Contains(own, name):
			p.connectionMember(place, name, value)
			connection[name] = value
		case custom:
			connection[name] = value
		case slices.Contains(stdioMembers, name) || slices.Contains(httpMembers, name):
			p.wrong(place, "a server of the kind %q has no such member: remove it, or make two entries", kind)
		default:
			p.unknown(place)
		}
	}
	p.inherit(&e)
	if len(p.errs) > before {
		return
	}
	record["connection"] = rpc.Encode(connection)
	if err := json.Unmarshal(rpc.Encode(record), &e.Record); err != nil {
		p.wrong(at, "%s", reason(err))
		return
	}
	err := e.Record.Validate()
	if err == nil && !custom {
		_, err = client.NewRegistry(nil).Transport(kind, e.Record.Connection)
	}
	if err != nil {
		p.wrong(at, "%s", reason(err))
		return
	}
	p.file.Servers = append(p.file.Servers, e)
}

// policy reports members that a policy does not have: a misspelt member could allow what it
// was meant to forbid.
func (p *serversParser) policy(place string, value json.RawMessage, members []string) {
	if !p.is(place, value, scan.Object) {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(rpc.Object(value))) {
		if !slices.Contains(members, name) {
			p.wrong(place+"."+clip.To(name, 80), "there is no such member: there are %s", strings.Join(members, ", "))
		}
	}
}

// choice parses a member that says what is served of the server.
func (p *serversParser) choice(e *Entry, place, name string, value json.RawMessage) {
	switch name {
	case "tools":
		e.Tools = p.tools(place, value)
	case "share":
		e.Share = p.share(place, value)
	case "approve":
		e.Approve = p.flag(place, value)
	case "hitl":
		e.Ask = p.ask(place, value)
	}
}

// inherit gives the tools the settings of the whole entry.
func (*serversParser) inherit(e *Entry) {
	for i := range e.Tools {
		t := &e.Tools[i]
		t.Approve = t.Approve || e.Approve
		if t.Ask == AskByRule {
			t.Ask = e.Ask
		}
	}
}

// kind returns the kind that an entry names, or that its members imply.
func (p *serversParser) kind(at string, all map[string]json.RawMessage) client.TransportKind {
	var kind client.TransportKind
	for _, name := range []string{"type", "transport"} {
		value, ok := all[name]
		if !ok || !p.is(at+"."+name, value, scan.String) {
			continue
		}
		said, _ := rpc.Text(value)
		switch canonical := client.CanonicalKind(client.TransportKind(said)); {
		case canonical == "":
			p.wrong(at+"."+name, `it is empty: write "stdio", "http" or "sse", or leave it out`)
		case kind != "" && kind != canonical:
			p.wrong(at+"."+name, "it says %q, and another member says %q: leave one out", clip.To(said, 80), kind)
		default:
			kind = canonical
		}
	}
	if kind != "" {
		return kind
	}
	_, command := all["command"]
	_, url := all["url"]
	switch {
	case command && url:
		p.wrong(at, `it has "command" and "url": a server has one of them`)
	case command:
		return client.TransportStdio
	case url:
		return client.TransportHTTP
	default:
		p.wrong(at, `it has neither "command" nor "url"`)
	}
	return ""
}

// connectionMember checks the form of one member of a built-in kind.
func (p *serversParser) connectionMember(place, name string, value json.RawMessage) {
	switch {
	case slices.Contains(connectionTexts, name):
		p.placeholders(place, value)
	case slices.Contains(connectionLists, name):
		if p.is(place, value, scan.Array) {
			i := 0
			rpc.Elements(value, func(value []byte) {
				p.is(scan.Index(place, i), value, scan.String)
				i++
			})
		}
	case slices.Contains(connectionMaps, name):
		if p.is(place, value, scan.Object) {
			p.each(value, func(name string, value json.RawMessage) { p.placeholders(place+"."+clip.To(name, 80), value) })
		}
	default:
		p.is(place, value, scan.Object)
	}
}

// placeholders checks a text in which ${NAME} stands for a value: a placeholder in the
// syntax of another program would be sent literally.
func (p *serversParser) placeholders(place string, value json.RawMessage) {
	if !p.is(place, value, scan.String) {
		return
	}
	s, _ := rpc.Text(value)
	names := secret.Names(s)
	for rest := s; ; {
		i := strings.Index(rest, "${")
		if i < 0 {
			return
		}
		rest = rest[i+2:]
		name, _, closed := strings.Cut(rest, "}")
		if !closed || !slices.Contains(names, name) {
			p.wrong(place, "after ${ write a name of A-Z, 0-9 and _, and then }: such as ${API_TOKEN}")
			return
		}
	}
}

func (p *serversParser) flag(place string, value json.RawMessage) bool {
	return p.is(place, value, scan.Bool) && string(value) == "true"
}

func (p *serversParser) ask(place string, value json.RawMessage) Ask {
	switch {
	case !p.is(place, value, scan.Bool):
		return AskByRule
	case string(value) == "true":
		return AskAlways
	}
	return AskNever
}

// tools parses which tools are served, and how.
func (p *serversParser) tools(place string, raw json.RawMessage) []ToolEntry {
	out := []ToolEntry{}
	if !p.is(place, raw, scan.Array) {
		return out
	}
	i := -1
	rpc.Elements(raw, func(value []byte) {
		i++
		at := scan.Index(place, i)
		var t ToolEntry
		switch scan.KindOf(value) {
		case scan.String:
			t.Tool, _ = rpc.Text(value)
		case scan.Object:
			p.tool(at, value, &t)
		default:
			p.wrong(at, `it must be the name of a tool, or {"tool": "its name", …}`)
			return
		}
		switch {
		case t.Tool == "":
			p.wrong(at, "it names no tool")
		case len(t.Tool) > 1024:
			p.wrong(at, "the name of the tool has more than 1,024 bytes")
		case slices.ContainsFunc(out, func(o ToolEntry) bool { return o.Tool == t.Tool }):
			p.wrong(at, "the tool %q is listed twice: remove one", clip.To(t.Tool, 80))
		default:
			out = append(out, t)
		}
	})
	if i >= rpc.MaxServedTools {
		p.wrong(place, "there are %d tools, and a composition has at most %d", i+1, rpc.MaxServedTools)
	}
	return out
}

func (p *serversParser) tool(at string, raw []byte, t *ToolEntry) {
	p.each(raw, func(name string, value json.RawMessage) {
		place := at + "." + clip.To(name, 80)
		switch name {
		case "tool", "alias", "description":
			if !p.is(place, value, scan.String) {
				return
			}
			s, _ := rpc.Text(value)
			switch name {
			case "tool":
				t.Tool = s
			case "alias":
				if t.Alias = s; !rpc.IsModelToolName(s) {
					p.wrong(place, "%q cannot be an alias: use 1 to %d characters of A-Z a-z 0-9 _ and -", clip.To(s, rpc.MaxToolName), rpc.MaxToolName)
				}
			default:
				if t.Description = s; len(s) > rpc.MaxDescription {
					p.wrong(place, "it has more than %d bytes", rpc.MaxDescription)
				}
			}
		case "approve":
			t.Approve = p.flag(place, value)
		case "hitl":
			t.Ask = p.ask(place, value)
		default: // a misspelt flag must not count as unset
			p.wrong(place, "there is no such member: a tool has tool, alias, description, hitl and approve")
		}
	})
}

// reason returns the text of an error of this package without the words that already
// precede it.
func reason(err error) string {
	text := rpc.PlainText(err.Error())
	return strings.TrimPrefix(text, "the record of a server: ")
}
