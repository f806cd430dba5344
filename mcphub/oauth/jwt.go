package oauth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"

	"github.com/go-jose/go-jose/v4"
)

// SigningKey signs assertions and proofs: an elliptic curve key (P-256, P-384 or P-521),
// an RSA key of at least 2048 bits, or an Ed25519 key. It is immutable.
type SigningKey struct {
	key crypto.Signer
	alg jose.SignatureAlgorithm
	id  string
}

// ParseSigningKey reads a private key in PEM, as PKCS #8, SEC 1 or PKCS #1. id is the
// "kid" in its signatures; empty leaves it out. Errors contain nothing of the key.
func ParseSigningKey(text []byte, id string) (*SigningKey, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("oauth: signing key: no PEM block: give a private key in PEM")
	}
	var key any
	var err error
	switch block.Type {
	case "EC PRIVATE KEY":
		key, err = x509.ParseECPrivateKey(block.Bytes)
	case "RSA PRIVATE KEY":
		key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	default:
		key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	}
	if err != nil {
		return nil, errors.New("oauth: signing key: the PEM block is no private key that can be read")
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, errors.New("oauth: signing key: this kind of key cannot sign")
	}
	return newSigningKey(signer, id)
}

func newSigningKey(key crypto.Signer, id string) (*SigningKey, error) {
	k := &SigningKey{key: key, id: id}
	switch own := key.(type) {
	case *ecdsa.PrivateKey:
		switch own.Curve {
		case elliptic.P256():
			k.alg = jose.ES256
		case elliptic.P384():
			k.alg = jose.ES384
		case elliptic.P521():
			k.alg = jose.ES512
		}
	case *rsa.PrivateKey:
		if own.N.BitLen() >= 2048 {
			k.alg = jose.RS256
		}
	case ed25519.PrivateKey:
		k.alg = jose.EdDSA
	}
	if k.alg == "" {
		return nil, errors.New("oauth: signing key: use P-256, P-384, P-521, RSA of 2048 bits and more, or Ed25519")
	}
	return k, nil
}

// Algorithm returns the name of the signature algorithm (RFC 7518), such as "ES256".
func (k *SigningKey) Algorithm() string { return string(k.alg) }

// sign makes a JWT of the claims. If embed is set, its header contains the public key, as
// required for a proof.
func (k *SigningKey) sign(typ string, embed bool, claims map[string]any) (string, error) {
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", fmt.Errorf("oauth: sign: %w", err)
	}
	key := jose.SigningKey{Algorithm: k.alg, Key: jose.JSONWebKey{Key: k.key, KeyID: k.id}}
	signer, err := jose.NewSigner(key, (&jose.SignerOptions{EmbedJWK: embed}).WithType(jose.ContentType(typ)))
	if err != nil {
		return "", fmt.Errorf("oauth: sign: %w", err)
	}
	token, err := signer.Sign(payload)
	if err != nil {
		return "", fmt.Errorf("oauth: sign: %w", err)
	}
	return token.CompactSerialize()
}

func encodeBase64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// random returns a text of n random bytes.
func random(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails: crypto/rand ends the program instead
	return encodeBase64(b)
}

// challengeOf returns the S256 challenge of a verifier (RFC 7636 section 4.2).
func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return encodeBase64(sum[:])
}
