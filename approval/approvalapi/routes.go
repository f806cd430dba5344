package approvalapi

import (
	"net/http"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/httpapi"
)

func inQuery(name, description string, values ...string) httpapi.Param {
	return httpapi.Param{In: httpapi.InQuery, Name: name, Description: description, Enum: values}
}

func inPath(name, description string) httpapi.Param {
	return httpapi.Param{In: httpapi.InPath, Name: name, Description: description}
}

func pageParams() []httpapi.Param {
	return []httpapi.Param{inQuery("cursor", "The nextCursor of the page before."),
		{In: httpapi.InQuery, Name: "limit", Type: "integer", Description: "1 to 200. Default 50."}}
}

func sideParam(description string) httpapi.Param {
	return inQuery("side", description, string(approval.SideChat), string(approval.SideServer), string(approval.SideStudio))
}

func answers[T any](status int, description string) []httpapi.Answer {
	return []httpapi.Answer{{Status: status, Description: description, Content: httpapi.Of[T]()}}
}

// routes is the table of the API's routes.
func (a *API) routes() httpapi.Table {
	t := httpapi.Table{Tag: "approvals", Problem: a.problemOf,
		Description: "Questions to people about tool calls. What is not approved in time does not run."}
	t.Routes = append(a.itemRoutes(), a.grantRoutes()...)
	t.Routes = append(t.Routes, a.policyRoutes()...)
	if a.opts.Lookup != nil {
		t.Routes = append(t.Routes, httpapi.Route{
			Method: http.MethodPost, Path: "/api/approvals/explain", ID: "explainCall", Summary: "Says why a call would run, be asked about or be refused.",
			Description: "Every row of the precedence table. No person is asked, and nothing is used up.",
			Body:        httpapi.Of[explainBody](), Answers: answers[explanation](http.StatusOK, "The table."),
			Errors: []httpapi.Kind{httpapi.NotFound, httpapi.ValidationFailed}, Handle: a.explain,
		})
	}
	return t
}

func (a *API) itemRoutes() []httpapi.Route {
	deciding := []httpapi.Kind{httpapi.NotFound, hasExpired, httpapi.ValidationFailed, httpapi.Unauthenticated, storeReadOnly, httpapi.ShuttingDown}
	return []httpapi.Route{
		{
			Method: http.MethodGet, Path: "/api/approvals", ID: "listApprovals", Summary: "Lists requests, the newest first.",
			Params: append([]httpapi.Param{inQuery("state", "Only those of this state.", string(approval.StatusPending), string(approval.StatusDecided), string(approval.StatusExpired), string(approval.StatusUsed)),
				sideParam("Only those of this side."), inQuery("level", "Only those of this level.", "L0", "L1", "L2", "L3", "L4", "L5"),
				inQuery("batch", "Only those of this batch."), inQuery("order", "Default newest.", "newest", "oldest")}, pageParams()...),
			Answers: answers[itemList](http.StatusOK, "A page of requests."), Errors: []httpapi.Kind{httpapi.InvalidArgument}, Handle: a.listItems,
		},
		{
			Method: http.MethodGet, Path: "/api/approvals/stream", ID: "followApprovals", Summary: "Follows requests as they are asked and end.",
			Description: "Events approval.pending, approval.decided, approval.expired and approval.used, each with the request as it then is; resync: read the list anew. " +
				"Open the stream first and list then: nothing is missed. No event says that a request has expired: look at its deadline.",
			Params:  httpapi.StreamParams(),
			Answers: []httpapi.Answer{{Status: http.StatusOK, Description: "The events.", Content: httpapi.EventStream[approval.View]()}},
			Errors:  []httpapi.Kind{httpapi.StreamLimit, httpapi.ShuttingDown}, Handle: a.stream,
		},
		{
			Method: http.MethodGet, Path: "/api/approvals/{id}", ID: "getApproval", Summary: "One request and what became of it.",
			Params: []httpapi.Param{inPath("id", "The request.")}, Answers: answers[approval.View](http.StatusOK, "The request."),
			Errors: []httpapi.Kind{httpapi.NotFound, httpapi.ValidationFailed}, Handle: a.getItem,
		},
		{
			Method: http.MethodPost, Path: "/api/approvals/{id}", ID: "decideApproval", Summary: "Decides a request.",
			Description: "The same answer again changes nothing. Another answer is the problem already_decided, an answer after the deadline expired; both hold the request as the member approval. " +
				"Where two people must approve, the request stays pending after the first.",
			Params: []httpapi.Param{inPath("id", "The request.")}, Body: httpapi.Of[approval.Answer](), Answers: answers[approval.View](http.StatusOK, "The request as it now is."),
			Errors: append(deciding, alreadyDecided), Handle: a.decide,
		},
		{
			Method: http.MethodPost, Path: "/api/responses/approval/{id}", ID: "answerApproval", Summary: "Decides a request that a chat asked about.",
			Description: "The body of decideApproval, such as {approved: true}. At level L5 an approval without confirmName is the problem validation_failed, which names it.",
			Params:      []httpapi.Param{inPath("id", "The request.")}, Body: httpapi.Of[approval.Answer](),
			Answers: append(answers[approval.View](http.StatusOK, "The request as it now is; the same after the same answer again."),
				answers[approval.View](http.StatusConflict, "It was decided otherwise: the request as it is.")...),
			Errors: deciding, Handle: a.answer,
		},
		{
			Method: http.MethodPost, Path: "/api/approvals/{id}/more-time", ID: "extendApproval", Summary: "Puts the deadline of a request off, once.",
			Description: "To the time that its member latest names. Without that member the deadline cannot be extended.",
			Params:      []httpapi.Param{inPath("id", "The request.")}, Answers: answers[approval.View](http.StatusOK, "The request as it now is."),
			Errors: append(deciding, alreadyDecided, noMoreTime), Handle: a.extend,
		},
	}
}

func (a *API) grantRoutes() []httpapi.Route {
	filters := []httpapi.Param{sideParam("Only those of this side."), inQuery("serverId", "Only those of this server."), inQuery("toolName", "Only those of this tool."),
		inQuery("conversation", "Only those of this conversation.")}
	return []httpapi.Route{
		{
			Method: http.MethodGet, Path: "/api/approvals/grants", ID: "listGrants", Summary: "Lists live grants, the oldest first.",
			Params: append(filters[:len(filters):len(filters)], pageParams()...), Answers: answers[grantList](http.StatusOK, "A page of grants."),
			Errors: []httpapi.Kind{httpapi.InvalidArgument}, Handle: a.listGrants,
		},
		{
			Method: http.MethodDelete, Path: "/api/approvals/grants", ID: "revokeGrants", Summary: "Takes back all grants that the filters let through.",
			Params: filters, Answers: answers[revoked](http.StatusOK, "How many."),
			Errors: []httpapi.Kind{httpapi.InvalidArgument, httpapi.Unauthenticated, storeReadOnly}, Handle: a.revokeGrants,
		},
		{
			Method: http.MethodDelete, Path: "/api/approvals/grants/{id}", ID: "revokeGrant", Summary: "Takes back a grant.",
			Params: []httpapi.Param{inPath("id", "The grant.")}, Errors: []httpapi.Kind{httpapi.NotFound, httpapi.Unauthenticated, storeReadOnly}, Handle: a.revokeGrant,
		},
	}
}

func (a *API) policyRoutes() []httpapi.Route {
	return []httpapi.Route{
		{
			Method: http.MethodGet, Path: "/api/mcp/approval-policies", ID: "listApprovalPolicies", Summary: "Lists policies, those of the policy file first.",
			Params:  append([]httpapi.Param{inQuery("side", "Only those of just this side; any: those of every side.", policySides...), inQuery("serverId", "Only those of this server.")}, pageParams()...),
			Answers: answers[policyList](http.StatusOK, "A page of policies."), Errors: []httpapi.Kind{httpapi.InvalidArgument}, Handle: a.listPolicies,
		},
		{
			Method: http.MethodPut, Path: "/api/mcp/approval-policies", ID: "setApprovalPolicy", Summary: "Sets the policy of a side, a server and a tool.",
			Body: httpapi.Of[policyBody](), Answers: answers[policyItem](http.StatusOK, "The policy."),
			Errors: []httpapi.Kind{httpapi.ValidationFailed, fixedPolicy, httpapi.Unauthenticated, storeReadOnly}, Handle: a.setPolicy,
		},
		{
			Method: http.MethodDelete, Path: "/api/mcp/approval-policies", ID: "deleteApprovalPolicy", Summary: "Removes a policy: what other policies say then counts.",
			Params: []httpapi.Param{{In: httpapi.InQuery, Name: "serverId", Description: "The server. Left out: this program itself."},
				{In: httpapi.InQuery, Name: "toolName", Required: true, Description: "The tool, or *."}, inQuery("side", "Left out: chat; any: the policy of every side.", policySides...)},
			Errors: []httpapi.Kind{httpapi.NotFound, httpapi.InvalidArgument, fixedPolicy, httpapi.Unauthenticated, storeReadOnly}, Handle: a.deletePolicy,
		},
	}
}
