package servers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// Selection says which tools of a server are used, by their exact names on the server.
// Other tools are not offered by a [ToolProvider], not served by a [mcphub.Composition],
// and cannot be called: see [ErrLeftOut]. nil selects all.
type Selection struct {
	// Only are the only selected tools: other tools, including those that the server adds
	// later, are left out. nil selects all, an empty list none.
	Only []string `json:"only,omitzero" doc:"The tools that are taken, and no others. Left out: all. An empty list: none."`
	// Except are left out, even if Only contains them.
	Except []string `json:"except,omitempty" doc:"The tools that are left out."`
}

// Limits of a selection and of a prefix.
const (
	maxSelected   = 1_000 // names in a list
	maxToolRef    = 1_024 // bytes of a server's own name for a tool
	maxToolPrefix = 32    // leaves half of the longest name for the tool
)

// Takes reports whether a tool is selected. A nil selection selects every tool.
func (s *Selection) Takes(tool string) bool {
	switch {
	case s == nil:
		return true
	case s.Only != nil && !slices.Contains(s.Only, tool):
		return false
	}
	return !slices.Contains(s.Except, tool)
}

// Validate reports what is wrong with the selection.
func (s *Selection) Validate() error {
	if s == nil {
		return nil
	}
	for _, list := range []struct {
		name  string
		tools []string
	}{{"only", s.Only}, {"except", s.Except}} {
		if len(list.tools) > maxSelected {
			return fmt.Errorf("toolSelection.%s has %d names, and %d are allowed", list.name, len(list.tools), maxSelected)
		}
		for _, tool := range list.tools {
			if tool == "" || len(tool) > maxToolRef || !utf8.ValidString(tool) || strings.ContainsFunc(tool, unicode.IsControl) {
				return fmt.Errorf("toolSelection.%s: the name of a tool must be text of 1 to %d bytes without control characters", list.name, maxToolRef)
			}
		}
	}
	return nil
}

// UnmarshalJSON reads a selection. An unknown member is an error, because a misspelt
// member would not exclude the tools that it should.
func (s *Selection) UnmarshalJSON(data []byte) error {
	type plain Selection
	var p plain
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		return fmt.Errorf(`servers: a selection of tools has the lists "only" and "except": %w`, err)
	}
	*s = Selection(p)
	return nil
}

// own copies the selection; a selection of everything becomes nil.
func (s *Selection) own() *Selection {
	if s == nil || s.Only == nil && len(s.Except) == 0 {
		return nil
	}
	return &Selection{Only: slices.Clone(s.Only), Except: slices.Clone(s.Except)}
}

// taker returns a function that does the same as Takes, faster for many tools.
func (s *Selection) taker() func(tool string) bool {
	if s == nil {
		return func(string) bool { return true }
	}
	only, except := setOf(s.Only), setOf(s.Except)
	return func(tool string) bool { return (s.Only == nil || only[tool]) && !except[tool] }
}

// Filter returns the selected tools. It does not change its argument.
func (s *Selection) Filter(tools []*OfferedTool) []*OfferedTool {
	if s == nil {
		return tools
	}
	takes := s.taker()
	var out []*OfferedTool
	for _, t := range tools {
		if takes(t.Name) {
			out = append(out, t)
		}
	}
	return out
}

func (s *Selection) same(o *Selection) bool {
	if s == nil || o == nil {
		return s == o
	}
	return (s.Only == nil) == (o.Only == nil) && slices.Equal(s.Only, o.Only) && slices.Equal(s.Except, o.Except)
}

// checkToolPrefix checks the grammar of a prefix. It is the grammar of names that every
// model provider accepts, without capitals, because people type prefixes.
func checkToolPrefix(prefix string) error {
	if prefix == "" {
		return nil
	}
	if len(prefix) > maxToolPrefix || prefix[0] < 'a' || prefix[0] > 'z' ||
		strings.Trim(prefix, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
		return fmt.Errorf("toolPrefix is %q: use 1 to %d characters of a-z 0-9 _ and -, the first a letter", clip.To(prefix, maxToolPrefix), maxToolPrefix)
	}
	return nil
}

// ErrLeftOut reports a tool that the record of its server leaves out: see
// [Selection]. Nothing was sent.
var ErrLeftOut = errors.New("servers: the tool is left out by the selection of its server")

// takes returns nil if a tool may be called, and otherwise an error that says why not.
func (u *upstream) takes(tool string) error {
	if u.selection().Takes(tool) {
		return nil
	}
	return fmt.Errorf("%w: %q of the server %q: change the tool selection of the server to call it", ErrLeftOut, clip.To(tool, rpc.MaxServerID), u.id)
}

// takesCall checks a request against the selection. A tools/call whose tool cannot be
// determined is not allowed.
func (u *upstream) takesCall(method string, params json.RawMessage) error {
	if method != rpc.MethodToolsCall || u.selection() == nil {
		return nil
	}
	var tool string
	plain := 0
	err := rpc.ScanObject(params, func(_, name, value []byte) {
		if !strings.EqualFold(string(name), "name") { // some servers ignore the case of member names
			return
		}
		plain++
		var ok bool
		if tool, ok = rpc.Text(value); !ok || string(name) != "name" {
			plain = 2
		}
	})
	if err != nil || plain != 1 {
		return fmt.Errorf("%w: the call of the server %q must name one tool", ErrLeftOut, u.id)
	}
	return u.takes(tool)
}

// selection returns the selection of the record. It does not change: a newer record has
// its own.
func (u *upstream) selection() *Selection {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.settings.record.Selection
}

// naming returns what the names of a server's tools are made of, besides its id.
func (u *upstream) naming() (selection *Selection, prefix string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.settings.record.Selection, u.settings.record.Prefix
}
