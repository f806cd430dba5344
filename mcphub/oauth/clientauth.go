package oauth

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/localpass/localpass/toolspec/secret"
)

// How a client authenticates at an endpoint (RFC 6749 section 2.3, RFC 7523).
const (
	methodNone    = "none"
	methodBasic   = "client_secret_basic"
	methodPost    = "client_secret_post"
	methodKey     = "private_key_jwt"
	assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
	assertionLife = time.Minute
)

// method chooses the client authentication method. A server that lists none accepts basic
// (RFC 8414 section 2).
func (r *registered) method(supported []string) string {
	if r.Method != "" && (len(supported) == 0 || slices.Contains(supported, r.Method)) {
		return r.Method
	}
	var can []string
	if r.key != nil {
		can = append(can, methodKey)
	}
	if r.Secret != "" {
		can = append(can, methodBasic, methodPost)
	}
	can = append(can, methodNone)
	if len(supported) == 0 {
		return can[0]
	}
	return firstOf(can, supported)
}

// firstOf returns the first wanted value that is supported, or the first wanted value if
// none is.
func firstOf(wishes, granted []string) string {
	for _, w := range wishes {
		if slices.Contains(granted, w) {
			return w
		}
	}
	return wishes[0]
}

// prove adds the client authentication to a request. audience is the issuer.
func (r *registered) prove(form url.Values, header http.Header, supported []string, audience string, now time.Time) error {
	switch r.method(supported) {
	case methodBasic:
		login := url.QueryEscape(r.ID) + ":" + url.QueryEscape(r.Secret)
		header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(login)))
	case methodPost:
		form.Set("client_id", r.ID)
		form.Set("client_secret", r.Secret)
	case methodKey:
		if r.key == nil {
			return fmt.Errorf("%w %s: the method private_key_jwt needs ClientConfig.Key", ErrNoClientID, audience)
		}
		token, err := r.key.sign("JWT", false, map[string]any{"iss": r.ID, "sub": r.ID, "aud": audience, "jti": random(16),
			"iat": now.Unix(), "exp": now.Add(assertionLife).Unix()})
		if err != nil {
			return err
		}
		form.Set("client_id", r.ID)
		form.Set("client_assertion_type", assertionType)
		form.Set("client_assertion", token)
	default:
		form.Set("client_id", r.ID)
	}
	return nil
}

// secrets lists the values that must not appear in the text of an error.
func (r *registered) secrets() []string { return []string{r.Secret} }

// serverError reads an error response.
func serverError(op, issuer string, a *answer, secrets ...string) *ServerError {
	e := &ServerError{Op: op, Issuer: issuer, Status: a.status}
	var body struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}
	if json.Unmarshal(a.body, &body) == nil {
		e.fill(body.Error, body.Description, secrets)
	}
	return e
}

func (e *ServerError) fill(code, description string, secrets []string) {
	mask := secret.NewRedactor(secrets...)
	if code = mask.String(code); isCode(code) {
		e.Code = code
	}
	e.Description = printableLine(mask.String(description))
}

func join(scopes []string) string { return strings.Join(scopes, " ") }
