package toolspec

import (
	"math"
	"strconv"
	"time"

	"github.com/localpass/localpass/internal/canon/scan"
)

const (
	languageNames = `write "javascript" or "typescript", or leave it out`
	limitNames    = `write {"timeoutMs": 5000, "statements": 100000}, either of them alone too`
)

// limits reads "x-limits". Faults become notes, which prevent serving the spec but not
// reading it, because other hosts may give the member another meaning.
func (d *decoder) limits(f field) Limits {
	var l Limits
	switch d.kind(f.value) {
	case scan.Object:
	case scan.Null:
		return l
	default:
		d.note(f.name, f.pointer, SeverityError, "limits", limitNames, "must be an object, is %v", d.kind(f.value))
		return l
	}
	for _, m := range d.fields(f.value, f.pointer) {
		n, err := strconv.ParseInt(string(m.value.Of(d.text)), 10, 64)
		switch {
		case m.name != "timeoutMs" && m.name != "statements":
			d.note(f.name, m.pointer, SeverityWarning, "unknown-limit", limitNames, "is no limit of this runtime, and is not enforced")
		case err != nil || n <= 0 || n > math.MaxInt64/int64(time.Millisecond):
			d.note(f.name, m.pointer, SeverityError, "limits", limitNames, "must be a whole number above 0")
		case m.name == "timeoutMs":
			l.Timeout = time.Duration(n) * time.Millisecond
		default:
			l.Statements = n
		}
	}
	return l
}

// lower returns, for each limit, the lower of the host's and the spec's.
func (host Limits) lower(own Limits) Limits {
	if own.Timeout > 0 {
		host.Timeout = min(host.Timeout, own.Timeout)
	}
	if own.Statements > 0 && (host.Statements == 0 || own.Statements < host.Statements) {
		host.Statements = own.Statements
	}
	return host
}

// ownLimits checks limits that no document can contain, in a spec made in Go.
func (v *validator) ownLimits(s *Spec) {
	switch s.Language {
	case "", LanguageJavaScript, LanguageTypeScript:
	default:
		v.fail(memberLanguage, "language", languageNames, "%s is no language that runs here", excerpt(s.Language))
	}
	if s.Limits.Timeout < 0 || s.Limits.Statements < 0 || s.Limits.Timeout%time.Millisecond != 0 {
		v.fail(memberLimits, "limits", limitNames, "must be whole numbers above 0")
	}
}
