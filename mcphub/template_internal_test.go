package mcphub

import (
	"strings"
	"testing"

	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Templates match by RFC 6570, levels 1 to 3 and what of 4 can be told apart.
func TestTemplatesMatch(t *testing.T) {
	for _, test := range []struct {
		template, uri string
		want          map[string]string // nil: no match
	}{
		{"x://{a}", "x://1", map[string]string{"a": "1"}},
		{"x://{a}", "x://a%2Fb%20c", map[string]string{"a": "a/b c"}},
		{"x://{a}", "x://a/b", nil},
		{"x://{a}", "y://a", nil},
		{"x://{a}/{b}", "x://1/2", map[string]string{"a": "1", "b": "2"}},
		{"x://{a}/end", "x://1/end", map[string]string{"a": "1"}},
		{"x://{a}/end", "x://1/end/more", nil},
		{"x://{+a}", "x://1/2/../3", map[string]string{"a": "1/2/../3"}},
		{"x://p{#a}", "x://p#frag", map[string]string{"a": "frag"}},
		{"x://p{.a}", "x://p.txt", map[string]string{"a": "txt"}},
		{"x://p{/a,b}", "x://p/1/2", map[string]string{"a": "1", "b": "2"}},
		{"x://p{;a}", "x://p;a=1", map[string]string{"a": "1"}},
		{"x://p{?a,b}", "x://p?a=1&b=2", map[string]string{"a": "1", "b": "2"}},
		{"x://p?c=1{&a}", "x://p?c=1&a=2", map[string]string{"a": "2"}},
		{"x://{a,b}", "x://1,2", map[string]string{"a": "1", "b": "2"}},
		{"x://{a:3}/{b}", "x://abc/d", map[string]string{"a": "abc", "b": "d"}},
		{"x://p{/a*}", "x://p/1/2/3", map[string]string{"a": "1,2,3"}},
	} {
		p, err := parseTemplate(test.template)
		require.NoError(t, err, test.template)
		got, ok := p.match(test.uri)
		assert.Equal(t, test.want != nil, ok, "%s %s", test.template, test.uri)
		if ok {
			for name, value := range test.want {
				assert.Equal(t, value, got[name], "%s %s", test.template, test.uri)
			}
		}
	}
	p, err := parseTemplate("x://{a}")
	require.NoError(t, err)
	_, ok := p.match("x://" + strings.Repeat("a", rpc.MaxURI))
	assert.False(t, ok)
}

func FuzzTemplate(f *testing.F) {
	f.Add("x://{a}/{+b}{?c,d}", "x://1/2/3?c=4")
	f.Add("{a:100}{b*}", "aaaa")
	f.Add("{/a*}{?b*}", "/1/2?b=1&b=2")
	f.Fuzz(func(t *testing.T, template, uri string) {
		p, err := parseTemplate(template)
		if err != nil || len(template) > 200 || len(uri) > 200 {
			return
		}
		if variables, ok := p.match(uri); ok {
			for name := range variables {
				require.True(t, p.has(name), name)
			}
		}
	})
}

func TestPatternsMatch(t *testing.T) {
	for _, test := range []struct {
		pattern, text string
		want          bool
	}{
		{"*", "", true}, {"*", "anything", true}, {"a", "a", true}, {"a", "b", false}, {"a", "ab", false}, {"a*", "ab", true}, {"*b", "ab", true},
		{"a*b*c", "axxbyyc", true}, {"a*b*c", "axxbyy", false}, {"*a*", "xay", true}, {"**", "x", true}, {"a**", "a", true}, {"", "", true}, {"", "x", false},
		{"*ab", "aab", true}, {"a*a", "a", false},
	} {
		assert.Equal(t, test.want, matchesPattern(test.pattern, test.text), "%q %q", test.pattern, test.text)
	}
	assert.False(t, matchesPattern(strings.Repeat("*a", 50)+"b", strings.Repeat("a", 5000)), "it comes to an end")
	_, err := kindNamed("other")
	require.Error(t, err)
}
