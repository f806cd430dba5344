package sandbox_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
	"github.com/localpass/localpass/toolspec/secret"
)

// tried gives the attempts of a run in one line each, without what differs from
// run to run.
func tried(out *toolspec.Outcome) []string {
	var all []string
	for _, a := range out.Attempts {
		line := fmt.Sprintf("%s %s %s %d %d %s", a.Component, a.Op, a.Target, a.Status, a.Bytes, a.By)
		if a.Refused {
			line += " refused"
		}
		all = append(all, strings.TrimSpace(line+" "+a.Reason))
	}
	return all
}

// TestAttemptsOfRequests: each request is listed with what came of it and which
// layer decided, also when the code caught the refusal.
func TestAttemptsOfRequests(t *testing.T) {
	eachTier(t, func(t *testing.T, tier toolspec.Tier) {
		address, _ := site(t)
		s := newSandbox(t, &sandbox.Options{Tier: tier, Workers: 1, Network: &sandbox.NetworkOptions{
			OperatorHosts: []string{address}, Deny: []string{"blocked.example.com"},
			Secrets: []egress.Secret{{Name: "TOKEN", Hosts: []string{"other.example.com"}}}, Lookup: secret.Map(map[string]string{"TOKEN": "hidden-value-77"}),
		}})
		target := "http://" + address
		const size = `{"method":"GET","path":"/a"}` + "\n"
		for code, want := range map[string][]string{
			`await fetch(base + '/a')`: {fmt.Sprintf("fetch GET %s 200 %d address", target, len(size))},
			`await fetch(base + '/big'); await fetch(base + '/big')`: {
				"fetch GET " + target + " 200 5000000 address", "fetch GET " + target + " 200 5000000 address"},
			`await fetch('https://example.com/?q=1')`:                  {"fetch GET https://example.com 0 0 rules refused host-not-in-allowlist"},
			`await fetch('https://blocked.example.com')`:               {"fetch GET https://blocked.example.com 0 0 rules refused host-in-denylist"},
			`await fetch('http://10.0.0.1/')`:                          {"fetch GET http://10.0.0.1 0 0 address refused literal-private-ip"},
			`await fetch(base + '/away', {method: 'post', body: 'x'})`: {"fetch POST " + target + " 0 0 rules refused host-not-in-allowlist"},
			`await fetch('ftp://example.com/')`:                        {"fetch GET ftp://example.com 0 0 rules refused unsupported-scheme"},
			`await fetch(base, {headers: {a: '{{secret:TOKEN}}'}})`:    {"fetch GET " + target + " 0 0 secrets refused secret-host"},
			`await fetch(base, {headers: {a: '{{secret:NONE}}'}})`:     {"fetch GET " + target + " 0 0 secrets unknown-secret"},
			`await fetch(base, {headers: {'bad name': 'x'}})`:          {"fetch GET " + target + " 0 0 arguments invalid-header"},
		} {
			req := networkRequest("try { "+code+" } catch (e) { console.log(e.message) }", address)
			req.Posture.Network.Hosts = append(req.Posture.Network.Hosts, "10.0.0.1")
			out := run(t, s, req)
			require.Nil(t, out.Err, code)
			assert.Equal(t, want, tried(out), code)
			for i, a := range out.Attempts {
				assert.Positive(t, a.Duration, code)
				assert.Positive(t, a.Start, code)
				assert.LessOrEqual(t, a.Start+a.Duration, out.Usage.Duration, code)
				assert.Equal(t, a.Reason != "", a.Detail != "", code)
				if a.Refused {
					require.Len(t, out.Denials, 1, code)
					assert.Equal(t, out.Denials[0].Detail, a.Detail, code)
				}
				if i > 0 {
					assert.GreaterOrEqual(t, a.Start, out.Attempts[i-1].Start+out.Attempts[i-1].Duration, "one after another")
				}
			}
		}
		out := run(t, s, request(`return 1`))
		assert.Empty(t, out.Attempts)
		assert.Zero(t, out.AttemptsCut)
	})
}

// TestAttemptsTakeTheirTime: the time of a request is that for which the code
// waits, up to the last byte: no shorter than what the server saw pass before it
// sent that, which the size of the body keeps from being over with the headers.
func TestAttemptsTakeTheirTime(t *testing.T) {
	eachTier(t, func(t *testing.T, tier toolspec.Tier) {
		const size = 5_000_000
		passed := make(chan time.Duration, 1)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			began := time.Now()
			w.WriteHeader(http.StatusTeapot)
			_, _ = w.Write(bytes.Repeat([]byte("a"), size-1))
			passed <- time.Since(began)
			_, _ = w.Write([]byte("b"))
		}))
		defer server.Close()
		address := server.Listener.Addr().String()
		s := newSandbox(t, &sandbox.Options{Tier: tier, Workers: 1, Network: &sandbox.NetworkOptions{OperatorHosts: []string{address}}})
		out := run(t, s, networkRequest(`return (await (await fetch(base)).text()).length`, address))
		require.Nil(t, out.Err)
		assert.Equal(t, []string{fmt.Sprintf("fetch GET http://%s 418 %d address", address, size)}, tried(out))
		assert.GreaterOrEqual(t, out.Attempts[0].Duration, <-passed)
	})
}

// TestAttemptsReplayed: what recorded exchanges answer is not said to come from
// the network, and no secret is told.
func TestAttemptsReplayed(t *testing.T) {
	eachTier(t, func(t *testing.T, tier toolspec.Tier) {
		address, _ := site(t)
		s := newSandbox(t, &sandbox.Options{Tier: tier, Workers: 1, Network: &sandbox.NetworkOptions{OperatorHosts: []string{address}}})
		req := networkRequest(`return (await fetch(base + '/' + key)).status`, address)
		req.Globals = append(req.Globals, toolspec.Global{Name: "key", Value: json.RawMessage(`"topsecretvalue"`)})
		req.Record, req.Redactor = true, secret.NewRedactor("topsecretvalue")
		recorded := run(t, s, req)
		require.Nil(t, recorded.Err)
		assert.Equal(t, activity.LayerAddress, recorded.Attempts[0].By)

		req.Record, req.Replay = false, recorded.Exchanges
		replayed := run(t, s, req)
		require.Nil(t, replayed.Err)
		require.Len(t, replayed.Attempts, 1)
		assert.Equal(t, activity.LayerRecorded, replayed.Attempts[0].By)
		assert.Equal(t, 200, replayed.Attempts[0].Status)

		req.Replay = json.RawMessage(`{`)
		broken := run(t, s, req)
		require.NotNil(t, broken.Err)
		assert.Equal(t, []string{"fetch GET http://" + address + " 0 0 posture unavailable"}, tried(broken))

		inside := networkRequest(`await fetch('http://10.0.0.1/')`, "10.0.0.1")
		inside.Replay = recorded.Exchanges
		assert.Equal(t, []string{"fetch GET http://10.0.0.1 0 0 address refused literal-private-ip"}, tried(run(t, s, inside)), "refused before the recorded exchanges are asked")

		req.Replay = json.RawMessage(`[]`)
		missed := run(t, s, req)
		require.NotNil(t, missed.Err)
		require.Len(t, missed.Attempts, 1)
		assert.Equal(t, "fetch GET http://"+address+" 0 0 recorded replay-miss", tried(missed)[0])
		assert.NotContains(t, missed.Attempts[0].Detail, "topsecretvalue")
	})
}

// TestAttemptsOfFiles: refused operations are listed with their path, whether
// the code sees the refusal or only gets no for an answer.
func TestAttemptsOfFiles(t *testing.T) {
	eachTier(t, func(t *testing.T, tier toolspec.Tier) {
		s := newSandbox(t, &sandbox.Options{Tier: tier, Workers: 1, Files: &sandbox.FileOptions{Workspace: t.TempDir()}})
		req := request(`
const caught = f => { try { f() } catch (e) { return e.reason } }
safety.fs.writeText('a.txt', 'four')
safety.fs.readText('a.txt')
caught(() => safety.fs.readText('none.txt'))
caught(() => safety.fs.readText('../up.txt'))
caught(() => safety.fs.delete('a.txt'))
caught(() => safety.fs.readText(''))
return [safety.fs.exists('a.txt'), safety.fs.exists('/etc/passwd'), safety.fs.exists('/etc/passwd')]`)
		req.Posture.FileRead, req.Posture.FileWrite = true, true
		out := run(t, s, req)
		require.Nil(t, out.Err)
		assert.JSONEq(t, `[true,false,false]`, string(out.Result))
		assert.Equal(t, []string{
			"fs writeText a.txt 0 4 workspace",
			"fs readText a.txt 0 4 workspace",
			"fs readText none.txt 0 0 workspace io",
			"fs readText ../up.txt 0 0 workspace refused path-escapes-base",
			"fs delete a.txt 0 0 posture refused destructive-not-granted",
			"fs readText . 0 0 arguments path-required",
			"fs exists a.txt 0 0 workspace",
			"fs exists /etc/passwd 0 0 workspace refused path-escapes-base",
			"fs exists /etc/passwd 0 0 workspace refused path-escapes-base",
		}, tried(out))

		req = request(`try { safety.fs.writeText('x', 'y') } catch (e) { return e.reason }`)
		req.Posture.FileRead = true
		out = run(t, s, req)
		require.Nil(t, out.Err)
		assert.Equal(t, []string{"fs writeText x 0 0 posture refused capability-not-granted"}, tried(out))
		assert.Equal(t, out.Denials[0].Detail, out.Attempts[0].Detail)
	})
}

// TestAttemptsAreBounded: a flood of what is allowed does not hide what was
// refused, nor the other way round.
func TestAttemptsAreBounded(t *testing.T) {
	eachTier(t, func(t *testing.T, tier toolspec.Tier) {
		s := newSandbox(t, &sandbox.Options{Tier: tier, Workers: 1, Files: &sandbox.FileOptions{Workspace: t.TempDir()}})
		req := request(`
for (let i = 0; i < 130; i++) safety.fs.exists('a')
for (let i = 0; i < 140; i++) safety.fs.exists('../' + i)
safety.fs.exists('b')`)
		req.Posture.FileRead = true
		out := run(t, s, req)
		require.Nil(t, out.Err)
		require.Len(t, out.Attempts, 200)
		assert.False(t, out.Attempts[99].Refused)
		assert.True(t, out.Attempts[100].Refused)
		assert.Equal(t, 30+40+1, out.AttemptsCut)
	})
}

// TestMemoryOfARun: in a worker the most that it held is known, in process
// nothing is.
func TestMemoryOfARun(t *testing.T) {
	eachTier(t, func(t *testing.T, tier toolspec.Tier) {
		s := newSandbox(t, &sandbox.Options{Tier: tier, Workers: 1})
		small := run(t, s, request(`return 1`))
		require.Nil(t, small.Err)
		large := run(t, s, request(`const a = new Uint8Array(40 << 20).fill(1); return a.length`))
		require.Nil(t, large.Err)
		if tier == toolspec.TierInProcess {
			assert.Zero(t, small.Usage.Memory)
			assert.Zero(t, large.Usage.MemoryBefore)
			return
		}
		assert.Positive(t, small.Usage.MemoryBefore)
		assert.GreaterOrEqual(t, small.Usage.Memory, small.Usage.MemoryBefore)
		assert.GreaterOrEqual(t, large.Usage.Memory-large.Usage.MemoryBefore, int64(30<<20))
		assert.Less(t, large.Usage.Memory, s.Describe().Limits.MaxHeld)
	})
}
