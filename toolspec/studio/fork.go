package studio

import (
	"context"
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/toolspec"
)

// Fork saves a copy of the spec with a new tool id, an unused name ("copyOfEcho", then
// "copyOfEcho2"), and a vendor member "x-forked-from" that names the original. The copy
// is a draft without a pass. The original is not changed and need not be stored here, so
// you can fork a bundled tool to change it.
func (s *Studio) Fork(ctx context.Context, spec *toolspec.Spec) (Draft, error) {
	if spec == nil {
		return Draft{}, noSpec("fork")
	}
	fork, err := spec.Fork()
	if err != nil {
		return Draft{}, fmt.Errorf("studio: fork %s: %w", strconv.Quote(spec.Name), err)
	}

	s.naming.Lock()
	defer s.naming.Unlock()
	stock, err := s.inventory(ctx)
	if err != nil {
		return Draft{}, fmt.Errorf("studio: fork %s: %w", strconv.Quote(spec.Name), err)
	}
	fork.Name = freeName(copyName(spec.Name), stock.hasName)
	return s.SaveDraft(ctx, Draft{Spec: fork})
}

// inventory holds the names and tool ids that are in use.
type inventory struct {
	pins   map[string]string
	drafts map[string]Draft  // by tool id; Spec is nil if the document cannot be read
	names  map[string]string // to the tool id
}

func (s *Studio) inventory(ctx context.Context) (*inventory, error) {
	stock := &inventory{pins: s.opts.Pins, drafts: make(map[string]Draft), names: make(map[string]string)}
	for _, p := range s.Published() {
		stock.names[p.core.def.Name] = p.core.id
	}
	for doc, err := range s.store.List(ctx, collectionSpecs, localpass.ListOptions{}) {
		if err != nil {
			return nil, err
		}
		draft, err := readDraft(doc)
		if err != nil {
			draft = Draft{Version: doc.Version} // its id is still in use
		}
		stock.add(doc.Key, draft)
	}
	return stock, nil
}

func (i *inventory) add(id string, draft Draft) {
	i.drafts[id] = draft
	if draft.Spec != nil {
		if _, taken := i.names[draft.Spec.Name]; !taken {
			i.names[draft.Spec.Name] = id
		}
	}
}

func (i *inventory) hasName(name string) bool {
	_, pinned := i.pins[name]
	_, named := i.names[name]
	return pinned || named
}

// maxOwnName bounds generated names, to leave room for a number.
const maxOwnName = 120

// copyName returns the name of a first copy.
func copyName(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return cutName("copyOf" + string(unicode.ToUpper(first)) + name[size:])
}

// cutName shortens a name so that a number can be appended.
func cutName(name string) string {
	if len(name) <= maxOwnName {
		return name
	}
	end := maxOwnName
	for !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end]
}

// freeName returns the first of name, name2, name3, … that is not taken.
func freeName(name string, taken func(string) bool) string {
	free := name
	for n := 2; taken(free); n++ {
		free = name + strconv.Itoa(n)
	}
	return free
}
