package sandbox_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/sandbox/charsets"
	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

// site is a server on loopback that an operator opened, and what it heard.
func site(t *testing.T) (address string, heard chan *http.Request) {
	t.Helper()
	heard = make(chan *http.Request, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		heard <- r
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, "http://192.0.2.1/", http.StatusFound)
		case "/japanese":
			w.Header().Set("Content-Type", "text/plain; charset=Shift_JIS")
			_, _ = w.Write([]byte("\x93\xfa\x96\x7b"))
		case "/slow":
			<-r.Context().Done()
		case "/big":
			_, _ = w.Write([]byte(strings.Repeat("0123456789", 500_000)))
		default:
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(map[string]string{"method": r.Method, "path": r.URL.Path})
		}
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String(), heard
}

func networkRequest(code, host string) *toolspec.RunRequest {
	req := request(code, "base", `"http://`+host+`"`)
	req.Posture.Network = toolspec.NetworkPosture{Mode: toolspec.NetworkAllowlist, Hosts: []string{host}}
	return req
}

// The program decodes what a worker cannot.
func TestFetchCharsets(t *testing.T) {
	eachTier(t, func(t *testing.T, tier toolspec.Tier) {
		address, _ := site(t)
		s := newSandbox(t, &sandbox.Options{Tier: tier, Workers: 1,
			Network: &sandbox.NetworkOptions{OperatorHosts: []string{address}, Charsets: charsets.Decode}})
		out := run(t, s, networkRequest(`return (await fetch(base + '/japanese')).text()`, address))
		require.Nil(t, out.Err)
		assert.Equal(t, `"日本"`, string(out.Result))
	})
}

func TestFetch(t *testing.T) {
	eachTier(t, func(t *testing.T, tier toolspec.Tier) {
		address, _ := site(t)
		s := newSandbox(t, &sandbox.Options{Tier: tier, Workers: 1, Network: &sandbox.NetworkOptions{OperatorHosts: []string{address}}})

		out := run(t, s, networkRequest(`const r = await fetch(base + '/a', {method: 'post', body: 'x'}); return [r.status, r.json().method, r.headers.get('content-type')]`, address))
		require.Nil(t, out.Err)
		assert.JSONEq(t, `[200,"POST","application/json"]`, string(out.Result))
		assert.Equal(t, 1, out.Usage.HostCalls)
		assert.Empty(t, out.Denials)

		out = run(t, s, networkRequest(`return (await fetch(base + '/big')).text().length`, address))
		require.Nil(t, out.Err)
		assert.Equal(t, "5000000", string(out.Result), "in parts, since it is larger than a frame")

		out = run(t, s, networkRequest(`return (await fetch(base + '/japanese')).text()`, address))
		require.NotNil(t, out.Err)
		assert.Equal(t, "unknown-charset", out.Err.Reason)
		assert.Contains(t, out.Err.Message, "sandbox/charsets")

		for code, reason := range map[string]string{
			`await fetch('http://example.com/')`:              "host-not-in-allowlist",
			`await fetch(base + '/away')`:                     "host-not-in-allowlist",
			`await fetch('file:///etc/passwd')`:               "unsupported-scheme",
			`await fetch('http://169.254.169.254/metadata/')`: "host-not-in-allowlist",
		} {
			out = run(t, s, networkRequest("\n  "+code, address))
			require.NotNil(t, out.Err, code)
			assert.Equal(t, toolspec.KindSecurity, out.Err.Kind, code)
			assert.Equal(t, reason, out.Err.Reason, code)
			assert.Equal(t, "fetch", out.Err.Component, code)
			require.Len(t, out.Denials, 1, code)

			out = run(t, s, networkRequest("try { "+code+" } catch (e) { return [e.name, e.kind, e.reason, e.helper] }", address))
			require.Nil(t, out.Err, code)
			assert.JSONEq(t, `["SafetyError","SECURITY","`+reason+`","fetch"]`, string(out.Result))
			require.Len(t, out.Denials, 1, "a refusal that was caught is on record: %s", code)
		}

		req := networkRequest(`await fetch(base + '/slow')`, address)
		req.Posture.Limits.Timeout = 200 * time.Millisecond
		out = run(t, s, req)
		require.NotNil(t, out.Err)
		assert.Equal(t, toolspec.KindTimeout, out.Err.Kind)
		plainCall(t, s)
	})
}

// A spec's own list of hosts opens nothing internal.
func TestFetchInternal(t *testing.T) {
	address, heard := site(t)
	s := newSandbox(t, &sandbox.Options{Tier: toolspec.TierInProcess})
	out := run(t, s, networkRequest(`await fetch(base)`, address))
	require.NotNil(t, out.Err)
	assert.Equal(t, "literal-private-ip", out.Err.Reason)
	assert.Empty(t, heard)
}

func TestFetchReplay(t *testing.T) {
	eachTier(t, func(t *testing.T, tier toolspec.Tier) {
		address, heard := site(t)
		s := newSandbox(t, &sandbox.Options{Tier: tier, Workers: 1, Network: &sandbox.NetworkOptions{OperatorHosts: []string{address}}})
		req := networkRequest(`return (await fetch(base + path, {headers: {Authorization: 'Bearer topsecretvalue'}})).json()`, address)
		req.Globals = append(req.Globals, toolspec.Global{Name: "path", Value: json.RawMessage(`"/a"`)})
		req.Record, req.Redactor = true, secret.NewRedactor("topsecretvalue")
		recorded := run(t, s, req)
		require.Nil(t, recorded.Err)
		require.Len(t, heard, 1)
		assert.Equal(t, "Bearer topsecretvalue", (<-heard).Header.Get("Authorization"))
		require.NotEmpty(t, recorded.Exchanges)
		assert.NotContains(t, string(recorded.Exchanges), "topsecretvalue")

		req.Record, req.Replay = false, recorded.Exchanges
		replayed := run(t, s, req)
		require.Nil(t, replayed.Err)
		assert.Equal(t, recorded.Result, replayed.Result)
		assert.Empty(t, heard, "no network was used")

		req.Globals[1].Value = json.RawMessage(`"/other"`)
		missed := run(t, s, req)
		require.NotNil(t, missed.Err)
		assert.Equal(t, "replay-miss", missed.Err.Reason)
		assert.Empty(t, heard)

		req.Replay = json.RawMessage(`{`)
		broken := run(t, s, req)
		require.NotNil(t, broken.Err)
		assert.Equal(t, sandbox.ReasonUnavailable, broken.Err.Reason)
	})
}

func TestFiles(t *testing.T) {
	eachTier(t, func(t *testing.T, tier toolspec.Tier) {
		base := t.TempDir()
		own, elsewhere := t.TempDir(), t.TempDir()
		s := newSandbox(t, &sandbox.Options{Tier: tier, Workers: 1, Files: &sandbox.FileOptions{Workspace: base, BasePaths: []string{own}}})
		files := func(code, conversation string, read, write bool) *toolspec.Outcome {
			t.Helper()
			req := request(code)
			req.Posture.FileRead, req.Posture.FileWrite, req.Conversation = read, write, conversation
			return run(t, s, req)
		}
		out := files(`safety.fs.writeText('a/b.txt', 'one\ntwo'); return [safety.fs.list('a'), safety.fs.readText('a/b.txt')]`, "c1", true, true)
		require.Nil(t, out.Err)
		assert.JSONEq(t, `[["a/b.txt"],"one\ntwo"]`, string(out.Result))
		data, err := os.ReadFile(filepath.Join(base, "c1", "a", "b.txt"))
		require.NoError(t, err)
		assert.Equal(t, "one\ntwo", string(data))

		out = files(`return safety.fs.exists('a/b.txt')`, "c2", true, false)
		require.Nil(t, out.Err)
		assert.Equal(t, "false", string(out.Result), "another conversation")

		out = files("\nsafety.fs.readText('../c1/a/b.txt')", "c2", true, false)
		require.NotNil(t, out.Err)
		assert.Equal(t, toolspec.KindSecurity, out.Err.Kind)
		assert.Equal(t, "safety.fs", out.Err.Component)
		assert.Equal(t, 2, out.Err.Line)
		assert.NotContains(t, out.Err.ModelText(), base, "nothing of this machine")

		out = files(`try { safety.fs.writeText('x', 'y') } catch (e) { return e.reason }`, "c1", true, false)
		require.Nil(t, out.Err)
		assert.Equal(t, `"capability-not-granted"`, string(out.Result))
		require.Len(t, out.Denials, 1)

		out = files(`try { safety.fs.delete('a/b.txt') } catch (e) { return e.reason }`, "c1", true, true)
		assert.Equal(t, `"destructive-not-granted"`, string(out.Result))

		// A spec's own base path is a world of its own, and the operator's to open.
		req := request(`safety.fs.writeText('x', 'y'); return safety.fs.list()`)
		req.Posture.FileRead, req.Posture.FileWrite, req.Posture.FSBasePath, req.Conversation = true, true, own, "c1"
		req.Spec.Overrides.FSBasePath = &own
		out = run(t, s, req)
		require.Nil(t, out.Err)
		assert.FileExists(t, filepath.Join(own, "x"))
		link := filepath.Join(own, "link")
		require.NoError(t, os.Symlink(elsewhere, link))
		for _, dir := range []string{elsewhere, "/", filepath.Dir(own), own + "x", filepath.Join(own, ".."), link, filepath.Join(link, "new"), "relative"} {
			req.Posture.FSBasePath, req.Spec.Overrides.FSBasePath = dir, &dir
			out = run(t, s, req)
			require.NotNil(t, out.Err, dir)
			assert.Equal(t, toolspec.KindSecurity, out.Err.Kind, dir)
			assert.Equal(t, sandbox.ReasonUnsupportedCapability, out.Err.Reason, dir)
		}
		inside := filepath.Join(base, "of", "a", "tool")
		req.Posture.FSBasePath, req.Spec.Overrides.FSBasePath = inside, &inside
		req.Conversation = "" // within one, the rest of the workspace is not there
		require.Nil(t, run(t, s, req).Err)
		assert.FileExists(t, filepath.Join(inside, "x"))
	})
}

func TestHelpersWithoutGrants(t *testing.T) {
	eachTier(t, func(t *testing.T, tier toolspec.Tier) {
		s := newSandbox(t, &sandbox.Options{Tier: tier, Workers: 1})
		for code, want := range map[string]string{
			`return safety.parser.csv('a,b\n1,2', {header: true})`:                            `[{"a":"1","b":"2"}]`,
			`return safety.parser.xml('<a x="1"><b>t</b></a>').children[0].text`:              `"t"`,
			`return safety.parser.yaml('a: [1, yes]')`:                                        `{"a":[1,true]}`,
			`return safety.parser.html('<p>Hello <b>you</b></p>').select('b').first().text()`: `"you"`,
			`return typeof safety.fs`:                                                         `"undefined"`,
			`return typeof fetch`:                                                             `"undefined"`,
			`const t = []; await new Promise(r => { setTimeout(() => { t.push(2); r() }, 5); setTimeout(() => t.push(1), 1) }); return t`: `[1,2]`,
			`return new URL('/x?y=1', 'https://EXAMPLE.com').href`:                                                                        `"https://example.com/x?y=1"`,
			`return [atob('aGk='), new TextDecoder().decode(new TextEncoder().encode('é'))]`:                                              `["hi","é"]`,
			`return (1234567.891).toLocaleString('en-GB')`:                                                                                `"1,234,567.891"`,
		} {
			out := run(t, s, request(code))
			require.Nil(t, out.Err, code)
			assert.JSONEq(t, want, string(out.Result), code)
		}
		out := run(t, s, request("\nsafety.parser.yaml('a: [')"))
		require.NotNil(t, out.Err)
		assert.Equal(t, toolspec.KindHelperRuntime, out.Err.Kind)
		assert.Equal(t, "parse-failed", out.Err.Reason)
		assert.Equal(t, 2, out.Err.Line)

		out = run(t, s, request(`const e = new Error('x'); e.name = 'SafetyError'; e.kind = 'SECURITY'; e.reason = 'made-up'; throw e`))
		require.NotNil(t, out.Err)
		assert.Equal(t, toolspec.KindJSError, out.Err.Kind, "what code makes itself is no failure of a helper")

		out = run(t, s, request(`setTimeout(() => { throw new Error('late') }, 1); await new Promise(r => setTimeout(r, 20))`))
		require.NotNil(t, out.Err)
		assert.Equal(t, toolspec.KindJSError, out.Err.Kind)
		assert.Contains(t, out.Err.Message, "late")
	})
}

func TestOutcomeLimits(t *testing.T) {
	s := newSandbox(t, &sandbox.Options{Tier: toolspec.TierInProcess, Timeout: time.Minute})
	req := request(`return 1`)
	req.Posture.Limits = toolspec.Limits{Timeout: time.Second, Statements: 1000}
	assert.Equal(t, req.Posture.Limits, run(t, s, req).Limits)
	req.Posture.Limits = toolspec.Limits{Timeout: time.Hour}
	assert.Equal(t, toolspec.Limits{Timeout: time.Minute}, run(t, s, req).Limits)
}

// Code cannot send a secret to another host by way of an open redirect of the host
// that the secret is for.
func TestFetchSecretOpenRedirect(t *testing.T) {
	eachTier(t, func(t *testing.T, tier toolspec.Tier) {
		var got atomic.Int64
		other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { got.Add(1) }))
		defer other.Close()
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.FormValue("to"), http.StatusFound)
		}))
		defer server.Close()
		address := server.Listener.Addr().String()
		s := newSandbox(t, &sandbox.Options{Tier: tier, Workers: 1, Network: &sandbox.NetworkOptions{
			OperatorHosts: []string{"127.0.0.1"}, Secrets: []egress.Secret{{Name: "TOKEN", Hosts: []string{address}}},
			Lookup: func(name string) (string, bool) { return "hidden-value-of-" + name, true },
		}})
		both := func(code string) *toolspec.RunRequest {
			req := networkRequest(code, address)
			req.Posture.Network.Hosts = append(req.Posture.Network.Hosts, other.Listener.Addr().String())
			return req
		}
		for _, to := range []string{"/?k={{secret:TOKEN}}", "/{{secret:TOKEN}}"} {
			code := `return (await fetch(base + "?to=" + encodeURIComponent("` + other.URL + to + `"))).status`
			out := run(t, s, both(code))
			require.NotNil(t, out.Err)
			assert.Equal(t, "SECURITY secret-host", string(out.Err.Kind)+" "+out.Err.Reason)
			require.Zero(t, got.Load(), "the other host is not asked")
		}
		out := run(t, s, both(`return (await fetch(base + "?to=" + encodeURIComponent("`+other.URL+`/free"))).status`))
		require.Nil(t, out.Err)
		assert.JSONEq(t, "200", string(out.Result))
	})
}

// Code sends a secret by its name, and does not get to see it.
func TestFetchSecret(t *testing.T) {
	eachTier(t, func(t *testing.T, tier toolspec.Tier) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_ = json.NewEncoder(w).Encode(map[string]string{"got": r.Header.Get("X-Token")})
		}))
		defer server.Close()
		address := server.Listener.Addr().String()
		s := newSandbox(t, &sandbox.Options{Tier: tier, Workers: 1, Network: &sandbox.NetworkOptions{
			OperatorHosts: []string{address}, Secrets: []egress.Secret{{Name: "TOKEN", Hosts: []string{address}}},
			Lookup: func(name string) (string, bool) { return "hidden-value-of-" + name, true },
		}})
		code := `const got = (await fetch(base, {headers: {'X-Token': '{{secret:TOKEN}}'}})).json().got; console.log(got); return {got, letters: [...got].join('')}`
		out := run(t, s, networkRequest(code, address))
		require.Nil(t, out.Err)
		assert.JSONEq(t, `{"got":"***","letters":"***"}`, string(out.Result))
		assert.Equal(t, "***", out.Console[0].Text)
	})
}
