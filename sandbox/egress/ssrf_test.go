package egress_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/toolspec"
)

// ssrf lists ways to reach what must not be reached, and neighbours that must
// stay reachable. dns is what evil.test resolves to: answers in order, separated
// by blanks, each a list of addresses; other names are in names. want is the
// reason of the refusal, empty when the request goes through.
var ssrf = []struct{ name, url, dns, want string }{
	// Loopback and this host.
	{"D01 all of 127/8", "http://127.0.0.2:8080/x", "", literal},
	{"loopback", "http://127.0.0.1/", "", literal},
	{"loopback, last", "http://127.255.255.255/", "", literal},
	{"loopback, https", "https://127.0.0.1/", "", literal},
	{"D02 two parts", "http://127.2/", "", literal},
	{"three parts", "http://127.0.1/", "", literal},
	{"D03 decimal number", "http://2130706434/", "", literal},
	{"decimal, private", "http://167772165/", "", literal},
	{"decimal, beyond 32 bits", "http://4294967296/", "", literal},
	{"decimal, huge", "http://99999999999999999999/", "", literal},
	{"D04 hexadecimal and short", "http://0x7f.1/", "", literal},
	{"hexadecimal number", "http://0x7f000001/", "", literal},
	{"hexadecimal in capitals", "http://0X7F000001/", "", literal},
	{"hexadecimal parts", "http://0x7f.0x0.0x0.0x1/", "", literal},
	{"hexadecimal last part", "http://127.0.0.0x1/", "", literal},
	{"hexadecimal without digits", "http://0x/", "", literal},
	{"D05 octal and short", "http://0177.1/", "", literal},
	{"octal parts", "http://0177.0.0.01/", "", literal},
	{"octal number", "http://017700000001/", "", literal},
	{"zeros in front", "http://127.000.000.001/", "", literal},
	{"one zero in front", "http://127.0.0.01/", "", literal},
	{"five parts", "http://127.0.0.1.1/", "", literal},
	{"part beyond 255", "http://127.0.0.256/", "", literal},
	{"dot behind", "http://127.0.0.1./", "", literal},
	{"two dots behind", "http://127.0.0.1../", "", "invalid-url"},
	{"zero", "http://0/", "", literal},
	{"D08 unspecified", "http://0.0.0.0:8080/", "", literal},
	{"this network", "http://0.1.2.3/", "", literal},
	{"D06 localhost", "http://localhost:9/", "", resolved},
	{"localhost in capitals", "http://LOCALHOST/", "", resolved},
	{"localhost with a dot", "http://localhost./", "", resolved},
	{"D07 below localhost", "http://a.b.localhost/", "", resolved},
	{"name of loopback", "http://evil.test/", "127.0.0.1", resolved},
	{"name of loopback, high", "http://evil.test/", "127.8.8.8", resolved},
	{"name of the unspecified address", "http://evil.test/", "0.0.0.0", resolved},

	// Private IPv4 and its borders.
	{"D15 private 10", "http://10.20.30.40/", "", literal},
	{"below 10", "http://9.255.255.255/", "", ""},
	{"first of 10", "http://10.0.0.0/", "", literal},
	{"last of 10", "http://10.255.255.255/", "", literal},
	{"above 10", "http://11.0.0.0/", "", ""},
	{"below 172.16", "http://172.15.255.255/", "", ""},
	{"first of 172.16", "http://172.16.0.0/", "", literal},
	{"D16 private 172", "http://172.20.0.1/", "", literal},
	{"last of 172.16", "http://172.31.255.255/", "", literal},
	{"D17 just outside 172.16/12", "http://172.32.0.1/", "", ""},
	{"below 192.168", "http://192.167.255.255/", "", ""},
	{"private 192.168", "http://192.168.1.1/", "", literal},
	{"above 192.168", "http://192.169.0.0/", "", ""},
	{"below carrier-grade NAT", "http://100.63.255.255/", "", ""},
	{"carrier-grade NAT", "http://100.64.0.1/", "", literal},
	{"last of carrier-grade NAT", "http://100.127.255.255/", "", literal},
	{"D18 just outside 100.64/10", "http://100.128.0.1/", "", ""},
	{"name of private", "http://evil.test/", "10.0.0.5", resolved},
	{"name of carrier-grade NAT", "http://evil.test/", "100.100.1.1", resolved},

	// Link local and metadata.
	{"below link local", "http://169.253.255.255/", "", ""},
	{"D19 metadata", "http://169.254.169.254/computeMetadata/v1/", "", literal},
	{"metadata of containers", "http://169.254.170.2/", "", literal},
	{"metadata, as a number", "http://2852039166/", "", literal},
	{"metadata, hexadecimal", "http://0xa9fea9fe/", "", literal},
	{"metadata, mapped", "http://[::ffff:169.254.169.254]/", "", literal},
	{"metadata, mapped in hexadecimal", "http://[::ffff:a9fe:a9fe]/", "", literal},
	{"metadata in the NAT block", "http://100.100.100.200/", "", literal},
	{"service address of a cloud", "http://168.63.129.16/", "", literal},
	{"beside it", "http://168.63.129.17/", "", ""},
	{"metadata by name", "http://evil.test/", "169.254.169.254", resolved},
	{"metadata over IPv6", "http://[fd00:ec2::254]/", "", literal},
	{"above link local", "http://169.255.0.0/", "", ""},

	// Special-purpose IPv4.
	{"protocol assignments", "http://192.0.0.1/", "", literal},
	{"after them", "http://192.0.1.0/", "", ""},
	{"documentation 1", "http://192.0.2.1/", "", literal},
	{"after it", "http://192.0.3.0/", "", ""},
	{"6to4 relay", "http://192.88.99.1/", "", literal},
	{"after it", "http://192.88.100.0/", "", ""},
	{"below benchmarking", "http://198.17.255.255/", "", ""},
	{"benchmarking", "http://198.18.0.1/", "", literal},
	{"last of benchmarking", "http://198.19.255.255/", "", literal},
	{"above benchmarking", "http://198.20.0.0/", "", ""},
	{"documentation 2", "http://198.51.100.1/", "", literal},
	{"documentation 3", "http://203.0.113.1/", "", literal},
	{"below multicast", "http://223.255.255.255/", "", ""},
	{"multicast", "http://224.0.0.1/", "", literal},
	{"multicast, last", "http://239.255.255.255/", "", literal},
	{"reserved", "http://240.0.0.1/", "", literal},
	{"broadcast", "http://255.255.255.255/", "", literal},
	{"name of documentation", "http://evil.test/", "203.0.113.9", resolved},
	{"name of reserved", "http://evil.test/", "250.1.1.1", resolved},

	// IPv6.
	{"D09 loopback", "http://[::1]:8080/", "", literal},
	{"loopback in full", "http://[0:0:0:0:0:0:0:1]/", "", literal},
	{"loopback with zeros", "http://[0000:0000:0000:0000:0000:0000:0000:0001]/", "", literal},
	{"unspecified", "http://[::]/", "", literal},
	{"D10 mapped private", "http://[::ffff:10.0.0.5]/", "", literal},
	{"mapped loopback", "http://[::ffff:127.0.0.1]/", "", literal},
	{"mapped in hexadecimal", "http://[::ffff:7f00:1]/", "", literal},
	{"mapped in full", "http://[0:0:0:0:0:ffff:7f00:0001]/", "", literal},
	{"mapped public", "http://[::ffff:93.184.215.20]/", "", ""},
	{"compatible loopback", "http://[::127.0.0.1]/", "", literal},
	{"compatible private", "http://[::10.0.0.1]/", "", literal},
	{"compatible public", "http://[::93.184.215.20]/", "", ""},
	{"translated private", "http://[::ffff:0:10.0.0.1]/", "", literal},
	{"translated public", "http://[::ffff:0:93.184.215.20]/", "", ""},
	{"D11 NAT64 of private", "http://[64:ff9b::c0a8:0101]/", "", literal},
	{"NAT64 of loopback", "http://[64:ff9b::127.0.0.1]/", "", literal},
	{"NAT64 of metadata", "http://[64:ff9b::a9fe:a9fe]/", "", literal},
	{"NAT64 of public", "http://[64:ff9b::93.184.215.20]/", "", ""},
	{"local NAT64", "http://[64:ff9b:1::5db8:d714]/", "", literal},
	{"local NAT64, further", "http://[64:ff9b:1:ffff::1]/", "", literal},
	{"D12 6to4 of private", "http://[2002:c0a8:0101::1]/", "", literal},
	{"6to4 of loopback", "http://[2002:7f00:1::]/", "", literal},
	{"6to4 of metadata", "http://[2002:a9fe:a9fe::1]/", "", literal},
	{"6to4 of public", "http://[2002:5db8:d714::1]/", "", ""},
	{"Teredo", "http://[2001:0:5db8:d714::1]/", "", literal},
	{"after Teredo", "http://[2001:1::1]/", "", ""},
	{"benchmarking", "http://[2001:2::1]/", "", literal},
	{"ORCHID", "http://[2001:20::1]/", "", literal},
	{"documentation", "http://[2001:db8::1]/", "", literal},
	{"after documentation", "http://[2001:db9::1]/", "", ""},
	{"new documentation", "http://[3fff::1]/", "", literal},
	{"D13 unique local", "http://[fd12:3456::1]/", "", literal},
	{"unique local, first half", "http://[fc00::1]/", "", literal},
	{"link local", "http://[fe80::1]/", "", literal},
	{"link local, last", "http://[febf::1]/", "", literal},
	{"D14 link local with a zone", "http://[fe80::2%25eth1]/", "", literal},
	{"loopback with a zone", "http://[::1%25lo]/", "", literal},
	{"public with a zone", "http://[2606:2800::1%25eth0]/", "", literal},
	{"site local", "http://[fec0::1]/", "", literal},
	{"multicast", "http://[ff02::1]/", "", literal},
	{"discard", "http://[100::1]/", "", literal},
	{"segment routing", "http://[5f00::1]/", "", literal},
	{"not given out", "http://[4000::1]/", "", literal},
	{"ISATAP of private", "http://[2606:2800::5efe:10.0.0.1]/", "", literal},
	{"ISATAP of private, local bit", "http://[2606:2800::200:5efe:a00:1]/", "", literal},
	{"ISATAP of public", "http://[2606:2800::5efe:93.184.215.20]/", "", ""},
	{"public", "http://[2606:2800:220:1::1]/", "", ""},
	{"public in capitals", "http://[2606:2800:220:1::ABCD]/", "", ""},
	{"name of loopback", "http://evil.test/", "::1", resolved},
	{"name of mapped private", "http://evil.test/", "::ffff:10.0.0.1", resolved},
	{"name of NAT64 private", "http://evil.test/", "64:ff9b::10.0.0.1", resolved},
	{"name of 6to4 private", "http://evil.test/", "2002:a00:1::1", resolved},
	{"name of Teredo", "http://evil.test/", "2001::1", resolved},
	{"name of unique local", "http://evil.test/", "fd00::1", resolved},
	{"name of link local with a zone", "http://evil.test/", "fe80::1%eth0", resolved},
	{"name of public IPv6", "http://evil.test/", "2606:2800::1", ""},
	{"IPv4 in brackets", "http://[127.0.0.1]/", "", "invalid-url"},
	{"IPv6 without brackets", "http://::1/", "", "invalid-url"},
	{"bracket left open", "http://[::1/", "", "invalid-url"},
	{"behind the bracket", "http://[::1]evil/", "", "invalid-url"},
	{"IPvFuture", "http://[v1.abc]/", "", "invalid-url"},

	// Unicode.
	{"fullwidth digits", "http://１２７.0.0.1/", "", literal},
	{"fullwidth all through", "http://１２７．０．０．１/", "", literal},
	{"ideographic full stops", "http://127。0。0。1/", "", literal},
	{"circled digits", "http://①②⑦.⓪.⓪.①/", "", literal},
	{"superscript digits", "http://¹²⁷.0.0.1/", "", literal},
	{"mathematical digits", "http://𝟏𝟐𝟕.𝟎.𝟎.𝟏/", "", literal},
	{"fullwidth localhost", "http://ｌｏｃａｌｈｏｓｔ/", "", resolved},
	{"mathematical localhost", "http://𝓵𝓸𝓬𝓪𝓵𝓱𝓸𝓼𝓽/", "", resolved},
	{"soft hyphen", "http://local\u00adhost/", "", resolved},
	{"zero width space", "http://local\u200bhost/", "", resolved},
	{"percent-encoded fullwidth", "http://%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1/", "", literal},
	{"fullwidth hexadecimal", "http://０ｘ7f.1/", "", literal},
	{"arabic digits", "http://١٢٧.0.0.1/", "", "invalid-url"},
	{"slash that maps to one", "http://good.test／.evil.test/", "10.0.0.1", "invalid-url"},
	{"at sign that maps to one", "http://good.test＠evil.test/", "10.0.0.1", "invalid-url"},
	{"colon that maps to one", "http://good.test：80/", "", "invalid-url"},
	{"punycode of a Unicode name", "http://xn--bcher-kva.test/", "", ""},
	{"a Unicode name", "http://bücher.test/", "", ""},
	{"a Unicode name in capitals", "http://BÜCHER.test/", "", ""},
	{"punycode of nothing", "http://xn--.test/", "", "invalid-url"},
	{"punycode that cannot be read", "http://xn--a-ä.test/", "", "invalid-url"},

	// Percent-encoding, credentials, backslashes and other syntax.
	{"percent-encoded digits", "http://%31%32%37.0.0.1/", "", "invalid-url"},
	{"percent-encoded dots", "http://127%2e0%2e0%2e1/", "", "invalid-url"},
	{"percent-encoded name", "http://%6cocalhost/", "", "invalid-url"},
	{"percent-encoded at sign", "http://good.test%40evil.test/", "10.0.0.1", "invalid-url"},
	{"D26 user before the host", "http://good.test@10.0.0.9/", "", "invalid-url"},
	{"user and password", "http://user:pass@good.test/", "", "invalid-url"},
	{"empty user", "http://@good.test/", "", "invalid-url"},
	{"user that looks like a port", "http://good.test:80@10.0.0.9/", "", "invalid-url"},
	{"two at signs", "http://good.test@good.test@10.0.0.9/", "", "invalid-url"},
	{"backslash before at", `http://good.test\@10.0.0.9/`, "", "invalid-url"},
	{"backslashes for slashes", `http:\\10.0.0.9\`, "", "invalid-url"},
	{"slash and backslash", `http:/\10.0.0.9/`, "", "invalid-url"},
	{"backslash behind the host", `http://good.test\.evil.test/`, "10.0.0.1", "invalid-url"},
	{"blank in front", " http://good.test/", "", "invalid-url"},
	{"blank in the host", "http://good.test 10.0.0.9/", "", "invalid-url"},
	{"tab in the host", "http://good\t.test/", "", "invalid-url"},
	{"line feed in the host", "http://good.test\n10.0.0.9/", "", "invalid-url"},
	{"NUL in the host", "http://good.test\x00.evil.test/", "10.0.0.1", "invalid-url"},
	{"line end in the path", "http://good.test/a\r\nHost: inner", "", "invalid-url"},
	{"hash before at", "http://good.test#@10.0.0.9/", "", ""},
	{"question mark before at", "http://good.test?@10.0.0.9/", "", ""},
	{"no slashes", "http:10.0.0.9/", "", "missing-host"},
	{"one slash", "http:/10.0.0.9/", "", "missing-host"},
	{"three slashes", "http:///10.0.0.9/", "", "missing-host"},
	{"port alone", "http://:80/", "", "missing-host"},
	{"no scheme", "//10.0.0.9/", "", "invalid-url"},
	{"relative", "good.test/x", "", "invalid-url"},
	{"empty", "", "", "missing-url"},
	{"empty label", "http://evil..test/", "10.0.0.1", "invalid-url"},
	{"dot alone", "http://./", "", "invalid-url"},
	{"label too long", "http://" + strings.Repeat("a", 64) + ".test/", "", "invalid-url"},
	{"name too long", "http://" + strings.Repeat("abcdefg.", 40) + "test/", "", "invalid-url"},

	// Ports.
	{"any port", "http://good.test:6379/", "", ""},
	{"empty port", "http://good.test:/", "", ""},
	{"port zero", "http://good.test:0/", "", "invalid-url"},
	{"port too high", "http://good.test:65536/", "", "invalid-url"},
	{"port with a sign", "http://good.test:+80/", "", "invalid-url"},
	{"port that is none", "http://good.test:http/", "", "invalid-url"},
	{"private with a port", "http://10.0.0.1:80/", "", literal},
	{"two ports", "http://good.test:80:10.0.0.1/", "", "invalid-url"},

	// Schemes.
	{"D25 ftp", "ftp://good.test/a", "", "unsupported-scheme"},
	{"file", "file:///etc/passwd", "", "unsupported-scheme"},
	{"gopher", "gopher://good.test:70/", "", "unsupported-scheme"},
	{"data", "data:text/plain,x", "", "unsupported-scheme"},
	{"javascript", "javascript:alert(1)", "", "unsupported-scheme"},
	{"unix", "unix:///var/run/docker.sock", "", "unsupported-scheme"},
	{"web socket", "ws://good.test/", "", "unsupported-scheme"},
	{"a path in front of http", "dict:http://good.test/", "", "unsupported-scheme"},
	{"http in capitals", "HTTP://good.test/", "", ""},

	// Look-ups.
	{"D20 public answer", "http://good.test/", "", ""},
	{"D21 one private answer among public ones", "http://evil.test/", "93.184.215.20,192.168.0.9", resolved},
	{"private answer first", "http://evil.test/", "192.168.0.9,93.184.215.20", resolved},
	{"private IPv6 beside public IPv4", "http://evil.test/", "93.184.215.20,::1", resolved},
	{"D22 private later", "http://evil.test/", "93.184.215.20 10.0.0.9", ""},
	{"loopback later", "http://evil.test/", "93.184.215.20 127.0.0.1", ""},
	{"private first, public later", "http://evil.test/", "10.0.0.9 93.184.215.20", resolved},
	{"no answer", "http://evil.test/", ",", "dns-no-addresses"},
	{"unknown name", "http://nowhere.test/", "", "dns-resolution-failed"},
	{"too many answers", "http://evil.test/", strings.Repeat("93.184.215.20,", 65), "dns-resolution-failed"},
	{"dot behind the name", "http://evil.test./", "10.0.0.1", resolved},
	{"name with an address in it", "http://127.0.0.1.evil.test/", "", resolved},

	// Redirects; /go sends on to where to says, rNNN with another status.
	{"D23 to private", "http://good.test/go?to=http://10.0.0.9/", "", literal},
	{"D24 to the same host", "http://good.test/go?to=/next", "", ""},
	{"to loopback", "http://good.test/go?to=http://127.0.0.1/", "", literal},
	{"to metadata", "http://good.test/go?to=http://169.254.169.254/", "", literal},
	{"to a number", "http://good.test/go?to=http://2130706433/", "", literal},
	{"to IPv6 loopback", "http://good.test/go?to=http://[::1]/", "", literal},
	{"to a name of private", "http://good.test/go?to=http://evil.test/", "10.0.0.1", resolved},
	{"to localhost", "http://good.test/go?to=http://localhost/", "", resolved},
	{"to a scheme", "http://good.test/go?to=file:///etc/passwd", "", "unsupported-scheme"},
	{"to ftp", "http://good.test/go?to=ftp://good.test/", "", "unsupported-scheme"},
	{"with credentials", "http://good.test/go?to=http://u:p@good.test/", "", "invalid-url"},
	{"without a scheme", "http://good.test/go?to=//10.0.0.9/", "", literal},
	{"without a scheme, backslashes", `http://good.test/go?to=\\10.0.0.9/`, "", "invalid-url"},
	{"in two steps", "http://good.test/go?to=" + url.QueryEscape("http://also.test/go?to=http://10.0.0.9/"), "", literal},
	{"301 to private", "http://good.test/r301?to=http://10.0.0.9/", "", literal},
	{"303 to private", "http://good.test/r303?to=http://10.0.0.9/", "", literal},
	{"307 to private", "http://good.test/r307?to=http://10.0.0.9/", "", literal},
	{"308 to private", "http://good.test/r308?to=http://10.0.0.9/", "", literal},
	{"300 to private", "http://good.test/r300?to=http://10.0.0.9/", "", literal},
	{"305 to private", "http://good.test/r305?to=http://10.0.0.9/", "", literal},
	{"304 is no redirect", "http://good.test/r304?to=http://10.0.0.9/", "", ""},
	{"201 is no redirect", "http://good.test/r201?to=http://10.0.0.9/", "", ""},
	{"without a place", "http://good.test/r302?to=", "", ""},
	{"to another public host", "http://good.test/go?to=http://also.test/", "", ""},
	{"for ever", "http://good.test/loop", "", "too-many-redirects"},
}

const (
	literal  = "literal-private-ip"
	resolved = "resolved-private-ip"
)

// redirecting sends on where the query says.
func redirecting(w http.ResponseWriter, r *http.Request) {
	status, to := 302, r.URL.Query().Get("to")
	switch {
	case r.URL.Path == "/loop":
		to = "/loop"
	case r.URL.Path == "/go":
	case strings.HasPrefix(r.URL.Path, "/r"):
		status = 0
		for _, c := range r.URL.Path[2:] {
			status = status*10 + int(c-'0')
		}
	default:
		w.Write([]byte("reached " + r.Host))
		return
	}
	w.Header().Set("Location", to)
	w.WriteHeader(status)
}

func TestSSRF(t *testing.T) {
	assert.GreaterOrEqual(t, len(ssrf), 150)
	for mode, rules := range map[toolspec.NetworkMode][]string{toolspec.NetworkStrict: nil, toolspec.NetworkAllowlist: {"*"}, egress.ModeCustom: nil} {
		t.Run(string(mode), func(t *testing.T) {
			for _, row := range ssrf {
				t.Run(row.name, func(t *testing.T) {
					dns := map[string][]string{
						"good.test": {"93.184.215.20"}, "also.test": {"93.184.215.21"}, "xn--bcher-kva.test": {"93.184.215.22"},
						"127.0.0.1.evil.test": {"127.0.0.1"},
					}
					if row.dns != "" {
						dns["evil.test"] = strings.Fields(row.dns)
						dns["localhost"] = []string{"127.0.0.1"}
						if row.dns == "," {
							dns["evil.test"] = []string{""}
						}
					}
					b := newBench(t, egress.Policy{Mode: mode, Rules: rules}, http.HandlerFunc(redirecting), dns, nil)
					_, err := get(t, b, row.url)
					assert.Equal(t, row.want, reason(t, err), "%v", err)
				})
			}
		})
	}
}

// The Guard is enough under a client of the standard library too.
func TestSSRFUnderClient(t *testing.T) {
	for _, row := range ssrf {
		if row.want != literal && row.want != resolved && row.want != "too-many-redirects" {
			continue
		}
		t.Run(row.name, func(t *testing.T) {
			dns := map[string][]string{"good.test": {"93.184.215.20"}, "also.test": {"93.184.215.21"}, "evil.test": strings.Fields(row.dns), "127.0.0.1.evil.test": {"127.0.0.1"}}
			b := newBench(t, egress.Policy{Mode: toolspec.NetworkStrict}, http.HandlerFunc(redirecting), dns, nil)
			client := &http.Client{Transport: b.Guard}
			resp, err := client.Get(row.url)
			if err == nil {
				resp.Body.Close()
			}
			switch {
			case strings.Contains(row.url, "/r300"), strings.Contains(row.url, "/r305"):
				assert.NoError(t, err, "http.Client does not follow these")
			default:
				assert.Equal(t, row.want, reason(t, err), "%v", err)
			}
		})
	}
}
