package mcphub

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/yosida95/uritemplate/v3"
)

// pattern is a compiled URI template.
type pattern struct {
	template *uritemplate.Template
	prefix   string // the start of every match
	names    []string
}

const (
	maxTemplate     = 2 << 10 // bytes
	maxVariables    = 32
	maxPrefixLength = 512 // characters: the limit for the sum of a template's prefix modifiers
)

// parseTemplate parses a URI template. Templates that would make matching expensive are
// rejected, because templates also come from other servers.
func parseTemplate(text string) (*pattern, error) {
	if text == "" || len(text) > maxTemplate {
		return nil, fmt.Errorf("a URI template has 1 to %d bytes", maxTemplate)
	}
	t, err := uritemplate.New(text)
	if err != nil {
		return nil, fmt.Errorf("it is no URI template: %w", err)
	}
	p := &pattern{template: t, prefix: text, names: t.Varnames()}
	if i := strings.IndexByte(text, '{'); i >= 0 {
		p.prefix = text[:i]
	}
	if len(p.names) == 0 {
		return nil, errors.New("it has no variable: it is a resource, not a template")
	}
	if strings.Count(text, "{") > maxVariables || len(p.names) > maxVariables {
		return nil, fmt.Errorf("it has more than %d variables", maxVariables)
	}
	if prefixLengths(text) > maxPrefixLength {
		return nil, fmt.Errorf("its prefix modifiers add up to more than %d characters", maxPrefixLength)
	}
	return p, nil
}

// prefixLengths returns the sum of the prefix modifiers of a valid template.
func prefixLengths(text string) (total int) {
	for rest := text; ; {
		_, after, found := strings.Cut(rest, "{")
		if !found {
			return total
		}
		var expression string
		expression, rest, _ = strings.Cut(after, "}")
		for spec := range strings.SplitSeq(expression, ",") {
			if _, length, has := strings.Cut(spec, ":"); has {
				n, _ := strconv.Atoi(length)
				total += n
			}
		}
	}
}

func (p *pattern) has(name string) bool { return slices.Contains(p.names, name) }

// match returns the variables of a URI that matches the template, or false.
func (p *pattern) match(uri string) (map[string]string, bool) {
	if len(uri) > rpc.MaxURI || !strings.HasPrefix(uri, p.prefix) {
		return nil, false
	}
	values := p.template.Match(uri)
	if values == nil {
		return nil, false
	}
	variables := make(map[string]string, len(values))
	for name, value := range values {
		name, _, _ = strings.Cut(name, ":") // a prefix modifier
		variables[name] = strings.Join(value.V, ",")
	}
	return variables, true
}
