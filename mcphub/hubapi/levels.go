package hubapi

import (
	"fmt"
	"net/http"

	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/internal/httpapi/sender"
	"github.com/localpass/localpass/mcphub/risk"
	"github.com/localpass/localpass/mcphub/servers"
)

func (a *API) levelRoutes() []httpapi.Route {
	const path = serverPath + "/levels"
	return []httpapi.Route{
		{
			Method: http.MethodPost, Path: path, ID: "confirmLevel", Summary: "Confirms the risk level of a tool as it is now.",
			Description: "It counts until the definition of the tool or the connection changes.", Params: theServer(), Body: httpapi.Of[confirmBody](),
			Answers: apiAnswers[toolRisk](http.StatusOK, "The level."),
			Errors:  []httpapi.Kind{httpapi.NotFound, httpapi.ValidationFailed, httpapi.Unauthenticated, withheldTool, readOnlyStore}, Handle: a.confirmLevel,
		},
		{
			Method: http.MethodDelete, Path: path, ID: "withdrawLevel", Summary: "Makes the level of a tool unknown again.",
			Params: append(theServer(), httpapi.Param{In: httpapi.InQuery, Name: "toolName", Required: true, Description: "The tool."}),
			Errors: []httpapi.Kind{httpapi.NotFound, httpapi.InvalidArgument, httpapi.Unauthenticated, readOnlyStore}, Handle: a.withdrawLevel,
		},
	}
}

func riskOf(r risk.Risk) *toolRisk {
	item := &toolRisk{Level: r.Level, Proposed: r.Proposal.Level, Least: r.Proposal.Least, Reasons: r.Proposal.Reasons, Findings: r.Proposal.Findings}
	if c := r.Confirmed; c != nil {
		item.Confirmed = &levelItem{By: c.By.Subject, At: c.At}
	}
	return item
}

func (a *API) confirmLevel(w http.ResponseWriter, r *http.Request) error {
	var in confirmBody
	if err := httpapi.Decode(r, &in); err != nil {
		return err
	}
	who, err := sender.Of(r, a.opts.Principal)
	if err != nil {
		return err
	}
	server, err := a.conns.Server(r.PathValue("id"))
	if err != nil {
		return err
	}
	u := risk.UpstreamOf(server)
	u.Offered = a.conns.Snapshot(u.Server)
	t := u.Offered.Tool(in.ToolName)
	if t == nil || t.Fingerprint != in.Fingerprint {
		return fmt.Errorf("hubapi: %w: the server describes the tool differently now, or does not offer it: look at it again", servers.ErrWithheld)
	}
	if err := a.opts.Levels.Confirm(r.Context(), u, t, in.Level, who); err != nil {
		return err
	}
	return httpapi.Reply(w, http.StatusOK, riskOf(a.levels.Of(u, t)))
}

func (a *API) withdrawLevel(w http.ResponseWriter, r *http.Request) error {
	if _, err := a.conns.Get(r.PathValue("id")); err != nil {
		return err
	}
	tool, err := queryParam(r.URL.Query(), "toolName")
	if err != nil {
		return err
	}
	who, err := sender.Of(r, a.opts.Principal)
	if err != nil {
		return err
	}
	if err := a.opts.Levels.Withdraw(r.Context(), r.PathValue("id"), tool, who); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
