package js

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"

	"github.com/localpass/localpass/sandbox/internal/jstext"
	"github.com/localpass/localpass/sandbox/internal/lower"
	"github.com/localpass/localpass/sandbox/internal/platform"
	"github.com/localpass/localpass/sandbox/translate"
	"github.com/localpass/localpass/toolspec"
)

// Program is compiled code. It is immutable and safe for concurrent use.
type Program struct {
	code     string // the code that was compiled
	places   *lower.PositionMap
	program  *goja.Program
	counted  bool
	analysis analysis
	suspects []suspect // free names that could be a problem
	limits   *Limits

	// Features that a run installs only if the code may use them.
	console, tools, fetch, safety, regexp, symbols, collate bool
	features                                                platform.Features
	// Globals of the engine to remove. Only those that the code may name are listed,
	// since looking one up makes the engine build it.
	hidden []string
	// Whether the code mentions fill and repeat or a pad, which are capped in a worker.
	fill, repeat bool
}

// The code is placed on separate lines between these two texts. So its first line is line
// 2 of the compiled text, and a comment at its end cannot hide the closing brace.
const (
	head     = "(async function () {\n"
	tail     = "\n})"
	fileName = "code"
)

// Source is code to compile: the body of an async function.
type Source struct {
	Code string
	// TypeScript says that the code is TypeScript.
	TypeScript bool
	// Count makes the program count each function entry and loop iteration as a
	// statement.
	Count bool
	// Translator translates newer syntax and types to JavaScript that the engine
	// supports. If nil, such code is refused.
	Translator translate.Translator
}

// Compile checks and compiles code. It returns the problems that make the code unusable
// in any run; [Program.Problems] returns those that depend on the names bound for a run.
//
// Syntax that the engine does not support is translated first. Positions in problems and
// failures always refer to the author's code.
func Compile(src Source, lim *Limits) (*Program, toolspec.Problems) {
	if p := Scan(src.Code, lim); p != nil {
		return nil, toolspec.Problems{*p}
	}
	lowered, problems := lower.Lower(src.Code, lower.Options{TypeScript: src.TypeScript, Translator: src.Translator})
	if problems != nil {
		return nil, problems
	}
	program, problems := compile(lowered, src.Count, lim)
	if program == nil && !lowered.Changed && !src.TypeScript && src.Translator != nil && problems[0].Reason == ReasonSyntaxError {
		// The parser of the engine rejects some valid code; translation may help.
		if forced, _ := lower.Lower(src.Code, lower.Options{Force: true, Translator: src.Translator}); forced != nil {
			if p, _ := compile(forced, src.Count, lim); p != nil {
				program, problems = p, nil
			}
		}
	}
	if program == nil {
		return nil, problems
	}
	program.features = platform.FeaturesIn(src.Code)
	if program.analysis.dynamic {
		program.features = platform.Features{}
	} else if lowered.Changed {
		program.features = platform.FeaturesIn(src.Code + "\n" + program.code)
	}
	return program, problems
}

// compile compiles code that the engine supports.
func compile(lowered *lower.Result, count bool, lim *Limits) (program *Program, problems toolspec.Problems) {
	code := lowered.Code
	if lowered.Changed {
		if p := Scan(code, lim); p != nil {
			p.Line, p.Column = lowered.Map.Author(p.Line, p.Column)
			return nil, toolspec.Problems{*p}
		}
	}
	defer func() {
		for i := range problems {
			problems[i].Line, problems[i].Column = lowered.Map.Author(problems[i].Line, problems[i].Column)
		}
	}()
	defer func() {
		if x := recover(); x != nil { // a bug of the engine that this code triggers
			program, problems = nil, toolspec.Problems{*reject(ReasonSyntaxError, 0, 0,
				cutRunes(fmt.Sprintf("the engine cannot compile the code: %v", x), lim.ErrorRunes), "write it in another way")}
		}
	}()
	source := head + code + tail
	tree, err := parser.ParseFile(nil, fileName, source, 0, parser.WithDisableSourceMaps)
	if err != nil {
		return nil, toolspec.Problems{*syntaxError(code, err)}
	}
	fn, problem := wrapped(code, source, tree)
	if problem != nil {
		return nil, toolspec.Problems{*problem}
	}
	p := &Program{code: code, places: &lowered.Map, counted: count, limits: lim}
	var tooDeep file.Idx
	if p.analysis, tooDeep = analyze(fn, lim.TreeDepth, count); tooDeep != 0 {
		line, column := jstext.Position(code, codeOffset(tooDeep))
		return nil, toolspec.Problems{*reject(ReasonCodeTooDeep, line, column, "the code nests too deep", "split it into statements and functions that nest less")}
	}
	if fatal := p.fatal(); len(fatal) > 0 {
		return nil, fatal
	}
	if count {
		tree.Body[0] = &ast.ExpressionStatement{Expression: withTick(fn)}
	}
	if p.program, err = goja.CompileAST(tree, false); err != nil {
		return nil, toolspec.Problems{*syntaxError(code, err)}
	}
	p.suspects = p.suspicions()
	p.console = p.mayUse("console")
	p.tools = p.mayUse("localpass")
	p.fetch = p.mayUse("fetch")
	p.safety = p.mayUse("safety")
	p.regexp = p.mayUse("RegExp")
	p.collate = strings.Contains(code, "localeCompare")
	p.symbols = lowered.Changed || strings.Contains(code, "asyncIterator") || strings.Contains(code, "ispose")
	for _, name := range [...]string{"eval", "GoError"} {
		if p.mayUse(name) {
			p.hidden = append(p.hidden, name)
		}
	}
	p.fill = strings.Contains(code, "fill")
	p.repeat = strings.Contains(code, "repeat") || strings.Contains(code, "pad")
	return p, nil
}

// Size returns the approximate memory of the program in bytes.
func (p *Program) Size() int { return 4<<10 + 8*len(p.code) }

func (p *Program) mayUse(global string) bool {
	return p.analysis.dynamic || p.analysis.free[global] != nil
}

// wrapped returns the function whose body is the code. Code that closes this function and
// continues outside it is refused, since that part would not be checked.
func wrapped(code, source string, tree *ast.Program) (*ast.FunctionLiteral, *toolspec.Problem) {
	if len(tree.Body) == 1 {
		if s, ok := tree.Body[0].(*ast.ExpressionStatement); ok {
			if fn, ok := s.Expression.(*ast.FunctionLiteral); ok && fn.Async && !fn.Generator &&
				int(fn.Function) == 2 && int(fn.Body.RightBrace) == len(source)-1 {
				return fn, nil
			}
		}
	}
	return nil, reject(ReasonSyntaxError, 0, 0, "the code closes the function that it is the body of", "balance the braces: the code must be the body of one function")
}

// withTick wraps fn in a function that takes the counter as its parameter and returns fn.
func withTick(fn *ast.FunctionLiteral) *ast.FunctionLiteral {
	at := fn.Function
	return &ast.FunctionLiteral{
		Function: at,
		ParameterList: &ast.ParameterList{Opening: at, Closing: at, List: []*ast.Binding{
			{Target: &ast.Identifier{Name: tickName, Idx: at}},
		}},
		Body: &ast.BlockStatement{LeftBrace: at, RightBrace: fn.Body.RightBrace, List: []ast.Statement{
			&ast.ReturnStatement{Return: at, Argument: fn},
		}},
	}
}

// codeOffset converts a position in the compiled text to an offset in the code.
func codeOffset(at file.Idx) int { return max(int(at)-1-len(head), 0) }

// fatal returns the findings of the analysis that are errors regardless of the bindings.
func (p *Program) fatal() toolspec.Problems {
	var out toolspec.Problems
	for _, n := range p.analysis.notes {
		line, column := jstext.Position(p.code, codeOffset(n.at)) // compile maps it
		out = append(out, *reject(n.absence.reason, line, column, n.absence.message, n.absence.remedy))
	}
	return out
}

// problem creates a problem with a position in the author's code.
func (p *Program) problem(at file.Idx, a absence) *toolspec.Problem {
	line, column := p.places.Author(jstext.Position(p.code, codeOffset(at)))
	return reject(a.reason, line, column, a.message, a.remedy)
}

// suspect is a free name that is a problem unless it is bound for the run.
type suspect struct {
	name    string
	problem toolspec.Problem
}

// suspicions checks the free names once, so that a run need not do so. A name that is
// tested with typeof is not suspect, even if it is also used; a name that is assigned
// becomes a global of the code.
func (p *Program) suspicions() []suspect {
	var out []suspect
	for name, u := range p.analysis.free {
		if !u.plain || u.typeof || u.assign {
			continue
		}
		a, absent := absentGlobal(name)
		switch {
		case absent:
		case name == "Function" && u.called:
			a = absence{ReasonUnsupportedGlobal, "the Function constructor is off: code cannot be made from text", plain}
		case presentGlobal(name):
			continue
		default:
			w := p.problem(u.at, absence{ReasonUndeclared, cutRunes(name, 64) + " is not declared anywhere", "declare it, or add a parameter of that name"})
			w.Severity = toolspec.SeverityWarning
			out = append(out, suspect{name, *w})
			continue
		}
		if class := p.analysis.classes[name]; class != "" {
			a.message += "; it asks for " + cutRunes(class, 128)
		}
		out = append(out, suspect{name, *p.problem(u.at, a)})
	}
	return out
}

// maxProblems is the maximum number of problems reported for one code.
const maxProblems = 100

// Problems returns, for a run with these globals, the names that the code uses but that
// do not exist, at most 100: errors for those that this engine lacks, warnings for
// undeclared names.
func (p *Program) Problems(globals []string) toolspec.Problems {
	var out toolspec.Problems
	for _, s := range p.suspects {
		if !slices.Contains(globals, s.name) {
			out = append(out, s.problem)
		}
	}
	out = append(out, p.memberProblems(globals)...)
	slices.SortStableFunc(out, func(a, b toolspec.Problem) int {
		return cmp.Or(strings.Compare(string(a.Severity), string(b.Severity)), a.Line-b.Line, a.Column-b.Column, strings.Compare(a.Message, b.Message))
	})
	return out[:min(len(out), maxProblems)]
}

// memberProblems returns problems for absent members of globals that the code uses.
// Reading a member without using it counts as a guard.
func (p *Program) memberProblems(globals []string) toolspec.Problems {
	if len(p.analysis.members) == 0 {
		return nil
	}
	var out toolspec.Problems
	guarded := map[string]bool{}
	for _, m := range p.analysis.members {
		if !m.used {
			guarded[m.base+"."+m.member] = true
		}
	}
	for _, m := range p.analysis.members {
		key := m.base + "." + m.member
		if guarded[key] || slices.Contains(globals, m.base) || slices.Contains(globals, key) {
			continue
		}
		guarded[key] = true // report it only once
		a, _ := absentMember(m.base, m.member)
		out = append(out, *p.problem(m.at, a))
	}
	return out
}

// syntaxError converts an error of the parser or the compiler to a problem with its
// position in the code. It names syntax of the language that the engine lacks.
func syntaxError(code string, err error) *toolspec.Problem {
	message, offset := err.Error(), -1
	var list parser.ErrorList
	var compile *goja.CompilerSyntaxError
	switch {
	case errors.As(err, &list) && len(list) > 0:
		message = list[0].Message
		offset = lineOffset(code, list[0].Position.Line-1, list[0].Position.Column)
	case errors.As(err, &compile):
		message = compile.Message
		offset = compile.Offset - len(head)
	}
	message = strings.ToLower(message[:1]) + message[1:]
	if offset < 0 || offset > len(code) {
		return reject(ReasonSyntaxError, 0, 0, "syntax error: "+message, "correct the code")
	}
	line, column := jstext.Position(code, offset)
	if a, ok := unsupportedSyntax(code, offset); ok {
		return reject(a.reason, line, column, a.message, a.remedy)
	}
	return reject(ReasonSyntaxError, line, column, fmt.Sprintf("syntax error: %s", message), "correct the code")
}

// lineOffset returns the byte offset of a line and a byte column, both counted from 1. A
// position beyond the code becomes the end of the code.
func lineOffset(code string, line, column int) int {
	offset := 0
	for ; line > 1; line-- {
		n := strings.IndexByte(code[offset:], '\n')
		if n < 0 {
			return len(code)
		}
		offset += n + 1
	}
	return min(offset+column-1, len(code))
}

var (
	forAwait       = regexp.MustCompile(`for\s+await\s*\($`)
	asyncGenerator = regexp.MustCompile(`async\s*\*$|async\s+function\s*\*$`)
	moduleSyntax   = regexp.MustCompile(`^(import|export)\b`)
)

// unsupportedSyntax reports whether a parser failed at offset because of valid JavaScript
// that it does not support.
func unsupportedSyntax(code string, offset int) (absence, bool) {
	around := code[max(offset-40, 0):min(offset+24, len(code))]
	before := min(offset, 40)
	rest := around[before:]
	switch {
	case moduleSyntax.MatchString(rest):
		return absence{ReasonUnsupportedSyntax, "import and export are not supported: the code is the body of a function", "put what is needed into the code itself"}, true
	case matchesUpTo(forAwait, around, before):
		return absence{ReasonUnsupportedSyntax, "for await is not supported", "await the values, then loop over them"}, true
	case matchesUpTo(asyncGenerator, around, before):
		return absence{ReasonUnsupportedSyntax, "async generators are not supported", "collect the values in an array and return it"}, true
	}
	return absence{}, false
}

// matchesUpTo reports whether re matches a part of around that ends at or shortly after
// the position of the error.
func matchesUpTo(re *regexp.Regexp, around string, at int) bool {
	for end := at; end <= len(around) && end <= at+16; end++ {
		if re.MatchString(around[:end]) {
			return true
		}
	}
	return false
}
