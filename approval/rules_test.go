package approval_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/toolspec"
)

// Each rule is checked as it is and with Not; "unsure" means that it applies both ways.
func TestRules(t *testing.T) {
	const (
		holds  = "holds"
		not    = "not"
		unsure = "unsure"
	)
	tests := []struct {
		pointer   string
		op        approval.Operator
		value     string
		arguments string
		want      string
	}{
		{"/n", approval.Equals, `1`, `{"n":1.0}`, holds},
		{"/n", approval.Equals, `1`, `{"n":"1"}`, not},
		{"/n", approval.Equals, `1`, `{}`, not},
		{"/n", approval.Equals, `9007199254740993`, `{"n":9007199254740992}`, not},
		{"/o", approval.Equals, `{"b":1,"a":[true]}`, `{"o":{"a":[true],"b":1e0}}`, holds},
		{"", approval.Equals, `{}`, `{}`, holds},
		{"", approval.Equals, `{}`, ``, holds},
		{"/mode", approval.OneOf, `["a","b"]`, `{"mode":"b"}`, holds},
		{"/mode", approval.OneOf, `["a","b"]`, `{"mode":"B"}`, not},
		{"/mode", approval.OneOf, `["a",null]`, `{"mode":null}`, holds},
		{"/a/1/b~1c", approval.Equals, `2`, `{"a":[0,{"b/c":2}]}`, holds},
		{"/a/01", approval.Equals, `2`, `{"a":[0,2]}`, not},
		{"/a/-", approval.Equals, `2`, `{"a":[0,2]}`, not},
		{"/a/9", approval.Equals, `2`, `{"a":[0,2]}`, not},
		{"/s", approval.Prefix, `"in"`, `{"s":"inside"}`, holds},
		{"/s", approval.Prefix, `"in"`, `{"s":"outside"}`, not},
		{"/s", approval.Prefix, `"in"`, `{"s":7}`, unsure},
		{"/s", approval.Prefix, `"in"`, `{"s":null}`, unsure},
		{"/s", approval.Prefix, `"in"`, `{"s":{"in":1}}`, unsure},
		{"/s", approval.Prefix, `"in"`, `{"s":["out","in"]}`, "some"},
		{"/s", approval.Prefix, `"in"`, `{"s":[["in"]]}`, holds},
		{"/s", approval.Prefix, `"in"`, `{"s":[]}`, "neither"},
		{"/s", approval.Prefix, `"in"`, `{}`, not},
		{"/s", approval.Matches, `"^[a-z]+$"`, `{"s":"abc"}`, holds},
		{"/s", approval.Matches, `"^[a-z]+$"`, `{"s":"abc\n"}`, not},
		{"/s", approval.Matches, `"(a*)*b"`, `{"s":"` + strings.Repeat("a", 5000) + `"}`, not},
		{"/s", approval.Absent, ``, `{}`, holds},
		{"/s", approval.Absent, ``, `{"s":0}`, not},
		{"/s", approval.Absent, ``, `{"s":null}`, unsure},
		{"/s/t", approval.Absent, ``, `{"s":"x"}`, holds},

		{"/p", approval.Under, `"/srv/shared"`, `{"p":"/srv/shared/a/b"}`, holds},
		{"/p", approval.Under, `"/srv/shared/"`, `{"p":"/srv/shared"}`, holds},
		{"/p", approval.Under, `"/srv/shared"`, `{"p":"/srv//shared/./a"}`, holds},
		{"/p", approval.Under, `"/srv/shared"`, `{"p":"/srv/sharedother"}`, not},
		{"/p", approval.Under, `"/srv/shared"`, `{"p":"/etc/passwd"}`, not},
		{"/p", approval.Under, `"/srv/shared"`, `{"p":"/srv/shared/../../etc/passwd"}`, unsure},
		{"/p", approval.Under, `"/srv/shared"`, `{"p":"\\srv\\shared\\..\\x"}`, unsure},
		{"/p", approval.Under, `"/srv/shared"`, `{"p":"/srv/shared/.. /x"}`, unsure},
		{"/p", approval.Under, `"/srv/shared"`, `{"p":"/SRV/shared/a"}`, unsure},
		{"/p", approval.Under, `"/srv/shared"`, `{"p":"a"}`, unsure},
		{"/p", approval.Under, `"/srv/shared"`, `{"p":"~/a"}`, unsure},
		{"/p", approval.Under, `"/srv/shared"`, `{"p":"//srv/shared/a"}`, unsure},
		{"/p", approval.Under, `"/srv/shared"`, `{"p":"file:///srv/shared/a"}`, unsure},
		{"/p", approval.Under, `"/srv/shared"`, `{"p":"/srv/shared/\u0000"}`, unsure},
		{"/p", approval.Under, `"/srv/shared"`, `{"p":""}`, unsure},
		{"/p", approval.Under, `"notes"`, `{"p":"notes/a"}`, holds},
		{"/p", approval.Under, `"notes"`, `{"p":"/notes/a"}`, unsure},
		{"/p", approval.Under, `"C:\\data"`, `{"p":"C:/data/x"}`, holds},
		{"/p", approval.Under, `"/"`, `{"p":"/x"}`, holds},
		{"/p", approval.Under, `"."`, `{"p":"x"}`, holds},

		{"/u", approval.Host, `"example.com"`, `{"u":"https://example.com/x"}`, holds},
		{"/u", approval.Host, `"example.com"`, `{"u":"https://EXAMPLE.com.:8443"}`, holds},
		{"/u", approval.Host, `"example.com"`, `{"u":"example.com:443/x"}`, holds},
		{"/u", approval.Host, `"example.com"`, `{"u":"https://api.example.com"}`, not},
		{"/u", approval.Host, `"example.com"`, `{"u":"https://example.com@example.org/"}`, not},
		{"/u", approval.Host, `"example.com"`, `{"u":"https://example.org\\@example.com/"}`, unsure},
		{"/u", approval.Host, `"example.com"`, `{"u":"me@example.com"}`, unsure},
		{"/u", approval.Host, `"example.com"`, `{"u":"https://exämple.com"}`, unsure},
		{"/u", approval.Host, `"example.com"`, `{"u":"https://exam\tple.com"}`, unsure},
		{"/u", approval.Host, `"example.com"`, `{"u":"https:/example.com"}`, unsure},
		{"/u", approval.Host, `"example.com"`, `{"u":""}`, unsure},
		{"/u", approval.Host, `"example.com"`, `{"u":"https://[::1"}`, unsure},
		{"/u", approval.Host, `"*.example.com"`, `{"u":"https://api.example.com"}`, holds},
		{"/u", approval.Host, `"*.example.com"`, `{"u":"https://example.com"}`, not},
		{"/u", approval.Host, `"*.example.com"`, `{"u":"https://badexample.com"}`, not},
		{"/u", approval.Host, `"127.0.0.1"`, `{"u":"http://127.0.0.1:8080"}`, holds},
		{"/u", approval.Host, `"127.0.0.1"`, `{"u":"http://2130706433/"}`, unsure},
		{"/u", approval.Host, `"127.0.0.1"`, `{"u":"http://0x7f.1/"}`, unsure},
		{"/u", approval.Host, `"127.0.0.1"`, `{"u":"http://[::ffff:127.0.0.1]/"}`, holds},
		{"/u", approval.Host, `"::1"`, `{"u":"http://[0:0:0:0:0:0:0:1]:80/"}`, holds},
	}
	for _, test := range tests {
		t.Run(string(test.op)+" "+test.arguments, func(t *testing.T) {
			for _, negated := range []bool{false, true} {
				g := newGate(t, approval.Options{})
				r := rule(test.pointer, test.op, test.value, approval.EffectDeny)
				r.Not = negated
				p := policy("", "t", approval.SideChat, approval.AlwaysAllow)
				p.Rules = []approval.Rule{r}
				set(t, g, p)
				applies := deciding(t, g, call(tool("t", toolspec.L1, false), test.arguments)).Number == 4
				want := map[string]bool{holds: !negated, not: negated, unsure: true, "some": true, "neither": false}[test.want]
				assert.Equal(t, want, applies, "not: %v", negated)
			}
		})
	}
}

// The outcome contains the reason of the rule. Rules of other policies that cover the
// call apply too.
func TestReasonOfARule(t *testing.T) {
	g := newGate(t, approval.Options{})
	p := policy("", approval.Any, "", approval.AskUser)
	p.Rules = []approval.Rule{{Pointer: "/path", Operator: approval.Under, Value: []byte(`"/srv"`), Not: true, Effect: approval.EffectDeny, Reason: "only below /srv"}}
	set(t, g, p, policy("", "t", approval.SideChat, approval.AlwaysAllow))
	out := decide(t, g, call(tool("t", toolspec.L1, false), `{"path":"/etc"}`))
	assert.Equal(t, approval.PolicyDenied, out.Outcome)
	assert.Equal(t, 4, out.Rule)
	assert.Contains(t, out.Message, "only below /srv")
	assert.Equal(t, approval.ReasonPolicy, out.Reason)
	assert.True(t, new(decide(t, g, call(tool("t", toolspec.L1, false), `{"path":"/srv/a"}`))).Allowed())
}

func TestInvalidRules(t *testing.T) {
	g := newGate(t, approval.Options{})
	for want, r := range map[string]approval.Rule{
		"rules[0].pointer":               rule("path", approval.Equals, `1`, approval.EffectDeny),
		"has a ~":                        rule("/a~2", approval.Equals, `1`, approval.EffectDeny),
		"a rule cannot allow":            rule("/a", approval.Equals, `1`, approval.EffectRun),
		"effect":                         rule("/a", approval.Equals, `1`, ""),
		"operator":                       rule("/a", "like", `1`, approval.EffectDeny),
		"absent takes none":              rule("/a", approval.Absent, `1`, approval.EffectDeny),
		"compares with a text":           rule("/a", approval.Prefix, `1`, approval.EffectDeny),
		"compares with a text: give":     rule("/a", approval.Prefix, ``, approval.EffectDeny),
		"compares with a text: give one": rule("/a", approval.Host, `""`, approval.EffectDeny),
		"oneOf compares":                 rule("/a", approval.OneOf, `[]`, approval.EffectDeny),
		"oneOf compares with an array":   rule("/a", approval.OneOf, `"a"`, approval.EffectDeny),
		"value":                          rule("/a", approval.Equals, ``, approval.EffectDeny),
		"twice":                          rule("/a", approval.Equals, `{"a":1,"a":2}`, approval.EffectDeny),
		"missing closing":                rule("/a", approval.Matches, `"["`, approval.EffectDeny),
		"no host name":                   rule("/a", approval.Host, `"https://example.com"`, approval.EffectDeny),
		"write where it leads":           rule("/a", approval.Under, `"/a/../b"`, approval.EffectDeny),
		"value: is longer":               rule("/a", approval.Prefix, `"`+strings.Repeat("a", 1001)+`"`, approval.EffectDeny),
		"pointer: is longer":             rule("/"+strings.Repeat("a", 1001), approval.Equals, `1`, approval.EffectDeny),
	} {
		p := policy("", "t", "", approval.AskUser)
		p.Rules = []approval.Rule{r}
		_, err := g.Policies().Set(t.Context(), p, ada)
		require.ErrorIs(t, err, approval.ErrInvalid, want)
		assert.ErrorContains(t, err, want)
	}
	p := policy("", "t", "", approval.AskUser)
	p.Rules = make([]approval.Rule, 65)
	_, err := g.Policies().Set(t.Context(), p, ada)
	assert.ErrorContains(t, err, "at most 64")
}
