package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
	"github.com/localpass/localpass/toolspec/secret"
	"github.com/localpass/localpass/toolspec/studio"
)

// world is an internet for tests: names have the addresses of the table, each
// look-up the next of a list, and every connection ends at one server.
type world struct {
	mu     sync.Mutex
	table  map[string][]string
	dialed []string
	server string
}

func newWorld(t *testing.T, table map[string][]string, handler http.HandlerFunc) *world {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return &world{table: table, server: server.Listener.Addr().String()}
}

func (w *world) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	list, ok := w.table[host]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	if len(list) > 1 {
		w.table[host] = list[1:]
	}
	return []netip.Addr{netip.MustParseAddr(list[0])}, nil
}

func (w *world) dial(ctx context.Context, _, address string) (net.Conn, error) {
	w.mu.Lock()
	w.dialed = append(w.dialed, address)
	w.mu.Unlock()
	var d net.Dialer
	return d.DialContext(ctx, "tcp", w.server)
}

func (w *world) sandbox(t *testing.T) *sandbox.Sandbox {
	t.Helper()
	return newSandbox(t, &sandbox.Options{Tier: toolspec.TierInProcess,
		Network: &sandbox.NetworkOptions{Guard: &egress.Options{Resolver: w, Dial: w.dial}}})
}

// defectSpec is a spec with a STRING parameter text, and members beside.
func defectSpec(t *testing.T, code, members string) *toolspec.Spec {
	t.Helper()
	quoted, err := json.Marshal(code)
	require.NoError(t, err)
	if members != "" {
		members = "," + members
	}
	spec, err := toolspec.ParseSpec([]byte(`{"name":"tool","codeType":"Javascript","code":` + string(quoted) +
		`,"params":[{"name":"text","type":"STRING","required":true,"testValue":"hello"}]` + members + `}`))
	require.NoError(t, err)
	return spec
}

func defectStudio(t *testing.T, box toolspec.Runner, opts *studio.Options) *studio.Studio {
	t.Helper()
	if box == nil {
		box = newSandbox(t, &sandbox.Options{Tier: toolspec.TierInProcess})
	}
	st, err := studio.New(t.Context(), box, memory.New(), opts)
	require.NoError(t, err)
	return st
}

func admitted(t *testing.T, st *studio.Studio, spec *toolspec.Spec) *studio.Passed {
	t.Helper()
	passed, report, err := st.TestAndPublish(t.Context(), spec, &studio.TestOptions{ByAuthor: true})
	require.NoError(t, err)
	require.NoError(t, report.Err())
	require.True(t, report.OK, "%+v", report.Runs)
	return passed
}

func callTool(t *testing.T, tool toolspec.Tool, arguments string) *toolspec.Result {
	t.Helper()
	result, err := tool.Call(t.Context(), &toolspec.Call{ID: "1", Arguments: json.RawMessage(arguments)})
	require.NoError(t, err)
	return result
}

// The defects of the reference that section 17.2 of the specification sheet
// lists, by their number there: none of them is ours. Each is shown through a
// studio and a sandbox, as a tool has them; the packages below test more of it.

// 1: argument text ${NAME} is resolved from the environment.
func TestDefect01ArgumentsAreNoTemplates(t *testing.T) {
	t.Setenv("DEFECT_SECRET", "environment-value")
	st := defectStudio(t, nil, &studio.Options{Lookup: secret.Env()})
	passed := admitted(t, st, defectSpec(t, `return [text, own.length]`, `"staticVariables":[{"own":"${DEFECT_SECRET}"}]`))
	result := callTool(t, passed, `{"text":"${DEFECT_SECRET}"}`)
	assert.Equal(t, `["${DEFECT_SECRET}",17]`, result.Text())
}

// 2: embedded placeholders are not resolved, and blank values count as present.
func TestDefect02Placeholders(t *testing.T) {
	values := map[string]string{"DEFECT_KEY": "k-123456", "DEFECT_TWO": "t-987654"}
	lookup := func(name string) (string, bool) { v, ok := values[name]; return v, ok }
	st := defectStudio(t, nil, &studio.Options{Lookup: lookup})
	spec := defectSpec(t, `return [head.length, head.startsWith('Bearer k-'), head.includes('$')]`, `"staticVariables":[{"head":"Bearer ${DEFECT_KEY}/${DEFECT_TWO}"}]`)
	passed := admitted(t, st, spec)
	assert.Equal(t, `[24,true,false]`, callTool(t, passed, `{"text":"x"}`).Text())

	values["DEFECT_KEY"] = " \t"
	result := callTool(t, passed, `{"text":"x"}`)
	require.True(t, result.IsError)
	assert.Equal(t, "missing-requirements", result.Err.Reason)
	status, err := st.Status(t.Context(), spec)
	require.NoError(t, err)
	assert.Equal(t, studio.StateMissingRequirements, status.State)
	assert.Equal(t, []string{"DEFECT_KEY"}, status.Missing)
}

// 3: required arguments are not enforced, and undeclared ones become globals.
func TestDefect03Arguments(t *testing.T) {
	passed := admitted(t, defectStudio(t, nil, nil), defectSpec(t, `return [text, typeof extra, typeof globalThis.extra, typeof fetch]`, ""))
	for _, arguments := range []string{``, `{}`, `{"text":null}`, `{"text":" "}`, `{"extra":"x"}`} {
		result := callTool(t, passed, arguments)
		require.True(t, result.IsError, arguments)
		assert.Equal(t, toolspec.KindInvalidInput, result.Err.Kind, arguments)
		assert.Equal(t, "missing-argument", result.Err.Reason, arguments)
		assert.Nil(t, result.Outcome, "nothing ran")
	}
	assert.Equal(t, `["a","undefined","undefined","undefined"]`, callTool(t, passed, `{"text":"a","extra":1,"fetch":2}`).Text())
}

// 4: redirects forward credentials to other hosts.
func TestDefect04RedirectsDropCredentials(t *testing.T) {
	type seen struct{ host, authorization, cookie, key string }
	heard := make(chan seen, 4)
	w := newWorld(t, map[string][]string{"one.example": {"93.184.216.34"}, "two.example": {"93.184.216.35"}}, func(w http.ResponseWriter, r *http.Request) {
		heard <- seen{r.Host, r.Header.Get("Authorization"), r.Header.Get("Cookie"), r.Header.Get("X-Key")}
		if r.Host == "one.example" {
			http.Redirect(w, r, "http://two.example/", http.StatusTemporaryRedirect)
		}
	})
	st := defectStudio(t, w.sandbox(t), &studio.Options{Lookup: secret.Map(map[string]string{"DEFECT_KEY": "topsecretvalue"})})
	admitted(t, st, defectSpec(t, `const r = await fetch('http://one.example/', {headers: {Authorization: 'Bearer abc', Cookie: 'a=b', 'X-Key': key}}); return r.url + text.length`,
		`"staticVariables":[{"key":"${DEFECT_KEY}"}],"sandboxOverrides":{"networkMode":"allowlist","hostsAllow":["one.example","two.example"]}`))
	require.Len(t, heard, 2)
	assert.Equal(t, seen{"one.example", "Bearer abc", "a=b", "topsecretvalue"}, <-heard)
	assert.Equal(t, seen{"two.example", "", "", ""}, <-heard)
}

// 5: an answer that changes between the check and the connection is followed,
// and the body is bounded only once it is there.
func TestDefect05CheckIsWhatIsDialled(t *testing.T) {
	written := make(chan int, 1)
	w := newWorld(t, map[string][]string{"rebind.example": {"93.184.216.34", "127.0.0.1"}, "inner.example": {"10.0.0.7"}, "big.example": {"93.184.216.36"}}, func(w http.ResponseWriter, r *http.Request) {
		n, chunk := 0, []byte(strings.Repeat("x", 1<<20))
		for r.Host == "big.example" && n < 200 {
			if _, err := w.Write(chunk); err != nil {
				break
			}
			n++
		}
		if r.Host == "big.example" {
			written <- n
		}
	})
	box := w.sandbox(t)
	req := request(`const out = [];
for (const u of ['http://rebind.example/', 'http://rebind.example:8080/', 'http://inner.example/', 'http://big.example/'])
  try { out.push((await fetch(u)).text().length) } catch (e) { out.push(e.reason) }
return out`)
	req.Posture.Network.Mode = toolspec.NetworkStrict
	out := run(t, box, req)
	require.Nil(t, out.Err)
	var got []any
	require.NoError(t, json.Unmarshal(out.Result, &got))
	require.Len(t, got, 4)
	assert.Equal(t, "response-body-too-large", got[3])
	assert.IsType(t, "", got[2])
	assert.Less(t, <-written, 100, "the server could not send it all")
	for _, address := range w.dialed {
		assert.True(t, strings.HasPrefix(address, "93.184.216."), "dialled %s", address)
	}
	require.NotEmpty(t, w.dialed)
}

// 6: ranges are missing from the list of what is not public.
func TestDefect06Ranges(t *testing.T) {
	w := newWorld(t, nil, func(http.ResponseWriter, *http.Request) {})
	hosts := []string{"0.1.2.3", "0.0.0.0", "240.0.0.1", "255.255.255.255", "192.0.0.8", "198.18.0.1", "198.19.255.255", "100.64.0.1", "169.254.169.254",
		"[64:ff9b::10.0.0.1]", "[64:ff9b::a9fe:a9fe]", "[2002:7f00:1::]", "[2002:a00:1::1]", "[2001:0:1:2::3]", "[::ffff:127.0.0.1]", "[::127.0.0.1]", "[::1]", "[fe80::1]", "[fd00::1]", "2130706433", "0x7f.1"}
	list, err := json.Marshal(hosts)
	require.NoError(t, err)
	req := request(`const out = {}; for (const h of hosts) try { await fetch('http://' + h + '/'); out[h] = 'reached' } catch (e) { out[h] = e.kind } return out`, "hosts", string(list))
	req.Posture.Network.Mode = toolspec.NetworkStrict
	out := run(t, w.sandbox(t), req)
	require.Nil(t, out.Err)
	var got map[string]string
	require.NoError(t, json.Unmarshal(out.Result, &got))
	for _, host := range hosts {
		assert.Equal(t, string(toolspec.KindSecurity), got[host], host)
	}
	assert.Empty(t, w.dialed)
	assert.Len(t, out.Denials, len(hosts), "each is on record")
}

// 7: hostsAllow ["*"] scores L4 and reaches nothing.
func TestDefect07WildcardReaches(t *testing.T) {
	w := newWorld(t, map[string][]string{"any.example": {"93.184.216.34"}, "inner.example": {"192.168.0.1"}}, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "from ", r.Host) })
	spec := defectSpec(t, `let inner; try { await fetch('http://inner.example/') } catch (e) { inner = e.kind } return [(await fetch('http://any.example/')).text(), inner, text]`,
		`"sandboxOverrides":{"networkMode":"allowlist","hostsAllow":["*"]}`)
	assert.Equal(t, toolspec.L4, spec.Risk(nil).Level)
	passed := admitted(t, defectStudio(t, w.sandbox(t), nil), spec)
	assert.Equal(t, `["from any.example","SECURITY","a"]`, callTool(t, passed, `{"text":"a"}`).Text())
}

// 8: the scorer and the resolver apply additions and removals in opposite order,
// so that a removal hides behind an addition.
func TestDefect08ScoreIsOfWhatIsEnforced(t *testing.T) {
	hidden := defectSpec(t, `return text`, `"sandboxOverrides":{"removeDenyClasses":["java.lang.Runtime"],"addDenyClasses":["java.lang.Runtime"]}`)
	posture, problems := hidden.Resolve(nil)
	require.NoError(t, problems.Err())
	assert.NotContains(t, posture.DenyClasses, "java.lang.Runtime")
	assert.Equal(t, toolspec.L5, hidden.Risk(nil).Level)

	nothing := defectSpec(t, `return text`, `"sandboxOverrides":{"addAllowClasses":["com.acme.Pure"],"removeAllowClasses":["com.acme.Pure"]}`)
	posture, problems = nothing.Resolve(nil)
	require.NoError(t, problems.Err())
	assert.NotContains(t, posture.AllowClasses, "com.acme.Pure")
	assert.Equal(t, toolspec.L0, nothing.Risk(nil).Level)
}

// 9: getRandomValues yields 0 to 255 in wide arrays.
func TestDefect09RandomFillsTheElement(t *testing.T) {
	passed := admitted(t, defectStudio(t, nil, nil), defectSpec(t,
		`const high = (a, shift) => crypto.getRandomValues(a).some((x) => Number(BigInt.asUintN(64, BigInt(x)) >> BigInt(shift)) > 0);
return [high(new Uint16Array(256), 8), high(new Uint32Array(256), 24), high(new Int32Array(256), 24), high(new BigUint64Array(64), 56), crypto.getRandomValues(new Int16Array(256)).some((x) => x < 0), text]`, ""))
	assert.Equal(t, `[true,true,true,true,true,"a"]`, callTool(t, passed, `{"text":"a"}`).Text())
}

// 10: the approval mode is outside of the content hash, and an edit of the
// posture needs no new pass.
func TestDefect10EditsNeedANewPass(t *testing.T) {
	st := defectStudio(t, nil, nil)
	spec := defectSpec(t, `return text`, `"humanInTheLoop":{"mode":"REQUIRED"}`)
	admitted(t, st, spec)
	for name, edit := range map[string]func(*toolspec.Spec){
		"approval":    func(s *toolspec.Spec) { s.Approval.Mode = toolspec.ApprovalDisabled },
		"no approval": func(s *toolspec.Spec) { s.Approval = nil },
		"network": func(s *toolspec.Spec) {
			s.Overrides.NetworkMode, s.Overrides.HostsAllow = toolspec.NetworkAllowlist, []string{"a.example"}
		},
		"destructive": func(s *toolspec.Spec) { yes := true; s.Overrides.Destructive = &yes },
		"code":        func(s *toolspec.Spec) { s.Code += ";" },
	} {
		edited := spec.Clone()
		edit(edited)
		assert.NotEqual(t, spec.ContentHash(), edited.ContentHash(), name)
		status, err := st.Status(t.Context(), edited)
		require.NoError(t, err, name)
		assert.Equal(t, studio.StateDraft, status.State, name)
		_, err = st.Publish(t.Context(), edited)
		assert.ErrorIs(t, err, studio.ErrNoPass, name)
	}
}

// 11: an update drops unknown members, toolSafety and the creation time.
func TestDefect11UpdatesKeepTheDocument(t *testing.T) {
	st := defectStudio(t, nil, nil)
	spec := defectSpec(t, `return text`, `"createTimestamp":1748736000000,"x-vendor":{"b":[1.0],"a":"é"},"toolSafety":{"version":"1.0","x-note":1},"humanInTheLoop":{"mode":"DISABLED","team":"a"}`)
	draft, err := st.SaveDraft(t.Context(), studio.Draft{Spec: spec})
	require.NoError(t, err)
	draft.Spec.Code, draft.Spec.Description = `return text + 1`, "edited"
	_, err = st.SaveDraft(t.Context(), draft)
	require.NoError(t, err)
	stored, err := st.Draft(t.Context(), spec.ID())
	require.NoError(t, err)
	assert.Equal(t, "edited", stored.Spec.Description)
	assert.Equal(t, int64(1748736000000), stored.Spec.Created)
	assert.JSONEq(t, `{"b":[1.0],"a":"é"}`, string(stored.Spec.Extra["x-vendor"]))
	assert.JSONEq(t, `{"version":"1.0","x-note":1}`, string(stored.Spec.ToolSafety))
	assert.JSONEq(t, `"a"`, string(stored.Spec.Approval.Extra["team"]))
}

// 12: partial masks show parts of a secret.
func TestDefect12MasksAreWhole(t *testing.T) {
	const value = "pa55w0rd-of-20-chars"
	st := defectStudio(t, nil, &studio.Options{Lookup: secret.Map(map[string]string{"DEFECT_KEY": value, "DEFECT_SHORT": "abcd"})})
	var lines []string
	spec := defectSpec(t, `console.log('key', key, btoa(key)); if (text === 'throw') throw new Error('bad ' + key); return {[key]: [key, 'x' + short + 'y', encodeURIComponent(key), text]}`,
		`"staticVariables":[{"key":"${DEFECT_KEY}"},{"short":"${DEFECT_SHORT}"}]`)
	passed, report, err := st.TestAndPublish(t.Context(), spec, &studio.TestOptions{Console: func(l activity.ConsoleLine) { lines = append(lines, l.Text) }})
	require.NoError(t, err)
	require.True(t, report.OK)
	assert.Equal(t, []string{"key *** ***"}, lines)
	result := callTool(t, passed, `{"text":"a"}`)
	assert.Equal(t, `{"***":["***","x***y","***","a"]}`, result.Text())
	assert.Equal(t, "key *** ***", result.Outcome.Console[0].Text)
	result = callTool(t, passed, `{"text":"throw"}`)
	require.True(t, result.IsError)
	whole := fmt.Sprint(result.Text(), result.Err, result.Err.Err)
	for i := 0; i+4 <= len(value); i++ {
		assert.NotContains(t, whole, value[i:i+4])
	}
}

// 12, in the forms that the code of a tool makes itself: an object printed to
// the console, JSON and a component of a URL within a text.
func TestDefect12MasksWhatCodeWrites(t *testing.T) {
	for _, value := range []string{`pa"ss&wo<rd>42`, `pass word!(1)*'x'`, "pass\xffword-\xfe-bytes"} {
		st := defectStudio(t, nil, &studio.Options{Lookup: secret.Map(map[string]string{"DEFECT_KEY": value})})
		passed := admitted(t, st, defectSpec(t, `console.log({key}); return [key, JSON.stringify({key}), encodeURIComponent(key), encodeURI(key), new URLSearchParams({key}).toString(), text]`,
			`"staticVariables":[{"key":"${DEFECT_KEY}"}]`))
		result := callTool(t, passed, `{"text":"a"}`)
		var texts []string
		require.NoError(t, json.Unmarshal([]byte(result.Text()), &texts))
		assert.Equal(t, []string{"***", `{"key":"***"}`, "***", "***", "key=***", "a"}, texts, "%q", value)
		assert.Equal(t, `{"key":"***"}`, result.Outcome.Console[0].Text, "%q", value)
	}
}

// 13: the home directory is readable at L3, and conversations read each other's
// folders.
func TestDefect13ReadsStayInTheWorkspace(t *testing.T) {
	home, base := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	private := filepath.Join(home, "private.txt")
	require.NoError(t, os.WriteFile(private, []byte("mine"), 0o600))
	box := newSandbox(t, &sandbox.Options{Tier: toolspec.TierInProcess, Files: &sandbox.FileOptions{Workspace: base}})
	spec := defectSpec(t, `try { if (text === 'write') return safety.fs.writeText('a.txt', 'of one') && 'written'; return safety.fs.readText(text) } catch (e) { return e.kind + ' ' + e.name }`,
		`"sandboxOverrides":{"fileRead":true,"fileWrite":true}`)
	passed := admitted(t, defectStudio(t, box, nil), spec)
	in := func(conversation, text string) string {
		arguments, err := json.Marshal(map[string]string{"text": text})
		require.NoError(t, err)
		result, err := passed.Call(t.Context(), &toolspec.Call{ID: "1", Conversation: conversation, Arguments: arguments})
		require.NoError(t, err)
		return result.Text()
	}
	for _, path := range []string{private, "~/private.txt", "../" + filepath.Base(home) + "/private.txt", "/etc/passwd"} {
		assert.NotContains(t, in("one", path), "mine")
		assert.Contains(t, in("one", path), "SafetyError", path)
	}
	assert.Equal(t, "written", in("one", "write"))
	assert.Equal(t, "of one", in("one", "a.txt"))
	for _, path := range []string{"a.txt", "../one/a.txt", filepath.Join(base, "one", "a.txt"), "one/a.txt"} {
		assert.Contains(t, in("two", path), "SafetyError", path)
	}
}

// 14: copy reads with the permission to write alone.
func TestDefect14CopyNeedsToRead(t *testing.T) {
	shared, base := t.TempDir(), t.TempDir()
	source := filepath.Join(shared, "s.txt")
	require.NoError(t, os.WriteFile(source, []byte("shared"), 0o600))
	box := newSandbox(t, &sandbox.Options{Tier: toolspec.TierInProcess, Files: &sandbox.FileOptions{Workspace: base, ReadRoots: []string{shared}}})
	for _, read := range []bool{false, true} {
		req := request(`try { safety.fs.copy(source, 'c.txt'); return 'copied' } catch (e) { return e.kind }`, "source", fmt.Sprintf("%q", source))
		req.Posture.FileRead, req.Posture.FileWrite = read, true
		out := run(t, box, req)
		require.Nil(t, out.Err)
		want := `"SECURITY"`
		if read {
			want = `"copied"`
		}
		assert.Equal(t, want, string(out.Result))
	}
}

// brokenStore is a store whose reads fail from some time on.
type brokenStore struct {
	localpass.Persistence
	broken bool
}

func (s *brokenStore) Get(ctx context.Context, collection, key string) (localpass.Document, error) {
	if s.broken {
		return localpass.Document{}, errors.New("the disk is gone")
	}
	return s.Persistence.Get(ctx, collection, key)
}

// 15: the integrity check passes everything when what it compares with cannot be
// had.
func TestDefect15NoStoreNoPass(t *testing.T) {
	box := newSandbox(t, &sandbox.Options{Tier: toolspec.TierInProcess})
	store := &brokenStore{Persistence: memory.New()}
	bundled := defectSpec(t, `return text`, "")
	st, err := studio.New(t.Context(), box, store, &studio.Options{Pins: map[string]string{bundled.Name: bundled.CatalogHash()}})
	require.NoError(t, err)
	admitted(t, st, bundled)
	st.Withdraw(bundled.ID())

	other := defectSpec(t, `return 'not ' + text`, "")
	passed, report, err := st.TestAndPublish(t.Context(), other, nil)
	require.ErrorIs(t, err, studio.ErrNoPass)
	assert.Nil(t, passed, "the name of a bundled tool is not for another")
	assert.Error(t, report.Err())

	store.broken = true
	_, err = st.Publish(t.Context(), bundled)
	assert.Error(t, err)
	passed, _, err = st.TestAndPublish(t.Context(), bundled, nil)
	assert.Error(t, err)
	assert.Nil(t, passed)
	assert.Empty(t, st.Published())
	_, err = studio.New(t.Context(), box, store, nil)
	assert.Error(t, err)
}

// 16: plain string results arrive quoted.
func TestDefect16TextIsRaw(t *testing.T) {
	passed := admitted(t, defectStudio(t, nil, nil), defectSpec(t, `return 'He said "' + text + '"\n'`, ""))
	result := callTool(t, passed, `{"text":"hé"}`)
	assert.Equal(t, "He said \"hé\"\n", result.Text())
	assert.Empty(t, result.Structured)
}
