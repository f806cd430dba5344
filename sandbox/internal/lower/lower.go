package lower

import (
	"cmp"
	"fmt"
	"unicode/utf8"

	"github.com/localpass/localpass/sandbox/translate"
	"github.com/localpass/localpass/toolspec"
)

// Reasons of the problems that this package reports. The checks of plain code use the
// same reasons.
const (
	ReasonCodeTooLong       = "code-too-long"
	ReasonCodeTooDeep       = "code-too-deep"
	ReasonSyntaxError       = "syntax-error"
	ReasonUnsupportedSyntax = "unsupported-syntax"
)

// Options configures [Lower]. The zero value means JavaScript with the default limits.
type Options struct {
	// TypeScript says that the code is TypeScript, as x-language: "typescript" in a spec
	// does. Most JavaScript is also valid TypeScript, but a few expressions have a
	// different meaning: a<b>(c).
	TypeScript bool
	// Force translates JavaScript even if nothing was found that needs translation. It is
	// for code that the parser of the engine has rejected but that may still be valid.
	Force bool
	// Translator translates the code. If nil, code that needs translation is refused.
	Translator translate.Translator
	// Limits limits the work. A zero field means its default.
	Limits Limits
}

// Limits limits the code that is passed to the translator, which has no limits itself.
type Limits struct {
	// Source is the maximum length of code, in bytes. Default 1 MiB, the limit for the
	// code of a tool in section 9 of the specification.
	Source int
	// Translated is the maximum length of code that has to be translated, in bytes.
	// Default 64 KiB: reporting errors takes quadratic time, 4 s at 64 KiB (measured).
	Translated int
	// Output is the maximum length of translated code, in bytes. Default 1 MiB, the limit
	// of the engine.
	Output int
	// Nesting is the maximum nesting depth of brackets. Default 500, as for plain code.
	Nesting int
	// Links is the maximum number of operators and members that nest without brackets,
	// such as a.b.c and !!a. Default 2000 (measured: 20 MB of stack).
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

// Result is code in a form that the engine supports.
type Result struct {
	// Code is the body of an async function. Like any code, it must still be checked to
	// be one.
	Code string
	// Map converts places in Code to places in the original code.
	Map PositionMap
	// Changed reports whether Code differs from the original code.
	Changed bool
}

// Lower converts the body of an async function to JavaScript that the engine supports, or
// returns the problems that prevent this, all of severity error. Code that needs no
// change is returned as it is after one scan of its bytes; the engine reports its errors.
//
// The code must be the body of one function. Code that closes the function and
// continues is refused.
//
// Lower is safe for concurrent use. It cannot be interrupted, so it takes no context; see
// "Bounds" in the package documentation.
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
			return &Result{Code: code}, nil // it may be valid; the engine has its own limits
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

// reject creates a problem with the code.
func reject(reason string, line, column int, message, remedy string) toolspec.Problem {
	return toolspec.Problem{
		Code: toolspec.CodeResolver, Severity: toolspec.SeverityError, Reason: reason, Pointer: "code",
		Message: message, Remedy: remedy, Line: line, Column: column,
	}
}
