package oauth

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// ResourceMetadata names the authorization servers of a server (RFC 9728).
type ResourceMetadata struct {
	Resource string   `json:"resource"`
	Issuers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`
	// DPoPAlgorithms and DPoPRequired say whether tokens can or must be bound to a
	// key.
	DPoPAlgorithms []string `json:"dpop_signing_alg_values_supported"`
	DPoPRequired   bool     `json:"dpop_bound_access_tokens_required"`
}

// ServerMetadata says what an authorization server can do (RFC 8414, OpenID
// Connect Discovery 1.0).
type ServerMetadata struct {
	Issuer        string `json:"issuer"`
	Authorization string `json:"authorization_endpoint,omitempty"`
	Token         string `json:"token_endpoint"`
	Registration  string `json:"registration_endpoint,omitempty"`
	Revocation    string `json:"revocation_endpoint,omitempty"`

	Scopes            []string `json:"scopes_supported,omitempty"`
	ResponseTypes     []string `json:"response_types_supported,omitempty"`
	Grants            []string `json:"grant_types_supported,omitempty"`
	TokenAuth         []string `json:"token_endpoint_auth_methods_supported,omitempty"`
	RevocationAuth    []string `json:"revocation_endpoint_auth_methods_supported,omitempty"`
	CodeChallenges    []string `json:"code_challenge_methods_supported,omitempty"`
	DPoPAlgorithms    []string `json:"dpop_signing_alg_values_supported,omitempty"`
	IssInResponse     bool     `json:"authorization_response_iss_parameter_supported,omitempty"`
	ClientIDDocuments bool     `json:"client_id_metadata_document_supported,omitempty"`
}

// ParseResourceMetadata reads a document of RFC 9728. The caller must check that the
// document belongs to the resource: see [BindsResource]. The error matches [ErrMetadata].
func ParseResourceMetadata(data []byte) (*ResourceMetadata, error) {
	var m ResourceMetadata
	if err := parseObject(data, &m); err != nil {
		return nil, err
	}
	u, err := absolute(m.Resource)
	if err != nil || u.Fragment != "" {
		return nil, fmt.Errorf("%w: the member \"resource\" is no absolute URL without a fragment", ErrMetadata)
	}
	for _, issuer := range m.Issuers {
		if err := checkIssuer(issuer); err != nil {
			return nil, err
		}
	}
	if len(m.Issuers) > 32 || len(m.Scopes) > 1000 {
		return nil, fmt.Errorf("%w: its lists are too long", ErrMetadata)
	}
	return &m, nil
}

// ParseServerMetadata reads a document of RFC 8414 and checks that it names exactly this
// issuer. The error matches [ErrMetadata] or [ErrIssuerMismatch].
func ParseServerMetadata(data []byte, issuer string) (*ServerMetadata, error) {
	m, err := parseServer(data)
	if err != nil {
		return nil, err
	}
	if m.Issuer != issuer {
		return nil, fmt.Errorf("%w: the metadata of %s name another issuer", ErrIssuerMismatch, issuer)
	}
	return m, nil
}

func parseServer(data []byte) (*ServerMetadata, error) {
	var m ServerMetadata
	if err := parseObject(data, &m); err != nil {
		return nil, err
	}
	if err := checkIssuer(m.Issuer); err != nil {
		return nil, err
	}
	for name, endpoint := range map[string]*string{"authorization_endpoint": &m.Authorization, "token_endpoint": &m.Token,
		"registration_endpoint": &m.Registration, "revocation_endpoint": &m.Revocation} {
		if *endpoint == "" {
			continue
		}
		if u, err := absolute(*endpoint); err != nil || u.Fragment != "" {
			return nil, fmt.Errorf("%w: the member %q is no absolute URL without a fragment", ErrMetadata, name)
		}
	}
	if m.Token == "" {
		return nil, fmt.Errorf("%w: the member \"token_endpoint\" is missing", ErrMetadata)
	}
	return &m, nil
}

// parseObject parses a JSON object.
func parseObject(data []byte, into any) error {
	if text := strings.TrimSpace(string(data)); !strings.HasPrefix(text, "{") {
		return fmt.Errorf("%w: it is no JSON object", ErrMetadata)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%w: %w", ErrMetadata, err)
	}
	return nil
}

// absolute parses an absolute http or https URL without credentials.
func absolute(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: it is no URL", ErrUnsafe)
	case u.Scheme != "https" && u.Scheme != "http", u.Hostname() == "", u.User != nil, u.Opaque != "", len(raw) > 4096:
		return nil, fmt.Errorf("%w: it must be an http or https URL with a host and without a login", ErrUnsafe)
	}
	return u, nil
}

// checkIssuer checks the form of an issuer (RFC 8414 section 2).
func checkIssuer(issuer string) error {
	u, err := absolute(issuer)
	if err != nil || strings.ContainsAny(issuer, "?#") || u.Path == "" && u.RawPath != "" {
		return fmt.Errorf("%w: an issuer must be a URL without query and fragment", ErrMetadata)
	}
	return nil
}

// BindsResource reports whether metadata that name resource belong to the server at
// address: resource must have the same origin, and the same path or a parent of it.
func BindsResource(resource, address string) bool {
	r, err := absolute(resource)
	if err != nil || r.Fragment != "" {
		return false
	}
	a, err := absolute(address)
	if err != nil || !sameOrigin(r, a) || r.RawQuery != "" && r.RawQuery != a.RawQuery {
		return false
	}
	have, want := strings.TrimSuffix(r.EscapedPath(), "/"), a.EscapedPath()
	if slices.Contains(strings.Split(r.Path, "/"), "..") || slices.Contains(strings.Split(a.Path, "/"), "..") {
		return false
	}
	return have == "" || want == have || strings.HasPrefix(want, have+"/")
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}

// origin returns the scheme and host of a URL.
func origin(u *url.URL) string { return (&url.URL{Scheme: u.Scheme, Host: u.Host}).String() }
