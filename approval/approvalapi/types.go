package approvalapi

import (
	"encoding/json"
	"time"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/toolspec"
)

// itemList is one page of requests.
type itemList struct {
	Items      []approval.View `json:"items"`
	NextCursor string          `json:"nextCursor,omitempty"`
}

// grantItem is an [approval.Grant] as the API shows it.
type grantItem struct {
	ID           string          `json:"id"`
	Scope        approval.Scope  `json:"scope"`
	Tool         string          `json:"tool"`
	Server       string          `json:"server,omitempty"`
	Fingerprint  string          `json:"fingerprint"`
	Level        toolspec.Level  `json:"level"`
	Principal    approval.Person `json:"principal"`
	Side         approval.Side   `json:"side"`
	Conversation string          `json:"conversation,omitempty"`
	Digest       string          `json:"digest,omitempty" doc:"Of the arguments that it is bound to."`
	Calls        int             `json:"calls,omitempty"`
	UsedCalls    int             `json:"used"`
	Request      string          `json:"request" doc:"The question that it was given at."`
	By           approval.Person `json:"by"`
	Via          string          `json:"via,omitempty"`
	Created      time.Time       `json:"created"`
	Expires      time.Time       `json:"expires"`
	Last         time.Time       `json:"last,omitzero" doc:"When it was last used."`
}

// grantList is one page of grants.
type grantList struct {
	Items      []grantItem `json:"items"`
	NextCursor string      `json:"nextCursor,omitempty"`
}

// revoked is the number of revoked grants.
type revoked struct {
	Revoked int `json:"revoked"`
}

// policyBody sets a policy.
type policyBody struct {
	ServerID string                `json:"serverId" doc:"Empty is this program itself, * every server."`
	ToolName string                `json:"toolName" doc:"The tool's own name, or * for all of the server."`
	Policy   approval.PolicyEffect `json:"policy" enum:"ALWAYS_ALLOW,ALWAYS_DENY,ASK_USER"`
	Side     approval.Side         `json:"side,omitempty" enum:"chat,server,studio,any" doc:"Left out: chat. any is every side, which ALWAYS_ALLOW cannot cover."`
	// OverridesRequired lets the tool run without approval although the tool asks for it.
	OverridesRequired bool         `json:"overridesRequired,omitempty" doc:"ALWAYS_ALLOW runs the tool although it asks for approval itself."`
	Rules             []policyRule `json:"rules,omitempty"`
}

// policyRule is an [approval.Rule] as the API accepts it.
type policyRule struct {
	Pointer  string            `json:"pointer" doc:"A JSON Pointer into the arguments."`
	Operator approval.Operator `json:"operator" enum:"equals,oneOf,prefix,under,host,matches,absent"`
	Value    json.RawMessage   `json:"value,omitempty" doc:"A text; for equals any value, for oneOf an array, for absent nothing."`
	Not      bool              `json:"not,omitempty"`
	Effect   approval.Effect   `json:"effect" enum:"deny,ask"`
	Reason   string            `json:"reason,omitempty"`
}

// policyItem is an [approval.Policy] as the API shows it.
type policyItem struct {
	policyBody
	By      approval.Person `json:"by"`
	At      time.Time       `json:"at,omitzero"`
	Fixed   bool            `json:"fixed,omitempty" doc:"It comes from the policy file."`
	Problem string          `json:"problem,omitempty" doc:"The stored policy cannot be read, and refuses what it covers."`
}

// policyList is one page of policies.
type policyList struct {
	Items      []policyItem `json:"items"`
	NextCursor string       `json:"nextCursor,omitempty"`
}

// explainBody is a hypothetical call.
type explainBody struct {
	ServerID     string           `json:"serverId,omitempty"`
	ToolName     string           `json:"toolName"`
	Side         approval.Side    `json:"side" enum:"chat,server,studio"`
	Arguments    json.RawMessage  `json:"arguments,omitempty"`
	Principal    *approval.Person `json:"principal,omitempty" doc:"Whose call. Left out: yours."`
	Conversation string           `json:"conversation,omitempty"`
}

// explanation is the precedence table, evaluated for a call.
type explanation struct {
	Effect approval.Effect `json:"effect" doc:"What would become of the call: deny, ask or run."`
	Rows   []approval.Row  `json:"rows"`
}
