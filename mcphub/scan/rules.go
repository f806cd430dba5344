package scan

import "github.com/localpass/localpass/internal/poison"

// The rules of this package, beside those of the texts alone.
const (
	rulePrecedence = "ORDER_BEFORE_OTHERS"
	ruleDivert     = "OTHER_TOOL_DEMANDED"
	ruleSecret     = "SECRET_DEMANDED"
	ruleRead       = "UNRELATED_READ"
	rulePass       = "DATA_PASSED_ON"
	ruleTamper     = "ARGUMENTS_CHANGED"
	ruleHarm       = "UNRELATED_EFFECT"
	ruleShadow     = "TOOL_SHADOWED"
	ruleConceal    = "HIDDEN_FROM_USER"
	ruleOverride   = "RULES_OVERRIDDEN"
	ruleConsent    = "CONSENT_SKIPPED"
	ruleSolicit    = "SECRET_ASKED_OF_USER"
	rulePropagate  = "TEXT_SPREAD"
	ruleLookAlike  = "NAME_IMPERSONATION"
	ruleContradict = "ANNOTATION_CONTRADICTION"
	ruleSchema     = "SCHEMA_SMUGGLE"
	ruleUnreadable = "UNREADABLE_DEFINITION"
	ruleUnread     = "TEXT_NOT_READ"

	rulePrecall = "PRECALL_COERCION" // of the rules of texts
)

// Rule describes a rule.
type Rule struct {
	ID string `json:"id"`
	// Why says what a text that it finds does.
	Why string `json:"why"`
	// Do says what a person can do about it.
	Do string `json:"do"`
}

var rules = []Rule{
	{rulePrecedence, "It demands to be called before other work, whatever the user asked for.", "Leave the tool out unless its server needs it for its own other tools, for example to sign in."},
	{ruleDivert, "It sends the model to another tool with a task that the user did not give.", "Leave the tool out, and look at the rest of the server with care."},
	{ruleSecret, "It has the model read or pass on something that is secret or private.", "Do not connect the server."},
	{ruleRead, "It has the model read a file or another source that the call does not need.", "Leave the tool out."},
	{rulePass, "It has the model pass data on to an address, or into an argument that does not need it.", "Leave the tool out."},
	{ruleTamper, "It has the model change what it passes to other tools, or what they return.", "Leave the tool out, and check what other tools were called with since it was connected."},
	{ruleHarm, "It has the model do something with an effect that the user did not ask for.", "Leave the tool out."},
	{ruleShadow, "It wants to be called in place of other tools, which it speaks ill of.", "Leave the tool out, or the others that it is meant to replace."},
	{ruleConceal, "It has the model hide something from the user.", "Do not connect the server."},
	{ruleOverride, "It has the model set aside what the user, the system or the operator said.", "Do not connect the server."},
	{ruleConsent, "It has the model act without the consent that a person would give.", "Do not connect the server."},
	{ruleSolicit, "It has the model ask the user for a secret.", "Leave the tool out; enter secrets only where the operator of the server asks for them."},
	{rulePropagate, "It has the model copy a text into files that other models read.", "Leave the tool out, and look for the text in files that were changed since it was connected."},
	{ruleLookAlike, "Its name can be taken for that of a tool of another server.", "Give it another name (alias), or leave it out."},
	{ruleContradict, "It says that it only reads, and its name says that it changes something.", "Treat the tool as one that changes data."},
	{ruleSchema, "Its schema refers to a document elsewhere, which can change at any time.", "Ask the maker of the server to put the schema into the definition."},
	{ruleUnread, "It is longer than 64 KiB, and the rest was not read.", "Leave the tool out: no description needs to be that long."},
	{ruleUnreadable, "Its definition cannot be read as the protocol wants it.", "Leave the tool out."},
}

// Rules lists the rules of this package and those of the texts alone.
func Rules() []Rule {
	out := append([]Rule(nil), rules...)
	out = append(out, launchRules...)
	for _, r := range poison.Rules() {
		out = append(out, Rule{ID: r.ID, Why: "It " + r.Why + ".", Do: adviceFor(r.ID)})
	}
	return out
}

func why(id string) string {
	for i := range rules {
		if rules[i].ID == id {
			return rules[i].Why
		}
	}
	return ""
}

func adviceFor(id string) string {
	for i := range rules {
		if rules[i].ID == id {
			return rules[i].Do
		}
	}
	return "Read the place that is shown; leave the tool out unless you know why it says this."
}
