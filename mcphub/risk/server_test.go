package risk_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/risk"
	"github.com/localpass/localpass/toolspec"
)

// The servers of the examples.
var (
	stdio    = client.Endpoint{Kind: client.TransportStdio, Address: "server", Auth: client.AuthProcess}
	public   = at("https://mcp.example.com/mcp", client.AuthNone)
	lan      = at("http://192.168.1.7/mcp", client.AuthNone)
	loopback = at("http://127.0.0.1:8282/mcp", client.AuthNone)
)

func at(address string, auth client.AuthMode) client.Endpoint {
	return client.Endpoint{Kind: client.TransportHTTP, Address: address, Auth: auth}
}

func with[T any](facts T, changes ...func(*T)) T {
	for _, change := range changes {
		change(&facts)
	}
	return facts
}

// entry is a documented server of the catalogue.
func entry(trust risk.Trust, e client.Endpoint, changes ...func(*risk.ServerFacts)) risk.ServerFacts {
	return with(risk.ServerFacts{Cataloged: true, Trust: trust, Endpoint: e, Documented: true, Adequate: true}, changes...)
}

// vendor is a remote server of a vendor.
func vendor(auth client.AuthMode, changes ...func(*risk.ServerFacts)) risk.ServerFacts {
	return entry(risk.TrustVendor, at(public.Address, auth), changes...)
}

func scope(scope string) func(*risk.ServerFacts) {
	return func(f *risk.ServerFacts) { f.Scopes = []string{"openid", scope} }
}

func known(f *risk.ServerFacts) { f.KnownHost = true }

func attested(f *risk.ServerFacts) { f.Attested = true }

// The rows of servers in section 5.3 of the fact sheet, by their numbers.
func TestAssessServer(t *testing.T) {
	for _, test := range []struct {
		name       string
		facts      risk.ServerFacts
		t, a, r, d int
		floor      string
		level      toolspec.Level
	}{
		{"1 self", risk.ServerFacts{Self: true}, 0, 0, 0, 0, "", toolspec.L0},
		{"2 vendor, OAuth", vendor(client.AuthOAuth), 0, 0, 0, 0, "", toolspec.L1},
		{"3 vendor, no auth, reads", vendor(client.AuthNone), 0, 0, 0, 0, "", toolspec.L1},
		{"4 vendor, API key", vendor(client.AuthAPIKey), 0, 1, 0, 0, "", toolspec.L2},
		{"5 vendor, bearer", vendor(client.AuthBearer), 0, 1, 0, 0, "", toolspec.L2},
		{"6 community, no auth", entry(risk.TrustCommunity, public), 0, 0, 1, 0, "", toolspec.L2},
		{"7 vendor, stdio", entry(risk.TrustVendor, stdio), 0, 0, 0, 0, "", toolspec.L1},
		{"8 community, stdio", entry(risk.TrustCommunity, stdio), 0, 0, 1, 0, "", toolspec.L2},
		{"9 vendor, not used", vendor(client.AuthOAuth, func(f *risk.ServerFacts) { f.Idle = 91 * 24 * time.Hour }), 0, 0, 0, 1, "", toolspec.L2},
		{"10 vendor, custom OAuth", vendor(client.AuthOAuth, func(f *risk.ServerFacts) { f.CustomOAuth = true }), 0, 2, 0, 0, "", toolspec.L3},
		{"11 vendor in the LAN, bearer", entry(risk.TrustVendor, at(lan.Address, client.AuthBearer)), 1, 1, 0, 0, "", toolspec.L3},
		{"12 no signal, bearer", entry(risk.TrustNone, at(public.Address, client.AuthBearer)), 0, 1, 2, 0, "", toolspec.L4},
		{"13 vendor, no auth, writes", vendor(client.AuthNone, func(f *risk.ServerFacts) { f.Writes = true }), 0, 0, 0, 0, risk.FloorNoAuthWrite, toolspec.L5},
		{"14 vendor, write everything", vendor(client.AuthOAuth, scope("Files.ReadWrite.All")), 0, 0, 0, 0, risk.FloorPrivilegedAuth, toolspec.L5},
		{"15 vendor, read everything", vendor(client.AuthOAuth, scope("read:confluence-content.all")), 0, 0, 0, 0, "", toolspec.L1},
		{"16 vendor, admin", vendor(client.AuthOAuth, scope("https://www.example.com/auth/sqlservice.admin")), 0, 0, 0, 0, risk.FloorPrivilegedAuth, toolspec.L5},
		{"17 by hand, public, no auth", risk.ServerFacts{Endpoint: public}, 0, 0, 2, 2, risk.FloorNoAuthUnknown, toolspec.L5},
		{"18 by hand, LAN, no auth", risk.ServerFacts{Endpoint: lan}, 1, 0, 2, 2, risk.FloorNoAuthUnknown, toolspec.L5},
		{"19 by hand, public, bearer", risk.ServerFacts{Endpoint: at(public.Address, client.AuthBearer)}, 0, 1, 2, 2, "", toolspec.L5},
		{"20 by hand, loopback", risk.ServerFacts{Endpoint: loopback}, 0, 0, 2, 2, "", toolspec.L5},
		{"21 by hand, stdio", risk.ServerFacts{Endpoint: stdio}, 0, 0, 2, 2, "", toolspec.L5},
		{"22 by hand, known host, OAuth", with(risk.ServerFacts{Endpoint: at(public.Address, client.AuthOAuth)}, known), 0, 0, 1, 2, "", toolspec.L4},
		{"23 by hand, known host, no auth", with(risk.ServerFacts{Endpoint: public}, known), 0, 0, 1, 2, "", toolspec.L4},
		{"24 by hand, stdio, reviewed", with(risk.ServerFacts{Endpoint: stdio}, attested), 0, 0, 1, 0, "", toolspec.L2},
		{"by hand, public, no auth, reviewed", with(risk.ServerFacts{Endpoint: public}, attested), 0, 0, 1, 0, "", toolspec.L2},
		{"nothing is known", risk.ServerFacts{}, 0, 2, 2, 2, risk.FloorNoAuthUnknown, toolspec.L5},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := risk.AssessServer(test.facts)
			assert.Equal(t, [...]int{test.t, test.a, test.r, test.d}, [...]int{got.Transport, got.Auth, got.Trust, got.Documentation})
			assert.Equal(t, test.t+test.a+test.r+test.d, got.Total)
			assert.Equal(t, test.floor, got.Floor)
			assert.Equal(t, test.level, got.Level)
			if test.floor != "" {
				assert.Equal(t, test.floor, got.Rule)
			}
			assert.Equal(t, got.Level > toolspec.L1, len(got.Reasons) > 0 && got.Rule != "self", "a level above L1 has a reason")
		})
	}
}

func TestHosts(t *testing.T) {
	for address, want := range map[string]risk.HostClass{
		"http://127.0.0.1:1/mcp": risk.HostLoopback, "http://127.9.9.9/": risk.HostLoopback, "http://[::1]/": risk.HostLoopback, "http://[::ffff:127.0.0.1]/": risk.HostLoopback,
		"http://LOCALHOST./": risk.HostLoopback, "http://a.localhost/": risk.HostLoopback, "http://0.0.0.0/": risk.HostLoopback, "http://[::]/": risk.HostLoopback,
		"http://10.1.2.3/": risk.HostPrivate, "http://172.16.0.1/": risk.HostPrivate, "http://169.254.169.254/": risk.HostPrivate, "http://100.64.1.1/": risk.HostPrivate,
		"http://198.18.0.1/": risk.HostPrivate, "http://[fd00::1]/": risk.HostPrivate, "http://[fe80::1%25eth0]/": risk.HostPrivate, "http://printer/": risk.HostPrivate,
		"http://nas.local/": risk.HostPrivate, "http://x.internal/": risk.HostPrivate,
		"https://example.com/": risk.HostPublic, "http://172.32.0.1/": risk.HostPublic, "http://2130706433/": risk.HostPublic, "http://0x7f000001/": risk.HostPublic,
		"https://localhost.example.com/": risk.HostPublic, "https://${HOST}/": risk.HostPublic, "": risk.HostPublic, "http://": risk.HostPublic, "%": risk.HostPublic,
	} {
		assert.Equal(t, want, risk.AssessServer(risk.ServerFacts{Endpoint: at(address, client.AuthNone)}).Host, address)
	}
	assert.Equal(t, risk.HostLoopback, risk.AssessServer(risk.ServerFacts{Endpoint: client.Endpoint{Kind: client.TransportInProcess}}).Host)
}

func TestPrivilegedScopes(t *testing.T) {
	for name, want := range map[string]bool{
		"admin": true, "org:administrator": true, "repo.delete": true, "delete_repo": true, "*": true, "api:*": true, "write_all": true, "full_access": true, "Mail.ReadWrite.All": true,
		"read:all": false, "content.all": false, "repo:write": false, "full": false, "administration_guide": false, "undeleted": false, "": false,
	} {
		assert.Equal(t, want, risk.AssessServer(vendor(client.AuthOAuth, scope(name))).Floor == risk.FloorPrivilegedAuth, name)
	}
}
