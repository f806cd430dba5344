package toolspec

import (
	"context"
	"strings"
)

// Explainer is the upgrade of a [Source] that says why it does not offer a tool.
type Explainer interface {
	// Unserved returns those of the names under which no tool can be called now, in
	// the order given, each with the reason. An error says that the reasons could not
	// be found out.
	Unserved(ctx context.Context, names []string) ([]Unserved, error)
}

// UnservedReason is why a tool is not offered.
type UnservedReason string

// The reasons. A tool for which several hold has the first of them.
const (
	// UnservedUnknown: there is no tool of that name.
	UnservedUnknown UnservedReason = "unknown"
	// UnservedNeedsKey: keys of the environment that it uses have no value.
	UnservedNeedsKey UnservedReason = "needs_key"
	// UnservedNotPassed: it holds no valid pass.
	UnservedNotPassed UnservedReason = "not_passed"
	// UnservedNotPublished: it holds a pass and is not published.
	UnservedNotPublished UnservedReason = "not_published"
	// UnservedNotExposed: it is published, and the exposure leaves it out.
	UnservedNotExposed UnservedReason = "not_exposed"
)

// Unserved is a tool that is not offered.
type Unserved struct {
	Name   string         `json:"name"`
	Reason UnservedReason `json:"reason" enum:"unknown,needs_key,not_passed,not_published,not_exposed"`
	// Keys are the keys of the environment without a value.
	Keys []string `json:"keys,omitempty" doc:"Keys of the environment that have no value."`
}

// Explain says in a phrase why the tool is not offered, such as "getX needs a value for
// X_KEY".
func (u Unserved) Explain() string {
	switch u.Reason {
	case UnservedNeedsKey:
		return u.Name + " needs a value for " + strings.Join(u.Keys, ", ")
	case UnservedNotPassed:
		return u.Name + " holds no valid Local Pass: test it"
	case UnservedNotPublished:
		return u.Name + " passed and is not published"
	case UnservedNotExposed:
		return u.Name + " is published, not exposed"
	}
	return "there is no tool " + u.Name + " here"
}
