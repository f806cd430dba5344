package toolspec

import (
	"fmt"
	"strings"
)

// Code says in which layer a document failed (specification section 13.1).
type Code string

// The layers, in the order in which a document passes them.
const (
	// CodeParse: the text is not JSON, a member has the wrong JSON kind, or a required
	// member is missing. The document is not loaded.
	CodeParse Code = "SPEC_PARSE"
	// CodeInvariant: a rule across or within members is broken. With severity error the
	// document is loaded as a draft that can neither pass nor be published.
	CodeInvariant Code = "SPEC_INVARIANT"
	// CodeResolver: this host does not grant or cannot provide what the spec asks for.
	CodeResolver Code = "RESOLVER_REJECT"
	// CodeLocalPass: the test run did not succeed.
	CodeLocalPass Code = "LOCAL_PASS_FAILED"
)

// Severity says whether a [Problem] prevents a spec from passing and being published.
type Severity string

// The severities. A warning prevents nothing.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

// Problem is one fault in a document: what is wrong, where, and what to do about it.
type Problem struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	// Reason is a stable slug, such as "tags-too-many".
	Reason string `json:"reason"`
	// Pointer names the member, such as "params[2].testValue"; empty for the
	// document as a whole.
	Pointer string `json:"pointer,omitempty"`
	// Message says what is wrong, and Remedy what to do.
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitempty"`
	// Line and Column count from 1, in the file for SPEC_PARSE and in the
	// code for all others; 0 when unknown.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
}

// Error gives "CODE pointer: message; remedy".
func (p Problem) Error() string {
	var b strings.Builder
	b.WriteString(string(p.Code))
	if p.Pointer != "" {
		b.WriteString(" " + p.Pointer)
	}
	b.WriteString(": " + p.Text())
	return b.String()
}

// Text returns "message; remedy", for output that shows the code and the pointer
// separately.
func (p Problem) Text() string {
	var b strings.Builder
	b.WriteString(p.Message)
	if p.Line > 0 {
		of := " of the code"
		if p.Code == CodeParse {
			of = ""
		}
		fmt.Fprintf(&b, " (line %d, column %d%s)", p.Line, p.Column, of)
	}
	if p.Remedy != "" {
		b.WriteString("; " + p.Remedy)
	}
	return b.String()
}

// Problems is everything that is wrong with a document, in document order. It
// is an error that holds all of them.
type Problems []Problem

// Error joins the problems, one a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Errors returns the problems of severity error.
func (ps Problems) Errors() Problems { return ps.of(SeverityError) }

// Warnings returns the problems of severity warning.
func (ps Problems) Warnings() Problems { return ps.of(SeverityWarning) }

func (ps Problems) of(s Severity) Problems {
	var out Problems
	for _, p := range ps {
		if p.Severity == s {
			out = append(out, p)
		}
	}
	return out
}

// Err returns the problems of severity error as an error, or nil when there is
// none.
func (ps Problems) Err() error {
	if errs := ps.Errors(); len(errs) > 0 {
		return errs
	}
	return nil
}
