package egress

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

// Exchange is one recorded request with its response, in a form that a spec can contain.
// A redirect is a separate exchange.
type Exchange struct {
	Request  ExchangeRequest   `json:"request"`
	Response *ExchangeResponse `json:"response,omitempty"`
	// Error is set instead of a response if there was none.
	Error *ExchangeError `json:"error,omitempty"`
}

// ExchangeRequest identifies a request: all members must match.
type ExchangeRequest struct {
	Method string `json:"method"`
	URL    string `json:"url"`
	// Headers holds the headers that the recorder is configured to keep. A request
	// matches if it has these; it may have others.
	Headers map[string]string `json:"headers,omitempty"`
	// Body is the text of the body. For a body that is long or not text, Digest is used
	// instead: "sha256:" followed by lower-case hex.
	Body   string `json:"body,omitempty"`
	Digest string `json:"digest,omitempty"`
}

// ExchangeResponse is the recorded response.
type ExchangeResponse struct {
	Status  int                 `json:"status"`
	Headers map[string][]string `json:"headers,omitempty"`
	Body    string              `json:"body,omitempty"`   // when it is text
	Base64  string              `json:"base64,omitempty"` // otherwise
}

// ExchangeError is the failure of a request.
type ExchangeError struct {
	Kind    toolspec.Kind `json:"kind"`
	Reason  string        `json:"reason"`
	Message string        `json:"message"`
}

// maxBodyText is the maximum length of a request body that is recorded as text.
const maxBodyText = 4 << 10

// cleaner returns a function that masks secrets in recorded text: those that mask knows,
// those that the call of the request knows, and those that the call has sent.
func cleaner(req *http.Request, mask *secret.Redactor) func(string) string {
	call, _ := req.Context().Value(callKey{}).(*Call)
	if call == nil {
		return mask.String
	}
	return func(text string) string { return call.clean(mask.String(text)) }
}

// describe returns the recorded form of a request.
func describe(req *http.Request, body string, keep []string, clean func(string) string) ExchangeRequest {
	e := ExchangeRequest{Method: req.Method, URL: clean(req.URL.String())}
	for _, name := range keep {
		if values := req.Header.Values(name); len(values) > 0 && !unrecorded(name) {
			if e.Headers == nil {
				e.Headers = map[string]string{}
			}
			e.Headers[http.CanonicalHeaderKey(name)] = clean(strings.Join(values, ", "))
		}
	}
	body = clean(body)
	switch {
	case body == "":
	case len(body) <= maxBodyText && utf8.ValidString(body):
		e.Body = body
	default:
		sum := sha256.Sum256([]byte(body))
		e.Digest = "sha256:" + hex.EncodeToString(sum[:])
	}
	return e
}

// unrecorded reports whether a header is never recorded, regardless of the options.
func unrecorded(name string) bool { return hopHeader(name) || credential(name, nil, nil) }

// matches reports whether a request matches the recorded one; got has all headers of the
// request.
func (e *ExchangeRequest) matches(req *http.Request, body string, clean func(string) string) bool {
	names := make([]string, 0, len(e.Headers))
	for name := range e.Headers {
		names = append(names, name)
	}
	got := describe(req, body, names, clean)
	if got.Method != e.Method || got.URL != e.URL || got.Body != e.Body || got.Digest != e.Digest || len(got.Headers) != len(e.Headers) {
		return false
	}
	for name, want := range e.Headers {
		if got.Headers[http.CanonicalHeaderKey(name)] != want {
			return false
		}
	}
	return true
}

// record returns the recorded form of a response whose body has been read.
func record(resp *http.Response, body string, clean func(string) string) *ExchangeResponse {
	e := &ExchangeResponse{Status: resp.StatusCode}
	for name, values := range resp.Header {
		if unrecorded(name) || strings.EqualFold(name, "Set-Cookie") || strings.EqualFold(name, "Date") {
			continue
		}
		if e.Headers == nil {
			e.Headers = map[string][]string{}
		}
		kept := slices.Clone(values)
		for i := range kept {
			kept[i] = clean(kept[i])
		}
		e.Headers[name] = kept
	}
	if utf8.ValidString(body) {
		e.Body = clean(body)
	} else {
		e.Base64 = base64.StdEncoding.EncodeToString([]byte(clean(body)))
	}
	return e
}

// content returns the body of a recorded response.
func (e *ExchangeResponse) content() (string, error) {
	if e.Base64 == "" {
		return e.Body, nil
	}
	b, err := base64.StdEncoding.DecodeString(e.Base64)
	return string(b), err
}
