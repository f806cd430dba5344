package directory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/canon/scan"
	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// Limits of what is read in the format of the registry.
const (
	maxRegistry  = 1 << 20 // bytes
	maxWays      = 50      // packages and addresses of a server
	maxVariables = 200
)

// Registry is what was read in the format of the MCP registry.
type Registry struct {
	// Entries are the usable ways to reach the server, one each, in the category CUSTOM.
	Entries []*Entry
	// Skipped are the other ways, each with its place in the file and why it is left out.
	Skipped []string
}

// FetchRegistry reads a server.json from an https address, or over http from this machine. rt
// sends the request; nil is a transport without a proxy. The context bounds the time.
func FetchRegistry(ctx context.Context, rt http.RoundTripper, address string) (*Registry, error) {
	own := &http.Transport{}
	defer own.CloseIdleConnections()
	hc := http.Client{Transport: own, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if len(via) > 5 || !protected(req.URL) {
			return errors.New("it redirects too often, or to an address that is not https")
		}
		return nil
	}}
	if rt != nil {
		hc.Transport = rt
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil || !protected(req.URL) {
		return nil, errors.New("directory: give an https address without a user")
	}
	resp, err := hc.Do(req)
	if err != nil {
		return nil, fmt.Errorf("directory: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("directory: the server of %s answered %s", req.URL.Host, resp.Status)
	}
	return ReadRegistry(resp.Body)
}

// ReadRegistry reads the text of a server.json. See [ParseRegistry].
func ReadRegistry(r io.Reader) (*Registry, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxRegistry+1))
	if err != nil {
		return nil, fmt.Errorf("directory: %w", err)
	}
	return ParseRegistry(data)
}

// ParseRegistry reads the text of a server.json of at most 1 MiB, alone or as a registry
// answers it: as the member "server". Nothing is started or connected to. The error names the
// place of the fault.
func ParseRegistry(data []byte) (*Registry, error) {
	if len(data) > maxRegistry {
		return nil, fmt.Errorf("directory: the file is larger than %d bytes", maxRegistry)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	span, bad := scan.Text(data, canon.MaxDepth)
	if bad != nil {
		line, column := scan.Position(data, bad.Offset)
		return nil, fmt.Errorf("directory: line %d, column %d: %s", line, column, bad)
	}
	var twice error
	scan.Repeated(data, span, func(pointer string, name scan.Span) {
		twice = fmt.Errorf("directory: %s: the member %s occurs twice: remove one", pointer, clip.To(string(name.Of(data)), 80))
	})
	if twice != nil { // which of two counts is not guessed
		return nil, twice
	}
	raw, place := span.Of(data), ""
	if inner, ok := rpc.Object(raw)["server"]; ok {
		raw, place = inner, "server"
	}
	var s registryServer
	if err := into(place, raw, &s); err != nil {
		return nil, err
	}
	return s.read(place)
}

// The registry format, as far as it is used.
type (
	registryServer struct {
		Name        string            `json:"name"`
		Title       string            `json:"title"`
		Description string            `json:"description"`
		Website     string            `json:"websiteUrl"`
		Packages    []json.RawMessage `json:"packages"`
		Remotes     []json.RawMessage `json:"remotes"`
		Repository  struct {
			URL string `json:"url"`
		} `json:"repository"`
	}
	registryRemote struct {
		Type      string                   `json:"type"`
		URL       string                   `json:"url"`
		Headers   []registryInput          `json:"headers"`
		Variables map[string]registryInput `json:"variables"`
	}
	registryPackage struct {
		Type       string          `json:"registryType"`
		BaseURL    string          `json:"registryBaseUrl"`
		Identifier string          `json:"identifier"`
		Version    string          `json:"version"`
		Runner     string          `json:"runtimeHint"`
		RunnerArgs []registryInput `json:"runtimeArguments"`
		Args       []registryInput `json:"packageArguments"`
		Env        []registryInput `json:"environmentVariables"`
		Transport  struct {
			Type string `json:"type"`
		} `json:"transport"`
	}
	// registryInput is a header, an environment variable, an argument, or a variable in one of
	// these: a fixed value, or one that a person gives.
	registryInput struct {
		Name        string                   `json:"name"`
		Type        string                   `json:"type"`
		Hint        string                   `json:"valueHint"`
		Description string                   `json:"description"`
		Required    bool                     `json:"isRequired"`
		Secret      bool                     `json:"isSecret"`
		Value       string                   `json:"value"`
		Default     string                   `json:"default"`
		Choices     []string                 `json:"choices"`
		Variables   map[string]registryInput `json:"variables"`
	}
)

// into reads a value that is well-formed JSON. Its error names the place.
func into(place string, raw []byte, to any) error {
	if kind := scan.KindOf(raw); kind != scan.Object {
		return fmt.Errorf("directory: %s is %s, and should be an object", describe(place), kind)
	}
	err := json.Unmarshal(raw, to)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		err = fmt.Errorf("directory: %s is a %s, which is not the right kind of value", describe(strings.TrimPrefix(place+"."+wrong.Field, ".")), wrong.Value)
	}
	return err
}

func describe(place string) string {
	if place == "" {
		return "the file"
	}
	return place
}

// read makes an entry for each usable way to reach the server.
func (s *registryServer) read(place string) (*Registry, error) {
	namespace, short, _ := strings.Cut(s.Name, "/")
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789.-"
	switch {
	case namespace == "" || strings.Trim(strings.ToLower(namespace), letters) != "" || !rpc.IsServerID(short) || len(s.Name) > 200:
		return nil, fmt.Errorf("directory: name: %q is not the name of a server, such as io.github.user/weather", clip.To(s.Name, 80))
	case len(s.Packages)+len(s.Remotes) == 0 || len(s.Packages)+len(s.Remotes) > maxWays:
		return nil, fmt.Errorf("directory: %s must have 1 to %d packages and remotes", s.Name, maxWays)
	}
	base := Entry{ID: strings.ToLower(short), Name: clip.To(s.Title, rpc.MaxName/4), Category: "CUSTOM", Vendor: namespace, Description: clip.To(s.Description, rpc.MaxDescription/4)}
	if base.Name == "" {
		base.Name = short
	}
	for _, link := range []string{s.Repository.URL, s.Website} { // the latter is better
		if u, err := url.Parse(link); err == nil && u.Scheme == "https" && u.Host != "" {
			base.Docs = link
		}
	}
	out := &Registry{}
	try := func(list string, i int, raw []byte, from interface{ fill(*way) error }) error {
		w := &way{entry: base, place: scan.Index(strings.TrimPrefix(place+"."+list, "."), i), prefix: placeholderName(s.Name) + "__"}
		err := into(w.place, raw, from)
		if err == nil {
			err = from.fill(w)
		}
		var unusable unusableError
		if errors.As(err, &unusable) {
			out.Skipped = append(out.Skipped, w.place+": "+string(unusable))
			return nil
		}
		out.Entries = append(out.Entries, &w.entry)
		return err
	}
	for i, raw := range s.Remotes {
		if err := try("remotes", i, raw, &registryRemote{}); err != nil {
			return nil, err
		}
	}
	for i, raw := range s.Packages {
		if err := try("packages", i, raw, &registryPackage{}); err != nil {
			return nil, err
		}
	}
	for i, e := range out.Entries {
		if len(out.Entries) > 1 {
			e.ID = fmt.Sprintf("%s-%d", e.ID[:min(len(e.ID), rpc.MaxServerID-3)], i+1)
		}
		if err := e.check(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// unusableError says why a way to reach a server is left out.
type unusableError string

func (e unusableError) Error() string { return string(e) }

func unusable(format string, args ...any) error { return unusableError(fmt.Sprintf(format, args...)) }

// placeholderName converts a name to one of a placeholder.
func placeholderName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(name))
	if name != "" && name[0] >= '0' && name[0] <= '9' {
		return "_" + name
	}
	return name
}

// protected reports whether what an address answers cannot be changed on the way.
func protected(u *url.URL) bool {
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Host != "" && u.User == nil && (u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || err == nil && ip.IsLoopback()))
}
