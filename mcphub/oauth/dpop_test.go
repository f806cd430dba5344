package oauth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub/oauth"
)

// checkProof checks a proof as a server does and returns its claims.
func checkProof(t testing.TB, proof, method, address, access string) (map[string]any, string) {
	t.Helper()
	header, claims, signed, signature := parts(t, proof)
	assert.Equal(t, "dpop+jwt", header["typ"])
	assert.Equal(t, "ES256", header["alg"])
	jwk := header["jwk"].(map[string]any)
	assert.NotContains(t, jwk, "d", "the private half stays here")
	point := []byte{4}
	for _, name := range []string{"x", "y"} {
		b, err := base64.RawURLEncoding.DecodeString(jwk[name].(string))
		require.NoError(t, err)
		require.Len(t, b, 32)
		point = append(point, b...)
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	require.NoError(t, err)
	sum := sha256.Sum256([]byte(signed))
	assert.True(t, verifyEC(key, sum[:], signature))
	assert.Equal(t, method, claims["htm"])
	assert.Equal(t, address, claims["htu"])
	if access != "" {
		ath := sha256.Sum256([]byte(access))
		assert.Equal(t, base64.RawURLEncoding.EncodeToString(ath[:]), claims["ath"])
	}
	return claims, jwk["x"].(string)
}

// boundWorld is a resource that wants proofs, and nonces in them.
func boundWorld(t *testing.T, change func(w *setup, o *oauth.Options)) (*setup, string, func() []map[string]any) {
	var mu sync.Mutex
	var proofs []map[string]any
	keys := map[string]bool{}
	w := newSetup(t, func(w *setup, o *oauth.Options) {
		w.as.life = 3600
		w.as.change = func(m map[string]any) { m["dpop_signing_alg_values_supported"] = []string{"ES256"} }
		w.as.token = func(_ url.Values, a map[string]any) { a["token_type"] = "DPoP" }
		handler := w.as.Config.Handler
		w.as.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/token" {
				claims, key := checkProof(t, r.Header.Get("DPoP"), "POST", w.as.URL+"/token", "")
				mu.Lock()
				keys[key] = true
				mu.Unlock()
				if claims["nonce"] != "as-nonce" {
					rw.Header().Set("DPoP-Nonce", "as-nonce")
					reply(rw, 400, map[string]any{"error": "use_dpop_nonce"})
					return
				}
			}
			handler.ServeHTTP(rw, r)
		})
		if change != nil {
			change(w, o)
		}
	})
	rs := httptest.NewServer(nil)
	t.Cleanup(rs.Close)
	rs.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/.well-known/oauth-protected-resource/mcp" {
			reply(rw, 200, map[string]any{"resource": rs.URL + "/mcp", "authorization_servers": []string{w.as.issuer()}})
			return
		}
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "DPoP ")
		if !ok {
			rw.Header().Set("WWW-Authenticate", `DPoP algs="ES256"`)
			rw.WriteHeader(401)
			return
		}
		claims, key := checkProof(t, r.Header.Get("DPoP"), "POST", rs.URL+"/mcp", token)
		mu.Lock()
		defer mu.Unlock()
		assert.True(t, keys[key], "the key that the token is bound to")
		if claims["nonce"] != fmt.Sprint("rs-nonce-", len(proofs)/3) { // it changes now and then
			rw.Header().Set("DPoP-Nonce", fmt.Sprint("rs-nonce-", len(proofs)/3))
			rw.Header().Set("WWW-Authenticate", `DPoP error="use_dpop_nonce"`)
			rw.WriteHeader(401)
			return
		}
		proofs = append(proofs, claims)
	})
	return w, rs.URL + "/mcp", func() []map[string]any {
		mu.Lock()
		defer mu.Unlock()
		return proofs
	}
}

func TestProofs(t *testing.T) {
	store := oauth.NewMemoryStore()
	var opts *oauth.Options
	w, address, proofs := boundWorld(t, func(_ *setup, o *oauth.Options) { o.Store, opts = store, o })
	client, err := oauth.New(address, opts)
	require.NoError(t, err)
	defer client.Close()
	for range 10 {
		status, err := call(t.Context(), client, address)
		require.NoError(t, err)
		require.Equal(t, 200, status)
	}
	seen := map[any]bool{}
	for _, p := range proofs() {
		assert.False(t, seen[p["jti"]], "a proof is used once")
		seen[p["jti"]] = true
	}
	assert.Len(t, w.opened(), 1)
	require.ErrorContains(t, client.Authorize(t.Context(), http.Header{}), "bound to a key")

	// The key stays with the token, in the store and through a refresh.
	again, err := oauth.New(address, opts)
	require.NoError(t, err)
	defer again.Close()
	status, err := call(t.Context(), again, address)
	require.NoError(t, err)
	assert.Equal(t, 200, status)
	w.wait(2 * time.Hour)
	status, err = call(t.Context(), again, address)
	require.NoError(t, err)
	assert.Equal(t, 200, status)
	assert.Equal(t, 1, w.as.seen("token refresh_token"))
	assert.Len(t, w.opened(), 1)
}

func TestProofsThatNobodyTakes(t *testing.T) {
	w, address, _ := boundWorld(t, func(w *setup, _ *oauth.Options) { w.as.change = nil })
	client, err := oauth.New(address, &oauth.Options{Redirect: w.callback, Open: w.open, Wait: time.Minute})
	require.NoError(t, err)
	defer client.Close()
	_, err = call(t.Context(), client, address)
	require.ErrorIs(t, err, oauth.ErrMetadata)
	assert.Empty(t, w.opened())
}
