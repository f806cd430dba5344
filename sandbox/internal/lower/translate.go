package lower

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"

	"github.com/localpass/localpass/sandbox/internal/jstext"
	"github.com/localpass/localpass/sandbox/translate"
	"github.com/localpass/localpass/toolspec"
)

// The code is placed on separate lines between these two texts. So its first line is line
// 2 of the translator's input, and a comment at its end cannot hide the closing brace.
const (
	head = "(async function () {\n"
	tail = "\n})"
)

// maxProblems is the maximum number of problems reported for one code.
const maxProblems = 20

var brandCheck = regexp.MustCompile(`#[\pL\pN_$\\]+\s+in\b`)

// translated translates newer syntax and types to JavaScript that the engine supports.
func translated(code string, opts Options, limit int) (*Result, toolspec.Problems) {
	if opts.Translator == nil {
		return nil, toolspec.Problems{untranslated(opts.TypeScript)}
	}
	// If a class contains "#name in object", all its private members must be translated
	// too, since the translation moves blocks of the class outside it.
	in := translate.Request{Code: head + code + tail, TypeScript: opts.TypeScript, KeepAsync: true, KeepPrivate: !brandCheck.MatchString(code)}
	out := opts.Translator.Translate(in)
	if len(out.Errors) == 0 && strings.Contains(code, "super") && strings.Contains(out.Code, "__asyncGenerator") {
		// Unless async functions are translated too, the translator leaves super in a
		// place where it is a syntax error.
		in.KeepAsync = false
		out = opts.Translator.Translate(in)
	}
	if len(out.Errors) > 0 {
		return nil, problemsOf(code, out.Errors)
	}
	if len(out.Code) > limit {
		return nil, toolspec.Problems{reject(ReasonCodeTooLong, 0, 0,
			fmt.Sprintf("the code is %d bytes long when it is translated; the limit is %d", len(out.Code), limit), "make the code shorter")}
	}
	return unwrap(code, out.Code, out.Map)
}

// untranslated returns the problem for code that needs a translator if there is none.
func untranslated(typescript bool) toolspec.Problem {
	what := "the code uses syntax that must be translated (for await, async generators, decorators and the like)"
	if typescript {
		what = "the code is TypeScript, which must be translated"
	}
	return reject(ReasonUnsupportedSyntax, 0, 0, what+", and this program has no translator (package sandbox/typescript)",
		"build the program with the engine of package sandbox/typescript, or write the code in plain JavaScript")
}

// unwrap extracts a body from the output of the translator: the helpers in front,
// followed by the function around the code.
func unwrap(code, out string, mappings []byte) (*Result, toolspec.Problems) {
	places, err := decodeMap(code, out, mappings)
	if err != nil { // no known case
		return nil, toolspec.Problems{reject(ReasonSyntaxError, 0, 0, "the code cannot be translated: "+err.Error(), "write it in plain JavaScript")}
	}
	tree, err := parse(out)
	if err != nil {
		return nil, toolspec.Problems{refused(code, out, places, err)}
	}
	helpers, fn := wrapped(out, tree)
	if fn == nil {
		return nil, toolspec.Problems{reject(ReasonSyntaxError, 0, 0, "the code closes the function that it is the body of",
			"balance the braces: the code must be the body of one function")}
	}
	// The body begins on the line below its brace.
	begin := strings.IndexByte(out[fn.Body.LeftBrace:], '\n') + int(fn.Body.LeftBrace) + 1
	body := out[begin : fn.Body.RightBrace-1]
	if helpers != "" {
		helpers = directives(fn) + helpers
	}
	m := PositionMap{segments: places, helpers: strings.Count(helpers, "\n"), translated: true}
	m.skipped = strings.Count(out[:begin], "\n") - m.helpers
	return &Result{Code: helpers + body, Map: m, Changed: true}, nil
}

// parse parses source with the parser of the engine, without checking regular
// expressions.
func parse(source string) (tree *ast.Program, err error) {
	defer func() {
		if x := recover(); x != nil { // a bug of the engine that this code triggers
			tree, err = nil, fmt.Errorf("the engine cannot parse the code: %v", x)
		}
	}()
	return parser.ParseFile(nil, "", source, parser.IgnoreRegExpErrors, parser.WithDisableSourceMaps)
}

// wrapped returns the text of the helpers and the function whose body is the code, nil if
// the output contains anything else. Code that closes the function results in a statement
// in front that is not a helper, or one that is more than a function.
func wrapped(out string, tree *ast.Program) (helpers string, fn *ast.FunctionLiteral) {
	n := len(tree.Body) - 1
	if n < 0 {
		return "", nil
	}
	for _, s := range tree.Body[:n] {
		if _, ok := s.(*ast.VariableStatement); !ok {
			return "", nil
		}
	}
	last, ok := tree.Body[n].(*ast.ExpressionStatement)
	if !ok {
		return "", nil
	}
	fn, ok = last.Expression.(*ast.FunctionLiteral)
	if !ok || fn.Generator || fn.Name != nil || strings.TrimSpace(out[fn.Body.RightBrace:]) != ");" {
		return "", nil
	}
	helpers, ok = strings.CutSuffix(out[:fn.Function-1], "(")
	if !ok || n == 0 && helpers != "" || n > 0 && !strings.HasSuffix(helpers, "\n") {
		return "", nil
	}
	return ownHelpers(helpers, tree.Body[:n]), fn
}

// directives returns the directives at the beginning of a function, such as "use strict".
// They must come first, even before the helpers.
func directives(fn *ast.FunctionLiteral) string {
	var out strings.Builder
	for _, s := range fn.Body.List {
		e, ok := s.(*ast.ExpressionStatement)
		if !ok {
			break
		}
		text, ok := e.Expression.(*ast.StringLiteral)
		if !ok {
			break
		}
		out.WriteString(text.Literal + "; ")
	}
	return out.String()
}

// refused converts an error of the engine's parser about translated code to a problem:
// the code contains syntax that cannot be translated.
func refused(code, out string, places []segment, err error) toolspec.Problem {
	list, ok := err.(parser.ErrorList)
	if !ok || len(list) == 0 {
		return reject(ReasonSyntaxError, 0, 0, cutMessage(err.Error()), "write it in another way")
	}
	at := list[0].Position
	line, column := lookup(places, at.Line-1, runeColumn(lineOf(out, at.Line-1), at.Column-1))
	if p, ok := named(code, line, column); ok {
		return p
	}
	return reject(ReasonUnsupportedSyntax, line, column, "the engine does not take the code here: "+cutMessage(lowerFirst(list[0].Message)), "write it in another way")
}

// problemsOf converts the errors of the translator to problems.
func problemsOf(code string, errors []translate.Message) toolspec.Problems {
	out := make(toolspec.Problems, 0, min(len(errors), maxProblems))
	for _, e := range errors[:min(len(errors), maxProblems)] {
		out = append(out, problemOf(code, e))
	}
	return out
}

func problemOf(code string, e translate.Message) toolspec.Problem {
	message := "syntax error: " + cutMessage(lowerFirst(e.Text))
	if e.Line == 0 {
		return reject(ReasonSyntaxError, 0, 0, message, "correct the code")
	}
	line, column := e.Line-1, runeColumn(e.LineText, e.Column)
	switch lines := 1 + strings.Count(code, "\n"); {
	case line < 1:
		line, column = 1, 1
	case line > lines: // what follows the code
		line, column = jstext.Position(code, len(code))
		if strings.HasPrefix(e.Text, "Expected") || strings.HasPrefix(e.Text, "Unexpected") {
			return reject(ReasonSyntaxError, line, column, "syntax error: the code ends too early, or closes the function that it is the body of",
				"balance the braces: the code must be the body of one function")
		}
	case strings.HasPrefix(e.Text, "Parameter decorators"):
		return reject(ReasonUnsupportedSyntax, line, column, "decorators of parameters are not supported", "decorate the method or the class")
	default:
		if p, ok := named(code, line, column); ok {
			return p
		}
	}
	return reject(ReasonSyntaxError, line, column, message, "correct the code")
}

// named returns a problem that names valid but unsupported JavaScript or TypeScript
// syntax, if that is where a parser failed: at the word itself or the one after it.
func named(code string, line, column int) (toolspec.Problem, bool) {
	text := lineOf(code, line-1)
	at := byteColumn(text, column-1)
	before := strings.TrimRight(text[:at], " \t")
	start := len(before)
	for start > 0 && jstext.IsWord(before[start-1]) {
		start--
	}
	end := at
	for end < len(text) && jstext.IsWord(text[end]) {
		end++
	}
	for _, w := range [2]struct {
		word string
		at   int
	}{{text[at:end], at}, {before[start:], start}} {
		var message, remedy string
		switch w.word {
		case "import":
			message, remedy = "import is not supported, not even of types: the code is the body of a function", "put what is needed into the code itself"
		case "export":
			message, remedy = "export is not supported: the code is the body of a function", "return the value instead"
		case "namespace", "module":
			message, remedy = "namespaces are not supported: the code is the body of a function", "use an object or a class"
		default:
			continue
		}
		return reject(ReasonUnsupportedSyntax, line, 1+utf8.RuneCountInString(text[:w.at]), message, remedy), true
	}
	return toolspec.Problem{}, false
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// cutMessage shortens a message, since it may quote the code.
func cutMessage(s string) string {
	const limit = 300
	if len(s) <= limit {
		return s
	}
	end := limit
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
