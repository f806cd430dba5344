package toolspec

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/toolspec/internal/hosts"
)

func TestRemediesOfNames(t *testing.T) {
	const rule = "letters, digits, '_' and '$', not beginning with a digit"
	for name, want := range map[string]string{
		"first-name": `write "first_name": ` + rule, " a b ": `write "a_b": ` + rule, "2nd": `write "_2nd": ` + rule, "größe!": `write "größe_": ` + rule,
		"...": "use " + rule, "@": "use " + rule, "a-very-long-name-that-goes-on-and-on-and-on": "use " + rule,
	} {
		assert.Equal(t, want, nameRemedy(name))
	}
	const host = "write a host such as api.example.com, *.example.com, api.example.com:8443 or GET api.example.com/v1/*"
	for pattern, want := range map[string]string{
		"https://api.example.com/v1?q=1": `write "api.example.com"`, "http://me:pw@x.example:8080/": `write "x.example:8080"`, "GET a.example/../x": `write "GET a.example"`,
		"me@a.example": `write "a.example"`, "a.example#x": `write "a.example"`, "": host, "a..b": host, "https://": host, "get a.example": host, `a.example\x`: `write "a.example"`,
	} {
		assert.NotEmpty(t, hosts.Check(pattern), pattern)
		assert.Equal(t, want, hostRemedy(pattern), pattern)
	}
	const generic = "write the name in upper case: letters, digits and '_'; there are no default values"
	for text, want := range map[string]string{
		"${api_key}": `write "${API_KEY}": upper-case letters, digits and '_', without a default value`,
		"${my-key}":  `write "${MY_KEY}": upper-case letters, digits and '_', without a default value`,
		"${A:b}":     `write "${A}": upper-case letters, digits and '_', without a default value`,
		"${ }":       generic, "${9}": generic, "${ü}": generic,
	} {
		assert.Equal(t, want, placeholderRemedy(text))
	}
}
