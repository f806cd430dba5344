package studio

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
	"github.com/localpass/localpass/toolspec/internal/hosts"
)

// Trace describes what a spec did in a recording run, and the smallest overrides that it
// would need for that.
type Trace struct {
	// OK says that every run gave the expected outcome.
	OK bool `json:"ok"`
	// Runs holds the run with the test values first, then one run per case.
	Runs []Run `json:"-"`
	// Accesses lists what the runs reached, Denials what was refused even in the
	// recording mode, because no spec may reach it on this host.
	Accesses []activity.Access `json:"accesses,omitempty"`
	Denials  []activity.Denial `json:"denials,omitempty"`
	// Proposed is a copy of the spec that declares only what the runs used, with the
	// network exchanges as its fixtures. It is a draft.
	Proposed *toolspec.Spec `json:"proposed,omitempty"`
	// Changes lists how Proposed differs, one sentence each; empty if the spec declares
	// exactly what it used.
	Changes []string `json:"changes,omitempty"`
	// Level is the risk level of the spec, ProposedLevel the level of Proposed.
	Level         toolspec.Level `json:"level"`
	ProposedLevel toolspec.Level `json:"proposedLevel"`
	// Problems say why the spec could not be run, or which run failed.
	Problems toolspec.Problems `json:"problems,omitempty"`
}

// Trace runs the spec once with its test values and once per case, under the widest
// posture that this host permits instead of its own, and proposes the overrides that
// these runs needed.
//
// The runs can reach any public host, and the exchanges are recorded. Requests are real,
// unless the spec already has recorded exchanges, which then answer them. Each run works
// in a new directory with the files of the fixtures: no file of the host is touched. A
// spec that requires approval asks for it.
//
// Trace only specs that you wrote or have read: the values of the ${NAME} placeholders
// are bound, and the code may send them to any public host, not only to declared ones.
//
// A trace does not show what a run with other arguments would reach: read the proposal
// before you use it. A trace earns no pass. An error means that the trace could not be
// made: ctx ended, or the store failed.
func (s *Studio) Trace(ctx context.Context, spec *toolspec.Spec, opts *TestOptions) (*Trace, error) {
	if spec == nil {
		return nil, noSpec("trace")
	}
	if opts == nil {
		opts = &TestOptions{}
	}
	spec = spec.Clone()
	trace := &Trace{Level: spec.Risk(s.opts.Host).Level}
	trace.Problems = append(trace.Problems, spec.Validate(s.opts.Strict)...)
	wide, posture := s.widest(spec)
	if posture == nil {
		_, problems := wide.Resolve(s.opts.Host)
		trace.Problems = append(trace.Problems, problems...)
	}
	if missing := s.missing(spec); len(missing) > 0 && !spec.Fixtures.Recorded() {
		trace.Problems = append(trace.Problems, missingProblem(missing))
	}
	args, problems := spec.TestArguments()
	trace.Problems = append(trace.Problems, problems...)
	if trace.Problems.Err() == nil {
		if checker, ok := s.runner.(toolspec.Checker); ok {
			trace.Problems = append(trace.Problems, checker.Check(ctx, wide, posture)...)
		}
	}
	if err := ctx.Err(); err != nil || trace.Problems.Err() != nil {
		return trace, err
	}
	tool, err := s.tool(wide, posture, wide.Risk(s.opts.Host).Level)
	if err != nil {
		trace.Problems = append(trace.Problems, toolspec.Problem{Code: toolspec.CodeLocalPass, Severity: toolspec.SeverityError, Reason: "output-schema", Pointer: "x-output-schema",
			Message: err.Error(), Remedy: "give the JSON Schema of an object"})
		return trace, nil
	}
	tool.approved, tool.console, tool.fixtures, tool.record = opts.ByAuthor, opts.Console, wide.Fixtures, true

	seen := &sightings{}
	trace.OK = true
	for i, c := range append([]toolspec.Case{{Name: "test values", Args: args}}, spec.Tests...) {
		run := s.runCase(ctx, tool, c, i)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		trace.Runs = append(trace.Runs, run)
		if !run.OK {
			trace.OK = false
			p := runProblem(run, i)
			p.Code, p.Severity = toolspec.CodeLocalPass, toolspec.SeverityError
			trace.Problems = append(trace.Problems, p)
		}
		if out := run.Result.Outcome; out != nil {
			seen.add(out)
		}
	}
	trace.Accesses, trace.Denials = seen.accesses, seen.denials
	trace.Proposed, trace.Changes = seen.propose(spec)
	trace.ProposedLevel = trace.Proposed.Risk(s.opts.Host).Level
	return trace, nil
}

// widest returns the spec with the widest overrides that this host permits, and its
// posture; nil if even the narrowest are refused.
func (s *Studio) widest(spec *toolspec.Spec) (*toolspec.Spec, *toolspec.Posture) {
	yes, no := true, false
	wide := spec.Clone()
	if wide.Fixtures.Files == nil {
		wide.Fixtures.Files = map[string]string{}
	}
	o := &wide.Overrides
	o.FSBasePath = nil
	for _, mode := range []toolspec.NetworkMode{toolspec.NetworkStrict, spec.Overrides.NetworkMode, toolspec.NetworkBlocked} {
		for _, files := range [][3]*bool{{&yes, &yes, &yes}, {&yes, &yes, &no}, {&yes, &no, &no}, {&no, &no, &no}} {
			o.NetworkMode, o.FileRead, o.FileWrite, o.Destructive = mode, files[0], files[1], files[2]
			if posture, problems := wide.Resolve(s.opts.Host); problems.Err() == nil {
				return wide, posture
			}
		}
	}
	return wide, nil
}

// sightings collects what the runs did.
type sightings struct {
	accesses  []activity.Access
	denials   []activity.Denial
	requests  []string          // as patterns: "GET api.example.com/v1/x"
	exchanges []json.RawMessage // of all runs; each exchange as often as the run that used it most
	counts    map[string]int    // by request
}

func (s *sightings) add(out *toolspec.Outcome) {
	for _, a := range out.Accesses {
		same := func(b activity.Access) bool {
			return a.Component == b.Component && a.Op == b.Op && a.Target == b.Target && a.Status == b.Status
		}
		if i := slices.IndexFunc(s.accesses, same); i >= 0 {
			s.accesses[i].Count += a.Count
			s.accesses[i].Bytes += a.Bytes
		} else {
			s.accesses = append(s.accesses, a)
		}
	}
	for _, d := range out.Denials {
		if !slices.Contains(s.denials, d) {
			s.denials = append(s.denials, d)
		}
	}
	var exchanges []json.RawMessage
	_ = json.Unmarshal(out.Exchanges, &exchanges) // empty when nothing was recorded
	used := map[string]int{}
	for _, raw := range exchanges {
		var e struct{ Request json.RawMessage }
		var r struct{ Method, URL string }
		if json.Unmarshal(raw, &e) != nil || json.Unmarshal(e.Request, &r) != nil {
			continue
		}
		s.request(r.Method, r.URL) // redirects are separate exchanges
		key := string(e.Request)
		if used[key]++; used[key] > s.counts[key] {
			if s.counts == nil {
				s.counts = map[string]int{}
			}
			s.counts[key] = used[key]
			s.exchanges = append(s.exchanges, raw)
		}
	}
	for _, a := range out.Accesses { // a run that was answered from fixtures recorded nothing
		if a.Component == "fetch" {
			s.request(a.Op, a.Target)
		}
	}
}

// request records the target of a request as a host pattern, without a path if that is
// unknown.
func (s *sightings) request(method, address string) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return // the address is masked, but its host is among the accesses
	}
	host := hosts.Normal(u.Host)
	if port := u.Port(); u.Scheme == "https" && port == "443" || u.Scheme == "http" && port == "80" {
		host = strings.TrimSuffix(host, ":"+port)
	}
	pattern := method + " " + host
	known := func(request string) bool { return strings.HasPrefix(request, pattern+"/") }
	if path := u.EscapedPath(); path != "" {
		pattern += path
		known = func(request string) bool { return request == pattern }
	}
	if !slices.ContainsFunc(s.requests, known) {
		s.requests = append(s.requests, pattern)
	}
}

// hosts returns the patterns that the requests need: the author's patterns if they name
// exactly such a host, and otherwise the bare host.
func (s *sightings) hosts(own []string) []string {
	var patterns []string
	for _, request := range s.requests {
		_, host, path := hosts.CutRule(request)
		kept := false
		for _, pattern := range own {
			methods, name, _ := hosts.CutRule(strings.TrimSpace(pattern))
			rule := hosts.Normal(pattern)
			if path == "" { // it is not known
				rule = hosts.Normal(methods + name)
			}
			if !strings.Contains(name, hosts.Any) && hosts.Covers(rule, request) {
				patterns, kept = append(patterns, pattern), true
				break
			}
		}
		if !kept {
			patterns = append(patterns, host)
		}
	}
	slices.Sort(patterns)
	return slices.Compact(patterns)
}

// The functions of safety.fs that need more than reading.
var (
	writing     = []string{"writeText", "writeBytes", "appendText", "editText", "copy"}
	destructive = []string{"move", "delete", "deleteDir"}
)

// propose makes the spec that declares what the runs did, and lists the changes.
func (s *sightings) propose(spec *toolspec.Spec) (*toolspec.Spec, []string) {
	p := spec.Clone()
	p.Draft = true
	o := &p.Overrides
	var changes []string
	say := func(text string) { changes = append(changes, text) }

	mode, patterns := toolspec.NetworkBlocked, s.hosts(o.HostsAllow)
	if len(patterns) > 0 {
		mode = toolspec.NetworkAllowlist
	}
	if o.NetworkMode != mode {
		say("networkMode: " + named(string(o.NetworkMode)) + " becomes " + string(mode))
	}
	if before := slices.Compact(slices.Sorted(slices.Values(o.HostsAllow))); !slices.Equal(before, patterns) {
		say("hostsAllow: " + named(strings.Join(before, ", ")) + " becomes " + named(strings.Join(patterns, ", ")))
	}
	o.NetworkMode, o.HostsAllow = mode, patterns

	var reads, writes, destroys bool
	for _, a := range s.accesses {
		if a.Component != "fs" {
			continue
		}
		switch {
		case slices.Contains(destructive, a.Op):
			writes, destroys = true, true
		case slices.Contains(writing, a.Op):
			writes = true
		default:
			reads = true
		}
	}
	flag := func(name string, member **bool, used bool) {
		if *member == nil && !used {
			return // it is off by itself
		}
		if *member == nil || **member != used {
			before := "not given"
			if *member != nil {
				before = boolText(**member)
			}
			say(name + ": " + before + " becomes " + boolText(used))
			*member = &used
		}
	}
	flag("fileRead", &o.FileRead, reads)
	flag("fileWrite", &o.FileWrite, writes)
	flag("destructive", &o.Destructive, destroys)
	if !reads && !writes && o.FSBasePath != nil {
		o.FSBasePath = nil
		say("fsBasePath: is not needed")
	}
	if len(s.exchanges) > 0 && p.Fixtures.Fetch == nil {
		p.Fixtures.Fetch, _ = json.Marshal(s.exchanges) // they are JSON
		say("x-fixtures: holds the recorded exchanges, so that the tests need no network")
	}
	if (reads || writes) && p.Fixtures.Files == nil {
		p.Fixtures.Files = map[string]string{}
		say("x-fixtures: gives each test a directory of its own, with no files so far")
	}
	return p, changes
}

func boolText(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

func named(text string) string {
	if text == "" {
		return "(nothing)"
	}
	return text
}
