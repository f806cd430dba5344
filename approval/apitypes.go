package approval

import (
	"encoding/json"
	"time"

	"github.com/localpass/localpass/toolspec"
)

// Person is a [toolspec.Principal] as the API shows it.
type Person struct {
	Subject string `json:"subject,omitempty"`
	Issuer  string `json:"issuer,omitempty" doc:"Who vouches for the subject."`
	Via     string `json:"via,omitempty" doc:"How they came in."`
}

func personOf(p toolspec.Principal) Person { return Person(p) }

// Item is a request and what became of it, as the API shows it. It holds no
// secret: those are masked.
type Item struct {
	ID      string  `json:"id"`
	State   Status  `json:"state" enum:"pending,decided,expired,used"`
	Outcome Outcome `json:"outcome,omitempty" doc:"How it ended: approved, declined, cancelled, timed-out, unavailable or failed."`

	CallID      string         `json:"callId,omitempty"`
	Batch       string         `json:"batch,omitempty" doc:"The turn that asks for several calls at once."`
	Tool        string         `json:"tool"`
	Server      string         `json:"server,omitempty" doc:"Empty is this program itself."`
	Alias       string         `json:"alias,omitempty"`
	Title       string         `json:"title,omitempty"`
	Description string         `json:"description,omitempty"`
	Fingerprint string         `json:"fingerprint" doc:"The tool as it was when the question was asked."`
	Level       toolspec.Level `json:"level"`
	Risk        string         `json:"risk" doc:"The level with its word, such as L3 Moderate."`
	Findings    []Finding      `json:"findings,omitempty"`

	Arguments json.RawMessage `json:"arguments" doc:"What runs when the answer is yes, secrets masked."`
	Masked    bool            `json:"masked,omitempty" doc:"A secret is masked in the arguments: they cannot be edited here where it stands."`
	Digest    string          `json:"digest" doc:"SHA-256 of the arguments in canonical form, unmasked."`
	Schema    json.RawMessage `json:"schema,omitempty" doc:"What edited arguments must match. Without it they cannot be edited."`
	Prompt    string          `json:"prompt"`
	Shown     string          `json:"shown" doc:"The arguments for people: invisible characters escaped, cut to 400 characters."`
	Why       []string        `json:"why,omitempty"`
	Changes   []string        `json:"changes,omitempty" doc:"What the call may change and reach, a sentence each."`
	Targets   []string        `json:"targets,omitempty" doc:"The files and the addresses that the arguments name, such as path notes/todo.md."`
	Confirm   string          `json:"confirm,omitempty" doc:"What must be typed to approve: send it as confirmName."`
	Scopes    []Scope         `json:"scopes"`
	Needed    int             `json:"needed" doc:"How many different people must approve."`

	Principal    Person    `json:"principal" doc:"Whose call it is."`
	Conversation string    `json:"conversation,omitempty"`
	Side         Side      `json:"side" enum:"chat,server,studio"`
	Client       Client    `json:"client,omitzero" doc:"The program that calls, as it says itself: a claim."`
	Created      time.Time `json:"created"`
	Deadline     time.Time `json:"deadline"`
	Latest       time.Time `json:"latest,omitzero" doc:"Until when the deadline can be put off, once. Left out: it stands."`

	Decisions []Decided `json:"decisions"`
	Ended     time.Time `json:"ended,omitzero"`
	Used      time.Time `json:"used,omitzero" doc:"When its call was let run."`
	Rule      int       `json:"rule,omitempty" doc:"The row of the precedence table that asks."`
	Because   string    `json:"because,omitempty" doc:"What let the call run: who approved it, and how. Left out: it did not run."`
	Closed    string    `json:"closed,omitempty" doc:"Why nobody can answer it any more although no person did, such as that the caller has gone: approving it runs nothing."`

	Changed Changed `json:"changed,omitempty" enum:"tool,risk" doc:"Why the call of a pending request will not run any more, whatever the answer: the tool is another one by now, or its level rose."`
}

// Decided is one answer to a request.
type Decided struct {
	Outcome   Outcome         `json:"outcome"`
	Scope     Scope           `json:"scope,omitempty"`
	Calls     int             `json:"calls,omitempty"`
	Until     time.Time       `json:"until,omitzero"`
	Arguments json.RawMessage `json:"arguments,omitempty" doc:"What runs in place of what was asked about, secrets masked."`
	Note      string          `json:"note,omitempty"`
	By        Person          `json:"by"`
	Via       string          `json:"via,omitempty"`
	At        time.Time       `json:"at,omitzero"`
}

// ItemList is one page of requests.
type ItemList struct {
	Items      []Item `json:"items"`
	NextCursor string `json:"nextCursor,omitempty"`
}

// Answer is what decides a request.
type Answer struct {
	Decision    Outcome         `json:"decision" enum:"approved,declined,cancelled"`
	Arguments   json.RawMessage `json:"arguments,omitempty" doc:"Run in place of those that were asked about; they must match the schema."`
	Scope       Scope           `json:"scope,omitempty" enum:"once,arguments,conversation,calls,time,always" doc:"One of the scopes of the request. Default once."`
	Calls       int             `json:"calls,omitempty" doc:"How many, for the scope calls."`
	Until       time.Time       `json:"until,omitzero" doc:"For the scope time: at most 8 hours ahead."`
	Note        string          `json:"note,omitempty" doc:"What the model is told of a denial."`
	ConfirmName string          `json:"confirmName,omitempty" doc:"What was typed, where the request has confirm."`
}

// ShortAnswer decides a request in one word.
type ShortAnswer struct {
	Approved    bool   `json:"approved" doc:"true approves this call alone."`
	Note        string `json:"note,omitempty" doc:"What the model is told of a denial."`
	ConfirmName string `json:"confirmName,omitempty" doc:"The name of the tool. A request of level L5 is approved only with it: its member confirm says which."`
}

// GrantItem is a [Grant] as the API shows it.
type GrantItem struct {
	ID           string         `json:"id"`
	Scope        Scope          `json:"scope"`
	Tool         string         `json:"tool"`
	Server       string         `json:"server,omitempty"`
	Fingerprint  string         `json:"fingerprint"`
	Level        toolspec.Level `json:"level"`
	Principal    Person         `json:"principal"`
	Side         Side           `json:"side"`
	Conversation string         `json:"conversation,omitempty"`
	Digest       string         `json:"digest,omitempty" doc:"Of the arguments that it is bound to."`
	Calls        int            `json:"calls,omitempty"`
	UsedCalls    int            `json:"used"`
	Request      string         `json:"request" doc:"The question that it was given at."`
	By           Person         `json:"by"`
	Via          string         `json:"via,omitempty"`
	Created      time.Time      `json:"created"`
	Expires      time.Time      `json:"expires"`
	Last         time.Time      `json:"last,omitzero" doc:"When it was last used."`
}

// GrantList is one page of grants.
type GrantList struct {
	Items      []GrantItem `json:"items"`
	NextCursor string      `json:"nextCursor,omitempty"`
}

// Revoked says how many grants were taken back.
type Revoked struct {
	Revoked int `json:"revoked"`
}

// PolicyBody sets a policy.
type PolicyBody struct {
	ServerID string     `json:"serverId" doc:"Empty is this program itself, * every server."`
	ToolName string     `json:"toolName" doc:"The tool's own name, or * for all of the server."`
	Policy   PolicyKind `json:"policy" enum:"ALWAYS_ALLOW,ALWAYS_DENY,ASK_USER"`
	Side     Side       `json:"side,omitempty" enum:"chat,server,studio,any" doc:"Left out: chat. any is every side, which ALWAYS_ALLOW cannot cover."`
	// OverridesRequired lets the tool run although it asks for approval itself.
	OverridesRequired bool         `json:"overridesRequired,omitempty" doc:"ALWAYS_ALLOW runs the tool although it asks for approval itself."`
	Rules             []PolicyRule `json:"rules,omitempty"`
}

// PolicyRule is a [Rule] as the API takes it.
type PolicyRule struct {
	Pointer  string          `json:"pointer" doc:"A JSON Pointer into the arguments."`
	Operator Operator        `json:"operator" enum:"equals,oneOf,prefix,under,host,matches,absent"`
	Value    json.RawMessage `json:"value,omitempty" doc:"A text; for equals any value, for oneOf an array, for absent nothing."`
	Not      bool            `json:"not,omitempty"`
	Effect   Effect          `json:"effect" enum:"deny,ask"`
	Reason   string          `json:"reason,omitempty"`
}

// PolicyItem is a [Policy] as the API shows it.
type PolicyItem struct {
	PolicyBody
	By      Person    `json:"by"`
	At      time.Time `json:"at,omitzero"`
	Fixed   bool      `json:"fixed,omitempty" doc:"It stands in the policy file."`
	Problem string    `json:"problem,omitempty" doc:"The stored policy cannot be read, and refuses what it covers."`
}

// PolicyList is one page of policies.
type PolicyList struct {
	Items      []PolicyItem `json:"items"`
	NextCursor string       `json:"nextCursor,omitempty"`
}

// ExplainBody is a call that might be made.
type ExplainBody struct {
	ServerID     string          `json:"serverId,omitempty"`
	ToolName     string          `json:"toolName"`
	Side         Side            `json:"side" enum:"chat,server,studio"`
	Arguments    json.RawMessage `json:"arguments,omitempty"`
	Principal    *Person         `json:"principal,omitempty" doc:"Whose call. Left out: yours."`
	Conversation string          `json:"conversation,omitempty"`
}

// Explanation is the precedence table as it looks at a call.
type Explanation struct {
	Effect Effect `json:"effect" doc:"What would become of the call: deny, ask or run."`
	Rows   []Row  `json:"rows"`
}
