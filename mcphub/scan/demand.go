package scan

import (
	"slices"
	"strings"

	"github.com/localpass/localpass/mcphub/scan/internal/clause"
)

// demand is something that a sentence demands of the model beyond calling the tool for what
// the user asked.
type demand struct {
	rule     string
	features []feature
	points   int
	from, to int // of the sentence, in bytes
}

// context is what is known about the tool that a text belongs to.
type context struct {
	name     string          // its own name, folded
	params   map[string]bool // its own parameters
	siblings map[string]bool // other tools of its server
	foreign  map[string]bool // tools of other servers
	avoid    []string        // those of them that a text has no reason to name
	purpose  clause.Class    // the classes of its name and first sentence
	param    bool            // the text describes a parameter
	output   bool            // or a part of the result
	server   bool            // the text is the instructions of a server
}

// folded returns a name without case and separators.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '_' || r == '-' || r == '.' || r == ' ' || r == '/':
			return -1
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return r
	}, name)
}

// The classes of verbs that do something.
const acting = clause.Invoke | clause.Access | clause.Move | clause.Alter | clause.Harm

// demands returns what a text demands, sentence by sentence, with at most one demand of a
// rule each.
func (c *context) demands(text string) []demand {
	var out []demand
	sentences := clause.Sentences(text)
	var before *view
	for i := range sentences {
		v := &view{context: c, s: &sentences[i]}
		if len(v.s.Tokens) < 3 {
			before = nil
			continue
		}
		v.look()
		if before != nil {
			before.before = nil // only one is looked back at
		}
		v.before, before = before, v
		for _, d := range v.judge() {
			d.from, d.to = v.s.Tokens[0].From, v.s.Tokens[len(v.s.Tokens)-1].To
			out = append(out, d)
		}
	}
	return out
}

// view is one sentence with what is found in it.
type view struct {
	*context
	s      *clause.Sentence
	before *view // the sentence before

	own     []bool // tokens that stand for this very tool
	others  []bool // tokens that stand for other tools, by name or "any other tool"
	named   bool   // another tool is named
	sibling bool   // and is one of the same server
	acts    []bool // tokens that stand for any operation: "all file operations", "before sending mail"

	hasOwn, hasOther, hasAct bool
	every, reason, policy    bool
	threat, key, trigger     bool
	quiet                    bool
	applies                  int // see condition
}

func (v *view) look() {
	t := v.s.Tokens
	n := len(t)
	v.own, v.others, v.acts = make([]bool, n), make([]bool, n), make([]bool, n)
	for i := range t {
		is := t[i].Is
		switch {
		case is&clause.ToolNoun != 0 && i > 0 && t[i-1].Is&clause.Same != 0 && t[i-1].Text != "the":
			v.own[i] = true
		case t[i].Text == "this" && i > 0 && t[i-1].Is&clause.Invoke != 0 && (i+1 == n || t[i+1].Is&(clause.ToolNoun|clause.ActNoun) == 0):
			v.own[i] = true
		case t[i].Text == "one" && i > 0 && t[i-1].Text == "this":
			v.own[i] = true
		case t[i].Text == "it" && i > 0 && t[i-1].Is&clause.Invoke != 0 && t[i-1].Form != clause.NoVerb && !v.named:
			v.own[i] = true
		case v.name != "" && folded(t[i].Text) == v.name && (is&clause.Identifier != 0 || len(v.name) > 8):
			v.own[i] = true
		case v.server && v.siblings[folded(t[i].Text)]: // its own tools are what the instructions are about
		case v.isTool(t[i].Text) && (is&clause.Identifier != 0 || t[i].Quoted):
			v.others[i], v.named, v.sibling = true, true, v.sibling || v.siblings[folded(t[i].Text)]
		case is&clause.Identifier != 0 && !v.params[folded(t[i].Text)] && !(t[i].Quoted && (v.param || !strings.Contains(t[i].Text, "_"))) && v.calledNear(i):
			v.others[i], v.named = true, true
		case is&clause.ToolNoun != 0 && v.near(i, 3, clause.Every|clause.Other):
			v.others[i] = true
		case is&clause.ToolNoun != 0 && i > 0 && t[i].Text != "api" && t[i].Text != "server" && (t[i-1].Form == clause.Gerund || t[i-1].Is&clause.ActNoun != 0):
			v.others[i] = true // the messaging tool
		case is&clause.ActNoun != 0 && v.near(i, 4, clause.Every|clause.Other):
			v.acts[i] = true
		case (is&clause.ActNoun != 0 || t[i].Form == clause.Gerund) && v.near(i, 3, clause.Before|clause.When):
			v.acts[i] = true
		case is&clause.Model != 0 && i+1 < n && v.near(i, 2, clause.Before|clause.When):
			v.acts[i] = t[i+1].Form == clause.Base || t[i+1].Form == clause.Third || t[i+1].Text == "are" || t[i+1].Is&clause.Must != 0
		case is&clause.Person != 0 && i+1 < n && v.near(i, 3, clause.When) && askVerbs[t[i+1].Text]:
			v.acts[i] = true
		}
		v.hasOwn = v.hasOwn || v.own[i]
		v.hasOther = v.hasOther || v.others[i]
		v.hasAct = v.hasAct || v.acts[i]
		v.every = v.every || is&clause.Every != 0
		v.reason = v.reason || is&clause.Reason != 0
		v.policy = v.policy || is&clause.Policy != 0
		v.threat = v.threat || is&clause.Threat != 0
		v.quiet = v.quiet || is&clause.Quiet != 0
		v.key = v.key || is&clause.Key != 0 && v.near(i, 6, clause.Access|clause.Must)
	}
	v.key = v.key && !v.s.HasAny(0, n, clause.Number) && !v.reason && !v.policy && !v.quiet && !v.s.HasAny(0, n, clause.Secret|clause.Private|clause.Address)
	v.applies = v.condition()
	v.trigger = v.s.HasAny(0, n, clause.When|clause.Before) && (v.hasAct || v.hasOther || v.hasOwn || v.s.HasAny(0, n, clause.ToolNoun|clause.ActNoun))
}

// askVerbs say that a person wants something.
var askVerbs = map[string]bool{"asks": true, "requests": true, "wants": true, "asked": true, "queries": true, "sends": true, "creates": true, "uses": true, "says": true, "mentions": true, "tries": true, "attempts": true, "initiates": true, "is": true}

func (c *context) isTool(word string) bool {
	f := folded(word)
	return c.siblings[f] || c.foreign[f]
}

// near reports that one of the n tokens before i has one of the classes, with no end of a
// clause between.
func (v *view) near(i, n int, is clause.Class) bool {
	for j := i - 1; j >= 0 && j >= i-n; j-- {
		if v.s.Tokens[j].Is&is != 0 {
			return true
		}
		if v.s.Tokens[j].Is&clause.Pause != 0 {
			return false
		}
	}
	return false
}

// calledNear reports that an unknown name stands where a tool stands: after a verb that calls,
// or beside the word tool.
func (v *view) calledNear(i int) bool {
	t := v.s.Tokens
	if i+1 < len(t) && (t[i+1].Is&clause.ToolNoun != 0 || t[i+1].Text == "(") {
		return true
	}
	for j := i - 1; j >= 0 && j >= i-3; j-- {
		if t[j].Is&(clause.Invoke|clause.ToolNoun) != 0 {
			return true
		}
	}
	for j := i + 1; j < len(t) && j <= i+6 && t[j].Is&clause.Pause == 0; j++ { // "disarm_alarm has to be called"
		if t[j].Form == clause.Participle {
			return t[j].Is&clause.Invoke != 0
		}
	}
	return false
}

// judge returns the demands of the sentence: one for each verb with the force of an order, and
// those of the sentence as a whole.
func (v *view) judge() []demand {
	var out []demand
	t := v.s.Tokens
	for i := range t {
		is := t[i].Is
		if t[i].Form == clause.NoVerb || is&(acting|clause.Consult|clause.Hide) == 0 {
			continue
		}
		switch force := v.s.Force(i); {
		case force == clause.Forbids:
			if is&clause.Hide != 0 && (v.s.HasAny(i, i+6, clause.Person) && v.s.HasAny(i+1, i+9, clause.Same|clause.Content|clause.ActNoun|clause.Reason|clause.Pause) || t[i].Form == clause.Participle && v.s.HasAny(i-6, i, clause.Person)) {
				out = append(out, v.weigh(ruleConceal, i, i+1, i+9, force))
			}
			if is&clause.Invoke != 0 && v.otherIn(i, i+6) && v.hasOwn {
				out = append(out, v.weigh(ruleShadow, i, i+1, i+9, force))
			}
		case force >= clause.Orders && is&acting != 0:
			from, to := v.objects(i)
			if rule := v.kind(i, from, to); rule != "" && v.concerns(rule, i, from, to, force) {
				out = append(out, v.weigh(rule, i, from, to, force))
				if rule == rulePrecedence && v.s.Has(from, to, clause.Path|clause.Secret) {
					out = append(out, v.weigh(ruleSecret, i, from, to, force))
				}
			}
		}
	}
	if at := v.prerequisite(); at >= 0 {
		out = append(out, v.weigh(rulePrecedence, at, 0, len(t), clause.Obliges))
	}
	if v.param && !v.output && len(out) == 0 && !v.s.HasAny(0, len(t), clause.Not) && !v.threat && (v.s.Has(0, len(t), clause.Path|clause.Secret) || v.s.HasAny(0, len(t), clause.Private|clause.Secret) && v.s.HasAny(0, len(t), clause.Whole|clause.Every)) {
		out = append(out, v.weigh(ruleSecret, 0, 0, len(t), clause.Orders))
	}
	if v.shadow() {
		out = append(out, v.weigh(ruleShadow, 0, 0, len(t), clause.Orders))
	}
	if v.phraseHide() {
		out = append(out, v.weigh(ruleConceal, 0, 0, len(t), clause.Orders))
	}
	if d, found := v.frameDemands(); found {
		out = append(out, d)
	}
	if d, found := v.koreanDemands(); found {
		out = append(out, d)
	}
	return out
}

// kind says what the verb at i demands; empty: nothing that concerns anything but the call.
func (v *view) kind(i, from, to int) string {
	is, t0 := v.s.Tokens[i].Is, v.s.Tokens[i].Text
	has := func(c clause.Class) bool { return v.s.HasAny(from, to, c) }
	switch {
	case is&clause.Invoke != 0 && (v.ownIn(max(0, i-8), to) || v.s.Tokens[i].Form == clause.Participle && !v.namedIn(max(0, i-10), to)):
		if before := v.s.HasAny(0, len(v.s.Tokens), clause.Before); !before && !v.every || !v.hasAct && !v.hasOther && v.applies < 3 && !(before && v.every) {
			return ""
		}
		return rulePrecedence
	case is&clause.Invoke != 0 && v.namedIn(from, v.clauseEnd(i, to)), v.namedIn(i+1, i+3), is&clause.Invoke != 0 && v.namedIn(max(0, i-10), i):
		return ruleDivert
	case has(clause.Secret|clause.Private) && is&(clause.Access|clause.Move|clause.Invoke|clause.Alter) != 0:
		return ruleSecret
	case is&clause.Harm != 0 && is&(clause.Alter|clause.Access) == 0:
		return ruleHarm
	case is&clause.Move != 0 && (v.s.Has(from, to, clause.Address) || is&clause.Alter == 0 && (v.carried(from, to) || has(clause.Content|clause.Source))):
		return rulePass
	case is&clause.Alter != 0 && (has(clause.Field|clause.ActNoun|clause.Content|clause.Address|clause.Identifier|clause.Literal|clause.Source) || v.hasOther):
		return ruleTamper
	case t0 == "use" && v.s.Force(i) == clause.Obliges && has(clause.Literal|clause.Number) && (has(clause.Rather) || v.applies == 3):
		return ruleTamper
	case is&clause.Access != 0 && has(clause.Path|clause.Source|clause.Content|clause.Number|clause.Address):
		return ruleRead
	case is&clause.Harm != 0:
		return ruleHarm
	}
	return ""
}

// clauseEnd returns where a condition begins that follows the verb at i.
func (v *view) clauseEnd(i, to int) int {
	if at := v.s.FindAny(i+1, to, clause.Before|clause.When); at > i+1 {
		return at
	}
	return to
}

// concerns reports that a demand goes beyond the call itself: it applies whenever other work is
// done, is about another tool, a recipient or a secret, or comes with a claim or in silence.
// "Always use absolute paths" does not.
func (v *view) concerns(rule string, i, from, to int, force clause.Force) bool {
	trigger := v.applies
	value := v.s.HasAny(from, to, clause.Literal|clause.Number) || v.quotedIn(from, to)
	if v.param && !v.named && !v.s.HasAny(from, to, clause.Secret|clause.Private|clause.Address) && (rule == rulePass || rule == ruleTamper || rule == ruleRead || rule == ruleHarm) {
		return false // an argument is described by what it does
	}
	claimed := v.policy || v.quiet || v.reason && (trigger > 0 || v.named)
	switch rule {
	case ruleDivert:
		return force == clause.Obliges || trigger == 3 || v.s.HasAny(from, to, clause.Literal) || v.quotedIn(i+1, to) || claimed || v.targetActs() && !v.key
	case ruleSecret:
		return v.s.Has(from, to, clause.Path|clause.Secret) || trigger >= 2 || claimed || v.reason || v.carried(from, to) || v.s.HasAny(from, to, clause.Whole|clause.Address) || force == clause.Obliges
	case rulePass:
		return v.s.Has(from, to, clause.Address) || trigger == 3 || v.quiet || trigger > 0 && claimed || v.before != nil && v.before.hasRead() || force == clause.Obliges && v.carried(from, to) && !v.ownFieldIn(from, to)
	case ruleTamper:
		return (trigger == 3 || trigger == 2 && (value || claimed) || v.quiet || v.named && (value || claimed))
	case ruleRead, ruleHarm:
		return trigger == 3 || trigger == 2 && (value || claimed || rule == ruleHarm) || v.quiet || trigger > 0 && (claimed || v.s.HasAny(from, to, clause.Secret|clause.Address)) || v.s.Has(from, to, clause.Path|clause.Literal) && (claimed || v.reason)
	}
	return true
}

// weigh collects what speaks for and against a demand, and sums its weights.
func (v *view) weigh(rule string, i, from, to int, force clause.Force) demand {
	t := v.s.Tokens
	d := demand{rule: rule}
	put := func(holds bool, f feature) {
		if holds {
			d.features = append(d.features, f)
		}
	}
	has := func(c clause.Class) bool { return v.s.HasAny(from, to, c) }
	all := func(c clause.Class) bool { return v.s.Has(from, to, c) }
	put(true, kinds[rule])
	trigger := v.applies
	put(force == clause.Obliges, fObliged)
	put(trigger >= 1, fConditionWeak)
	put(trigger >= 2, fConditionSome)
	put(trigger == 3, fConditionWork)
	put(trigger == 3 && (rule == ruleTamper || rule == ruleHarm), fConditionEffect)
	put(trigger == 3 && (rule == rulePass || rule == ruleRead || rule == ruleSecret), fConditionData)
	put(trigger == 3 && rule == ruleDivert, fConditionOther)
	put(all(clause.Path|clause.Secret), fSecretPath)
	put(all(clause.Path|clause.Literal) && !all(clause.Path|clause.Secret), fPath)
	put(has(clause.Secret), fSecretWord)
	put(has(clause.Private), fPrivate)
	put(has(clause.Address), fAddress)
	put(has(clause.Address) && rule == rulePass, fAddressPassed)
	put(has(clause.Number) && (rule == ruleTamper || rule == ruleHarm || rule == ruleDivert), fNumber)
	put(v.quotedIn(from, to) && (rule == ruleTamper || rule == ruleDivert || rule == rulePass), fQuoted)
	put(v.named, fNamed)
	put(v.named && !v.sibling, fNamedUnknown)
	put(v.hasOther && !v.named, fOthers)
	put(rule == ruleDivert && v.targetActs(), fTargetActs)
	put(rule == ruleDivert && (has(clause.Literal|clause.Number) || v.quotedIn(from, to)), fValueOther)
	put(v.hasAct, fWork)
	put(v.s.HasAny(0, len(t), clause.Before), fBefore)
	put(rule == rulePrecedence && v.every && (v.hasAct || v.hasOther), fBeforeEvery)
	put(has(clause.Whole), fWhole)
	put(v.every, fEvery)
	put(v.reason, fReason)
	put(v.reason && trigger == 3, fReasonWork)
	put(v.policy, fPolicy)
	put(v.threat, fThreat)
	put(v.quiet, fQuiet)
	put(v.before != nil && v.before.hasRead() && rule == rulePass, fAfterRead)
	put(v.carried(from, to) && rule == rulePass, fCarried)
	put(v.before != nil && (v.before.reason || v.before.policy), fClaimedBefore)
	put(v.key, fYieldsKey)
	put(v.key && v.named && v.sibling, fYieldsKeyOfSibling)
	put(v.ownFieldIn(from, to) && !v.hasOther, fOwnField)
	put(v.param, fParam)
	put(has(clause.Rather) && rule == ruleDivert, fRather)
	put(v.s.First, fFirst)
	put(rule == ruleSecret && v.purpose&(clause.Secret|clause.Private)&v.sentence() != 0, fPurpose)
	put(v.asks(), fAsksUser)
	put(v.s.HasAny(0, len(t), clause.May), fMay)
	put(v.server, fServer)
	put(v.s.HasAny(0, len(t), clause.Not), fNot)
	put(v.short(i), fShortOrder)
	for _, f := range d.features {
		d.points += weights[f]
	}
	if claims := v.reason || v.policy || v.threat || v.quiet; !claims {
		// Honest servers demand their own order too, if with less reason.
		switch {
		case rule == rulePrecedence && v.named && v.sibling && !v.every:
			d.points = min(d.points, (reviewAt-1)*tenths)
		case rule == rulePrecedence:
			d.points = min(d.points, (evenAt-1)*tenths)
		case rule == ruleDivert && v.sibling && !v.targetActs() && !v.s.HasAny(from, to, clause.Literal|clause.Number) && !v.quotedIn(from, to):
			d.points = min(d.points, (reviewAt-1)*tenths)
		}
	}
	return d
}

// sentence returns the classes of all words of the sentence.
func (v *view) sentence() clause.Class {
	var is clause.Class
	for i := range v.s.Tokens {
		is |= v.s.Tokens[i].Is
	}
	return is
}

// targetActs reports that another tool is named whose name says that it changes something.
func (v *view) targetActs() bool {
	for i, t := range v.s.Tokens {
		if !v.others[i] || t.Is&clause.ToolNoun != 0 {
			continue
		}
		verb, _, _ := strings.Cut(spaced(t.Text), " ")
		if !reading[verb] {
			return true
		}
	}
	return false
}

// reading are the verbs with which the names of tools begin that only read.
var reading = map[string]bool{"get": true, "list": true, "search": true, "find": true, "read": true, "describe": true, "check": true, "validate": true, "query": true, "fetch": true, "view": true, "show": true, "lookup": true, "resolve": true, "geocode": true, "explain": true, "count": true,
	"start": true, "login": true, "wait": true, "take": true, "select": true, "open": true, "firecrawl": true, "browser": true, "api": true, "mcp": true}

// asks reports that the sentence has the user asked or told.
func (v *view) asks() bool {
	for i, t := range v.s.Tokens {
		if t.Is&clause.Consult != 0 && v.s.HasAny(i, i+5, clause.Person) && v.s.Force(i) >= clause.Orders || t.Text == "confirmation" || t.Text == "approval" && v.s.HasAny(0, len(v.s.Tokens), clause.Person) {
			return true
		}
	}
	return false
}

// short reports a demand of a few words about the call itself, such as "use absolute paths".
func (v *view) short(i int) bool { return len(v.s.Tokens) < 9 && !v.named }

// objects returns the range of tokens that the verb at i is about: what follows it, up to the
// next demand; for a passive, what precedes it as well.
func (v *view) objects(i int) (from, to int) {
	t := v.s.Tokens
	from, to = i+1, i+1
	for to < len(t) && to < i+22 {
		if to > i+2 && t[to].Form == clause.Base && t[to].Is&acting != 0 && v.s.Force(to) >= clause.Orders && t[to-1].Text != "to" {
			break
		}
		to++
	}
	if t[i].Form == clause.Participle {
		from = max(0, i-14)
	}
	return from, to
}

// prerequisite returns the place at which the tool declares itself a condition of others, or -1.
func (v *view) prerequisite() int {
	t := v.s.Tokens
	at := -1
	for i := range t {
		if w := t[i].Text; strings.HasPrefix(w, "prerequisite") || strings.HasPrefix(w, "pre-requisite") || w == "precondition" || w == "mandatory" || w == "preceded" || w == "accompanied" || (w == "required" || w == "necessary") && i < 2 {
			at = i
		}
		// "Without calling this tool", "before this tool has been run".
		if (t[i].Text == "without" || t[i].Text == "unless" || t[i].Text == "until" || t[i].Text == "before") && v.ownIn(i+1, i+5) && v.s.HasAny(i+1, i+7, clause.Invoke) && t[i].Text != "use" {
			return i
		}
	}
	if at >= 0 && t[at].Text == "mandatory" && v.every && v.hasAct {
		return at
	}
	if at < 0 || !v.hasAct && !v.hasOther && v.applies < 2 || !v.s.HasAny(0, len(t), clause.Before) && !v.hasOwn {
		return -1
	}
	return at
}

// shadow reports that the tool wants to stand for others.
func (v *view) shadow() bool {
	return v.hasOwn && (v.hasOther || v.every && v.hasAct) && v.s.HasAny(0, len(v.s.Tokens), clause.Rather)
}

// condition weighs the condition under which a demand applies: nothing, a weak one ("when
// there are many rows"), or one about other work ("whenever a file is read", "all payments").
func (v *view) condition() int {
	t := v.s.Tokens
	best := 0
	for i := range t {
		is := t[i].Is
		if is&(clause.When|clause.Before|clause.Every) == 0 {
			continue
		}
		if best < 1 {
			best = 1
		}
		for j := i + 1; j < len(t) && j <= i+7 && t[j].Is&clause.Pause == 0; j++ {
			switch {
			case v.params[folded(t[j].Text)]:
			case v.acts[j], v.others[j], v.own[j] && is&clause.When != 0:
				best = max(best, 3)
			case t[j].Form == clause.Participle && t[j-1].Is&clause.Pause == 0 && passive[t[j-1].Text] && !stateOf[t[j].Text]:
				best = max(best, 3)
			case t[j].Form == clause.Gerund && j <= i+2 && is&(clause.Before|clause.When) != 0:
				best = max(best, 3)
			case t[j].Is&(clause.ActNoun|clause.Source|clause.Field|clause.Private) != 0 && is&clause.Every != 0 && is&clause.Pause == 0:
				best = max(best, 2)
			case t[j].Is&(clause.ActNoun|clause.Model|clause.Source) != 0 && strongWhen[t[i].Text]:
				best = max(best, 3)
			case is&clause.Every != 0 && j == i+1 && t[j].Is == 0: // "each release"
				best = max(best, 2)
			}
		}
	}
	return best
}

var (
	passive = map[string]bool{"is": true, "are": true, "was": true, "were": true, "been": true, "being": true, "gets": true}
	// stateOf are participles that tell a state and no work: "if no value is provided".
	stateOf = map[string]bool{"provided": true, "specified": true, "given": true, "set": true, "needed": true, "required": true, "found": true, "enabled": true, "disabled": true, "omitted": true, "included": true, "allowed": true,
		"supported": true, "returned": true, "defined": true, "passed": true, "used": false, "supplied": true, "installed": true, "limited": true, "truncated": true, "configured": true, "denied": true, "blocked": true}
	strongWhen = map[string]bool{"whenever": true, "upon": true, "during": true, "before": true, "after": true, "each": true, "every": true, "once": true, "following": true, "prior": true, "for": true, "on": true, "with": true, "in": true, "as": true, "immediately": true, "any": true, "all": true, "at": true}
)

// carried reports that the objects name a place in a call: as an argument, in a field, to
// another tool.
func (v *view) carried(from, to int) bool {
	t := v.s.Tokens
	to = min(to, len(t))
	for j := from; j < to; j++ {
		switch t[j].Text {
		case "as", "in", "into", "via", "through", "with", "to", "inside", "within":
			for k := j + 1; k < to && k < j+6; k++ {
				if v.own[k] || v.others[k] || t[k].Is&clause.Field != 0 || t[k].Is&clause.Identifier != 0 {
					return true
				}
			}
		}
	}
	return false
}

// hasRead reports that the sentence has something read, or another tool called.
func (v *view) hasRead() bool {
	for i, t := range v.s.Tokens {
		if t.Is&(clause.Access|clause.Invoke) != 0 && v.s.Force(i) >= clause.Orders && (v.s.HasAny(i, i+14, clause.Path|clause.Secret|clause.Private|clause.Source) || v.named) {
			return true
		}
	}
	return false
}

// phraseHide reports a set phrase such as "without telling the user".
func (v *view) phraseHide() bool {
	for i, t := range v.s.Tokens {
		if t.Is&clause.Hide != 0 && t.Form == clause.NoVerb && v.s.HasAny(i, i+8, clause.Person) {
			return true
		}
	}
	return false
}

func (v *view) ownIn(from, to int) bool {
	return slices.Contains(v.own[max(from, 0):min(to, len(v.own))], true)
}

func (v *view) otherIn(from, to int) bool {
	return slices.Contains(v.others[max(from, 0):min(to, len(v.others))], true)
}

// namedIn reports a tool's name, and not only "any other tool".
func (v *view) namedIn(from, to int) bool {
	for i := max(from, 0); i < min(to, len(v.others)); i++ {
		if v.others[i] && v.s.Tokens[i].Is&clause.ToolNoun == 0 {
			return true
		}
		if v.others[i] && i > 0 && v.s.Tokens[i-1].Is&(clause.Every|clause.Other) == 0 {
			return true
		}
	}
	return false
}

func (v *view) quotedIn(from, to int) bool {
	for i := max(from, 0); i < min(to, len(v.s.Tokens)); i++ {
		if t := &v.s.Tokens[i]; t.Quoted && !v.others[i] && !v.own[i] {
			return true
		}
	}
	return false
}

func (v *view) ownFieldIn(from, to int) bool {
	for i := max(from, 0); i < min(to, len(v.s.Tokens)); i++ {
		if v.params[folded(v.s.Tokens[i].Text)] {
			return true
		}
	}
	return false
}
