package server

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/localpass/localpass/internal/hostguard"
)

// CheckPublicURL returns the origin of a URL for [Options.PublicURL], without a trailing
// slash. The error describes what is wrong with the URL.
func CheckPublicURL(text string) (origin string, err error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.IndexFunc(u.Host, oddInHost) >= 0 {
		return "", errors.New(`the public URL is scheme and host, such as "https://tools.example.com" (other letters as xn--…)`) // the URL is not quoted, because it may contain a password
	}
	return strings.ToLower(u.Scheme + "://" + u.Host), nil
}

// oddInHost reports whether no browser sends the character as a part of a host.
func oddInHost(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(".-_:[]", r)
}

// bePublic applies the public URL: it adds its host to the names of the server, and uses
// its scheme as the scheme that browsers see.
func (o *Options) bePublic() error {
	if o.PublicURL == "" {
		return nil
	}
	origin, err := CheckPublicURL(o.PublicURL)
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	o.PublicURL = origin
	scheme, host, _ := strings.Cut(origin, "://")
	o.Secure = o.Secure || scheme == "https"
	if hostguard.IsLoopbackName(host) {
		return nil
	}
	// To the server, every request from the proxy appears to come from this machine, so
	// only a token can tell users apart.
	if o.Token == "" || o.MCPToken == "" {
		return fmt.Errorf("server: others than this machine reach it at %s: give a Token and an MCPToken", origin)
	}
	o.AllowedHosts = append(slices.Clone(o.AllowedHosts), host)
	return nil
}

// behindProxy reports whether other machines can reach the server through a proxy.
func (o *Options) behindProxy() bool {
	_, host, ok := strings.Cut(o.PublicURL, "://")
	return ok && !hostguard.IsLoopbackName(host)
}
