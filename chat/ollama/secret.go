package ollama

import (
	"encoding/json"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"strings"
)

// shownOptions holds the part of the options that may be shown.
type shownOptions struct {
	ID            string            `json:"id,omitempty"`
	BaseURL       string            `json:"baseUrl,omitempty"`
	Header        []string          `json:"header,omitempty"` // only the names of the headers
	KeepAlive     string            `json:"keepAlive,omitempty"`
	NumCtx        int               `json:"numCtx,omitempty"`
	ServerContext bool              `json:"serverContext,omitempty"`
	Quirks        map[string]Quirks `json:"quirks,omitempty"`
}

func (o *Options) shown() shownOptions {
	s := shownOptions{ID: o.ID, KeepAlive: o.KeepAlive, NumCtx: o.NumCtx, ServerContext: o.ServerContext, Quirks: o.Quirks}
	if u, err := url.Parse(o.BaseURL); err == nil { // an invalid URL may contain a password
		u.User, u.RawQuery, u.Fragment = nil, "", ""
		s.BaseURL = u.String()
	}
	for name := range o.Header {
		s.Header = append(s.Header, name)
	}
	slices.Sort(s.Header)
	return s
}

// String shows the options without the values of headers.
func (o Options) String() string {
	b, _ := json.Marshal(o.shown()) // cannot fail for strings and numbers
	return "ollama.Options" + string(b)
}

// GoString is String.
func (o Options) GoString() string { return o.String() }

// MarshalJSON leaves the values of headers out.
func (o Options) MarshalJSON() ([]byte, error) { return json.Marshal(o.shown()) }

// LogValue leaves the values of headers out.
func (o Options) LogValue() slog.Value { return slog.AnyValue(o.shown()) }

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	host = strings.ToLower(host)
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
