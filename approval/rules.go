package approval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/localpass/localpass/internal/canon"
)

const (
	maxRules   = 64   // rules per policy
	maxPattern = 1000 // the maximum length of a rule's text in bytes
	maxReason  = 400  // bytes
)

// truth is the result of an operator for a value. If the operator cannot tell, the rule
// applies, with or without Not.
type truth uint8

const (
	no truth = iota
	yes
	unsure
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// compiledRule is a validated rule.
type compiledRule struct {
	Rule
	path  []string           // the parts of the JSON Pointer
	text  string             // the value of a string operator
	forms map[string]bool    // the canonical forms of the values of equals and oneOf
	re    *regexp.Regexp     // the expression of matches
	on    func(string) truth // a string operator
}

// compile validates the rule. The error names the invalid member.
func (r Rule) compile() (*compiledRule, error) {
	c := &compiledRule{Rule: r}
	var err error
	if c.path, err = parsePointer(r.Pointer); err != nil {
		return nil, err
	}
	if r.Effect != EffectDeny && r.Effect != EffectAsk {
		return nil, fmt.Errorf(`effect: %q is not an effect of a rule: use "deny" or "ask"; a rule cannot allow`, string(r.Effect))
	}
	if len(r.Reason) > maxReason {
		return nil, fmt.Errorf("reason: is longer than %d bytes", maxReason)
	}
	if len(r.Value) > 16*maxPattern {
		return nil, fmt.Errorf("value: is longer than %d bytes", 16*maxPattern)
	}
	switch r.Operator {
	case Absent:
		if len(r.Value) > 0 {
			return nil, errors.New("value: the operator absent takes none: leave it out")
		}
		return c, nil
	case Equals, OneOf:
		return c, c.compileForms()
	case Prefix, Under, Host, Matches:
	default:
		return nil, fmt.Errorf("operator: %q is not known: use equals, oneOf, prefix, under, host, matches or absent", string(r.Operator))
	}
	if json.Unmarshal(r.Value, &c.text) != nil || len(r.Value) == 0 || r.Value[0] != '"' || c.text == "" {
		return nil, fmt.Errorf("value: %s compares with a text: give one in quotes", r.Operator)
	}
	if len(c.text) > maxPattern {
		return nil, fmt.Errorf("value: is longer than %d bytes", maxPattern)
	}
	switch r.Operator {
	case Prefix:
		c.on = func(s string) truth { return truthOf(strings.HasPrefix(s, c.text)) }
	case Under:
		root := strings.ReplaceAll(c.text, `\`, "/")
		if climbs(root) {
			return nil, errors.New(`value: the path has "..": write where it leads`)
		}
		root = path.Clean(root)
		c.on = func(s string) truth { return under(s, root) }
	case Host:
		name, below := strings.CutPrefix(strings.ToLower(c.text), "*.")
		if host, ok := hostOf(name); !ok || host != name {
			return nil, fmt.Errorf("value: %q is no host name: write one such as example.com, or *.example.com for all below it", c.text)
		}
		c.on = func(s string) truth { return hostIs(s, name, below) }
	case Matches:
		if c.re, err = regexp.Compile(c.text); err != nil {
			return nil, fmt.Errorf("value: %w", err)
		}
		c.on = func(s string) truth { return truthOf(c.re.MatchString(s)) }
	}
	return c, nil
}

func (c *compiledRule) compileForms() error {
	var values []json.RawMessage
	if c.Operator == Equals {
		values = append(values, c.Value)
	} else if json.Unmarshal(c.Value, &values) != nil || len(values) == 0 {
		return errors.New("value: oneOf compares with an array of at least one value")
	}
	c.forms = make(map[string]bool, len(values))
	for _, v := range values {
		form, err := canon.Transform(v)
		if err != nil {
			return fmt.Errorf("value: %w", err)
		}
		c.forms[string(form)] = true
	}
	return nil
}

// applies reports whether the rule applies to arguments, which must be in canonical form.
// Numbers are not converted.
func (c *compiledRule) applies(arguments json.RawMessage) bool {
	value, there := lookUp(arguments, c.path)
	t := no
	switch {
	case c.Operator == Absent:
		if t = truthOf(!there); there && string(value) == "null" {
			t = unsure // some tools treat null like a missing value, some do not
		}
	case !there:
	case c.forms != nil:
		t = truthOf(c.forms[string(value)])
	default:
		return c.appliesTo(value)
	}
	return t == unsure || (t == yes) != c.Not
}

// appliesTo applies a string operator to a text, or to each element of an array of texts.
func (c *compiledRule) appliesTo(value json.RawMessage) bool {
	var list []json.RawMessage
	if value[0] == '[' && json.Unmarshal(value, &list) == nil {
		for _, v := range list {
			if c.appliesTo(v) {
				return true
			}
		}
		return false
	}
	var text string
	t := unsure // a number or an object, for which the operator is not defined
	if value[0] == '"' && json.Unmarshal(value, &text) == nil {
		t = c.on(text)
	}
	return t == unsure || (t == yes) != c.Not
}

// parsePointer splits a JSON Pointer (RFC 6901).
func parsePointer(p string) ([]string, error) {
	if p == "" {
		return nil, nil
	}
	if p[0] != '/' {
		return nil, fmt.Errorf("pointer: %q is no JSON Pointer: it begins with a slash, such as /path", p)
	}
	if len(p) > maxPattern {
		return nil, fmt.Errorf("pointer: is longer than %d bytes", maxPattern)
	}
	parts := strings.Split(p[1:], "/")
	for i, part := range parts {
		for k := 0; k < len(part); k++ {
			if part[k] == '~' && (k+1 == len(part) || part[k+1] != '0' && part[k+1] != '1') {
				return nil, fmt.Errorf("pointer: %q has a ~ that is not ~0 or ~1", p)
			}
		}
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
	}
	return parts, nil
}

// lookUp returns the value at a path. Its bytes are canonical, because value is.
func lookUp(value json.RawMessage, path []string) (json.RawMessage, bool) {
	for _, part := range path {
		switch value[0] {
		case '{':
			var members map[string]json.RawMessage
			if json.Unmarshal(value, &members) != nil {
				return nil, false
			}
			next, ok := members[part]
			if !ok {
				return nil, false
			}
			value = next
		case '[':
			var list []json.RawMessage
			i, err := strconv.Atoi(part)
			if err != nil || strconv.Itoa(i) != part || json.Unmarshal(value, &list) != nil || i < 0 || i >= len(list) {
				return nil, false
			}
			value = list[i]
		default:
			return nil, false
		}
	}
	return bytes.TrimSpace(value), true
}

// climbs reports whether a path contains a "..", or a part that some systems treat like
// "..".
func climbs(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if len(part) > 1 && strings.Trim(part, ". ") == "" {
			return true
		}
	}
	return false
}

// under returns whether a path is root or below it, judging only by the text. It cannot
// tell if this depends on the system or on the tool's working directory.
func under(s, root string) truth {
	s = strings.ReplaceAll(s, `\`, "/")
	switch {
	case s == "", strings.ContainsRune(s, 0), strings.HasPrefix(s, "~"), strings.HasPrefix(s, "//"), strings.Contains(s, "://"), climbs(s):
		return unsure
	case path.IsAbs(s) != path.IsAbs(root):
		return unsure
	}
	s = path.Clean(s)
	if s == root || root == "." || strings.HasPrefix(s, strings.TrimSuffix(root, "/")+"/") {
		return yes
	}
	lower, lowerRoot := strings.ToLower(s), strings.ToLower(root)
	if lower == lowerRoot || strings.HasPrefix(lower, strings.TrimSuffix(lowerRoot, "/")+"/") {
		return unsure // equal only if case is ignored
	}
	return no
}

// hostIs returns whether s, a URL or a host, has the host name or, with below, a
// subdomain of name.
func hostIs(s, name string, below bool) truth {
	host, ok := hostOf(s)
	switch {
	case !ok:
		return unsure
	case below:
		return truthOf(strings.HasSuffix(host, "."+name))
	}
	return truthOf(host == name)
}

// hostOf returns the host of a URL, or of a text that is only a host, in the normalized
// form in which hosts are compared. It returns false for texts that clients interpret
// differently: blanks, backslashes, non-ASCII names, unusual spellings of an IP address.
func hostOf(s string) (string, bool) {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f || s[i] == '\\' {
			return "", false
		}
	}
	if !strings.Contains(s, "://") {
		if strings.Contains(s, "@") {
			return "", false
		}
		if addr, err := netip.ParseAddr(s); err == nil && addr.Is6() {
			s = "[" + s + "]"
		} else if _, after, found := strings.Cut(s[strings.LastIndexByte(s, ']')+1:], ":"); found {
			if end := strings.IndexAny(after, "/?#"); end >= 0 {
				after = after[:end]
			}
			if after == "" || strings.Trim(after, "0123456789") != "" {
				return "", false // some clients accept https:/example.com and https:example.com as URLs
			}
		}
		s = "//" + strings.TrimPrefix(s, "//")
	}
	u, err := url.Parse(s)
	if err != nil || u.Opaque != "" {
		return "", false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().WithZone("").String(), true
	}
	if host == "" || strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789-._") != "" {
		return "", false
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == "" || last[0] >= '0' && last[0] <= '9' {
		return "", false // 127.1, 2130706433, 0x7f000001
	}
	return host, true
}
