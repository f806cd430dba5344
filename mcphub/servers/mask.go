package servers

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/canon/scan"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec/secret"
)

// ErrMasked reports a mask in a connection that no value may replace.
var ErrMasked = errors.New("servers: a mask was given where a value is needed")

// Shown returns the definition of the record's connection for display. What is or may be
// secret is masked as "***", according to its place or name: values of headers and
// environment variables, the user and the query of an address, keys and passwords;
// placeholders are not masked. masked names the masked places, such as "headers.X-Key".
func (r *Record) Shown() (connection json.RawMessage, masked []string) {
	return maskedConnection(r.Connection)
}

// Unmasked replaces the masks in a definition that was shown and edited by the record's
// values. It returns [ErrMasked] for a mask without a value, or if the edited connection
// would send values of this record to another host or command: a caller cannot redirect
// secrets that are hidden from it.
func (r *Record) Unmasked(kind client.TransportKind, connection json.RawMessage) (json.RawMessage, error) {
	return unmaskedConnection(kind, connection, r.Kind, r.Connection)
}

// maskedConnection returns the definition of a connection in a form that may be shown:
// everything that is or may be secret is masked, but placeholders are not. hidden names
// the masked values.
func maskedConnection(connection json.RawMessage) (shown json.RawMessage, hidden []string) {
	if connection = bytes.TrimSpace(connection); len(connection) == 0 {
		return json.RawMessage("{}"), nil
	}
	m := &connectionMask{}
	return m.value(nil, connection, false), m.hidden
}

// connectionMask masks a definition. For unknown members, the name decides.
type connectionMask struct{ hidden []string }

func (m *connectionMask) hide(path []string) []byte {
	m.hidden = append(m.hidden, strings.Join(path, "."))
	return rpc.AppendString(nil, secret.Mask)
}

// value masks one value. all says that every text in it is a secret.
func (m *connectionMask) value(path []string, raw []byte, all bool) []byte {
	switch scan.KindOf(raw) {
	case scan.Object:
		dst := []byte{'{'}
		_ = rpc.ScanObject(raw, func(token, name, value []byte) { // valid, because it was parsed before
			at := append(slices.Clone(path), string(name))
			dst = append(append(rpc.Comma(dst), token...), ':')
			dst = append(dst, m.value(at, value, all || hidesAll(path, string(name)))...)
		})
		return append(dst, '}')
	case scan.Array:
		dst := []byte{'['}
		before := "" // the previous element, if it is a text
		n := 0
		rpc.Elements(raw, func(value []byte) {
			at := append(slices.Clone(path), fmt.Sprint(n))
			s, isText := rpc.Text(value)
			switch {
			case isText && !all && nameOf(path) != "requiredEnv":
				dst = append(rpc.Comma(dst), m.argument(at, before, s, value)...)
			default:
				dst = append(rpc.Comma(dst), m.value(at, value, all && nameOf(path) != "requiredEnv")...)
			}
			before = s
			n++
		})
		return append(dst, ']')
	case scan.String:
		s, _ := rpc.Text(raw)
		switch {
		case secret.IsSealed(s): // it could not be decrypted
			return m.hide(path)
		case all && s != "" && !isPlaceholder(s):
			return m.hide(path)
		case all:
			return raw
		}
		if shown := maskedURL(s); shown != s {
			m.hide(path)
			return rpc.AppendString(nil, shown)
		}
	case scan.Number:
		if all {
			return m.hide(path)
		}
	}
	return raw
}

// argument masks one argument of a command: the value after a flag or a name that
// indicates a secret, and the secret parts of a URL.
func (m *connectionMask) argument(path []string, before, s string, raw []byte) []byte {
	if secret.IsSealed(s) {
		return m.hide(path)
	}
	if strings.HasPrefix(before, "-") && !strings.Contains(before, "=") && hidesName(strings.TrimLeft(before, "-")) && !strings.HasPrefix(s, "-") {
		if isPlaceholder(s) {
			return raw
		}
		return m.hide(path)
	}
	if at := strings.IndexAny(s, "=:"); at > 0 && hidesName(strings.TrimLeft(s[:at], "-")) && !strings.HasPrefix(s[at:], "://") {
		value := strings.TrimSpace(s[at+1:])
		if value != "" && !isPlaceholder(value) {
			m.hide(path)
			return rpc.AppendString(nil, s[:at+1]+secret.Mask)
		}
		return raw
	}
	if shown := maskedURL(s); shown != s {
		m.hide(path)
		return rpc.AppendString(nil, shown)
	}
	return raw
}

func nameOf(path []string) string {
	if len(path) == 0 {
		return ""
	}
	return path[len(path)-1]
}

// hidesAll reports whether every text below a member is a secret.
func hidesAll(path []string, name string) bool {
	switch {
	case len(path) == 0 && (name == "headers" || name == "env"):
		return true
	case len(path) == 0 && (name == "oauth" || name == "requiredEnv"):
		return false
	}
	return hidesName(name)
}

// hidesName reports whether a name denotes a secret itself, and not a place where a
// secret can be obtained.
func hidesName(name string) bool {
	name = strings.ToLower(name)
	for _, end := range []string{"uri", "url", "endpoint", "method", "type", "server", "issuer", "file", "path"} {
		if strings.HasSuffix(name, end) {
			return false
		}
	}
	for _, word := range []string{"key", "token", "secret", "auth", "passw", "pwd", "credential", "cookie", "pat", "bearer", "signature"} {
		if strings.Contains(name, word) && (word != "pat" || name == word) {
			return true
		}
	}
	return false
}

// isPlaceholder reports whether a value consists only of placeholders and of the word
// before a credential.
func isPlaceholder(value string) bool {
	names := secret.Names(value)
	for _, name := range names {
		value = strings.ReplaceAll(value, "${"+name+"}", "")
	}
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "", "bearer", "basic", "token", "apikey":
		return len(names) > 0
	}
	return false
}

// maskedURL masks the user and the query values of a URL, or the query values of a path.
// Other texts stay unchanged.
func maskedURL(s string) string {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok || strings.ContainsAny(scheme, " \t/?#") {
		if path, query, asks := strings.Cut(s, "?"); asks && strings.HasPrefix(path, "/") {
			return path + "?" + maskedQuery(query)
		}
		return s
	}
	rest, fragment, hasFragment := strings.Cut(rest, "#")
	rest, query, hasQuery := strings.Cut(rest, "?")
	host, path, hasPath := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 && !isPlaceholder(host[:at]) {
		host = secret.Mask + host[at:]
	}
	out := scheme + "://" + host
	if hasPath {
		out += "/" + path
	}
	if hasQuery {
		out += "?" + maskedQuery(query)
	}
	if hasFragment && fragment != "" {
		out += "#" + secret.Mask
	}
	return out
}

func maskedQuery(query string) string {
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		if name, value, ok := strings.Cut(pair, "="); ok && value != "" && !isPlaceholder(value) {
			pairs[i] = name + "=" + secret.Mask
		} else if !ok && pair != "" && !isPlaceholder(pair) {
			pairs[i] = secret.Mask
		}
	}
	return strings.Join(pairs, "&")
}

// unmaskedConnection replaces masks with the stored values. It refuses to do so if the
// connection would then lead elsewhere: a value that is hidden from the caller must not
// be sent to an address that the caller chooses.
func unmaskedConnection(kind client.TransportKind, sent json.RawMessage, storedKind client.TransportKind, stored json.RawMessage) (json.RawMessage, error) {
	if sent = bytes.TrimSpace(sent); !bytes.Contains(sent, []byte(secret.Mask)) {
		return sent, nil
	}
	stored = bytes.TrimSpace(stored)
	shown, _ := maskedConnection(stored)
	out, err := unmasked(nil, sent, shown, stored)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(out, sent) {
		return sent, nil
	}
	before, err1 := destination(storedKind, stored)
	after, err2 := destination(kind, out)
	if err1 != nil || err2 != nil || before != after {
		return nil, fmt.Errorf("%w: the connection leads elsewhere than its kept values belong: send them anew", ErrMasked)
	}
	return out, nil
}

// unmasked walks through three forms of one value: as it was sent, as it was shown, and
// as it is stored.
func unmasked(path []string, sent, shown, stored []byte) ([]byte, error) {
	if !bytes.Contains(sent, []byte(secret.Mask)) {
		return sent, nil
	}
	if stored != nil && canon.Equal(sent, shown) {
		return stored, nil
	}
	none := fmt.Errorf("%w: %s: send the value itself", ErrMasked, cmp.Or(strings.Join(path, "."), "connection"))
	kind := scan.KindOf(sent)
	if stored == nil || kind != scan.KindOf(stored) {
		return nil, none
	}
	var failed error
	switch kind {
	case scan.Object:
		shownAll, storedAll := rpc.Object(shown), rpc.Object(stored)
		dst := []byte{'{'}
		_ = rpc.ScanObject(sent, func(token, name, value []byte) { // valid, because it was parsed before
			one, err := unmasked(append(slices.Clone(path), string(name)), value, shownAll[string(name)], storedAll[string(name)])
			if err != nil && failed == nil {
				failed = err
			}
			dst = append(append(append(rpc.Comma(dst), token...), ':'), one...)
		})
		return append(dst, '}'), failed
	case scan.Array:
		var shownAll, storedAll [][]byte
		rpc.Elements(shown, func(v []byte) { shownAll = append(shownAll, v) })
		rpc.Elements(stored, func(v []byte) { storedAll = append(storedAll, v) })
		dst := []byte{'['}
		n := 0
		rpc.Elements(sent, func(value []byte) {
			var was, is []byte
			if n < len(storedAll) {
				was, is = shownAll[n], storedAll[n]
			}
			one, err := unmasked(append(slices.Clone(path), fmt.Sprint(n)), value, was, is)
			if err != nil && failed == nil {
				failed = err
			}
			dst = append(rpc.Comma(dst), one...)
			n++
		})
		return append(dst, ']'), failed
	}
	return nil, none
}

// destination returns where a connection leads: its hosts, or the command. For an unknown
// kind, everything counts that is not a secret.
func destination(kind client.TransportKind, connection json.RawMessage) (string, error) {
	all := rpc.Object(connection)
	var parts []any
	switch kind = client.CanonicalKind(kind); {
	case kind == client.TransportStdio, kind == "" && all["command"] != nil:
		parts = append(parts, "stdio", all["command"], all["args"], all["cwd"])
	case kind == client.TransportHTTP, kind == client.TransportSSE, kind == "" && all["url"] != nil:
		parts = append(parts, "http")
		address, _ := rpc.Text(all["url"])
		parts = append(parts, rpc.Origin(address))
		for _, name := range []string{"issuerUri", "authorizationUri", "tokenUri"} {
			address, _ := rpc.Text(rpc.Object(all["oauth"])[name])
			parts = append(parts, rpc.Origin(address))
		}
	default:
		shown, _ := maskedConnection(connection)
		parts = append(parts, string(kind), shown)
	}
	raw, err := json.Marshal(parts)
	if err != nil {
		return "", err
	}
	form, err := canon.Transform(raw)
	return string(form), err
}
