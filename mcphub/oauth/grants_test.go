package oauth_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub/oauth"
)

// parts reads a JWT without checking it.
func parts(t testing.TB, token string) (header, claims map[string]any, signed string, signature []byte) {
	t.Helper()
	p := strings.Split(token, ".")
	require.Len(t, p, 3)
	for i, into := range []*map[string]any{&header, &claims} {
		data, err := base64.RawURLEncoding.DecodeString(p[i])
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, into))
	}
	signature, err := base64.RawURLEncoding.DecodeString(p[2])
	require.NoError(t, err)
	return header, claims, p[0] + "." + p[1], signature
}

func verifyEC(key *ecdsa.PublicKey, digest, signature []byte) bool {
	half := len(signature) / 2
	return ecdsa.Verify(key, digest, new(big.Int).SetBytes(signature[:half]), new(big.Int).SetBytes(signature[half:]))
}

// credentialsOnly makes the server one that gives no codes.
func credentialsOnly(w *setup, grant string) {
	w.as.change = func(m map[string]any) {
		m["grant_types_supported"] = []string{grant}
		delete(m, "authorization_endpoint")
		delete(m, "code_challenge_methods_supported")
	}
}

func TestClientCredentials(t *testing.T) {
	for name, grant := range map[string]oauth.Grant{"chosen": oauth.ClientCredentials(), "offered alone": {}} {
		w := newSetup(t, func(w *setup, o *oauth.Options) {
			credentialsOnly(w, "client_credentials")
			o.Grant, o.Redirect, o.Scopes = grant, nil, []string{"read"}
			o.Clients = []oauth.ClientConfig{{Issuer: w.as.issuer(), ID: "me", Secret: "hidden"}}
			w.as.life = 3600
			w.as.token = func(_ url.Values, a map[string]any) { delete(a, "refresh_token") }
		})
		w.must()
		form := w.as.lastForm()
		assert.Equal(t, "client_credentials", form.Get("grant_type"), name)
		assert.Equal(t, "read", form.Get("scope"), name)
		assert.Equal(t, w.rs.address(), form.Get("resource"), name)
		w.wait(2 * time.Hour)
		w.must()
		assert.Equal(t, 2, w.as.seen("token"), name)
		assert.Empty(t, w.opened(), name)
		_, err := w.client.Begin(t.Context())
		require.Error(t, err, name)
	}
	w := newSetup(t, func(w *setup, o *oauth.Options) { o.Grant = oauth.ClientCredentials() })
	_, err := w.call()
	require.ErrorIs(t, err, oauth.ErrNoClientID)
}

func TestPrivateKeyJWT(t *testing.T) {
	keys := map[string]func() (crypto.Signer, error){
		"ES256": func() (crypto.Signer, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) },
		"ES384": func() (crypto.Signer, error) { return ecdsa.GenerateKey(elliptic.P384(), rand.Reader) },
		"ES512": func() (crypto.Signer, error) { return ecdsa.GenerateKey(elliptic.P521(), rand.Reader) },
		"RS256": func() (crypto.Signer, error) { return rsa.GenerateKey(rand.Reader, 2048) },
		"EdDSA": func() (crypto.Signer, error) { _, k, err := ed25519.GenerateKey(rand.Reader); return k, err },
	}
	for alg, make := range keys {
		t.Run(alg, func(t *testing.T) {
			own, err := make()
			require.NoError(t, err)
			der, err := x509.MarshalPKCS8PrivateKey(own)
			require.NoError(t, err)
			key, err := oauth.ParseSigningKey(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), "key-1")
			require.NoError(t, err)
			assert.Equal(t, alg, key.Algorithm())
			w := newSetup(t, func(w *setup, o *oauth.Options) {
				credentialsOnly(w, "client_credentials")
				o.Clients = []oauth.ClientConfig{{Issuer: w.as.issuer(), ID: "me", Key: key}}
			})
			w.must()
			form := w.as.lastForm()
			assert.Equal(t, "urn:ietf:params:oauth:client-assertion-type:jwt-bearer", form.Get("client_assertion_type"))
			header, claims, signed, signature := parts(t, form.Get("client_assertion"))
			assert.Equal(t, alg, header["alg"])
			assert.Equal(t, "key-1", header["kid"])
			assert.Equal(t, "me", claims["iss"])
			assert.Equal(t, "me", claims["sub"])
			assert.Equal(t, w.as.issuer(), claims["aud"])
			assert.NotEmpty(t, claims["jti"])
			assert.LessOrEqual(t, claims["exp"].(float64)-claims["iat"].(float64), 60.0)
			s256, s384, s512 := sha256.Sum256([]byte(signed)), sha512.Sum384([]byte(signed)), sha512.Sum512([]byte(signed))
			ok := false
			switch public := own.Public().(type) {
			case *ecdsa.PublicKey:
				ok = verifyEC(public, map[string][]byte{"ES256": s256[:], "ES384": s384[:], "ES512": s512[:]}[alg], signature)
			case *rsa.PublicKey:
				ok = rsa.VerifyPKCS1v15(public, crypto.SHA256, s256[:], signature) == nil
			case ed25519.PublicKey:
				ok = ed25519.Verify(public, []byte(signed), signature)
			}
			assert.True(t, ok, "the signature")
		})
	}
}

func TestParseSigningKey(t *testing.T) {
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	sec1, err := x509.MarshalECPrivateKey(ec)
	require.NoError(t, err)
	_, err = oauth.ParseSigningKey(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: sec1}), "")
	require.NoError(t, err)
	own, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	_, err = oauth.ParseSigningKey(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(own)}), "")
	require.NoError(t, err)
	p224, err := ecdsa.GenerateKey(elliptic.P224(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(p224)
	require.NoError(t, err)
	for name, text := range map[string][]byte{
		"nothing":     nil,
		"no key":      pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("no key at all")}),
		"small curve": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}),
	} {
		_, err := oauth.ParseSigningKey(text, "")
		require.Error(t, err, name)
		assert.NotContains(t, err.Error(), "no key at all", name)
	}
}

func TestAssertion(t *testing.T) {
	audience := ""
	w := newSetup(t, func(w *setup, o *oauth.Options) {
		credentialsOnly(w, "urn:ietf:params:oauth:grant-type:jwt-bearer")
		o.Clients = []oauth.ClientConfig{{Issuer: w.as.issuer(), ID: "workload"}}
		o.Grant = oauth.Assertion(func(_ context.Context, a string) (string, error) { audience = a; return "a.b.c", nil })
	})
	w.must()
	assert.Equal(t, w.as.issuer(), audience)
	form := w.as.lastForm()
	assert.Equal(t, "urn:ietf:params:oauth:grant-type:jwt-bearer", form.Get("grant_type"))
	assert.Equal(t, "a.b.c", form.Get("assertion"))
	assert.Equal(t, "workload", form.Get("client_id"))

	// A refusal is final for a while.
	require.NoError(t, w.client.Forget(t.Context()))
	w.as.set(func() { w.as.refuse = func(url.Values) (int, string) { return 400, "invalid_grant" } })
	before := w.as.seen("token")
	for range 3 {
		_, err := w.call()
		var refused *oauth.ServerError
		require.ErrorAs(t, err, &refused)
		assert.Equal(t, "invalid_grant", refused.Code)
		assert.NotContains(t, err.Error(), "a.b.c")
	}
	assert.Equal(t, before+1, w.as.seen("token"))
	w.as.set(func() { w.as.refuse = nil })
	w.wait(2 * time.Minute)
	w.must()

	for name, fetch := range map[string]func(context.Context, string) (string, error){
		"none":   nil,
		"fails":  func(context.Context, string) (string, error) { return "", context.DeadlineExceeded },
		"odd":    func(context.Context, string) (string, error) { return "a b", nil },
		"panics": func(context.Context, string) (string, error) { panic("x") },
	} {
		w := newSetup(t, func(w *setup, o *oauth.Options) {
			o.Clients = []oauth.ClientConfig{{ID: "workload"}}
			o.Grant = oauth.Assertion(fetch)
		})
		_, err := w.call()
		require.Error(t, err, name)
		assert.Zero(t, w.as.seen("token"), name)
	}
}

func TestEnterpriseManaged(t *testing.T) {
	var forms []url.Values
	answer := func() (int, any) {
		return 200, map[string]any{"access_token": "assertion-1", "issued_token_type": "urn:ietf:params:oauth:token-type:id-jag", "token_type": "N_A"}
	}
	mux := http.NewServeMux()
	idp := httptest.NewServer(mux)
	defer idp.Close()
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		forms = append(forms, r.PostForm)
		status, body := answer()
		reply(w, status, body)
	})
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, r *http.Request) {
		reply(w, 200, map[string]any{"issuer": idp.URL, "token_endpoint": idp.URL + "/token"})
	})
	given := func(context.Context) (string, error) { return "identity-1", nil }
	make := func(p oauth.IdentityProvider) *setup {
		return newSetup(t, func(w *setup, o *oauth.Options) {
			credentialsOnly(w, "urn:ietf:params:oauth:grant-type:jwt-bearer")
			o.Scopes = []string{"read"}
			o.Clients = []oauth.ClientConfig{{Issuer: w.as.issuer(), ID: "me", Secret: "hidden"}}
			o.Grant = oauth.EnterpriseManaged(p)
		})
	}
	for name, p := range map[string]oauth.IdentityProvider{
		"endpoint": {Issuer: idp.URL, TokenEndpoint: idp.URL + "/token", Client: oauth.ClientConfig{ID: "at-idp"}, IDToken: given},
		"metadata": {Issuer: idp.URL, Client: oauth.ClientConfig{ID: "at-idp"}, IDToken: given},
	} {
		forms = nil
		w := make(p)
		w.must()
		require.Len(t, forms, 1, name)
		f := forms[0]
		assert.Equal(t, "urn:ietf:params:oauth:grant-type:token-exchange", f.Get("grant_type"))
		assert.Equal(t, "urn:ietf:params:oauth:token-type:id-jag", f.Get("requested_token_type"))
		assert.Equal(t, "urn:ietf:params:oauth:token-type:id_token", f.Get("subject_token_type"))
		assert.Equal(t, "identity-1", f.Get("subject_token"))
		assert.Equal(t, w.as.issuer(), f.Get("audience"))
		assert.Equal(t, w.rs.address(), f.Get("resource"))
		assert.Equal(t, "read", f.Get("scope"))
		assert.Equal(t, "at-idp", f.Get("client_id"))
		assert.Equal(t, "assertion-1", w.as.lastForm().Get("assertion"))
	}
	good := oauth.IdentityProvider{Issuer: idp.URL, Client: oauth.ClientConfig{ID: "at-idp"}, IDToken: given}
	for name, change := range map[string]func(p *oauth.IdentityProvider){
		"no identity": func(p *oauth.IdentityProvider) { p.IDToken = nil },
		"not signed": func(p *oauth.IdentityProvider) {
			p.IDToken = func(context.Context) (string, error) { return "", context.Canceled }
		},
		"odd identity": func(p *oauth.IdentityProvider) {
			p.IDToken = func(context.Context) (string, error) { return "a b", nil }
		},
		"no provider": func(p *oauth.IdentityProvider) { p.Issuer = "https://[::1]" },
		"refused": func(*oauth.IdentityProvider) {
			answer = func() (int, any) {
				return 403, map[string]any{"error": "access_denied", "error_description": "not identity-1"}
			}
		},
		"another kind": func(*oauth.IdentityProvider) {
			answer = func() (int, any) { return 200, map[string]any{"access_token": "x", "issued_token_type": "other"} }
		},
	} {
		p := good
		change(&p)
		w := make(p)
		_, err := w.call()
		require.Error(t, err, name)
		assert.NotContains(t, err.Error(), "identity-1", name)
		assert.Zero(t, w.as.seen("token"), name)
	}
}
