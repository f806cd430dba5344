package oauth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Tokens that are bound to a key (RFC 9449): every request carries a proof that is valid
// only for its method and URL.
const (
	proofHeader = "Dpop"
	nonceHeader = "Dpop-Nonce"
	useNonce    = "use_dpop_nonce"
	maxNonce    = 512
	maxNonces   = 16
)

func proofKey(key any) (*SigningKey, error) {
	own, ok := key.(*ecdsa.PrivateKey)
	if !ok || own.Curve != elliptic.P256() {
		return nil, errors.New("oauth: a proof needs a P-256 key")
	}
	return newSigningKey(own, "")
}

// proofKeyFor makes a key for a new token if the resource requires one, and otherwise
// returns nil.
func (c *Client) proofKeyFor(d *discovery) (*SigningKey, error) {
	if !d.bound {
		return nil, nil
	}
	if !slices.Contains(d.server.DPoPAlgorithms, "ES256") {
		return nil, fmt.Errorf("%w: %s wants tokens that are bound to a key, and %s makes none with ES256", ErrMetadata, c.address, d.server.Issuer)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("oauth: proof key: %w", err)
	}
	return proofKey(key)
}

// proof makes the proof for one request. access is the token sent with it.
func (c *Client) proof(key *SigningKey, method, address, access string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("oauth: proof: %w", ErrUnsafe)
	}
	claims := map[string]any{"jti": random(16), "htm": method, "htu": origin(u) + u.EscapedPath(), "iat": c.now().Unix()}
	if access != "" {
		sum := sha256.Sum256([]byte(access))
		claims["ath"] = encodeBase64(sum[:])
	}
	if nonce := c.nonce(u); nonce != "" {
		claims["nonce"] = nonce
	}
	return key.sign("dpop+jwt", true, claims)
}

func (c *Client) nonce(u *url.URL) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.nonces[origin(u)]
}

// noteNonce stores the nonce that a server wants next. It reports whether the nonce is
// new.
func (c *Client) noteNonce(address string, h http.Header) bool {
	nonce := h.Get(nonceHeader)
	u, err := url.Parse(address)
	if nonce == "" || err != nil || len(nonce) > maxNonce || !isToken(nonce) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.nonces[origin(u)] == nonce {
		return false
	}
	if len(c.nonces) >= maxNonces {
		clear(c.nonces)
	}
	c.nonces[origin(u)] = nonce
	return true
}

// nonceOf returns the nonce in a proof made by this client.
func nonceOf(proof string) string {
	_, rest, _ := strings.Cut(proof, ".")
	payload, _, _ := strings.Cut(rest, ".")
	data, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil {
		return ""
	}
	var claims struct {
		Nonce string `json:"nonce"`
	}
	if json.Unmarshal(data, &claims) != nil {
		return ""
	}
	return claims.Nonce
}
