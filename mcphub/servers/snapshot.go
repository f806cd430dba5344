package servers

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/toolspec"
)

// Snapshot is what a server offered when it was last asked. It is immutable, so reading
// it needs no lock; a new answer gives a new Snapshot.
type Snapshot struct {
	// Server is the id of the server's record.
	Server string
	// Change grows with each snapshot of the server that has new content.
	Change uint64
	// Info is what the session negotiated, without the raw form. If the snapshot comes from
	// the store, only the name of the server is known.
	Info client.SessionInfo
	// Tools, Resources, Templates and Prompts are ordered by name or URI.
	Tools                         []*OfferedTool
	Resources, Templates, Prompts []OfferedItem
	// At is when the snapshot was taken. Expires is when the server should be asked
	// again; zero if it did not say.
	At, Expires time.Time
	// Restored says that the snapshot comes from the store and no session has confirmed
	// it yet.
	Restored bool
	// Problems say what was left out of the lists, and why.
	Problems []string

	generation uint64 // of the session that delivered it; 0 if Restored
	private    bool   // only for this program's principal
	byName     map[string]*OfferedTool
}

// Tool returns a tool by the server's name for it; nil if there is none.
func (s *Snapshot) Tool(name string) *OfferedTool {
	if s == nil {
		return nil
	}
	return s.byName[name]
}

// OfferedTool is a tool as its server describes it. All of it is the server's
// claim. It must not be changed.
type OfferedTool struct {
	Name, Title, Description  string
	InputSchema, OutputSchema json.RawMessage
	Annotations               toolspec.Annotations
	// Icons are the icons that can be shown safely: see [toolspec.Icon].
	Icons []toolspec.Icon
	// Task says whether a call may or must be a task of its server.
	Task toolspec.TaskSupport
	// Raw is the whole description, as it was sent.
	Raw json.RawMessage
	// Fingerprint is the SHA-256 of the canonical form of Raw, in hex. It changes if
	// anything changes that a model sees.
	Fingerprint string
}

// OfferedItem is a resource, a template or a prompt as its server describes it.
type OfferedItem struct {
	// Key is the URI of a resource, the URI template of a template, the name of
	// a prompt.
	Key string
	// Raw is the whole description, as it was sent. Fingerprint is the SHA-256
	// of its canonical form, in hex.
	Raw         json.RawMessage
	Fingerprint string
}

// Diff is the difference between two snapshots: names and URIs, sorted.
type Diff struct {
	Tools     ListDiff `json:"tools,omitzero"`
	Resources ListDiff `json:"resources,omitzero"`
	Templates ListDiff `json:"templates,omitzero"`
	Prompts   ListDiff `json:"prompts,omitzero"`
}

// Empty reports whether nothing differs.
func (d *Diff) Empty() bool {
	return d.Tools.Empty() && d.Resources.Empty() && d.Templates.Empty() && d.Prompts.Empty()
}

// ListDiff is the difference of one list.
type ListDiff struct {
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
	Changed []string `json:"changed,omitempty"`
}

// IsZero is Empty, for encoding/json.
func (d ListDiff) IsZero() bool { return d.Empty() }

// Empty reports whether nothing differs.
func (d *ListDiff) Empty() bool { return len(d.Added)+len(d.Removed)+len(d.Changed) == 0 }

// fingerprint returns the digest of a description. kind makes the digests of a tool and a
// prompt with the same text differ.
func fingerprint(kind string, raw []byte) (string, error) {
	form, err := canon.Append(append(make([]byte, 0, len(raw)+16), "mcp-"+kind+"\x00"...), raw)
	if err != nil {
		return "", err
	}
	return canon.Digest(form), nil
}

// ParseTool reads the description of a tool. It returns an error if the tool has no name,
// schema or canonical form and so cannot be called safely.
func ParseTool(raw json.RawMessage) (*OfferedTool, error) {
	t := &OfferedTool{Raw: slices.Clone(raw)}
	all := rpc.Object(t.Raw)
	if all == nil {
		return nil, errors.New("its description is no object")
	}
	t.Name, _ = rpc.Text(all["name"])
	if t.Name == "" || len(t.Name) > 1024 {
		return nil, errors.New("it has no name, or a name of more than 1,024 bytes")
	}
	t.Title, _ = rpc.Text(all["title"])
	t.Description, _ = rpc.Text(all["description"])
	if t.InputSchema = all["inputSchema"]; !rpc.IsObject(t.InputSchema) {
		return nil, fmt.Errorf("%q has no input schema", t.Name)
	}
	if out := all["outputSchema"]; rpc.IsObject(out) {
		t.OutputSchema = out
	}
	hints := rpc.Object(all["annotations"])
	if title, _ := rpc.Text(hints["title"]); t.Title == "" {
		t.Title = title
	}
	t.Annotations = toolspec.Annotations{ReadOnly: flag(hints["readOnlyHint"]), Destructive: flag(hints["destructiveHint"]),
		Idempotent: flag(hints["idempotentHint"]), OpenWorld: flag(hints["openWorldHint"])}
	t.Icons = rpc.ParseIcons(all["icons"])
	support, _ := rpc.Text(rpc.Object(all["execution"])["taskSupport"])
	_ = t.Task.UnmarshalText([]byte(support)) // TaskNever on failure
	var err error
	if t.Fingerprint, err = fingerprint("tool", t.Raw); err != nil {
		return nil, fmt.Errorf("%q has no canonical form: %w", t.Name, err)
	}
	return t, nil
}

func flag(raw []byte) *bool {
	switch string(raw) {
	case "true":
		yes := true
		return &yes
	case "false":
		no := false
		return &no
	}
	return nil
}

func decodeItem(kind, key string, raw []byte) (OfferedItem, error) {
	item := OfferedItem{Raw: slices.Clone(raw)}
	item.Key, _ = rpc.Text(rpc.Object(item.Raw)[key])
	if item.Key == "" {
		return item, fmt.Errorf("it has no %s", key)
	}
	var err error
	if item.Fingerprint, err = fingerprint(kind, item.Raw); err != nil {
		return item, fmt.Errorf("%q has no canonical form: %w", item.Key, err)
	}
	return item, nil
}

// addTool parses one tool into the snapshot. A second tool with the same name is left
// out, because it would be undefined which of the two runs.
func (s *Snapshot) addTool(raw []byte) {
	t, err := ParseTool(raw)
	switch {
	case err != nil:
		s.problem("a tool is left out: %v", err)
	case s.byName[t.Name] != nil:
		s.problem("a tool is left out: there is a second %q", t.Name)
	default:
		if s.byName == nil {
			s.byName = map[string]*OfferedTool{}
		}
		s.byName[t.Name] = t
		s.Tools = append(s.Tools, t)
	}
}

func addItem(s *Snapshot, list *[]OfferedItem, kind, key string, raw []byte) {
	item, err := decodeItem(kind, key, raw)
	if err != nil {
		s.problem("a %s is left out: %v", kind, err)
		return
	}
	*list = append(*list, item)
}

const maxProblems = 20

func (s *Snapshot) problem(format string, args ...any) {
	if len(s.Problems) < maxProblems {
		s.Problems = append(s.Problems, clip.To(fmt.Sprintf(format, args...), 300))
	}
}

// arrange sorts the lists and removes duplicates.
func (s *Snapshot) arrange() {
	slices.SortFunc(s.Tools, func(a, b *OfferedTool) int { return strings.Compare(a.Name, b.Name) })
	for _, list := range []*[]OfferedItem{&s.Resources, &s.Templates, &s.Prompts} {
		slices.SortStableFunc(*list, func(a, b OfferedItem) int { return strings.Compare(a.Key, b.Key) })
		*list = slices.CompactFunc(*list, func(a, b OfferedItem) bool { return a.Key == b.Key })
	}
}

// diffTo returns how s differs from the earlier snapshot; nil counts as empty.
func (s *Snapshot) diffTo(before *Snapshot) *Diff {
	if before == nil {
		before = &Snapshot{}
	}
	return &Diff{Tools: diffLists(toolItems(before.Tools), toolItems(s.Tools)),
		Resources: diffLists(before.Resources, s.Resources), Templates: diffLists(before.Templates, s.Templates),
		Prompts: diffLists(before.Prompts, s.Prompts)}
}

func toolItems(tools []*OfferedTool) []OfferedItem {
	items := make([]OfferedItem, len(tools))
	for i, t := range tools {
		items[i] = OfferedItem{Key: t.Name, Fingerprint: t.Fingerprint}
	}
	return items
}

// diffLists compares two lists that are sorted by key.
func diffLists(before, after []OfferedItem) (d ListDiff) {
	for len(before)+len(after) > 0 {
		order := 0
		switch {
		case len(before) == 0:
			order = 1
		case len(after) == 0:
			order = -1
		default:
			order = strings.Compare(before[0].Key, after[0].Key)
		}
		switch {
		case order < 0:
			d.Removed = append(d.Removed, before[0].Key)
			before = before[1:]
		case order > 0:
			d.Added = append(d.Added, after[0].Key)
			after = after[1:]
		default:
			if before[0].Fingerprint != after[0].Fingerprint {
				d.Changed = append(d.Changed, after[0].Key)
			}
			before, after = before[1:], after[1:]
		}
	}
	return d
}

// storedSnapshot is a snapshot in its stored form.
type storedSnapshot struct {
	// Definition is the digest of the connection over which it was learnt, Owner the
	// digest of the principal that a private snapshot is for (see [upstream.ownerDigest]),
	// Name the name that the server gave itself.
	Definition string            `json:"definition"`
	Owner      string            `json:"owner,omitempty"`
	Name       string            `json:"name,omitempty"`
	At         time.Time         `json:"at"`
	Tools      []json.RawMessage `json:"tools,omitempty"`
	Resources  []json.RawMessage `json:"resources,omitempty"`
	Templates  []json.RawMessage `json:"resourceTemplates,omitempty"`
	Prompts    []json.RawMessage `json:"prompts,omitempty"`
}

func (s *Snapshot) stored(definition, owner string) ([]byte, error) {
	out := storedSnapshot{Definition: definition, Owner: owner, Name: s.Info.Server.Name, At: s.At}
	for _, t := range s.Tools {
		out.Tools = append(out.Tools, t.Raw)
	}
	for _, list := range []struct {
		from []OfferedItem
		to   *[]json.RawMessage
	}{{s.Resources, &out.Resources}, {s.Templates, &out.Templates}, {s.Prompts, &out.Prompts}} {
		for _, item := range list.from {
			*list.to = append(*list.to, item.Raw)
		}
	}
	return json.Marshal(out)
}

// restoreSnapshot parses a stored snapshot and recomputes the fingerprints. It returns
// nil if the snapshot was learnt over another connection or is for another principal.
func restoreSnapshot(server, definition, owner string, data []byte) (*Snapshot, error) {
	var in storedSnapshot
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, err
	}
	if in.Definition != definition || in.Owner != "" && in.Owner != owner {
		return nil, nil
	}
	s := &Snapshot{Server: server, Change: 1, At: in.At, Restored: true, private: in.Owner != ""}
	s.Info.Server.Name = in.Name
	for _, raw := range in.Tools {
		s.addTool(raw)
	}
	for _, raw := range in.Resources {
		addItem(s, &s.Resources, "resource", "uri", raw)
	}
	for _, raw := range in.Templates {
		addItem(s, &s.Templates, "template", "uriTemplate", raw)
	}
	for _, raw := range in.Prompts {
		addItem(s, &s.Prompts, "prompt", "name", raw)
	}
	s.arrange()
	return s, nil
}
