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
	"math/big"
)

// SigningKey signs assertions and proofs: an elliptic curve key (P-256, P-384 or
// P-521), an RSA key of 2048 bits and more, or an Ed25519 key. It is immutable.
type SigningKey struct {
	key crypto.Signer
	alg string
	id  string
}

// ParseSigningKey reads a private key in PEM, as PKCS #8, SEC 1 or PKCS #1. id is
// the "kid" of what it signs; empty leaves it out. Errors hold nothing of the key.
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
			k.alg = "ES256"
		case elliptic.P384():
			k.alg = "ES384"
		case elliptic.P521():
			k.alg = "ES512"
		}
	case *rsa.PrivateKey:
		if own.N.BitLen() >= 2048 {
			k.alg = "RS256"
		}
	case ed25519.PrivateKey:
		k.alg = "EdDSA"
	}
	if k.alg == "" {
		return nil, errors.New("oauth: signing key: use P-256, P-384, P-521, RSA of 2048 bits and more, or Ed25519")
	}
	return k, nil
}

// Algorithm is the name of the signatures (RFC 7518), such as "ES256".
func (k *SigningKey) Algorithm() string { return k.alg }

// sign makes a compact JWT.
func (k *SigningKey) sign(typ string, jwk map[string]any, claims map[string]any) (string, error) {
	header := map[string]any{"alg": k.alg, "typ": typ}
	if k.id != "" {
		header["kid"] = k.id
	}
	if jwk != nil {
		header["jwk"] = jwk
	}
	h, err := json.Marshal(header)
	if err != nil {
		return "", fmt.Errorf("oauth: sign: %w", err)
	}
	p, err := json.Marshal(claims)
	if err != nil {
		return "", fmt.Errorf("oauth: sign: %w", err)
	}
	text := encode(h) + "." + encode(p)
	signature, err := k.signature([]byte(text))
	if err != nil {
		return "", fmt.Errorf("oauth: sign: %w", err)
	}
	return text + "." + encode(signature), nil
}

func (k *SigningKey) signature(text []byte) ([]byte, error) {
	hash := map[string]crypto.Hash{"ES256": crypto.SHA256, "ES384": crypto.SHA384, "ES512": crypto.SHA512, "RS256": crypto.SHA256}[k.alg]
	if hash == 0 {
		return k.key.Sign(rand.Reader, text, crypto.Hash(0))
	}
	w := hash.New()
	w.Write(text)
	sum := w.Sum(nil)
	own, ok := k.key.(*ecdsa.PrivateKey)
	if !ok {
		return k.key.Sign(rand.Reader, sum, hash)
	}
	r, s, err := ecdsa.Sign(rand.Reader, own, sum)
	if err != nil {
		return nil, err
	}
	size := (own.Curve.Params().BitSize + 7) / 8
	out := make([]byte, 2*size)
	r.FillBytes(out[:size])
	s.FillBytes(out[size:])
	return out, nil
}

// jwk is the public half of a P-256 key, as DPoP shows it.
func (k *SigningKey) jwk() (map[string]any, error) {
	own, ok := k.key.(*ecdsa.PrivateKey)
	if !ok {
		return nil, errors.New("oauth: a proof needs an elliptic curve key")
	}
	point, err := own.PublicKey.Bytes() // 4, x, y
	if err != nil {
		return nil, fmt.Errorf("oauth: proof: %w", err)
	}
	size := (len(point) - 1) / 2
	x, y := new(big.Int).SetBytes(point[1:1+size]), new(big.Int).SetBytes(point[1+size:])
	return map[string]any{"kty": "EC", "crv": own.Curve.Params().Name, "x": encode(x.FillBytes(make([]byte, size))),
		"y": encode(y.FillBytes(make([]byte, size)))}, nil
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// random is a text of n random bytes.
func random(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails: crypto/rand ends the program instead
	return encode(b)
}

// challengeOf is the S256 challenge of a verifier (RFC 7636 section 4.2).
func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return encode(sum[:])
}
