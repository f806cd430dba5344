package parser

import (
	"errors"
	"fmt"
	"github.com/localpass/localpass/internal/clip"
	"io"
	"strings"

	"github.com/dop251/goja"
	"go.yaml.in/yaml/v3"
)

// yaml implements safety.parser.yaml(text).
func (h *host) yaml(call goja.FunctionCall) goja.Value {
	const helper = "yaml"
	text := h.input(call, helper)
	node, err := parseYAML(text, h.limits, h.opts.Stopped)
	if err != nil {
		h.failed(helper, err)
	}
	if node == nil {
		return goja.Null()
	}
	b := yamlBuilder{host: h, clock: clock{stopped: h.opts.Stopped}}
	v, err := b.value(node, 0)
	if err != nil {
		h.failed(helper, err)
	}
	return v
}

// parseYAML reads the single document of a text, nil if the text is empty.
func parseYAML(text string, limits Limits, stopped func() bool) (node *yaml.Node, err error) {
	if err := tooLong(text, limits.YAMLBytes); err != nil {
		return nil, err
	}
	source := &yamlReader{rest: text, stopped: stopped}
	defer func() {
		switch x := recover(); {
		case source.ended:
			node, err = nil, errStopped
		case x != nil: // the library panics on some texts
			node, err = nil, fmt.Errorf("the text cannot be read: %v", x)
		}
	}()
	if err := forecastYAML(text, limits); err != nil {
		return nil, err
	}
	decoder := yaml.NewDecoder(source)
	var doc, more yaml.Node
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, plainYAML(err)
	}
	if err := decoder.Decode(&more); err == nil {
		return nil, errors.New("there is more than one document")
	} else if !errors.Is(err, io.EOF) {
		return nil, plainYAML(err)
	}
	if len(doc.Content) != 1 {
		return nil, nil
	}
	return doc.Content[0], nil
}

// plainYAML removes the name of the library from an error message.
func plainYAML(err error) error {
	return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
}

// yamlReader reads a text until the run is stopped.
type yamlReader struct {
	rest    string
	stopped func() bool
	ended   bool
}

func (r *yamlReader) Read(p []byte) (int, error) {
	if r.stopped != nil && r.stopped() {
		r.ended = true
		return 0, errStopped
	}
	if r.rest == "" {
		return 0, io.EOF
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// yamlBuilder converts nodes to values.
type yamlBuilder struct {
	clock
	*host
	nodes, aliases int
	// made holds the values of nodes with an anchor; a value is nil while it is under
	// construction.
	made map[*yaml.Node]goja.Value
}

func (b *yamlBuilder) countNode() error {
	if b.nodes++; b.nodes > b.limits.YAMLNodes {
		return fmt.Errorf("it holds more than %d values", b.limits.YAMLNodes)
	}
	return b.tick()
}

func at(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d: %s", n.Line, fmt.Sprintf(format, args...))
}

func (b *yamlBuilder) value(n *yaml.Node, depth int) (goja.Value, error) {
	if err := b.countNode(); err != nil {
		return nil, err
	}
	if depth > b.limits.YAMLDepth {
		return nil, at(n, "collections nest deeper than %d levels", b.limits.YAMLDepth)
	}
	if n.Anchor == "" {
		return b.plain(n, depth)
	}
	if b.made == nil {
		b.made = map[*yaml.Node]goja.Value{}
	}
	b.made[n] = nil
	v, err := b.plain(n, depth)
	b.made[n] = v
	return v, err
}

func (b *yamlBuilder) plain(n *yaml.Node, depth int) (goja.Value, error) {
	switch n.Kind {
	case yaml.ScalarNode:
		return b.scalar(n)
	case yaml.SequenceNode:
		if n.Tag != "!!seq" {
			return nil, at(n, "the tag %s is not allowed", clip.To(n.Tag, 64))
		}
		items := make([]any, 0, len(n.Content))
		for _, item := range n.Content {
			v, err := b.value(item, depth+1)
			if err != nil {
				return nil, err
			}
			items = append(items, v)
		}
		return b.vm.NewArray(items...), nil
	case yaml.MappingNode:
		return b.mapping(n, depth)
	case yaml.AliasNode:
		return b.alias(n)
	}
	return nil, at(n, "this is no value")
}

// alias returns the value at the anchor of an alias: the same object, not a copy.
func (b *yamlBuilder) alias(n *yaml.Node) (goja.Value, error) {
	if err := b.follow(n); err != nil {
		return nil, err
	}
	v := b.made[n.Alias]
	if v == nil {
		return nil, at(n, "the alias *%s is inside its own anchor", clip.To(n.Value, 64))
	}
	return v, nil
}

// follow counts an alias of a collection against the limit.
func (b *yamlBuilder) follow(n *yaml.Node) error {
	if n.Alias.Kind == yaml.ScalarNode {
		return nil
	}
	if b.aliases++; b.aliases > b.limits.YAMLAliases {
		return at(n, "more than %d aliases of collections", b.limits.YAMLAliases)
	}
	return nil
}

func (b *yamlBuilder) mapping(n *yaml.Node, depth int) (goja.Value, error) {
	if n.Tag != "!!map" {
		return nil, at(n, "the tag %s is not allowed", clip.To(n.Tag, 64))
	}
	obj := b.vm.NewObject()
	var seen map[string]bool // needed only for warnings and merges
	if b.opts.Warn != nil || hasMerge(n) {
		seen = make(map[string]bool, len(n.Content)/2)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if isMerge(key) {
			if err := b.merge(obj, value, seen, depth); err != nil {
				return nil, err
			}
			continue
		}
		name, err := keyName(key)
		if err != nil {
			return nil, err
		}
		if key.Anchor != "" { // an alias may refer to it
			if _, err := b.value(key, depth+1); err != nil {
				return nil, err
			}
		}
		v, err := b.value(value, depth+1)
		if err != nil {
			return nil, err
		}
		if seen != nil {
			if seen[name] && b.opts.Warn != nil {
				b.opts.Warn(fmt.Sprintf("yaml: line %d: the key %q occurs twice; the last one counts", key.Line, clip.To(name, 64)))
			}
			seen[name] = true
		}
		setProperty(obj, name, v)
	}
	return obj, nil
}

func isMerge(key *yaml.Node) bool { return key.Kind == yaml.ScalarNode && key.Tag == "!!merge" }

func hasMerge(n *yaml.Node) bool {
	for i := 0; i < len(n.Content); i += 2 {
		if isMerge(n.Content[i]) {
			return true
		}
	}
	return false
}

// keyName returns a key as it is written.
func keyName(key *yaml.Node) (string, error) {
	n := key
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.ScalarNode {
		return "", at(key, "a key is no scalar")
	}
	kind, err := scalarKind(n)
	if err != nil {
		return "", err
	}
	if kind == "!!null" {
		return "null", nil
	}
	return n.Value, nil
}

// merge adds to obj the members of a map, or of each map in a list, that obj does not
// have yet.
func (b *yamlBuilder) merge(obj *goja.Object, from *yaml.Node, seen map[string]bool, depth int) error {
	if err := b.countNode(); err != nil {
		return err
	}
	if depth > b.limits.YAMLDepth {
		return at(from, "collections nest deeper than %d levels", b.limits.YAMLDepth)
	}
	switch from.Kind {
	case yaml.AliasNode:
		if err := b.follow(from); err != nil {
			return err
		}
		if v, ok := b.made[from.Alias]; ok && v == nil {
			return at(from, "the alias *%s is inside its own anchor", clip.To(from.Value, 64))
		}
		return b.merge(obj, from.Alias, seen, depth+1)
	case yaml.SequenceNode:
		for _, item := range from.Content {
			if err := b.merge(obj, item, seen, depth+1); err != nil {
				return err
			}
		}
		return nil
	case yaml.MappingNode:
		v, err := b.merged(from, depth)
		if err != nil {
			return err
		}
		source, ok := v.(*goja.Object)
		if !ok {
			break
		}
		for _, name := range source.GetOwnPropertyNames() {
			if err := b.countNode(); err != nil {
				return err
			}
			if !seen[name] {
				seen[name] = true
				setProperty(obj, name, source.Get(name))
			}
		}
		return nil
	}
	return at(from, "<< takes a map or a list of maps")
}

// merged returns the object of a map to merge.
func (b *yamlBuilder) merged(n *yaml.Node, depth int) (goja.Value, error) {
	if v := b.made[n]; v != nil {
		return v, nil
	}
	return b.value(n, depth+1)
}
