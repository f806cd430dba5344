package hubapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// Authorizer lets users authorize the use of servers; oauth.Clients of package
// mcphub/oauth implements it. e and definition are a connection's endpoint and its member
// "oauth", as in [client.RegistryOptions].Credentials.
//
//   - Begin starts a new authorization and returns the page to open. It may send requests
//     to several servers.
//   - Standing returns its status, without sending a request.
//   - Revoke ends an authorization. If there was none, it returns an error.
//   - Complete takes the query that a browser brought back to RedirectURI. An answer is
//     accepted once; the error for an answer that no attempt waits for is
//     [client.ErrNoAttempt].
//   - No error contains a token, a secret or a code.
//   - All methods are safe for concurrent use.
type Authorizer interface {
	Begin(ctx context.Context, e client.Endpoint, definition json.RawMessage) (page string, err error)
	Standing(ctx context.Context, e client.Endpoint, definition json.RawMessage) (client.Authorization, error)
	Revoke(ctx context.Context, e client.Endpoint, definition json.RawMessage) error
	Complete(ctx context.Context, answer url.Values) error
	RedirectURI() string
}

type (
	// authorizationItem is the status of an authorization.
	authorizationItem struct {
		client.Authorization
		Configured bool `json:"configured" doc:"The connection has a member oauth."`
	}
	// authorizationPage is the page on which a user grants the authorization.
	authorizationPage struct {
		URL string `json:"url" doc:"For this person alone: anybody who has it can answer in their place."`
	}
	// oauthItem is what this program tells authorization servers about itself.
	oauthItem struct {
		RedirectURI string `json:"redirectUri"`
	}
	// oauthAnswer is the answer that a browser brought back.
	oauthAnswer struct {
		Query string `json:"query" doc:"The query of the redirect address, unchanged."`
	}
	// oauthDone is the outcome of an answer.
	oauthDone struct {
		OK     bool   `json:"ok"`
		Denied bool   `json:"denied,omitempty" doc:"The person said no."`
		Error  string `json:"error,omitempty"`
	}
)

// revokeLimit is the time limit for ending the authorization of a deleted server.
const revokeLimit = 2 * time.Minute

// maxAnswer is the maximum size of the query of a redirect URL.
const maxAnswer = 16 << 10

// authorizationRoutes returns routes only if an authorizer is configured.
func (a *API) authorizationRoutes() []httpapi.Route {
	const path = serverPath + "/authorization"
	return []httpapi.Route{
		{
			Method: http.MethodGet, Path: path, ID: "getAuthorization", Summary: "The state of the authorization for a server. No token is shown.", Params: theServer(),
			Answers: apiAnswers[authorizationItem](http.StatusOK, "Its state."), Errors: []httpapi.Kind{httpapi.NotFound, httpapi.ValidationFailed, missingConfig, upstreamFailed}, Handle: a.getAuthorization,
		},
		{
			Method: http.MethodPost, Path: path, ID: "beginAuthorization", Summary: "Begins to ask a person, and returns the page to open.",
			Description: "An attempt that is open ends. Once the person has said yes, the server is connected to by itself.", Params: theServer(),
			Answers: apiAnswers[authorizationPage](http.StatusOK, "The page."), Errors: []httpapi.Kind{httpapi.NotFound, httpapi.ValidationFailed, missingConfig, upstreamFailed}, Handle: a.beginAuthorization,
		},
		{
			Method: http.MethodDelete, Path: path, ID: "endAuthorization", Summary: "Ends an authorization, there and here, and closes the session.", Params: theServer(),
			Answers: apiAnswers[authorizationItem](http.StatusOK, "Its state."), Errors: []httpapi.Kind{httpapi.NotFound, httpapi.ValidationFailed, missingConfig, upstreamFailed}, Handle: a.endAuthorization,
		},
		{
			Method: http.MethodGet, Path: "/api/mcp/oauth", ID: "getOAuth", Summary: "What must be registered with authorization servers for this program.",
			Answers: apiAnswers[oauthItem](http.StatusOK, "The address that browsers come back to."), Handle: func(w http.ResponseWriter, _ *http.Request) error {
				return httpapi.Reply(w, http.StatusOK, oauthItem{RedirectURI: a.opts.Authorizer.RedirectURI()})
			},
		},
		{
			Method: http.MethodPost, Path: "/api/mcp/oauth/answer", ID: "answerOAuth", Summary: "Takes what a browser brought back from an authorization server. It is good once.",
			Body: httpapi.Of[oauthAnswer](), Answers: apiAnswers[oauthDone](http.StatusOK, "What came of it."),
			Errors: []httpapi.Kind{httpapi.ValidationFailed, notPending}, Handle: a.answerOAuth,
		},
	}
}

// authorizedWith returns the endpoint of a server and its member "oauth"; nil if it has
// none.
func (a *API) authorizedWith(id string) (client.Endpoint, json.RawMessage, error) {
	rec, err := a.conns.Get(id)
	if err != nil {
		return client.Endpoint{}, nil, err
	}
	t, err := a.conns.Transport(rec)
	if err != nil {
		return client.Endpoint{}, nil, httpapi.ValidationFailed.New("%s", rpc.Plain(err))
	}
	definition := json.RawMessage(rpc.Object(rec.Connection)["oauth"])
	if !rpc.IsObject(definition) {
		return t.Describe(), nil, nil
	}
	return t.Describe(), definition, nil
}

func (a *API) getAuthorization(w http.ResponseWriter, r *http.Request) error {
	e, definition, err := a.authorizedWith(r.PathValue("id"))
	if err != nil {
		return err
	}
	item := authorizationItem{Authorization: client.Authorization{Resource: e.Address, Scopes: []string{}}}
	if definition != nil {
		item.Configured = true
		if item.Authorization, err = a.opts.Authorizer.Standing(r.Context(), e, definition); err != nil {
			return a.authorizationProblem(err)
		}
	}
	return httpapi.Reply(w, http.StatusOK, item)
}

// authorizationProblem converts the errors of an authorizer to a problem. The errors
// contain no secret.
func (a *API) authorizationProblem(err error) error {
	if p := a.problemOf(err); p != nil {
		return p
	}
	return upstreamFailed.New("%s", err.Error()).Because(err)
}

var errNoOAuth = errors.New("the connection has no member oauth: add it, and save the server")

func (a *API) beginAuthorization(w http.ResponseWriter, r *http.Request) error {
	e, definition, err := a.authorizedWith(r.PathValue("id"))
	if err != nil {
		return err
	}
	if definition == nil {
		return httpapi.ValidationFailed.New("%s", errNoOAuth.Error())
	}
	page, err := a.opts.Authorizer.Begin(r.Context(), e, definition)
	if err != nil {
		return a.authorizationProblem(err)
	}
	a.conns.AwaitAuthorization(r.PathValue("id"))
	return httpapi.Reply(w, http.StatusOK, authorizationPage{URL: page})
}

func (a *API) endAuthorization(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	e, definition, err := a.authorizedWith(id)
	if err != nil {
		return err
	}
	if definition == nil {
		return httpapi.ValidationFailed.New("%s", errNoOAuth.Error())
	}
	now, err := a.opts.Authorizer.Standing(r.Context(), e, definition)
	if err != nil {
		return a.authorizationProblem(err)
	}
	var revoked error
	if now.Authorized {
		revoked = a.opts.Authorizer.Revoke(r.Context(), e, definition)
	}
	if err := a.conns.Stop(r.Context(), id); err != nil {
		return err
	}
	if revoked != nil {
		return a.authorizationProblem(revoked)
	}
	return a.getAuthorization(w, r)
}

// revokeLater ends the authorization of a deleted server, unless another server uses the
// same one.
func (a *API) revokeLater(e client.Endpoint, definition json.RawMessage) {
	for _, rec := range a.conns.List() {
		if other, same, err := a.authorizedWith(rec.ID); err == nil && same != nil && other.Address == e.Address && canon.Equal(same, definition) {
			return
		}
	}
	a.life.Go(func() {
		ctx, cancel := context.WithTimeout(a.life.Context(), revokeLimit)
		defer cancel()
		if err := a.opts.Authorizer.Revoke(ctx, e, definition); err != nil {
			a.opts.Logger.Debug("hubapi: the authorization of a deleted server", "address", e.Address, "error", err)
		}
	})
}

func (a *API) answerOAuth(w http.ResponseWriter, r *http.Request) error {
	var in oauthAnswer
	if err := httpapi.Decode(r, &in); err != nil {
		return err
	}
	answer, err := url.ParseQuery(in.Query)
	if err != nil || len(in.Query) > maxAnswer || answer.Get("state") == "" {
		return httpapi.ValidationFailed.New("query is the query of the redirect address, with a state")
	}
	err = a.opts.Authorizer.Complete(r.Context(), answer)
	switch {
	case errors.Is(err, client.ErrNoAttempt):
		return notPending.New("the answer was used already, came too late, or belongs to no request: begin again")
	case err != nil:
		return httpapi.Reply(w, http.StatusOK, oauthDone{Error: err.Error(), Denied: answer.Get("error") == "access_denied"})
	}
	return httpapi.Reply(w, http.StatusOK, oauthDone{OK: true})
}
