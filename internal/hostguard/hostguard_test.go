package hostguard_test

import (
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/hostguard"
)

func TestLoopbackNames(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST:8282": true, "127.0.0.1": true, "127.9.9.9:1": true, "[::1]": true, "[::1]:8282": true, "::1": true,
		"[::ffff:127.0.0.1]:1": true,
		"":                     false, "localhost.evil.test": false, "evil.test": false, "127.0.0.1.evil.test": false, "10.0.0.1": false,
		"[::1": false, "[::1]x": false, "localhost:8282:1": false, "0.0.0.0": false, "2130706433": false, "localhost ": false, "user@localhost": false,
	} {
		assert.Equal(t, want, hostguard.IsLoopbackName(host), "%q", host)
	}
	for origin, want := range map[string]bool{
		"http://localhost": true, "https://127.0.0.1:3000": true, "HTTP://LocalHost:1": true, "http://[::1]:1": true,
		"null": false, "": false, "http://": false, "http://localhost/": false, "http://evil.test": false, "http://localhost@evil.test": false,
		"file://localhost": false, "chrome-extension://localhost": false, "http://localhost?x": false,
	} {
		assert.Equal(t, want, hostguard.IsLoopbackOrigin(origin), "%q", origin)
	}
}

func TestNames(t *testing.T) {
	names, err := hostguard.New([]string{"MCP.example.com", "api.example.com:8443"}, []string{"https://App.example.com", "http://intern:80/"})
	require.NoError(t, err)
	assert.False(t, names.NoHosts())
	for host, want := range map[string]bool{
		"mcp.example.com": true, "mcp.EXAMPLE.com:99": true, "api.example.com:8443": true,
		"api.example.com": false, "api.example.com:80": false, "xmcp.example.com": false, "localhost": false, "": false,
	} {
		assert.Equal(t, want, names.Host(host), "%q", host)
	}
	for origin, want := range map[string]bool{
		"https://app.example.com": true, "HTTPS://APP.example.com": true, "http://intern:80": true,
		"http://app.example.com": false, "https://app.example.com:444": false, "": false, "null": false,
	} {
		assert.Equal(t, want, names.Origin(origin), "%q", origin)
	}
	var none hostguard.Names
	assert.True(t, none.NoHosts())
	assert.False(t, none.Host("mcp.example.com") || none.Origin("https://app.example.com"))
}

func TestNewRefuses(t *testing.T) {
	for _, host := range []string{"", "a b", "http://a", "*.example.com"} {
		_, err := hostguard.New([]string{host}, nil)
		assert.ErrorContains(t, err, "write a name", "%q", host)
	}
	for _, origin := range []string{"", "app.example.com", "https://", "https://a/b", "https://a?b", "https://u@a", "://"} {
		_, err := hostguard.New(nil, []string{origin})
		assert.ErrorContains(t, err, "write scheme and host", "%q", origin)
	}
}

func TestIsLoopback(t *testing.T) {
	assert.True(t, hostguard.IsLoopback(&net.TCPAddr{IP: net.IPv6loopback}))
	assert.True(t, hostguard.IsLoopback(&net.UnixAddr{}))
	assert.False(t, hostguard.IsLoopback(&net.TCPAddr{IP: net.IPv4(10, 0, 0, 1)}))
	assert.False(t, hostguard.IsLoopback(&net.TCPAddr{}))
	assert.False(t, hostguard.IsLoopback(nil))
}

func TestCheckLocal(t *testing.T) {
	loopback, other := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1)}
	direct := map[string][]string{"Accept": {"*/*"}, "X-Forward": {"x"}, "Viable": {"x"}}
	require.NoError(t, hostguard.CheckLocal(loopback, direct))
	require.ErrorIs(t, hostguard.CheckLocal(other, direct), hostguard.ErrNotLocal)
	require.ErrorIs(t, hostguard.CheckLocal(nil, direct), hostguard.ErrNotLocal)
	for _, name := range []string{"Forwarded", "X-Forwarded", "X-Forwarded-For", "X-Forwarded-Anything", "X-Real-Ip", "Via", "True-Client-Ip", "Cf-Connecting-Ip"} {
		for _, values := range [][]string{{"secret-value"}, {""}, nil} {
			header := map[string][]string{"Accept": {"*/*"}, name: values}
			assert.Equal(t, name, hostguard.ForwardedBy(header))
			err := hostguard.CheckLocal(loopback, header)
			require.ErrorIs(t, err, hostguard.ErrNotLocal)
			assert.Contains(t, err.Error(), name)
			assert.NotContains(t, err.Error(), "secret-value")
		}
	}
}
