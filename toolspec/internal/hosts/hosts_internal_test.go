package hosts

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHostRules(t *testing.T) {
	for _, good := range []string{"api.example.com", "*.example.com", "*", "api.example.com:443,8443", "GET api.example.com", "GET,HEAD api.example.com/v1/*", "[2001:db8::1]:443"} {
		assert.Empty(t, Check(good), good)
	}
	for _, bad := range []string{"", "get api.example.com", "GET,", "GET /v1", "api.example.com/a?b", "api.example.com/../x", "https://api.example.com", "api.example.com:0", "api.example.com:1,", "a b c"} {
		assert.NotEmpty(t, Check(bad), bad)
	}
	assert.Equal(t, "GET api.example.com:443/V1/*", Normal(" GET API.Example.com.:443/V1/* "))
}

// Covers must never say yes for more than it covers: a ceiling is held with it.
func TestCovers(t *testing.T) {
	for _, tt := range []struct {
		outer, inner string
		want         bool
	}{
		{"*", "GET api.example.com/v1", true},
		{"*.example.com", "api.example.com/v1/*", true},
		{"*.example.com", "GET *.api.example.com", true},
		{"api.example.com", "*.api.example.com", false},
		{"GET api.example.com", "api.example.com", false},
		{"GET api.example.com", "GET,POST api.example.com", false},
		{"GET,POST api.example.com", "POST api.example.com/x", true},
		{"GET *", "GET a.example", true},
		{"GET *", "a.example", false},
		{"api.example.com/v1/*", "api.example.com/v1/users", true},
		{"api.example.com/v1/*", "api.example.com/v1/*", true},
		{"api.example.com/v1/*", "api.example.com/v10", false},
		{"api.example.com/v1/*", "api.example.com", false},
		{"api.example.com/v1", "api.example.com/v1/users", false},
		{"api.example.com:443,8443", "api.example.com:8443", true},
		{"api.example.com:443", "api.example.com:443,80", false},
		{"api.example.com:443", "api.example.com", false},
	} {
		assert.Equal(t, tt.want, Covers(tt.outer, tt.inner), "%s covers %s", tt.outer, tt.inner)
	}
}
