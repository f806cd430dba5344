package scan

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/localpass/localpass/internal/poison"
)

// text is one text of a definition that a model or a person sees.
type text struct {
	where string
	text  string
	param bool // it describes a parameter
	name  bool // it is a name or a value, and no prose
}

// definition is what is read of a tool, prompt or resource.
type definition struct {
	name, title, description string
	params                   map[string]bool
	texts                    []text
	readOnly                 bool
	refs                     []string // references of schemas to other documents
}

// maxDepth is how deep a definition is read. Deeper ones are reported.
const maxDepth = 32

// read reads a definition. What is wrong with it comes back as findings.
func read(raw json.RawMessage) (definition, []Finding) {
	d := definition{params: map[string]bool{}}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		return d, []Finding{newFinding(ruleUnreadable, High, "", excerpt(string(raw)))}
	}
	stringAt := func(key string) string {
		var s string
		_ = json.Unmarshal(object[key], &s)
		return s
	}
	d.name, d.title, d.description = stringAt("name"), stringAt("title"), stringAt("description")
	if d.name == "" {
		d.name = stringAt("uri")
	}
	var hints struct {
		ReadOnlyHint bool `json:"readOnlyHint"`
	}
	_ = json.Unmarshal(object["annotations"], &hints)
	d.readOnly = hints.ReadOnlyHint
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(object["inputSchema"], &schema)
	for name := range schema.Properties {
		d.params[folded(name)] = true
	}
	keys := make([]string, 0, len(object))
	for key := range object {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	deep := false
	for _, key := range keys {
		if key == "_meta" {
			continue
		}
		var value any
		if json.Unmarshal(object[key], &value) == nil {
			deep = !d.walk(key, key, value, 0) || deep
		}
	}
	var found []Finding
	if deep {
		found = append(found, newFinding(ruleUnreadable, High, "inputSchema", ""))
	}
	for _, ref := range d.refs {
		found = append(found, newFinding(ruleSchema, High, "inputSchema", excerpt(ref)))
	}
	return d, found
}

// walk collects the texts below a value. It reports false for one that is too deep.
func (d *definition) walk(where, key string, value any, depth int) bool {
	if depth > maxDepth {
		return false
	}
	whole := true
	switch v := value.(type) {
	case string:
		if key == "$ref" && !strings.HasPrefix(v, "#") {
			d.refs = append(d.refs, v)
		}
		spaces := strings.ContainsFunc(v, unicode.IsSpace)
		if v != "" && (spaces || key != "$schema" && key != "type" && key != "mimeType") {
			prose := spaces || key == "description" || key == "title"
			d.texts = append(d.texts, text{where: where, text: v, param: strings.Contains(where, "properties.") || strings.HasPrefix(where, "arguments"), name: !prose})
		}
	case []any:
		for _, item := range v {
			whole = d.walk(where, key, item, depth+1) && whole
		}
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			if strings.HasSuffix(where, "properties") { // the name of a parameter is text too
				d.texts = append(d.texts, text{where: where + "." + k, text: spaced(k), param: true, name: true})
			}
			whole = d.walk(where+"."+k, k, v[k], depth+1) && whole
		}
	}
	return whole
}

// spaced writes a name in code as words.
func spaced(name string) string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		switch {
		case r == '_' || r == '-' || r == '.' || r == '/':
			r = ' '
		case unicode.IsUpper(r) && lower:
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(r)
	}
	return b.String()
}

func newFinding(rule string, severity Severity, where, found string) Finding {
	return Finding{Rule: rule, Severity: severity, Where: where, Length: len(found), Text: found, Why: why(rule), Do: adviceFor(rule)}
}

// excerpt cuts a text short, with the characters that cannot be seen written out.
func excerpt(s string) string { return poison.Excerpt(s) }
