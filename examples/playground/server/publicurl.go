package server

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/localpass/localpass/internal/hostguard"
)

// CheckPublicURL returns the origin that a URL of [Options.PublicURL] names, without
// a slash at its end. The error says what is wrong with it.
func CheckPublicURL(text string) (origin string, err error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.IndexFunc(u.Host, oddInHost) >= 0 {
		return "", errors.New(`the public URL is scheme and host, such as "https://tools.example.com" (other letters as xn--…)`) // not repeated: it may contain a password
	}
	return strings.ToLower(u.Scheme + "://" + u.Host), nil
}

// oddInHost are letters that no browser sends as a part of a host.
func oddInHost(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(".-_:[]", r)
}

// bePublic takes in the public URL: its host is one of the server's names, and its
// scheme is what browsers see.
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
	// Whatever comes through the proxy comes from this machine, as the server sees
	// it: a token alone tells people apart.
	if o.Token == "" || o.MCPToken == "" {
		return fmt.Errorf("server: others than this machine reach it at %s: give a Token and an MCPToken", origin)
	}
	o.AllowedHosts = append(slices.Clone(o.AllowedHosts), host)
	return nil
}

// behindProxy reports whether others than this machine come by way of a proxy.
func (o *Options) behindProxy() bool {
	_, host, ok := strings.Cut(o.PublicURL, "://")
	return ok && !hostguard.IsLoopbackName(host)
}
