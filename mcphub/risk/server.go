package risk

import (
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/toolspec"
)

// Trust says what vouches for a server.
type Trust string

// The signals of trust. The zero value is none.
const (
	TrustNone      Trust = ""
	TrustCommunity Trust = "community" // a community maintains or lists it
	TrustVendor    Trust = "vendor"    // the vendor of the service runs or publishes it
)

// ServerFacts are what is known about a server. The zero value is a server about which
// nothing is known.
type ServerFacts struct {
	// Self says that it is the hub of this program.
	Self bool
	// Endpoint is its [client.Transport]'s description. An unknown Auth counts as the worst.
	Endpoint client.Endpoint
	// CustomOAuth says that its sign-in is not standard, such as a code to paste. It counts
	// with [client.AuthOAuth].
	CustomOAuth bool
	// Scopes are the OAuth scopes that it asks for.
	Scopes []string

	// Cataloged says that this endpoint is one of a curated catalogue, whose entry gives
	// Trust and Writes. KnownHost says that only its host is one of the catalogue.
	Cataloged, KnownHost bool
	Trust                Trust
	// Writes says that one of its tools writes, as a curator classified it.
	Writes bool
	// Documented says that it names its documentation, and Adequate that a person found the
	// documentation adequate.
	Documented, Adequate bool
	// Idle is the time since it was last used. 0: in use, or never used.
	Idle time.Duration

	// Attested says that a person of this installation has reviewed the server with its
	// documentation: it is trusted at least as one of a community.
	Attested bool
}

// HostClass says where a server runs.
type HostClass string

// The classes.
const (
	HostProgram  HostClass = "program"  // a program that this one starts
	HostLoopback HostClass = "loopback" // this machine, or this process
	HostPrivate  HostClass = "private"  // the local network
	HostPublic   HostClass = "public"   // anywhere else, or unknown
)

// The floors of servers.
const (
	FloorNoAuthWrite    = "non_loopback_no_auth_write_capability"
	FloorNoAuthUnknown  = "non_loopback_no_auth_trust_unknown"
	FloorPrivilegedAuth = "privileged_oauth_scope"
)

// idleAfter is how long a server may be unused before its documentation counts as outdated.
const idleAfter = 90 * 24 * time.Hour

// ServerAssessment is the result of [AssessServer].
type ServerAssessment struct {
	Level toolspec.Level `json:"level"`
	Host  HostClass      `json:"host"`
	// Transport is 0 or 1; Auth, Trust and Documentation are 0 to 2. Total is their sum,
	// which gives the level: 0 is L1, 4 and more L5.
	Transport     int `json:"transport"`
	Auth          int `json:"auth"`
	Trust         int `json:"trust"`
	Documentation int `json:"documentation"`
	Total         int `json:"total"`
	// Floor is the floor that makes the level L5 whatever the sum; empty: none.
	Floor string `json:"floor,omitempty"`
	Explanation
}

// AssessServer scores a server.
func AssessServer(f ServerFacts) ServerAssessment {
	a := assessServer(&f)
	a.Change = cheapest(situation{server: f}, func(s *situation) toolspec.Level { return assessServer(&s.server).Level })
	return a
}

func assessServer(f *ServerFacts) ServerAssessment {
	if f.Self {
		a := ServerAssessment{Level: toolspec.L0, Host: HostLoopback}
		a.add("self", 0, "it is this program")
		return a
	}
	a := ServerAssessment{Host: hostOf(f.Endpoint)}
	remote := a.Host == HostPrivate || a.Host == HostPublic
	if a.Host == HostPrivate {
		a.Transport = 1
		a.add("transport", 1, "it runs in the local network")
	}
	if remote {
		switch f.Endpoint.Auth {
		case client.AuthNone:
		case client.AuthOAuth:
			if f.CustomOAuth {
				a.Auth = 2
				a.add("auth", 2, "its sign-in is not the standard one")
			}
		case client.AuthBearer, client.AuthBasic, client.AuthAPIKey:
			a.Auth = 1
			a.add("auth", 1, "a fixed key gives access to it")
		default:
			a.Auth = 2
			a.add("auth", 2, "how it knows who calls is unknown")
		}
	}
	known := f.trusted() || f.Attested
	switch {
	case f.trusted() && f.Trust == TrustVendor:
	case f.trusted():
		a.Trust = 1
		a.add("trust", 1, "a community vouches for it, and not its vendor")
	case f.Attested:
		a.Trust = 1
		a.add("trust", 1, "only a person of this installation vouches for it")
	case f.KnownHost && !f.Cataloged:
		a.Trust = 1
		a.add("trust", 1, "only its host is known")
	default:
		a.Trust = 2
		a.add("trust", 2, "nothing vouches for it")
	}
	a.undocumented(f)
	a.Total = a.Transport + a.Auth + a.Trust + a.Documentation
	a.Level = band(a.Total)
	noAuth := remote && (f.Endpoint.Auth == client.AuthNone || f.Endpoint.Auth == client.AuthUnknown)
	switch {
	case noAuth && f.Writes:
		a.floor(FloorNoAuthWrite, "it lets everyone in without signing in, and writes")
	case noAuth && !known && !f.Cataloged && !f.KnownHost:
		a.floor(FloorNoAuthUnknown, "it lets everyone in without signing in, and nothing vouches for it")
	default:
		for _, scope := range f.Scopes {
			if privileged(scope) {
				a.floor(FloorPrivilegedAuth, "it asks for the permission "+scope)
				break
			}
		}
	}
	return a
}

// undocumented scores what the documentation leaves open.
func (a *ServerAssessment) undocumented(f *ServerFacts) {
	add := func(reason string) {
		if a.Documentation < 2 {
			a.Documentation++
			a.add("documentation", 1, reason)
		}
	}
	if !f.Attested && !f.Documented {
		add("it names no documentation")
	}
	if !f.Attested && !f.Adequate {
		add("no person has found its documentation adequate")
	}
	if f.Idle > idleAfter {
		add("it was not used for more than 90 days")
	}
}

func (a *ServerAssessment) floor(id, reason string) {
	a.Floor, a.Level = id, toolspec.L5
	a.first(id, reason)
}

// trusted reports whether what a server says about its tools counts.
func (f *ServerFacts) trusted() bool { return f.Cataloged && f.Trust != TrustNone }

// Private ranges that netip.Addr.IsPrivate leaves out: carrier networks and test networks.
var private = []netip.Prefix{netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("198.18.0.0/15")}

// hostOf classifies a host by its name. Names are not resolved.
func hostOf(e client.Endpoint) HostClass {
	switch e.Kind {
	case client.TransportStdio:
		return HostProgram
	case client.TransportInProcess:
		return HostLoopback
	}
	u, err := url.Parse(e.Address)
	if err != nil || u.Hostname() == "" || strings.Contains(e.Address, "${") {
		return HostPublic
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return HostLoopback
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		if !strings.Contains(host, ".") && !numeric(host) || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".internal") {
			return HostPrivate
		}
		return HostPublic
	}
	ip = ip.Unmap().WithZone("")
	switch {
	case ip.IsLoopback(), ip.IsUnspecified():
		return HostLoopback
	case ip.IsPrivate(), ip.IsLinkLocalUnicast(), private[0].Contains(ip), private[1].Contains(ip):
		return HostPrivate
	}
	return HostPublic
}

// numeric reports whether a host without dots may be an address written as one number.
func numeric(host string) bool { return host != "" && host[0] >= '0' && host[0] <= '9' }

// privileged reports whether a scope administers, deletes or gives access to everything.
func privileged(scope string) bool {
	words := strings.FieldsFunc(strings.ToLower(scope), func(r rune) bool { return strings.ContainsRune(":./_- ", r) })
	var full, all, write bool
	for i, word := range words {
		switch {
		case strings.HasSuffix(word, "admin"), word == "administrator", word == "delete", word == "*":
			return true
		case word == "full":
			full = true
		case full && word == "access" && words[i-1] == "full":
			return true
		}
		all = all || word == "all"
		write = write || strings.HasSuffix(word, "write")
	}
	return all && write
}
