package toolspec

import (
	"fmt"
	"strings"

	"github.com/localpass/localpass/toolspec/internal/hosts"
	"github.com/localpass/localpass/toolspec/internal/jsnames"
)

// This file makes the remedies of problems, as specific as the mistake allows.

// nameRemedy returns the remedy for a name that is no identifier.
func nameRemedy(name string) string {
	const rule = "letters, digits, '_' and '$', not beginning with a digit"
	like := strings.Map(func(r rune) rune {
		if jsnames.IsIdentifier("a" + string(r)) {
			return r
		}
		return '_'
	}, strings.TrimSpace(name))
	if !jsnames.IsIdentifier(like) {
		like = "_" + like
	}
	if strings.Trim(like, "_") == "" || jsnames.IsReserved(like) || jsnames.IsInjected(like) || len(like) > 40 {
		return "use " + rule
	}
	return fmt.Sprintf("write %s: %s", excerpt(like), rule)
}

// hostRemedy returns the remedy for an entry of hostsAllow that names no host.
func hostRemedy(pattern string) string {
	methods, rest, _ := hosts.CutRule(strings.TrimSpace(pattern))
	if strings.Contains(pattern, "://") {
		_, rest, _ = strings.Cut(pattern, "://")
		methods = ""
	}
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	if end := strings.IndexAny(rest, "/?#\\"); end >= 0 {
		rest = rest[:end]
	}
	if like := methods + rest; like != pattern && hosts.Check(like) == "" {
		return "write " + excerpt(like)
	}
	return "write a host such as api.example.com, *.example.com, api.example.com:8443 or GET api.example.com/v1/*"
}

// placeholderRemedy returns the remedy for a text that looks like a placeholder but is
// none.
func placeholderRemedy(text string) string {
	name, _, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(text, "${"), "}"), ":")
	like := strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(strings.TrimSpace(name)))
	if isPlaceholderName(like) && len(like) <= 40 {
		return fmt.Sprintf(`write "${%s}": upper-case letters, digits and '_', without a default value`, like)
	}
	return "write the name in upper case: letters, digits and '_'; there are no default values"
}
