package oauth

import (
	"slices"
	"strings"
)

const offlineAccess = "offline_access"

// scopesOf splits a list of scopes and keeps the well-formed ones (RFC 6749 section 3.3).
func scopesOf(text string) []string { return goodScopes(strings.Fields(text)) }

func goodScopes(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool {
		return s == "" || len(s) > 256 || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' })
	})
}

// union keeps the order in which the scopes first occur.
func union(lists ...[]string) []string {
	var all []string
	for _, list := range lists {
		for _, s := range list {
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// covers reports whether every scope of want is in have.
func covers(have, want []string) bool {
	for _, s := range want {
		if !slices.Contains(have, s) {
			return false
		}
	}
	return true
}

// scopesFor chooses the scopes to ask for. A challenge names those needed now, the
// operator and the resource's metadata those that may be needed; before holds the scopes
// of an authorization that is to be extended.
func (c *Client) scopesFor(d *discovery, before []string) []string {
	var scopes []string
	switch challenged := scopesOf(d.challenge.Params["scope"]); {
	case len(challenged) > 0:
		scopes = union(before, challenged, c.opts.Scopes)
	case len(c.opts.Scopes) > 0:
		scopes = union(before, c.opts.Scopes)
	default:
		scopes = union(before, d.supported)
	}
	scopes = goodScopes(scopes)
	// A server that does not list this scope does not use it for refresh tokens.
	listed := slices.Contains(d.server.Scopes, offlineAccess)
	scopes = slices.DeleteFunc(scopes, func(s string) bool { return s == offlineAccess && !listed })
	if listed && !c.opts.NoOfflineAccess && c.grant(d.server).interactive() {
		scopes = union(scopes, []string{offlineAccess})
	}
	return scopes
}
