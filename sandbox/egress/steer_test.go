package egress_test

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/toolspec/secret"
)

// steering is a vault whose example.com redirects to what lead makes of the value
// that it was sent.
func steering(t *testing.T, lead func(key string) string, change func(*egress.Options)) (*egress.Guard, *journal) {
	t.Helper()
	j := &journal{}
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		j.ServeHTTP(httptest.NewRecorder(), r)
		if r.URL.Path == "/start" {
			w.Header().Set("Location", lead(r.Header.Get("X-Key")))
			w.WriteHeader(http.StatusTemporaryRedirect)
		}
	}))
	t.Cleanup(srv.Close)
	n := &network{t: t, server: srv.Listener.Addr().String()}
	g, _ := vault(t, func(o *egress.Options) {
		o.TLS.InsecureSkipVerify = true
		o.Dial = n.dial
		if change != nil {
			change(o)
		}
	})
	return g, j
}

// An open redirect of the host that a secret names takes it nowhere else.
func TestOpenRedirectKeepsSecrets(t *testing.T) {
	const start, other = "https://example.com/302?to=", "https://www.example.com/"
	for name, to := range map[string]string{
		"query":    other + "?k={{secret:API_KEY}}",
		"path":     other + "{{secret:API_KEY}}/x",
		"fragment": other + "#{{secret:API_KEY}}",
		"userinfo": "https://u:{{secret:API_KEY}}@www.example.com/",
		"host":     "https://{{secret:plain2}}.example.com/",
		"named":    other + "?k={{secret:plain2}}", // a host that the secret names too
		"port":     "https://example.com:8443/?k={{secret:API_KEY}}",
		"there":    other + "302?to=https://example.com/?k={{secret:API_KEY}}", // and back
	} {
		for _, with := range []string{"Do", "http.Client"} {
			t.Run(name+"/"+with, func(t *testing.T) {
				g, j := vault(t, func(o *egress.Options) {
					o.TLS.InsecureSkipVerify = true
					o.Call.Secrets[1].Hosts = []string{"example.com", "*.example.com"}
				})
				var d doer = g
				if with == "http.Client" {
					d = &http.Client{Transport: g}
				}
				_, err := send(t, d, "GET", start+url.QueryEscape(to), "", nil)
				require.Error(t, err)
				require.Len(t, j.seen, 1, "the other host is not asked")
				var refused *egress.Error
				if !errors.As(err, &refused) && with == "http.Client" {
					return // the client itself finds that it is no URL
				}
				assert.Equal(t, "secret-host", reason(t, err))
				for _, value := range []string{apiKey, url.QueryEscape(apiKey), "second-value"} {
					assert.NotContains(t, refused.Message, value)
				}
			})
		}
	}
	g, j := vault(t, func(o *egress.Options) { o.TLS.InsecureSkipVerify = true })
	_, err := send(t, g, "GET", start+url.QueryEscape("/next?k={{secret:API_KEY}}"), "", nil)
	require.NoError(t, err, "within the host it may go")
	require.Len(t, j.seen, 2)
	_, err = send(t, g, "GET", start+url.QueryEscape(other+"?k=free"), "", http.Header{"X-A": {"{{secret:API_KEY}}"}})
	require.NoError(t, err, "a redirect without the value is followed")
	assert.Empty(t, j.seen[3].header.Get("X-A"))
}

// However the host writes the value, it is found.
func TestRedirectForms(t *testing.T) {
	const other = "https://www.example.com/"
	twice := func(key string) string { return url.QueryEscape(url.QueryEscape(key)) }
	for name, lead := range map[string]func(key string) string{
		"as it is":          func(key string) string { return other + "?k=" + key },
		"form":              func(key string) string { return other + "?k=" + url.QueryEscape(key) },
		"form, twice":       func(key string) string { return other + "?k=" + twice(key) },
		"three times":       func(key string) string { return other + "?k=" + url.PathEscape(twice(key)) },
		"path":              func(key string) string { return other + url.PathEscape(key) + "/x" },
		"path, twice":       func(key string) string { return other + url.PathEscape(url.PathEscape(key)) },
		"every byte":        func(key string) string { return other + "?k=" + everyByte(key) },
		"every byte, twice": func(key string) string { return other + "?k=" + url.QueryEscape(everyByte(key)) },
		"lower hex":         func(key string) string { return other + "?k=" + strings.ToLower(everyByte(key)) },
		"lower case":        func(key string) string { return other + "?k=" + url.QueryEscape(strings.ToLower(key)) },
		"fragment":          func(key string) string { return other + "#" + url.PathEscape(key) },
		"base64":            func(key string) string { return other + "?k=" + base64.URLEncoding.EncodeToString([]byte(key)) },
		"base64, escaped": func(key string) string {
			return other + "?k=" + url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(key)))
		},
		"hex in a host":      func(key string) string { return "https://" + hex.EncodeToString([]byte(key)) + ".example.com/" },
		"percent before":     func(key string) string { return other + "?k=%25" + url.QueryEscape(key) },
		"no URL":             func(key string) string { return "https://www.example.com:port/" + key },
		"backslash":          func(key string) string { return `https://www.example.com\` + key },
		"dots around it":     func(key string) string { return other + "a/../" + url.PathEscape(key) + "/../b" },
		"relative authority": func(key string) string { return "//www.example.com/" + url.PathEscape(key) },
		"encoded too often": func(string) string {
			text := "%41"
			for range 20 {
				text = url.QueryEscape(text)
			}
			return other + "?k=" + text
		},
	} {
		t.Run(name, func(t *testing.T) {
			g, j := steering(t, lead, nil)
			_, err := send(t, g, "GET", "https://example.com/start", "", http.Header{"X-Key": {"{{secret:API_KEY}}"}})
			assert.Equal(t, "secret-host", reason(t, err))
			require.Len(t, j.seen, 1)
			assert.Equal(t, apiKey, j.seen[0].header.Get("X-Key"))
		})
	}
}

func everyByte(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		b.WriteString("%" + strings.ToUpper(hex.EncodeToString([]byte{c})))
	}
	return b.String()
}

// A host may have a value from an earlier call, and a short one counts as well.
func TestRedirectOfAnEarlierCall(t *testing.T) {
	g, j := steering(t, func(string) string { return "https://www.example.com/?k=" + url.QueryEscape(apiKey) }, nil)
	_, err := send(t, g, "GET", "https://example.com/start", "", nil)
	assert.Equal(t, "secret-host", reason(t, err))
	require.Len(t, j.seen, 1)

	g, _ = steering(t, func(string) string { return "https://www.example.com/?pin=x7" }, func(o *egress.Options) {
		o.Call.Lookup = secret.Map(map[string]string{"API_KEY": "x7"})
	})
	_, err = send(t, g, "GET", "https://example.com/start", "", nil)
	assert.Equal(t, "secret-host", reason(t, err))

	g, _ = steering(t, func(string) string { return "https://www.example.com/?k=collected-value" }, func(o *egress.Options) {
		o.Call = egress.CallOptions{Redactor: secret.NewRedactor("collected-value")}
	})
	_, err = send(t, g, "GET", "https://example.com/start", "", nil)
	assert.Equal(t, "secret-host", reason(t, err), "what code sees as it is does not go either")
}
