// Package sender identifies the sender of a request to one of the APIs.
package sender

import (
	"errors"
	"net/http"

	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/toolspec"
)

// Of returns the sender of a request as determined by principal, an option of the API.
// Without that option the sender is the single user "local via http". A sender that
// cannot be identified or has no subject is rejected: the error is an
// [httpapi.Unauthenticated] whose cause is not sent.
func Of(r *http.Request, principal func(*http.Request) (toolspec.Principal, error)) (toolspec.Principal, error) {
	if principal == nil {
		return toolspec.Principal{Subject: "local", Via: "http"}, nil
	}
	p, err := principal(r)
	if err == nil && p.Subject == "" {
		err = errors.New("the principal has no subject")
	}
	if err != nil {
		return toolspec.Principal{}, httpapi.Unauthenticated.New("it is not known who sends this").Because(err)
	}
	return p, nil
}
