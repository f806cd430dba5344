package rpc

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Encode writes an object from values that are valid JSON, with its members in order.
func Encode(object map[string]json.RawMessage) json.RawMessage {
	out := []byte{'{'}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		out = append(append(AppendString(Comma(out), name), ':'), object[name]...)
	}
	return append(out, '}')
}

// WithMembers returns a JSON object with some members replaced, added or, if the value is
// nil, removed. The other members stay unchanged and come first.
func WithMembers(object []byte, set map[string][]byte) json.RawMessage {
	dst := append(make([]byte, 0, len(object)+64), '{')
	_ = ScanObject(object, func(token, name, value []byte) { // valid, because it was parsed before
		if _, other := set[string(name)]; !other {
			dst = AppendMember(dst, token, value)
		}
	})
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if set[name] != nil {
			dst = AppendMember(dst, AppendString(nil, name), set[name])
		}
	}
	return append(dst, '}')
}

// Plain returns an error's text without the name of the package that made it, for people
// who do not know these packages.
func Plain(err error) string { return PlainText(err.Error()) }

// PlainText is [Plain] for a text.
func PlainText(text string) string {
	for _, prefix := range []string{"mcphub: ", "servers: ", "client: ", "inspector: "} {
		if rest, ok := strings.CutPrefix(text, prefix); ok {
			return rest
		}
	}
	return text
}

// Millis returns a duration in milliseconds, with microsecond precision.
func Millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// Origin returns the scheme and the host of an address, in lower case; if the address
// cannot be parsed, all of it.
func Origin(address string) string {
	u, err := url.Parse(address)
	if err != nil || strings.Contains(address, "${") {
		return address
	}
	return strings.ToLower(u.Scheme + "://" + u.Host)
}
