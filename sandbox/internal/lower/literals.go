package lower

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja/ast"

	"github.com/localpass/localpass/sandbox/internal/jstext"
	"github.com/localpass/localpass/toolspec"
)

// rewriteLiterals rewrites the regular expressions in the code of a result. Code that the
// engine cannot parse stays unchanged; the engine reports what is wrong with it.
func rewriteLiterals(result *Result, limit int) (*Result, toolspec.Problems) {
	source := head + result.Code + tail
	tree, err := parse(source)
	if err != nil {
		return result, nil
	}
	var problems toolspec.Problems
	var out strings.Builder
	var edits []edit
	var shared known
	done := len(head)
	for _, re := range literals(tree) {
		at := int(re.Idx) - 1
		old := "/" + re.Pattern + "/" + re.Flags // the field Literal may contain more text
		if at < done || !has(source, at, old) {
			continue // no known case; a pattern that is not rewritten is refused later
		}
		pattern, flags, err := rewrite(re.Pattern, re.Flags, &shared)
		if err != nil {
			problems = append(problems, patternProblem(result, at-len(head), err))
			if len(problems) == maxProblems {
				break
			}
			continue
		}
		text := "/" + pattern + "/" + flags
		if text == old {
			continue
		}
		line, column := jstext.Position(source, at)
		from := column - 1
		edits = append(edits, edit{line: line - 2, from: from,
			oldEnd: from + utf8.RuneCountInString(old), newEnd: from + utf8.RuneCountInString(text)})
		out.WriteString(source[done:at])
		out.WriteString(text)
		done = at + len(old)
		if size := out.Len() + len(source) - len(tail) - done; size > limit {
			return nil, toolspec.Problems{reject(ReasonCodeTooLong, 0, 0,
				fmt.Sprintf("the code is more than %d bytes long when the classes in its regular expressions are written out", limit),
				"make regular expressions once and use them in many places")}
		}
	}
	if problems != nil {
		return nil, problems
	}
	if edits == nil {
		return result, nil
	}
	out.WriteString(source[done : len(source)-len(tail)])
	m := result.Map
	m.edits = edits
	return &Result{Code: out.String(), Map: m, Changed: true}, nil
}

// patternProblem creates the problem for an invalid regular expression at an offset in
// the lowered code.
func patternProblem(result *Result, at int, err error) toolspec.Problem {
	reason, remedy := ReasonSyntaxError, "correct the regular expression"
	var e *PatternError
	if errors.As(err, &e) {
		if at += 1 + e.Offset; e.Unsupported {
			reason, remedy = ReasonUnsupportedSyntax, "write the regular expression in another way"
		}
	}
	line, column := jstext.Position(result.Code, at)
	if result.Map.translated { // which kept the text of a literal, but knows only its start
		begin, first := jstext.Position(result.Code, at-1-e.Offset)
		line, first = result.Map.Author(begin, first)
		column = first + utf8.RuneCountInString(result.Code[at-1-e.Offset:at])
	}
	return reject(reason, line, column, err.Error(), remedy)
}

// literals returns the regular expressions of a tree in the order of the source. It walks
// all fields of the nodes by reflection, since a pattern in a forgotten kind of node
// would be silently wrong. The depth is that of the code, which scan has limited.
func literals(tree *ast.Program) []*ast.RegExpLiteral {
	declarations := reflect.TypeFor[[]*ast.VariableDeclaration]()
	var out []*ast.RegExpLiteral
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Interface:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Pointer:
			if v.IsNil() {
				return
			}
			if re, ok := v.Interface().(*ast.RegExpLiteral); ok {
				out = append(out, re)
				return
			}
			walk(v.Elem())
		case reflect.Slice:
			if v.Type() == declarations {
				return // also contained in the statements; walking it would double the work at each level
			}
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					walk(v.Field(i))
				}
			}
		}
	}
	walk(reflect.ValueOf(tree.Body))
	slices.SortFunc(out, func(a, b *ast.RegExpLiteral) int { return int(a.Idx) - int(b.Idx) })
	return out
}
