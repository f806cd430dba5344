package client

import (
	"errors"
	"time"
)

// Authorization is the status of the authorization for a server, for display. It
// holds no secret.
type Authorization struct {
	// Resource is the server, Issuer its authorization server if known, and ClientID the
	// id of this program there.
	Resource string `json:"resource"`
	Issuer   string `json:"issuer,omitempty"`
	ClientID string `json:"clientId,omitempty"`
	// Authorized says that there is a token. Expires is when it expires, zero if unknown.
	// Renewable says that it can be renewed without a user, and Bound that it is useless
	// without a key of this program (DPoP).
	Authorized bool      `json:"authorized"`
	Scopes     []string  `json:"scopes"`
	Expires    time.Time `json:"expiresAt,omitzero"`
	Renewable  bool      `json:"renewable,omitempty"`
	Bound      bool      `json:"bound,omitempty"`
	// Waiting says that a user was asked for the scopes in Asked and may answer until
	// Until. Late says that the answer did not come in time.
	Waiting bool      `json:"waiting,omitempty"`
	Asked   []string  `json:"asked,omitempty"`
	Until   time.Time `json:"until,omitzero"`
	Late    bool      `json:"late,omitempty"`
	// Denied says that the user declined, and Failure why the last attempt failed.
	Denied  bool   `json:"denied,omitempty"`
	Failure string `json:"failure,omitempty"`
}

// ErrNoAttempt reports a user's answer for which no authorization attempt waits: the
// answer was used before, came too late, or was not requested.
var ErrNoAttempt = errors.New("client: no attempt to be authorized waits for this answer")
