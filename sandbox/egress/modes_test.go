package egress_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/toolspec"
)

func TestModes(t *testing.T) {
	for name, tt := range map[string]struct {
		policy    egress.Policy
		url, want string
	}{
		"zero policy":                          {egress.Policy{}, "http://good.test/", "network-blocked"},
		"blocked":                              {egress.Policy{Mode: toolspec.NetworkBlocked}, "http://good.test/", "network-blocked"},
		"blocked, operator host":               {egress.Policy{OperatorHosts: []string{"good.test"}}, "http://good.test/", "network-blocked"},
		"strict":                               {egress.Policy{Mode: toolspec.NetworkStrict}, "http://good.test/", ""},
		"allowlist without rules":              {egress.Policy{Mode: toolspec.NetworkAllowlist}, "http://good.test/", "host-not-in-allowlist"},
		"allowlist":                            {allow("good.test"), "http://good.test/", ""},
		"allowlist, other host":                {allow("good.test"), "http://also.test/", "host-not-in-allowlist"},
		"D28 allowlist, name that ends alike":  {allow("good.test"), "http://notgood.test/", "host-not-in-allowlist"},
		"wildcard, name that ends alike":       {allow("*.good.test"), "http://notgood.test/", "host-not-in-allowlist"},
		"wildcard, below":                      {allow("*.good.test"), "http://a.good.test/", ""},
		"wildcard, apex":                       {allow("*.good.test"), "http://good.test/", ""},
		"exact, below":                         {allow("good.test"), "http://a.good.test/", "host-not-in-allowlist"},
		"any host":                             {allow("*"), "http://good.test/", ""},
		"any host, internal":                   {allow("*"), "http://inner.test/", resolved},
		"internal, declared by the tool":       {allow("inner.test"), "http://inner.test/", resolved},
		"internal address, declared":           {allow("10.0.0.7"), "http://10.0.0.7/", literal},
		"port of the rule":                     {allow("good.test:8080"), "http://good.test:8080/", ""},
		"port not of the rule":                 {allow("good.test:8080"), "http://good.test/", "host-not-in-allowlist"},
		"port of the scheme":                   {allow("good.test:443"), "https://good.test/", "tls"},
		"case and dot":                         {allow("GOOD.test."), "http://Good.TEST./", ""},
		"method":                               {allow("GET,HEAD good.test"), "http://good.test/", ""},
		"other method":                         {allow("POST good.test"), "http://good.test/", "method-not-allowed"},
		"path":                                 {allow("GET good.test/v1/*"), "http://good.test/v1/x", ""},
		"other path":                           {allow("GET good.test/v1/*"), "http://good.test/v2/x", "path-not-allowed"},
		"path with dots":                       {allow("GET good.test/v1/*"), "http://good.test/v1/../v2", "path-not-allowed"},
		"path with encoded dots":               {allow("GET good.test/v1/*"), "http://good.test/v1/%2e%2e/v2", "path-not-allowed"},
		"second rule":                          {allow("POST good.test/a", "GET good.test/b"), "http://good.test/b", ""},
		"rules are not mixed":                  {allow("POST good.test/a", "GET good.test/b"), "http://good.test/a", "path-not-allowed"},
		"redirect out of the list":             {allow("good.test"), "http://good.test/go?to=http://also.test/", "host-not-in-allowlist"},
		"redirect out of the path":             {allow("good.test/go"), "http://good.test/go?to=/other", "path-not-allowed"},
		"custom":                               {egress.Policy{Mode: egress.ModeCustom, Deny: []string{"*.also.test"}}, "http://good.test/", ""},
		"custom, denied":                       {egress.Policy{Mode: egress.ModeCustom, Deny: []string{"*.also.test"}}, "http://also.test/", "host-in-denylist"},
		"deny wins":                            {egress.Policy{Mode: toolspec.NetworkAllowlist, Rules: []string{"*"}, Deny: []string{"good.test"}}, "http://good.test/", "host-in-denylist"},
		"deny in open":                         {egress.Policy{Mode: toolspec.NetworkOpen, Deny: []string{"inner.test"}}, "http://inner.test/", "host-in-denylist"},
		"deny a path":                          {egress.Policy{Mode: toolspec.NetworkStrict, Deny: []string{"good.test/admin/*"}}, "http://good.test/admin/x", "host-in-denylist"},
		"deny a path, other path":              {egress.Policy{Mode: toolspec.NetworkStrict, Deny: []string{"good.test/admin/*"}}, "http://good.test/x", ""},
		"deny a path, doubtful path":           {egress.Policy{Mode: toolspec.NetworkStrict, Deny: []string{"good.test/admin/*"}}, "http://good.test/x/%2e%2e/admin/y", "host-in-denylist"},
		"deny a method":                        {egress.Policy{Mode: toolspec.NetworkStrict, Deny: []string{"POST good.test"}}, "http://good.test/x", ""},
		"redirect to denied":                   {egress.Policy{Mode: toolspec.NetworkOpen, Deny: []string{"also.test"}}, "http://good.test/go?to=http://also.test/", "host-in-denylist"},
		"open":                                 {egress.Policy{Mode: toolspec.NetworkOpen}, "http://good.test/", ""},
		"open, internal name":                  {egress.Policy{Mode: toolspec.NetworkOpen}, "http://inner.test/", resolved},
		"open, internal address":               {egress.Policy{Mode: toolspec.NetworkOpen}, "http://10.0.0.7/", literal},
		"open, this machine":                   {egress.Policy{Mode: toolspec.NetworkOpen}, "http://localhost/", resolved},
		"open, internal name listed":           {egress.Policy{Mode: toolspec.NetworkOpen, OperatorHosts: []string{"inner.test"}}, "http://inner.test/", "dial"},
		"open, other internal name listed":     {egress.Policy{Mode: toolspec.NetworkOpen, OperatorHosts: []string{"other.test"}}, "http://inner.test/", resolved},
		"any internal, open by name":           {egress.Policy{Mode: toolspec.NetworkOpen, OperatorHosts: anyInternal}, "http://inner.test/", "dial"},
		"any internal, open by address":        {egress.Policy{Mode: toolspec.NetworkOpen, OperatorHosts: anyInternal}, "http://10.0.0.7/", "dial"},
		"any internal, metadata":               {egress.Policy{Mode: toolspec.NetworkOpen, OperatorHosts: anyInternal}, "http://169.254.169.254/", literal},
		"any internal, metadata by name":       {egress.Policy{Mode: toolspec.NetworkOpen, OperatorHosts: anyInternal}, "http://meta.test/", resolved},
		"any internal, strict":                 {egress.Policy{Mode: toolspec.NetworkStrict, OperatorHosts: anyInternal}, "http://inner.test/", resolved},
		"any internal, declared":               {egress.Policy{Mode: toolspec.NetworkAllowlist, Rules: []string{"inner.test"}, OperatorHosts: anyInternal}, "http://inner.test/", "dial"},
		"any internal, declared, other port":   {egress.Policy{Mode: toolspec.NetworkAllowlist, Rules: []string{"inner.test:81"}, OperatorHosts: anyInternal}, "http://inner.test/", "host-not-in-allowlist"},
		"any internal, below a pattern":        {egress.Policy{Mode: toolspec.NetworkAllowlist, Rules: []string{"*.test"}, OperatorHosts: anyInternal}, "http://inner.test/", resolved},
		"open, metadata":                       {egress.Policy{Mode: toolspec.NetworkOpen}, "http://169.254.169.254/", literal},
		"open, metadata mapped":                {egress.Policy{Mode: toolspec.NetworkOpen}, "http://[::ffff:a9fe:a9fe]/", literal},
		"open, metadata in NAT64":              {egress.Policy{Mode: toolspec.NetworkOpen}, "http://[64:ff9b::a9fe:a9fe]/", literal},
		"open, metadata by name":               {egress.Policy{Mode: toolspec.NetworkOpen}, "http://meta.test/", resolved},
		"open, metadata over IPv6":             {egress.Policy{Mode: toolspec.NetworkOpen}, "http://[fd00:ec2::254]/", literal},
		"open, odd literal":                    {egress.Policy{Mode: toolspec.NetworkOpen}, "http://0x7f.1/", literal},
		"open, zone":                           {egress.Policy{Mode: toolspec.NetworkOpen}, "http://[fe80::1%25lo]/", literal},
		"open, unknown name":                   {egress.Policy{Mode: toolspec.NetworkOpen}, "http://nowhere.test/", "dns-unknown-host"},
		"open, metadata listed by name":        {egress.Policy{Mode: toolspec.NetworkOpen, OperatorHosts: []string{"meta.test"}}, "http://meta.test/", resolved},
		"open, metadata listed by address":     {egress.Policy{Mode: toolspec.NetworkOpen, OperatorHosts: []string{"169.254.169.254"}}, "http://169.254.169.254/", "dial"},
		"operator name":                        {egress.Policy{Mode: toolspec.NetworkStrict, OperatorHosts: []string{"inner.test"}}, "http://inner.test/", "dial"},
		"operator name, other port":            {egress.Policy{Mode: toolspec.NetworkStrict, OperatorHosts: []string{"inner.test:81"}}, "http://inner.test/", resolved},
		"operator name, not on the allowlist":  {egress.Policy{Mode: toolspec.NetworkAllowlist, OperatorHosts: []string{"inner.test"}}, "http://inner.test/", "host-not-in-allowlist"},
		"operator name, allowed by a wildcard": {egress.Policy{Mode: toolspec.NetworkAllowlist, Rules: []string{"*.test"}, OperatorHosts: []string{"inner.test"}}, "http://inner.test/", "dial"},
		"operator address, name of it":         {egress.Policy{Mode: toolspec.NetworkStrict, OperatorHosts: []string{"10.0.0.7"}}, "http://inner.test/", resolved},
		"operator address, mapped":             {egress.Policy{Mode: toolspec.NetworkStrict, OperatorHosts: []string{"10.0.0.7"}}, "http://[::ffff:10.0.0.7]/", literal},
		"operator address":                     {egress.Policy{Mode: toolspec.NetworkStrict, OperatorHosts: []string{"10.0.0.7:80"}}, "http://10.0.0.7/", "dial"},
		"operator localhost, not below it":     {egress.Policy{Mode: toolspec.NetworkStrict, OperatorHosts: []string{"localhost"}}, "http://a.localhost/", resolved},
	} {
		t.Run(name, func(t *testing.T) {
			internal := tt.want == "dial"
			b := newBench(t, tt.policy, http.HandlerFunc(redirecting), public(), func(o *egress.Options) {
				if internal {
					o.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("reached the dialler") }
				}
			})
			_, err := get(t, b, tt.url)
			if internal {
				require.Equal(t, "io", reason(t, err))
				assert.ErrorContains(t, errors.Unwrap(err), "reached the dialler")
				return
			}
			assert.Equal(t, tt.want, reason(t, err), "%v", err)
		})
	}
}

var anyInternal = []string{egress.AnyInternal}

func allow(rules ...string) egress.Policy {
	return egress.Policy{Mode: toolspec.NetworkAllowlist, Rules: rules}
}

func TestBadPolicies(t *testing.T) {
	for name, tt := range map[string]struct {
		policy egress.Policy
		want   string
	}{
		"mode":                {egress.Policy{Mode: "permissive"}, "unknown-egress-level"},
		"rules without a use": {egress.Policy{Mode: toolspec.NetworkStrict, Rules: []string{"good.test"}}, "invalid-rule"},
		"rule":                {allow("https://good.test"), "invalid-rule"},
		"deny":                {egress.Policy{Mode: toolspec.NetworkStrict, Deny: []string{""}}, "invalid-rule"},
		"operator wildcard":   {egress.Policy{OperatorHosts: []string{"*.corp.test"}}, "invalid-rule"},
		"operator any":        {egress.Policy{OperatorHosts: []string{"*"}}, "invalid-rule"},
		"operator path":       {egress.Policy{OperatorHosts: []string{"corp.test/x"}}, "invalid-rule"},
		"operator method":     {egress.Policy{OperatorHosts: []string{"GET corp.test"}}, "invalid-rule"},
		"operator scheme":     {egress.Policy{OperatorHosts: []string{"http://corp.test"}}, "invalid-rule"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := egress.New(tt.policy, nil)
			assert.Equal(t, tt.want, reason(t, err))
		})
	}
}

func TestPolicyOf(t *testing.T) {
	p := egress.PolicyOf(toolspec.NetworkPosture{Mode: toolspec.NetworkAllowlist, Hosts: []string{"a.test"}},
		[]string{"Intranet.Test.:8080", "*.corp.test", "*", "10.0.0.7", "GET tools.test/x", "https://bad", "[fd00::1]:80", egress.AnyInternal})
	assert.Equal(t, egress.Policy{Mode: toolspec.NetworkAllowlist, Rules: []string{"a.test"},
		OperatorHosts: []string{"intranet.test:8080", "10.0.0.7", "tools.test", "[fd00::1]:80", egress.AnyInternal}}, p)
	_, err := egress.New(p, nil)
	assert.NoError(t, err)
}
