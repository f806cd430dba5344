package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// Change is one difference between two definitions of a tool.
type Change struct {
	// Path is the JSON Pointer (RFC 6901) of what differs, such as
	// "/inputSchema/properties/path".
	Path string `json:"path"`
	// Before and Now are the values; nil where there is none.
	Before json.RawMessage `json:"before,omitempty"`
	Now    json.RawMessage `json:"now,omitempty"`
	// Says is what the change means, as the rest of a sentence about the tool: `takes the
	// new argument "path", which is required`. Names in it are the server's.
	Says string `json:"says"`
	// Widens reports that the tool can do, or gets, something that it could not before, or
	// that this cannot be excluded.
	Widens bool `json:"widens,omitempty"`
}

// String returns Says.
func (c Change) String() string { return c.Says }

// hints are the annotations of MCP that say what a tool does, with their value when they are
// left out (MCP 2025-11-25, ToolAnnotations) and what it means that one changed.
var hints = map[string]struct {
	missing, wide bool
	yes, no       string
}{
	"readOnlyHint":    {false, false, "says that it only reads now", "does not say any more that it only reads"},
	"destructiveHint": {true, true, "says that it can destroy or overwrite now", "says that it destroys nothing now"},
	"idempotentHint":  {false, false, "says that a repeated call changes nothing more now", "does not say any more that a repeated call changes nothing more"},
	"openWorldHint":   {true, true, "says that it reaches beyond its own data now", "says that it stays within its own data now"},
}

// Diff returns what differs between two definitions of a tool, as a server sends them, those
// that widen it first. Definitions with the same canonical form (RFC 8785) do not differ.
// Neither may be something else than a JSON object.
func Diff(before, now json.RawMessage) ([]Change, error) {
	if !rpc.IsObject(before) || !rpc.IsObject(now) || !rpc.ValidJSON(before) || !rpc.ValidJSON(now) {
		return nil, errors.New("ledger: a definition of a tool is no JSON object")
	}
	var d differ
	d.members("", before, now, func(path, name string, b, n json.RawMessage) {
		switch name {
		case "name":
			d.add(path, b, n, "has another name", true)
		case "title":
			d.add(path, b, n, "has another title", false)
		case "description":
			d.add(path, b, n, "describes itself in other words", false)
		case "inputSchema":
			d.schema(path, b, n)
		case "outputSchema":
			d.add(path, b, n, "answers in another form", false)
		case "annotations":
			d.annotations(path, b, n)
		case "icons":
			d.add(path, b, n, "has other icons", false)
		case "_meta":
			d.add(path, b, n, "carries other metadata", false)
		default:
			d.add(path, b, n, fmt.Sprintf("differs in its member %q", name), true)
		}
	})
	slices.SortStableFunc(d.changes, func(a, b Change) int {
		switch {
		case a.Widens == b.Widens:
			return 0
		case a.Widens:
			return -1
		}
		return 1
	})
	return d.changes, nil
}

// differ collects changes.
type differ struct{ changes []Change }

func (d *differ) add(path string, before, now json.RawMessage, says string, widens bool) {
	d.changes = append(d.changes, Change{Path: path, Before: before, Now: now, Says: says, Widens: widens})
}

// members calls visit for each member that differs between two objects, by name. What is no
// object has no members.
func (d *differ) members(path string, before, now json.RawMessage, visit func(path, name string, before, now json.RawMessage)) {
	b, n := rpc.Object(before), rpc.Object(now)
	names := maps.Clone(b)
	if names == nil {
		names = map[string]json.RawMessage{}
	}
	maps.Copy(names, n)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !same(b[name], n[name]) {
			visit(path+"/"+pointer.Replace(name), name, b[name], n[name])
		}
	}
}

// pointer escapes a member's name in a JSON Pointer.
var pointer = strings.NewReplacer("~", "~0", "/", "~1")

// same reports whether two values have the same canonical form. A value without one is the
// same as itself alone.
func same(a, b json.RawMessage) bool {
	if (a == nil) != (b == nil) {
		return false
	}
	if bytes.Equal(a, b) {
		return true
	}
	x, err := canon.Transform(a)
	y, err2 := canon.Transform(b)
	return err == nil && err2 == nil && bytes.Equal(x, y)
}

// annotations adds what differs in what the tool says about its effects.
func (d *differ) annotations(path string, before, now json.RawMessage) {
	d.members(path, before, now, func(path, name string, b, n json.RawMessage) {
		hint, ok := hints[name]
		if !ok {
			d.add(path, b, n, fmt.Sprintf("says something else of itself in %q", name), false)
			return
		}
		was, is := truth(b, hint.missing), truth(n, hint.missing)
		switch {
		case was == is:
			d.add(path, b, n, fmt.Sprintf("writes %s in another way, with the same meaning", name), false)
		case is:
			d.add(path, b, n, hint.yes, hint.wide)
		default:
			d.add(path, b, n, hint.no, !hint.wide)
		}
	})
}

func truth(raw json.RawMessage, missing bool) bool {
	v := missing
	if raw == nil || json.Unmarshal(raw, &v) != nil {
		return missing
	}
	return v
}

// schema adds what differs in the arguments.
func (d *differ) schema(path string, before, now json.RawMessage) {
	if !rpc.IsObject(before) || !rpc.IsObject(now) {
		d.add(path, before, now, "takes other arguments", true)
		return
	}
	required := map[string]bool{} // by name: whether it is required now
	var was, is []string
	_ = json.Unmarshal(rpc.Object(before)["required"], &was) // what is no list requires nothing
	_ = json.Unmarshal(rpc.Object(now)["required"], &is)
	for _, name := range is {
		required[name] = true
	}
	d.members(path, before, now, func(path, name string, b, n json.RawMessage) {
		switch name {
		case "properties":
			d.members(path, b, n, func(path, name string, b, n json.RawMessage) { d.argument(path, name, b, n, required[name]) })
		case "required":
			d.required(path, b, n, was, is, rpc.Object(rpc.Object(before)["properties"]), rpc.Object(rpc.Object(now)["properties"]))
		case "title", "description", "$comment", "examples":
			d.add(path, b, n, "describes its arguments in other words", false)
		default:
			d.add(path, b, n, fmt.Sprintf("checks its arguments by other rules (%s)", name), true)
		}
	})
}

func (d *differ) argument(path, name string, before, now json.RawMessage, required bool) {
	switch {
	case before == nil && required:
		d.add(path, nil, now, fmt.Sprintf("takes the new argument %q, which is required", name), true)
	case before == nil:
		d.add(path, nil, now, fmt.Sprintf("takes the new argument %q, which may be left out", name), true)
	case now == nil:
		d.add(path, before, nil, fmt.Sprintf("does not take the argument %q any more", name), false)
	case rpc.IsObject(before) && rpc.IsObject(now) && same(withoutWords(before), withoutWords(now)):
		d.add(path, before, now, fmt.Sprintf("describes the argument %q in other words", name), false)
	default:
		d.add(path, before, now, fmt.Sprintf("takes something else as the argument %q", name), true)
	}
}

// withoutWords returns a schema, which is an object, without what only describes it.
func withoutWords(schema json.RawMessage) json.RawMessage {
	return rpc.WithMembers(schema, map[string][]byte{"title": nil, "description": nil, "$comment": nil, "examples": nil})
}

// required adds which arguments that were there before, and are there now, became required
// or optional.
func (d *differ) required(path string, before, now json.RawMessage, was, is []string, old, current map[string]json.RawMessage) {
	both := func(name string) bool { return old[name] != nil && current[name] != nil }
	for _, name := range is {
		if !slices.Contains(was, name) && both(name) {
			d.add(path, before, now, fmt.Sprintf("requires the argument %q now", name), true)
		}
	}
	for _, name := range was {
		if !slices.Contains(is, name) && both(name) {
			d.add(path, before, now, fmt.Sprintf("does not require the argument %q any more", name), false)
		}
	}
}
