package malicious_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/testrun"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/mcphub/mcphubtest/malicious"
	"github.com/localpass/localpass/mcphub/risk"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec"
)

var quiet = &genai.Telemetry{Logger: slog.New(slog.DiscardHandler)}

// world is a hub between one client and one malicious server.
type world struct {
	*testing.T
	conns   *servers.Connections
	hub     *mcphub.Hub
	comp    *mcphub.Composition
	levels  *risk.Levels
	front   client.Session
	person  *hubtest.Person
	log     func() malicious.Log
	replace func(tr client.Transport) // makes the next dial reach another server

	asked    atomic.Int32 // by the gate
	progress atomic.Int32
	decision approval.Outcome
}

// route is the transport of the malicious server.
type route struct {
	mu sync.Mutex
	to client.Transport
}

func (r *route) current() client.Transport {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.to
}

func (r *route) Describe() client.Endpoint { return r.current().Describe() }

func (r *route) Dial(ctx context.Context, opts *client.DialOptions) (client.Session, error) {
	return r.current().Dial(ctx, opts)
}

// start starts a server of one version, over "http" or as a program over "stdio".
func start(t *testing.T, attack malicious.Attack, over, version string, opts malicious.Options) (client.Transport, func() malicious.Log) {
	t.Helper()
	if over == "stdio" {
		self, err := os.Executable()
		require.NoError(t, err)
		file := filepath.Join(t.TempDir(), "log")
		args := []string{"-attack", string(attack), "-protocol", version, "-log", file, "-count", strconv.Itoa(opts.Count), "-size", strconv.Itoa(opts.Size)}
		tr, err := client.NewStdio(client.StdioConfig{Command: self, Args: args}, &client.StdioOptions{CloseGrace: 300 * time.Millisecond, KillGrace: 300 * time.Millisecond})
		require.NoError(t, err)
		return tr, func() malicious.Log {
			log, err := malicious.ReadLog(file)
			require.NoError(t, err)
			return log
		}
	}
	opts.Versions = []string{version}
	server, err := malicious.New(attack, &opts)
	require.NoError(t, err)
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	tr, err := client.NewHTTP(client.HTTPConfig{URL: web.URL}, nil)
	require.NoError(t, err)
	return tr, server.Log
}

// open puts a malicious server behind a hub, which has a tool "send_mail" of its own. The
// tools of the server are members and not approved; there is no session yet.
func open(t *testing.T, attack malicious.Attack, over, version string, tools ...string) *world {
	t.Helper()
	w := &world{T: t, decision: approval.Approved, person: &hubtest.Person{Answers: map[string]string{"elicitation/create": `{"action":"accept","content":{"city":"Bern"}}`}}}
	tr, log := start(t, attack, over, version, malicious.Options{Count: floods[attack], Size: 5 << 20})
	to := &route{to: tr}
	w.log, w.replace = log, func(tr client.Transport) {
		to.mu.Lock()
		defer to.mu.Unlock()
		to.to = tr
	}
	w.conns = hubtest.Connections(t, hubtest.Fakes{"up": to, "good": hubtest.GoodPeer().Transport(client.TransportHTTP)}, nil)
	gate, err := approval.NewGate(&approval.Options{Store: memory.New(), NoAudit: true, Telemetry: quiet, Approvers: []approval.Approver{approval.ApproverFunc(w.decide)}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = gate.Close() })
	w.hub = hubtest.NewHub(t, &mcphub.Options{Approval: gate}, hubtest.EchoTool(t, "send_mail"))
	w.levels, err = risk.NewLevels(t.Context(), memory.New(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = w.levels.Close() })
	w.comp = hubtest.Compose(t, w.hub, w.conns, &mcphub.CompositionOptions{Levels: w.levels})
	if tools == nil {
		tools = []string{malicious.Tool}
	}
	for _, tool := range tools {
		require.NoError(t, w.comp.Put(t.Context(), mcphub.Member{Server: "up", Tool: tool}))
	}
	w.front = hubtest.Front(t, w.hub, over, w.person.Dial(version))
	return w
}

// floods is how many messages or tools there are in each flood, enough to reach the limit.
var floods = map[malicious.Attack]int{malicious.FloodProgress: 2_000, malicious.FloodNotifications: 1_000, malicious.FloodTools: 10_001, malicious.EndlessQuestions: 20}

// decide is the person who is asked whether a call may run.
func (w *world) decide(_ context.Context, requests []approval.Request) ([]approval.Decision, error) {
	w.asked.Add(1)
	return []approval.Decision{{Request: requests[0].ID, Outcome: w.decision, Confirm: requests[0].Confirm}}, nil
}

// approve connects, and approves the tool as the server offers it now.
func (w *world) approve(tool string) {
	w.Helper()
	require.NoError(w, w.conns.Connect(w.Context(), "up"))
	hubtest.Approve(w.T, w.comp, tool)
}

// answer is what the client gets for a call.
type answer struct {
	refused *client.RPCError // a tool that the hub does not know
	IsError bool
	Content []struct{ Text string }
	Meta    map[string]json.RawMessage `json:"_meta"`
}

// reason returns why a call failed.
func (a *answer) reason() string {
	var failure struct{ Reason string }
	_ = json.Unmarshal(a.Meta["localpass/error"], &failure) // none on failure
	return failure.Reason
}

// call calls a tool like a model behind the client.
func (w *world) call(name string) *answer {
	w.Helper()
	argument := "city"
	if name == "send_mail" {
		argument = "text"
	}
	raw, err := w.front.Call(w.Context(), "tools/call", json.RawMessage(`{"name":"`+name+`","arguments":{"`+argument+`":"Bern"}}`),
		&client.CallOptions{Rounds: 20, Progress: func(toolspec.Progress) { w.progress.Add(1) }})
	a := &answer{}
	if err != nil {
		require.ErrorAs(w, err, &a.refused)
		return a
	}
	require.NoError(w, json.Unmarshal(raw, a))
	return a
}

// listed returns the names of the tools that the client sees, and the list as text.
func (w *world) listed() (names []string, text string) {
	w.Helper()
	raw, err := w.front.Call(w.Context(), "tools/list", nil, nil)
	require.NoError(w, err)
	var list struct{ Tools []struct{ Name string } }
	require.NoError(w, json.Unmarshal(raw, &list))
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names, string(raw)
}

// withheld checks that the tool of the server is neither listed nor called, and that the
// rest of the hub works.
func (w *world) withheld(calls int) {
	w.Helper()
	names, text := w.listed()
	assert.NotContains(w, names, "up_weather")
	assert.NotContains(w, text, "id_rsa")
	a := w.call("up_weather")
	assert.True(w, a.refused != nil || a.IsError)
	assert.Len(w, w.log().Calls, calls)
	w.works()
}

// changed waits until the tool is known to differ from what was approved, and is not listed.
// The list follows what a session says in its own time; each call checks it.
func (w *world) changed() {
	w.Helper()
	require.Eventually(w, func() bool { return hubtest.Member(w.T, w.comp, malicious.Tool).State == mcphub.MemberChanged }, hubtest.Patience, time.Millisecond)
	for until := time.Now().Add(hubtest.Patience); ; time.Sleep(time.Millisecond) {
		if names, _ := w.listed(); !slices.Contains(names, "up_weather") {
			return
		}
		require.True(w, time.Now().Before(until), "it is still listed")
	}
}

// works checks that the hub and the other server work.
func (w *world) works() {
	w.Helper()
	a := w.call("send_mail")
	require.Nil(w, a.refused)
	assert.False(w, a.IsError, "%v", a.Content)
	assert.NoError(w, w.conns.Connect(w.Context(), "good"))
}

// served checks that a call reaches the tool, as the nth one.
func (w *world) served(nth int) {
	w.Helper()
	a := w.call("up_weather")
	require.Nil(w, a.refused)
	assert.False(w, a.IsError, "%v", a.Content)
	assert.Len(w, w.log().Calls, nth)
}

// costly are the attacks that take much processor time. By default, each runs once with each
// era and once over each transport, instead of with every pair of them.
var costly = []malicious.Attack{malicious.FloodProgress, malicious.FloodNotifications, malicious.FloodTools, malicious.EndlessCursor, malicious.SchemaBomb}

// TestHub holds the hub against each attack, with the server of each era, over HTTP and as
// a program over stdio, and with a client that is connected in the same way.
func TestHub(t *testing.T) {
	for _, attack := range malicious.Attacks() {
		for _, over := range []string{"http", "stdio"} {
			for _, version := range []string{hubtest.Older, hubtest.Newer} {
				if slices.Contains(costly, attack) && (over == "http") != (version == hubtest.Older) && !testrun.Full() {
					continue
				}
				t.Run(string(attack)+" "+over+" "+version, func(t *testing.T) {
					t.Parallel()
					holds[attack](t, over, version)
				})
			}
		}
	}
}

// holds says for each attack what the hub does.
var holds = map[malicious.Attack]func(t *testing.T, over, version string){
	malicious.Poisoned:            holdsUntilApproved(malicious.Poisoned, "~/.ssh/id_rsa"),
	malicious.Hidden:              holdsUntilApproved(malicious.Hidden, "\U000E0042"),
	malicious.RugPull:             holdsAgainstRugPull,
	malicious.ChangedAfterListing: holdsAgainstChange,
	malicious.Shadowing:           holdsAgainstShadowing,
	malicious.Ambiguous:           holdsAgainstAmbiguity,
	malicious.LyingAnnotations:    holdsAgainstLies,
	malicious.StolenIdentity:      holdsAgainstStolenIdentity,
	malicious.ResultInjection:     holdsAgainstInjection,
	malicious.EndlessQuestions:    holdsAgainstQuestions,
	malicious.SlowStart:           holdsAgainstSlowList(malicious.SlowStart),
	malicious.SlowList:            holdsAgainstSlowList(malicious.SlowList),
	malicious.SlowCall:            holdsAgainstSlowCall,
	malicious.FloodResult:         holdsAgainstFloodResult,
	malicious.FloodProgress:       holdsAgainstFlood(malicious.FloodProgress),
	malicious.FloodNotifications:  holdsAgainstFlood(malicious.FloodNotifications),
	malicious.FloodTools:          holdsAgainstList(malicious.FloodTools, client.ErrTooLarge),
	malicious.EndlessCursor:       holdsAgainstList(malicious.EndlessCursor, client.ErrProtocol),
	malicious.SchemaBomb:          holdsAgainstSchemaBomb,
}

// A poisoned tool is withheld until a person has approved it, who is shown the whole text, and
// has confirmed its level: a scan blocks it.
func holdsUntilApproved(attack malicious.Attack, shown string) func(t *testing.T, over, version string) {
	return func(t *testing.T, over, version string) {
		w := open(t, attack, over, version)
		require.NoError(w, w.conns.Connect(w.Context(), "up"))
		m := hubtest.Member(t, w.comp, malicious.Tool)
		assert.Equal(w, mcphub.MemberNew, m.State)
		assert.Contains(w, m.Current.Description, shown)
		w.withheld(0)
		hubtest.Approve(t, w.comp, malicious.Tool) // such as in advance, by a file
		assert.Equal(w, mcphub.MemberBlocked, hubtest.Member(t, w.comp, malicious.Tool).State)
		w.withheld(0)
		server, err := w.conns.Server("up")
		require.NoError(w, err)
		require.NoError(w, w.levels.Confirm(w.Context(), risk.UpstreamOf(server), m.Current, toolspec.L5, toolspec.Principal{Subject: "p"}))
		w.served(1)
	}
}

// What was approved is served until the server lists something else.
func holdsAgainstRugPull(t *testing.T, over, version string) {
	w := open(t, malicious.RugPull, over, version)
	w.approve(malicious.Tool)
	w.served(1)
	before := hubtest.Member(t, w.comp, malicious.Tool).Approved
	if version == hubtest.Older { // a listing that is due
		require.NoError(w, w.conns.Sync(w.Context(), "up"))
	} else { // the listing of another session, which the call itself begins
		require.NoError(w, w.conns.Stop(w.Context(), "up"))
		a := w.call("up_weather")
		assert.Equal(w, servers.ReasonWithheld, a.reason())
	}
	w.changed()
	require.ErrorIs(w, w.comp.Approve(w.Context(), "up", malicious.Tool, before), servers.ErrWithheld)
	w.withheld(1)
	assert.Equal(w, 2, w.log().Listings)
}

// After a notification, no call reaches the tool.
func holdsAgainstChange(t *testing.T, over, version string) {
	changes, log := start(t, malicious.ChangedAfterListing, over, version, malicious.Options{})
	w := open(t, malicious.RugPull, over, version) // honest at first
	w.approve(malicious.Tool)
	require.NoError(w, w.conns.Stop(w.Context(), "up"))
	w.log = log
	w.replace(changes)
	require.NoError(w, w.conns.Connect(w.Context(), "up"))
	w.changed()
	w.withheld(0)
}

// A server takes neither the name of another tool nor a look-alike of it, and of two
// definitions with one name the second is left out.
func holdsAgainstShadowing(t *testing.T, over, version string) {
	twin := "send_m\u0430il"
	w := open(t, malicious.Shadowing, over, version, malicious.Tool, "send_mail", twin)
	require.NoError(w, w.comp.Put(w.Context(), mcphub.Member{Server: "up", Tool: "send_mail", Alias: "send_mail"}))
	require.NoError(w, w.conns.Connect(w.Context(), "up"))
	require.ErrorContains(w, w.comp.Put(w.Context(), mcphub.Member{Server: "up", Tool: twin, Alias: twin}), "alias")
	for _, tool := range []string{malicious.Tool, "send_mail", twin} {
		hubtest.Approve(t, w.comp, tool)
	}
	names, text := w.listed()
	slices.Sort(names)
	assert.Len(w, names, 3)
	assert.Subset(w, names, []string{"send_mail", "up_weather"})
	for _, name := range names {
		assert.Regexp(w, `^[A-Za-z0-9_-]+$`, name)
		assert.True(w, name == "send_mail" || name[:3] == "up_")
	}
	assert.NotContains(w, text, "id_rsa")
	assert.NotContains(w, text, "out of order")
	assert.Equal(w, mcphub.MemberBlocked, hubtest.Member(t, w.comp, "send_mail").State)
	assert.Equal(w, "Bern", w.call("send_mail").Content[0].Text, "the tool of this hub ran")
	assert.Empty(w, w.log().Calls)
	assert.Contains(w, w.conns.Snapshot("up").Problems[0], "second")
	w.served(1)
}

// A definition that parsers read in two ways is not offered.
func holdsAgainstAmbiguity(t *testing.T, over, version string) {
	w := open(t, malicious.Ambiguous, over, version)
	require.NoError(w, w.conns.Connect(w.Context(), "up"))
	assert.Equal(w, mcphub.MemberMissing, hubtest.Member(t, w.comp, malicious.Tool).State)
	assert.NotEmpty(w, w.conns.Snapshot("up").Problems)
	w.withheld(0)
}

// What a tool says about itself spares no question.
func holdsAgainstLies(t *testing.T, over, version string) {
	w := open(t, malicious.LyingAnnotations, over, version, malicious.Delete)
	w.decision = approval.Declined
	w.approve(malicious.Delete)
	a := w.call("up_" + malicious.Delete)
	assert.Equal(w, toolspec.ReasonApprovalDenied, a.reason())
	assert.EqualValues(w, 1, w.asked.Load())
	assert.Empty(w, w.log().Calls)
	w.works()
}

// Another server behind the same address is not the one that was approved.
func holdsAgainstStolenIdentity(t *testing.T, over, version string) {
	w := open(t, malicious.StolenIdentity, over, version)
	w.approve(malicious.Tool)
	w.served(1)
	require.NoError(w, w.conns.Stop(w.Context(), "up"))
	a := w.call("up_weather")
	assert.Equal(w, servers.ReasonWithheld, a.reason())
	w.changed()
	w.withheld(1)
}

// A result is data: nothing else is called, and what the hub says about it cannot be forged.
func holdsAgainstInjection(t *testing.T, over, version string) {
	w := open(t, malicious.ResultInjection, over, version)
	w.approve(malicious.Tool)
	a := w.call("up_weather")
	assert.False(w, a.IsError)
	assert.JSONEq(w, `{"server":"up","tool":"weather"}`, string(a.Meta["localpass/origin"]))
	for _, forged := range []string{"localpass/error", "localpass/approved", "io.modelcontextprotocol/related-task"} {
		assert.NotContains(w, a.Meta, forged)
	}
	assert.NotContains(w, string(a.Meta["io.modelcontextprotocol/serverInfo"]), "trusted")
	assert.Contains(w, a.Content[0].Text, `the server "up" returned text that reads like orders`)
	assert.JSONEq(w, `["HIDDEN_INSTRUCTION","CONCEALMENT"]`, string(a.Meta["localpass/findings"]))
	r, err := w.conns.Get("up")
	require.NoError(w, err)
	r.Results = &servers.ResultPolicy{Findings: servers.ResultWithhold}
	_, err = w.conns.Save(w.Context(), r)
	require.NoError(w, err)
	a = w.call("up_weather")
	assert.Equal(w, servers.ReasonResultWithheld, a.reason())
	assert.NotContains(w, a.Content[0].Text, "id_rsa")
	assert.Equal(w, []string{malicious.Tool, malicious.Tool}, w.log().Calls)
	w.works()
}

// A person is asked a limited number of questions in one call.
func holdsAgainstQuestions(t *testing.T, over, version string) {
	w := open(t, malicious.EndlessQuestions, over, version)
	w.approve(malicious.Tool)
	w.call("up_weather")
	asked := len(w.person.Asked())
	assert.Positive(w, asked)
	assert.LessOrEqual(w, asked, 16)
	w.works()
}

// A server that does not answer has nothing to serve, and delays no other server.
func holdsAgainstSlowList(attack malicious.Attack) func(t *testing.T, over, version string) {
	return func(t *testing.T, over, version string) {
		w := open(t, attack, over, version)
		ctx, cancel := context.WithCancel(w.Context())
		connected := make(chan error, 1)
		go func() { connected <- w.conns.Connect(ctx, "up") }()
		w.works()
		w.withheldWhileConnecting()
		cancel()
		require.Error(w, <-connected)
		assert.Empty(w, w.log().Calls)
		assert.Equal(w, mcphub.MemberMissing, hubtest.Member(t, w.comp, malicious.Tool).State)
	}
}

func (w *world) withheldWhileConnecting() {
	w.Helper()
	names, _ := w.listed()
	assert.Equal(w, []string{"send_mail"}, names)
	assert.NotNil(w, w.call("up_weather").refused)
}

// A call ends when its caller cancels it, and takes nothing with it.
func holdsAgainstSlowCall(t *testing.T, over, version string) {
	w := open(t, malicious.SlowCall, over, version)
	w.approve(malicious.Tool)
	ctx, cancel := context.WithCancel(w.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := w.front.Call(ctx, "tools/call", json.RawMessage(`{"name":"up_weather","arguments":{"city":"Bern"}}`), nil)
		ended <- err
	}()
	require.Eventually(w, func() bool { return len(w.log().Calls) == 1 }, hubtest.Patience, time.Millisecond)
	w.works()
	cancel()
	require.ErrorIs(w, <-ended, context.Canceled)
	w.works()
}

// A result above the limit is an error, and the hub goes on.
func holdsAgainstFloodResult(t *testing.T, over, version string) {
	w := open(t, malicious.FloodResult, over, version)
	w.approve(malicious.Tool)
	a := w.call("up_weather")
	require.Nil(w, a.refused)
	assert.True(w, a.IsError)
	assert.Len(w, w.log().Calls, 1)
	w.works()
}

// A flood of messages ends with the call, and reaches the client as far as it keeps up.
func holdsAgainstFlood(attack malicious.Attack) func(t *testing.T, over, version string) {
	return func(t *testing.T, over, version string) {
		w := open(t, attack, over, version)
		w.approve(malicious.Tool)
		a := w.call("up_weather")
		require.Nil(w, a.refused)
		assert.False(w, a.IsError)
		assert.Len(w, w.log().Calls, 1)
		assert.LessOrEqual(w, int(w.progress.Load()), floods[attack])
		w.works()
	}
}

// A list above the limits is no list, and nothing of it is served.
func holdsAgainstList(attack malicious.Attack, want error) func(t *testing.T, over, version string) {
	return func(t *testing.T, over, version string) {
		w := open(t, attack, over, version)
		require.ErrorIs(w, w.conns.Connect(w.Context(), "up"), want)
		assert.Equal(w, mcphub.MemberMissing, hubtest.Member(t, w.comp, malicious.Tool).State)
		w.withheld(0)
	}
}

// Arguments that cannot be checked in bounded time are refused.
func holdsAgainstSchemaBomb(t *testing.T, over, version string) {
	w := open(t, malicious.SchemaBomb, over, version)
	w.approve(malicious.Tool)
	a := w.call("up_weather")
	require.Nil(w, a.refused)
	assert.True(w, a.IsError)
	assert.Empty(w, w.log().Calls)
	w.works()
}
