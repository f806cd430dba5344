package mcphub

import (
	"context"
	"encoding/json"
	"github.com/localpass/localpass/mcphub/client"
	"net/url"
	"time"
)

// Authorization is the status of the authorization for a server, for display. It
// holds no secret.
type Authorization struct {
	// Resource is the server, Issuer its authorization server, as far as that is
	// known, and ClientID how this program is known there.
	Resource string `json:"resource"`
	Issuer   string `json:"issuer,omitempty"`
	ClientID string `json:"clientId,omitempty"`
	// Authorized says that there is a token. Expires is when it expires, zero when
	// that is unknown; Renewable, that it can be renewed without a person; Bound,
	// that it is useless without a key of this program (DPoP).
	Authorized bool      `json:"authorized"`
	Scopes     []string  `json:"scopes"`
	Expires    time.Time `json:"expiresAt,omitzero"`
	Renewable  bool      `json:"renewable,omitempty"`
	Bound      bool      `json:"bound,omitempty"`
	// Waiting says that a person was asked for the scopes in Asked and may answer
	// until Until; Late, that the answer did not come in time.
	Waiting bool      `json:"waiting,omitempty"`
	Asked   []string  `json:"asked,omitempty"`
	Until   time.Time `json:"until,omitzero"`
	Late    bool      `json:"late,omitempty"`
	// Denied says that the user declined, and Failure why the last attempt failed.
	Denied  bool   `json:"denied,omitempty"`
	Failure string `json:"failure,omitempty"`
}

// Authorizer lets people authorize the use of servers: oauth.Clients of package
// mcphub/oauth is one. e and definition are those of a connection and of its member
// "oauth", as [client.RegistryOptions].Credentials has them.
//
//   - Begin starts a new authorization and returns the page to open. It may ask
//     several servers.
//   - Standing returns its status, without sending a request.
//   - Revoke ends an authorization. That there was none is an error, too.
//   - Complete takes the query that a browser brought back to RedirectURI. An
//     answer is accepted once; one that no attempt waits for is an
//     [ErrNotPending].
//   - No error holds a token, a secret or a code.
//   - All methods are safe for concurrent use.
type Authorizer interface {
	Begin(ctx context.Context, e client.Endpoint, definition json.RawMessage) (page string, err error)
	Standing(ctx context.Context, e client.Endpoint, definition json.RawMessage) (Authorization, error)
	Revoke(ctx context.Context, e client.Endpoint, definition json.RawMessage) error
	Complete(ctx context.Context, answer url.Values) error
	RedirectURI() string
}
