package egress

import (
	"encoding/json"
	"github.com/localpass/localpass/internal/clip"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/localpass/localpass/toolspec/secret"
)

// Secret is a value that code can send without seeing it, by writing the handle
// {{secret:NAME}} instead of the value.
type Secret struct {
	// Name is made of letters, digits and _ and does not begin with a digit.
	Name string
	// Hosts are the hosts that may receive the value: rules without methods and paths,
	// but not "*". Empty means that it is never sent.
	Hosts []string
}

// handle matches {{secret:NAME}}, including its encoded form in a query or a form body.
var handle = regexp.MustCompile(`(?:\{|%7[bB]){2}secret(?::|%3[aA])([A-Za-z_][A-Za-z0-9_]*)(?:\}|%7[dD]){2}`)

// hasHandle is a quick check whether text may contain a handle.
func hasHandle(text string) bool {
	return strings.Contains(text, "secret") && handle.MatchString(text)
}

// handles holds the secrets of one call.
type handles struct {
	lookup  secret.Lookup
	secrets map[string][]*Rule

	mu     sync.Mutex
	values []string // values sent so far
	mask   *secret.Redactor
}

func newHandles(secrets []Secret, lookup secret.Lookup) (*handles, *Error) {
	if len(secrets) == 0 {
		return nil, nil
	}
	h := &handles{lookup: lookup, secrets: make(map[string][]*Rule, len(secrets))}
	for _, s := range secrets {
		if m := handle.FindString("{{secret:" + s.Name + "}}"); m != "{{secret:"+s.Name+"}}" {
			return nil, invalid(ReasonInvalidSecret, "the name of the secret "+clip.Quote(s.Name, 80)+" is not made of letters, digits and _")
		}
		rules, err := parseRules(s.Hosts)
		if err != nil {
			return nil, err
		}
		for i, r := range rules {
			if r.host == "" || r.methods != nil || r.path != nil {
				return nil, invalid(ReasonInvalidSecret, "the secret "+clip.Quote(s.Name, 80)+" names "+clip.Quote(s.Hosts[i], 80)+", which is not a host")
			}
		}
		h.secrets[s.Name] = append(h.secrets[s.Name], rules...)
	}
	return h, nil
}

// redactor returns a redactor for the values sent so far.
func (h *handles) redactor() *secret.Redactor {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.mask
}

func (h *handles) sent(value string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.Contains(h.values, value) {
		h.values = append(h.values, value)
		h.mask = secret.NewRedactor(h.values...)
	}
}

// place inserts the values of secrets into a request that is about to be sent. Handles in
// a URL that came from a server stay unchanged: only handles that the code wrote are
// replaced.
func (c *Call) place(req *http.Request) (*http.Request, *Error) {
	t, err := judgeURL(req.URL)
	if err != nil {
		return nil, err
	}
	p := placing{call: c, target: &t}
	out := req.WithContext(req.Context())
	if req.Response == nil && strings.Contains(req.URL.RawQuery, "secret") {
		u := *req.URL
		u.RawQuery = p.replace(u.RawQuery, url.QueryEscape)
		out.URL = &u
	}
	if req.Response == nil && (hasHandle(req.URL.EscapedPath()) || hasHandle(req.URL.Path)) {
		return nil, invalid(ReasonSecretPlace, "a secret cannot be in the path of a URL; use a header, the query or the body")
	}
	cloned := false
	for name, values := range req.Header {
		if !slices.ContainsFunc(values, hasHandle) {
			continue
		}
		if !cloned {
			out.Header, cloned = req.Header.Clone(), true
		}
		for i, v := range values {
			if v = p.replace(v, nil); !fieldValue(v) && p.err == nil {
				p.err = invalid(ReasonInvalidHeader, "a secret for the header "+clip.Quote(name, 80)+" holds a control character")
			}
			out.Header[name][i] = v
		}
	}
	if req.Body != nil && req.Body != http.NoBody && p.err == nil {
		text, err := c.readBody(req)
		if err != nil {
			return nil, err
		}
		setBody(out, p.replace(text, bodyEscape(req.Header.Get("Content-Type"))))
	}
	return out, p.err
}

// bodyEscape returns the function that escapes a value for a body of this content type.
func bodyEscape(contentType string) func(string) string {
	kind, _, _ := mime.ParseMediaType(contentType)
	switch {
	case kind == "application/json" || strings.HasSuffix(kind, "+json"):
		return func(v string) string {
			quoted, err := json.Marshal(v)
			if err != nil {
				return ""
			}
			return string(quoted[1 : len(quoted)-1])
		}
	case kind == "application/x-www-form-urlencoded":
		return url.QueryEscape
	}
	return nil
}

// placing is the state of inserting secrets into one request; err is its first error.
type placing struct {
	call   *Call
	target *target
	err    *Error
}

func (p *placing) replace(text string, escape func(string) string) string {
	if p.err != nil || !hasHandle(text) {
		return text
	}
	return handle.ReplaceAllStringFunc(text, func(match string) string {
		if p.err != nil {
			return ""
		}
		name := handle.FindStringSubmatch(match)[1]
		value, err := p.secretValue(name)
		if err != nil {
			p.err = err
			return ""
		}
		if escape != nil {
			p.call.handles.sent(escape(value))
			return escape(value)
		}
		return value
	})
}

// secretValue returns the value of a secret if the host of this request may receive it.
func (p *placing) secretValue(name string) (string, *Error) {
	h, guard := p.call.handles, p.call.guard
	rules, known := h.secrets[name]
	switch {
	case !known:
		return "", invalid(ReasonUnknownSecret, "no secret is named "+clip.Quote(name, 80))
	case !slices.ContainsFunc(rules, func(r *Rule) bool { return r.matchHost(p.target) }):
		return "", denied(ReasonSecretHost, "the secret "+clip.Quote(name, 80)+" is not for "+clip.Quote(p.target.hostport(), 80))
	case !p.target.secure && !guard.policy.named(p.target):
		return "", denied(ReasonSecretInsecure, "the secret "+clip.Quote(name, 80)+" is not sent without TLS; use https")
	case h.lookup == nil:
		return "", failed(ReasonSecretMissing, "the secret "+clip.Quote(name, 80)+" has no value here", nil)
	}
	value, ok := h.lookup(name)
	if !ok || strings.TrimSpace(value) == "" {
		return "", failed(ReasonSecretMissing, "the secret "+clip.Quote(name, 80)+" has no value here", nil)
	}
	h.sent(value)
	return value, nil
}
