package risk

import (
	"slices"
	"strings"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/toolspec"
)

// Explanation says why a level is what it is.
type Explanation struct {
	// Rule is the name of the rule that decides: a floor, else what adds most to the score.
	// Empty: nothing raises the level.
	Rule string `json:"rule,omitempty"`
	// Reasons say in sentences what raises the level; the one that decides comes first.
	Reasons []string `json:"reasons,omitempty"`
	// Change is the cheapest change that lowers the level; nil: none is known.
	Change *Change `json:"change,omitempty"`

	weights []weight // of each reason
}

// weight is how much a rule adds to a score.
type weight struct {
	rule   string
	points int
}

// decisive is the weight of a floor.
const decisive = 100

// Change is something that a person can do, and the level after it.
type Change struct {
	Do    string         `json:"do"`
	Level toolspec.Level `json:"level"`
}

// add adds a reason, behind those that weigh as much or more.
func (e *Explanation) add(rule string, points int, reason string) {
	at := len(e.weights)
	for at > 0 && e.weights[at-1].points < points {
		at--
	}
	e.insert(at, weight{rule, points}, reason)
}

// first adds the reason that decides.
func (e *Explanation) first(rule string, reason string) { e.insert(0, weight{rule, decisive}, reason) }

func (e *Explanation) insert(at int, w weight, reason string) {
	e.Reasons, e.weights = slices.Insert(e.Reasons, at, reason), slices.Insert(e.weights, at, w)
	e.Rule = e.weights[0].rule
}

// situation is everything on which a level depends.
type situation struct {
	server ServerFacts
	tool   Facts
	use    Use
}

// step is a change that could be made. try makes it, and reports whether it applies.
type step struct {
	cost int
	do   string
	try  func(s *situation) bool
}

// What a change costs: a decision of a person, a setting, the work of others.
const (
	costReview  = 1
	costSetting = 2
	costOthers  = 4
)

var steps = []step{
	{costReview, "a person reviews the server and the tool", func(s *situation) bool {
		done := s.server.Attested && s.tool.Reviewed
		s.server.Attested, s.tool.Reviewed = true, true
		return !done
	}},
	{costReview, "it is used again, after a person has looked whether it still is what it was", func(s *situation) bool {
		idle := s.server.Idle
		s.server.Idle = 0
		return idle > idleAfter
	}},
	{costSetting, "a person is asked before each call", func(s *situation) bool {
		asked := s.use.Asked
		s.use.Asked = true
		return !asked
	}},
	{costSetting, "a person confirms what its server says about it", func(s *situation) bool {
		claims := !s.tool.Trusted && !s.tool.Cataloged && (is(s.tool.Annotations.ReadOnly) || is(s.tool.Annotations.Idempotent))
		s.tool.Trusted = true
		return claims
	}},
	{costSetting, "it is not given permissions that administer, delete, or write everything", func(s *situation) bool {
		kept := slices.DeleteFunc(slices.Clone(s.server.Scopes), privileged)
		fewer := len(kept) < len(s.server.Scopes)
		s.server.Scopes = kept
		return fewer
	}},
	{costOthers, "its server asks each caller to sign in, with OAuth", func(s *situation) bool {
		better := s.server.Endpoint.Auth != client.AuthOAuth || s.server.CustomOAuth
		s.server.Endpoint.Auth, s.server.CustomOAuth = client.AuthOAuth, false
		return better
	}},
	{costOthers, "it runs on this machine, and not elsewhere in the network", func(s *situation) bool {
		private := hostOf(s.server.Endpoint) == HostPrivate
		s.server.Endpoint.Address = "http://localhost/"
		return private
	}},
	{costOthers, "its makers describe what it does and its arguments", func(s *situation) bool {
		s.tool.Description, s.tool.InputSchema = strings.Repeat("described ", 4), []byte("{}")
		return true
	}},
}

// pairs are all pairs of steps, the cheapest first.
var pairs = func() (out [][2]step) {
	for i := range steps {
		for j := i + 1; j < len(steps); j++ {
			out = append(out, [2]step{steps[i], steps[j]})
		}
	}
	slices.SortStableFunc(out, func(a, b [2]step) int { return a[0].cost + a[1].cost - b[0].cost - b[1].cost })
	return out
}()

// cheapest tries the changes, and pairs of them, and returns the first that lowers the level.
func cheapest(s situation, level func(*situation) toolspec.Level) *Change {
	now := level(&s)
	if !now.Exceeds(toolspec.L1) {
		return nil
	}
	for i := range steps {
		after := s
		if !steps[i].try(&after) {
			continue
		}
		if l := level(&after); now.Exceeds(l) {
			return &Change{Do: steps[i].do, Level: l}
		}
	}
	for i := range pairs {
		after := s
		if !pairs[i][0].try(&after) || !pairs[i][1].try(&after) {
			continue
		}
		if l := level(&after); now.Exceeds(l) {
			return &Change{Do: pairs[i][0].do + "; and " + pairs[i][1].do, Level: l}
		}
	}
	return nil
}
