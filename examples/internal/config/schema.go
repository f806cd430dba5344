package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Schema returns the JSON Schema of the file, which editors use to complete and check it.
func Schema() []byte {
	root := object()
	root["$schema"] = "http://json-schema.org/draft-07/schema#" // the version that editors support
	root["title"] = "localpass"
	top := root["properties"].(map[string]any)
	top["$schema"] = map[string]any{"type": "string", "description": "Where this schema is."}
	for _, k := range Knobs() {
		place(root, strings.Split(k.Name, "."), k.schema())
	}
	profile := object()
	for _, k := range members() {
		place(profile, strings.Split(k.Name, "."), k.schema())
	}
	profile["required"] = []string{"provider"}
	top["profiles"] = map[string]any{
		"type": "object", "description": "Servers of models, by names of your own. Each is whole: no URL, key or header of one is used with another.",
		"additionalProperties": profile, "maxProperties": maxProfiles,
		"propertyNames": map[string]any{"pattern": "^[A-Za-z0-9_-]{1,40}$", "not": map[string]any{"enum": reserved()}},
	}
	raw, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic(err) // a test generates the schema
	}
	return append(raw, '\n')
}

func object() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any{}}
}

// place puts a schema at a path below an object.
func place(at map[string]any, path []string, schema map[string]any) {
	properties := at["properties"].(map[string]any)
	if len(path) == 1 {
		properties[path[0]] = schema
		return
	}
	next, ok := properties[path[0]].(map[string]any)
	if !ok {
		next = object()
		properties[path[0]] = next
	}
	place(next, path[1:], schema)
}

const (
	durationPattern    = `^([0-9]+d|0|([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$`
	sizePattern        = `^[0-9]+ ?(B|KiB|MiB|GiB)$`
	placeholderPattern = `^\$\{[^}]+\}$`
)

// schema returns the schema of the value of a knob.
func (k *Knob) schema() map[string]any {
	out := map[string]any{"description": k.Sentence()}
	number := func(text string) any {
		n, _ := strconv.ParseFloat(text, 64)
		return n
	}
	switch k.Kind() {
	case kindInteger, kindNumber:
		if out["type"] = "integer"; k.Kind() == kindNumber {
			out["type"] = "number"
		}
		if k.Min != "" {
			out["minimum"] = number(k.Min)
		}
		if k.Max != "" {
			out["maximum"] = number(k.Max)
		}
	case kindBoolean:
		out["type"] = "boolean"
	case kindDuration:
		out["type"], out["pattern"] = "string", durationPattern
	case kindSize:
		out["type"], out["pattern"] = "string", sizePattern
	case kindList:
		item := map[string]any{"type": "string", "minLength": 1}
		if k.Choices != nil {
			item["enum"] = k.Choices
		}
		out["type"], out["items"], out["uniqueItems"] = "array", item, true
	case kindPairs:
		out["type"], out["additionalProperties"] = "object", map[string]any{"type": "string"}
	default:
		out["type"] = "string"
		if k.Name != "chat.systemPrompt" {
			out["minLength"] = 1
		}
		if k.Choices != nil {
			out["enum"] = k.Choices
		}
		if k.Secret {
			out["pattern"] = placeholderPattern
		}
	}
	return out
}

// Sentence returns the help with the default and the bounds.
func (k *Knob) Sentence() string {
	text := strings.ReplaceAll(k.Help, "`", "")
	if d := k.defaultText(); d != "" {
		text += " Default: " + d + "."
	}
	if b := k.bounds(); b != "" {
		text += " Allowed: " + b + "."
	}
	return text
}

// defaultText names the default, and the differing defaults of single programs.
func (k *Knob) defaultText() string {
	text := k.Default
	for _, p := range programs() {
		if d, ok := k.Defaults[p]; ok {
			text += fmt.Sprintf(", in %s %s", p, d)
		}
	}
	return text
}

func (k *Knob) bounds() string {
	unit := ""
	if k.Unit != "" {
		unit = " " + k.Unit
	}
	switch {
	case k.Choices != nil && k.Kind() == kindText:
		return strings.Join(k.Choices, ", ")
	case k.Min != "" && k.Max != "":
		return k.Min + " to " + k.Max + unit
	case k.Max != "":
		return "up to " + k.Max + unit
	case k.Min != "":
		return k.Min + unit + " or more"
	}
	return ""
}

// sectionTitles are the titles of the sections in the docs, in order.
var sectionTitles = []struct{ id, title string }{
	{sectionModels, "Which model"}, {sectionChat, "Conversations"}, {sectionSafety, "Tools and approval"},
	{sectionMCP, "The MCP server, and other servers"}, {sectionNetwork, "The page"}, {sectionStorage, "What is kept"},
}

// Table returns the table of all knobs for docs/configuration.md, in Markdown.
func Table() string {
	var b strings.Builder
	for _, section := range sectionTitles {
		fmt.Fprintf(&b, "### %s\n\n| name | what | default | flag, variable | programs |\n| --- | --- | --- | --- | --- |\n", section.title)
		for _, k := range Knobs() {
			if k.Section == section.id {
				k.row(&b)
			}
		}
		b.WriteString("\n")
		if section.id != sectionModels {
			continue
		}
		b.WriteString("### Members of a profile\n\n| name | what |\n| --- | --- |\n")
		for _, k := range members() {
			fmt.Fprintf(&b, "| `%s` | %s |\n", k.Name, cell(k.Help, k.bounds()))
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func cell(help, bounds string) string {
	text := strings.ReplaceAll(help, "`", "")
	if bounds != "" {
		text += " (" + bounds + ")"
	}
	return strings.ReplaceAll(text, "|", `\|`)
}

// row writes the row of a knob in the docs.
func (k *Knob) row(b *strings.Builder) {
	var ways, in []string
	for _, p := range programs() {
		if name := k.Flags[p]; name != "" && !slices.Contains(ways, "`-"+name+"`") {
			ways = append(ways, "`-"+name+"`")
		}
		if k.in(p) {
			in = append(in, string(p))
		}
	}
	if v := k.Variable(); v != "" {
		ways = append(ways, "`"+v+"`")
	}
	programs := strings.Join(in, ", ")
	if len(in) == 3 {
		programs = "all"
	}
	value := k.defaultText()
	if value != "" {
		value = "`" + strings.ReplaceAll(value, ", in ", "`, in ") + "`"
		if i := strings.LastIndex(value, " "); len(k.Defaults) > 0 && i > 0 {
			value = value[:i+1] + "`" + value[i+1:]
		}
	}
	fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", k.Name, cell(k.Help, k.bounds()), value, strings.Join(ways, ", "), programs)
}
