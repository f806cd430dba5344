package toolspec

import (
	"encoding/json"
	"strings"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/canon/scan"
	"github.com/localpass/localpass/internal/termtext"
)

// Declaration describes the tool as a function in TypeScript, for code that calls it
// from a script: the arguments from its parameters, the result from its output schema,
// the comments from its descriptions. See [Declarations].
func (s *Spec) Declaration() string { return Declarations(s) }

// Declarations describes tools as functions in TypeScript:
//
//	/** Greets. */
//	declare function greet(args: {
//	  /** Whom to greet. */
//	  who: string;
//	}): Promise<unknown>;
//
// A tool whose name is no free identifier is a member of the object "tools",
// called as tools["get-weather"]({…}). What a schema says and a type cannot is
// left out; what cannot be resolved is unknown. The text depends on the specs
// alone.
func Declarations(specs ...*Spec) string {
	var b, bracketed strings.Builder
	for _, s := range specs {
		if s == nil {
			continue
		}
		if !isFreeName(s.Name) {
			s.declare(&bracketed, "  ", "", quoteTS(s.Name))
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		s.declare(&b, "", "declare function ", s.Name)
	}
	if bracketed.Len() > 0 {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("interface Tools {\n" + bracketed.String() + "}\ndeclare const tools: Tools;\n")
	}
	return b.String()
}

// isFreeName reports whether a function of the name can be declared beside the existing
// declarations.
func isFreeName(name string) bool {
	return isPlainKey(name) && !isReservedWord(name) && !isInjected(name) && !isBuiltin(name) && name != "tools"
}

// isPlainKey reports whether a name needs no quotes as the name of a member.
// Identifiers beyond ASCII are quoted: which ones there are differs by version.
func isPlainKey(name string) bool {
	for i := range len(name) {
		if !isNameByte(name[i]) {
			return false
		}
	}
	return isIdentifier(name)
}

func (s *Spec) declare(b *strings.Builder, indent, keyword, name string) {
	doc := s.Description
	if s.asks() {
		doc += "\n\nA person is asked before each call."
	}
	comment(b, indent, doc)
	b.WriteString(indent + keyword + name + "(" + s.argumentsTS(indent) + "): Promise<" + resultTS(s.OutputSchema, indent) + ">;\n")
}

// argumentsTS is the one parameter of the function.
func (s *Spec) argumentsTS(indent string) string {
	params, order := s.effectiveParams()
	if len(order) == 0 {
		return "args?: Record<string, never>"
	}
	var b strings.Builder
	optional := "?"
	inner := indent + "  "
	for _, name := range order {
		p := params[name]
		mark := "?"
		if p.Required {
			optional, mark = "", ""
		}
		doc := p.Description
		if p.Type == TypeInteger {
			doc += "\nA whole number."
		}
		comment(&b, inner, doc)
		b.WriteString(inner + keyTS(name) + mark + ": " + paramTS(p.Type) + ";\n")
	}
	return "args" + optional + ": {\n" + b.String() + indent + "}"
}

func paramTS(t ParamType) string {
	switch t {
	case TypeString:
		return "string"
	case TypeInteger, TypeNumber:
		return "number"
	case TypeBoolean:
		return "boolean"
	case TypeObject:
		return anyObjectTS
	case TypeArray:
		return "unknown[]"
	}
	return unknownTS
}

func resultTS(schema json.RawMessage, indent string) string {
	at, bad := scan.Text(schema, canon.MaxDepth)
	if bad != nil || len(schema) > maxTypeText {
		return unknownTS
	}
	t := &typer{root: at.Of(schema), left: maxTypes}
	return t.of(t.root, indent).text
}

func keyTS(name string) string {
	if isPlainKey(name) {
		return name
	}
	return quoteTS(name)
}

// quoteTS writes a string literal. What Visible writes for a character is also
// its escape in JavaScript.
func quoteTS(s string) string {
	return termtext.Escape(string(canon.AppendString(nil, s)))
}

// comment writes a documentation comment, when there is something to say. It
// ends where it should, and shows what it holds.
func comment(b *strings.Builder, indent, text string) {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), "\n") {
		line = strings.ReplaceAll(termtext.Escape(strings.TrimSpace(strings.ReplaceAll(line, "\t", " "))), "*/", `*\/`)
		if line != "" || len(lines) > 0 && lines[len(lines)-1] != "" {
			lines = append(lines, line)
		}
	}
	switch len(lines) {
	case 0:
	case 1:
		b.WriteString(indent + "/** " + lines[0] + " */\n")
	default:
		b.WriteString(indent + "/**\n")
		for _, line := range lines {
			b.WriteString(strings.TrimRight(indent+" * "+line, " ") + "\n")
		}
		b.WriteString(indent + " */\n")
	}
}
