package lower

import (
	"cmp"
	"fmt"
	"unicode/utf8"

	"github.com/localpass/localpass/sandbox/translate"
	"github.com/localpass/localpass/toolspec"
)

// Reasons of the problems that this package reports. They are those of the
// checks that run on plain code too.
const (
	ReasonCodeTooLong       = "code-too-long"
	ReasonCodeTooDeep       = "code-too-deep"
	ReasonSyntaxError       = "syntax-error"
	ReasonUnsupportedSyntax = "unsupported-syntax"
)

// Options says what the code is. The zero value is JavaScript under the
// default limits.
type Options struct {
	// TypeScript says that the code is TypeScript, as a spec's
	// x-language: "typescript" does. JavaScript is mostly TypeScript too, but a
	// few expressions mean something else: a<b>(c).
	TypeScript bool
	// Force translates JavaScript in which nothing was found that needs it: for
	// code that the engine's parser has refused. Such code may still be right.
	Force bool
	// Translator translates. nil: code that needs it is refused.
	Translator translate.Translator
	// Limits bound the work. The zero value of each is its default.
	Limits Limits
}

// Limits bound what is handed to the translator, which has no bounds of its own.
type Limits struct {
	// Source bounds code, in bytes. Default 1 MiB, the language's limit on a
	// tool's code in the specification's section 9.
	Source int
	// Translated bounds code that has to be translated, in bytes. Default 64 KiB:
	// reporting errors takes time that grows with the square of it, 4 s at 64 KiB
	// (measured).
	Translated int
	// Output bounds translated code, in bytes. Default 1 MiB, what the engine
	// takes.
	Output int
	// Nesting bounds open brackets. Default 500, as for plain code.
	Nesting int
	// Links bounds operators and members that nest without brackets, such as
	// a.b.c and !!a. Default 2000 (measured: 20 MB of stack).
	Links int
}

func (l Limits) orDefault() Limits {
	l.Source = cmp.Or(l.Source, 1<<20)
	l.Translated = cmp.Or(l.Translated, 64<<10)
	l.Output = cmp.Or(l.Output, 1<<20)
	l.Nesting = cmp.Or(l.Nesting, 500)
	l.Links = cmp.Or(l.Links, 2000)
	return l
}

// Result is code that the engine can take.
type Result struct {
	// Code is the body of an async function. It has still to be checked to be
	// one, as any code.
	Code string
	// Map leads from places in Code to places in what was lowered.
	Map PositionMap
	// Changed is false when Code is what was given.
	Changed bool
}

// Lower gives the body of an async function in the JavaScript that the engine
// takes, or the problems that keep it from doing so, all of severity error.
// Code that needs nothing comes back unchanged after one scan of its bytes;
// the engine reports what is wrong with it.
//
// The code must be the body of one function. Code that closes the function and
// continues is refused.
//
// Safe for concurrent use. It takes no context: see the package's Bounds.
func Lower(code string, opts Options) (*Result, toolspec.Problems) {
	found := detect(code)
	translate := opts.TypeScript || opts.Force
	if !translate && found == 0 {
		return &Result{Code: code}, nil
	}
	limits := opts.Limits.orDefault()
	if p := tooLong(code, limits.Source); p != nil {
		return nil, toolspec.Problems{*p}
	}
	if !utf8.ValidString(code) {
		return nil, toolspec.Problems{reject(ReasonSyntaxError, 0, 0, "the code is not valid UTF-8", "save the code as UTF-8")}
	}
	seen, p := scan(code, opts.TypeScript, limits)
	if p != nil {
		if !translate && seen&translation == 0 {
			return &Result{Code: code}, nil // it may be right; the engine has its own bounds
		}
		return nil, toolspec.Problems{*p}
	}
	result := &Result{Code: code}
	if translate || seen&translation != 0 {
		if p := tooLongToTranslate(code, limits.Translated); p != nil {
			return nil, toolspec.Problems{*p}
		}
		var problems toolspec.Problems
		if result, problems = translated(code, opts, limits.Output); problems != nil {
			return nil, problems
		}
	}
	if found&patterns == 0 || seen&patterns == 0 && seen&translation == 0 && !translate {
		return result, nil
	}
	return rewriteLiterals(result, limits.Output)
}

func tooLong(code string, limit int) *toolspec.Problem {
	if len(code) <= limit {
		return nil
	}
	p := reject(ReasonCodeTooLong, 0, 0, fmt.Sprintf("the code is %d bytes long; the limit is %d", len(code), limit),
		"make the code shorter, or move data out of it into a parameter")
	return &p
}

func tooLongToTranslate(code string, limit int) *toolspec.Problem {
	if len(code) <= limit {
		return nil
	}
	p := reject(ReasonCodeTooLong, 0, 0,
		fmt.Sprintf("the code is %d bytes long; the limit for TypeScript and for code with for await, async generators and the like is %d", len(code), limit),
		"make the code shorter, move data out of it into a parameter, or write it in plain JavaScript")
	return &p
}

// reject makes a problem with the code.
func reject(reason string, line, column int, message, remedy string) toolspec.Problem {
	return toolspec.Problem{
		Code: toolspec.CodeResolver, Severity: toolspec.SeverityError, Reason: reason, Pointer: "code",
		Message: message, Remedy: remedy, Line: line, Column: column,
	}
}
