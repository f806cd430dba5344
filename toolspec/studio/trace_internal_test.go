package studio

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
)

func exchangesOf(requests ...string) json.RawMessage {
	list := []json.RawMessage{}
	for _, r := range requests {
		list = append(list, json.RawMessage(`{"request":`+r+`,"response":{"status":200}}`))
	}
	raw, _ := json.Marshal(list)
	return raw
}

func TestProposal(t *testing.T) {
	yes, no := true, false
	base := "/somewhere"
	for name, tt := range map[string]struct {
		overrides toolspec.Overrides
		outcome   []toolspec.Outcome
		want      toolspec.Overrides
		changes   []string
		fetch     int
	}{
		"nothing used, nothing declared": {changes: []string{"networkMode: (nothing) becomes blocked"}, want: toolspec.Overrides{NetworkMode: toolspec.NetworkBlocked}},
		"nothing used": {
			overrides: toolspec.Overrides{NetworkMode: toolspec.NetworkOpen, FileRead: &yes, FileWrite: &yes, Destructive: &yes, FSBasePath: &base, HostsAllow: []string{"*"}},
			want:      toolspec.Overrides{NetworkMode: toolspec.NetworkBlocked, FileRead: &no, FileWrite: &no, Destructive: &no},
			changes: []string{"networkMode: open becomes blocked", "hostsAllow: * becomes (nothing)", "fileRead: true becomes false",
				"fileWrite: true becomes false", "destructive: true becomes false", "fsBasePath: is not needed"},
		},
		"hosts and redirects": {
			overrides: toolspec.Overrides{NetworkMode: toolspec.NetworkStrict},
			outcome: []toolspec.Outcome{{Accesses: []activity.Access{{Component: "fetch", Op: "GET", Target: "https://a.example", Status: 302}},
				Exchanges: exchangesOf(`{"method":"GET","url":"https://a.example/x"}`, `{"method":"GET","url":"https://B.example:443/y"}`, `{"method":"GET","url":"http://c.example:8080/"}`)}},
			want:    toolspec.Overrides{NetworkMode: toolspec.NetworkAllowlist, HostsAllow: []string{"a.example", "b.example", "c.example:8080"}},
			changes: []string{"networkMode: strict becomes allowlist", "hostsAllow: (nothing) becomes a.example, b.example, c.example:8080", "x-fixtures: holds the recorded exchanges, so that the tests need no network"},
			fetch:   3,
		},
		"the author's narrower rules stay": {
			overrides: toolspec.Overrides{NetworkMode: toolspec.NetworkAllowlist, HostsAllow: []string{"GET a.example/v1/*", "*.wild.example", "unused.example"}},
			outcome: []toolspec.Outcome{{Exchanges: exchangesOf(`{"method":"GET","url":"https://a.example/v1/x"}`, `{"method":"GET","url":"https://x.wild.example/"}`),
				Accesses: []activity.Access{{Component: "fetch", Op: "GET", Target: "https://a.example"}}}},
			want: toolspec.Overrides{NetworkMode: toolspec.NetworkAllowlist, HostsAllow: []string{"GET a.example/v1/*", "x.wild.example"}},
			changes: []string{"hostsAllow: *.wild.example, GET a.example/v1/*, unused.example becomes GET a.example/v1/*, x.wild.example",
				"x-fixtures: holds the recorded exchanges, so that the tests need no network"},
			fetch: 2,
		},
		"another path than the rule's": {
			overrides: toolspec.Overrides{NetworkMode: toolspec.NetworkAllowlist, HostsAllow: []string{"GET a.example/v1/*"}},
			outcome:   []toolspec.Outcome{{Exchanges: exchangesOf(`{"method":"GET","url":"https://a.example/v2"}`)}},
			want:      toolspec.Overrides{NetworkMode: toolspec.NetworkAllowlist, HostsAllow: []string{"a.example"}},
			changes:   []string{"hostsAllow: GET a.example/v1/* becomes a.example", "x-fixtures: holds the recorded exchanges, so that the tests need no network"},
			fetch:     1,
		},
		"answered from fixtures": {
			overrides: toolspec.Overrides{NetworkMode: toolspec.NetworkAllowlist, HostsAllow: []string{"GET a.example/v1/*"}},
			outcome:   []toolspec.Outcome{{Accesses: []activity.Access{{Component: "fetch", Op: "GET", Target: "https://a.example"}}}},
			want:      toolspec.Overrides{NetworkMode: toolspec.NetworkAllowlist, HostsAllow: []string{"GET a.example/v1/*"}},
		},
		"one request in two runs is one exchange": {
			overrides: toolspec.Overrides{NetworkMode: toolspec.NetworkAllowlist, HostsAllow: []string{"a.example"}},
			outcome: []toolspec.Outcome{{Exchanges: exchangesOf(`{"method":"GET","url":"https://a.example/x"}`)},
				{Exchanges: exchangesOf(`{"method":"GET","url":"https://a.example/x"}`, `{"method":"GET","url":"https://a.example/x"}`)}},
			want:    toolspec.Overrides{NetworkMode: toolspec.NetworkAllowlist, HostsAllow: []string{"a.example"}},
			changes: []string{"x-fixtures: holds the recorded exchanges, so that the tests need no network"},
			fetch:   2,
		},
		"reading": {
			overrides: toolspec.Overrides{NetworkMode: toolspec.NetworkBlocked, FileWrite: &yes, FSBasePath: &base},
			outcome:   []toolspec.Outcome{{Accesses: []activity.Access{{Component: "fs", Op: "readText", Target: "a"}}}},
			want:      toolspec.Overrides{NetworkMode: toolspec.NetworkBlocked, FileRead: &yes, FileWrite: &no, FSBasePath: &base},
			changes: []string{"fileRead: not given becomes true", "fileWrite: true becomes false",
				"x-fixtures: gives each test a directory of its own, with no files so far"},
		},
		"removing": {
			overrides: toolspec.Overrides{NetworkMode: toolspec.NetworkBlocked, FileWrite: &yes},
			outcome:   []toolspec.Outcome{{Accesses: []activity.Access{{Component: "fs", Op: "deleteDir", Target: "a"}}}, {Accesses: []activity.Access{{Component: "fs", Op: "copy", Target: "a -> b"}}}},
			want:      toolspec.Overrides{NetworkMode: toolspec.NetworkBlocked, FileWrite: &yes, Destructive: &yes},
			changes:   []string{"destructive: not given becomes true", "x-fixtures: gives each test a directory of its own, with no files so far"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec := toolspec.New("x")
			spec.Overrides = tt.overrides
			seen := &sightings{}
			for i := range tt.outcome {
				seen.add(&tt.outcome[i])
			}
			got, changes := seen.propose(spec)
			assert.Equal(t, tt.changes, changes)
			if len(tt.want.HostsAllow) == 0 {
				tt.want.HostsAllow = got.Overrides.HostsAllow
				assert.Empty(t, got.Overrides.HostsAllow)
			}
			assert.Equal(t, tt.want, got.Overrides)
			var fetch []any
			if got.Fixtures.Fetch != nil {
				assert.NoError(t, json.Unmarshal(got.Fixtures.Fetch, &fetch))
			}
			assert.Len(t, fetch, tt.fetch)
			assert.Equal(t, tt.overrides, spec.Overrides, "the spec itself stays as it is")
		})
	}
}
