package mcphub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/mcphub/internal/rpc"

	"github.com/localpass/localpass/toolspec"
)

// Request is the part of a request that handlers of resources, prompts and completions
// have in common: the caller and its connection.
type Request struct {
	// ID names the request in logs.
	ID string
	// Principal is the caller, as established by the transport.
	Principal toolspec.Principal
	// Meta is the client's metadata. It must not be trusted.
	Meta map[string]json.RawMessage
	// Peer sends messages and requests to the client while the handler runs; never nil.
	Peer toolspec.Peer
}

// Resource is something that clients can read.
type Resource struct {
	// URI identifies the resource: absolute, at most 8 KiB, unique in a hub.
	URI string
	// Name is a short name for programs. Default: URI.
	Name string
	// Title and Description are for people and models, MIMEType is the type of the
	// content, Size its length in bytes. All are optional; 0 is not sent.
	Title, Description, MIMEType string
	Size                         int64
	Icons                        []toolspec.Icon
	// Audience ("user", "assistant"), Priority (0 to 1) and Modified are MCP's
	// annotations; zero values are not sent.
	Audience []string
	Priority *float64
	Modified time.Time
	// Meta is sent as _meta of the description.
	Meta map[string]json.RawMessage
}

// ResourceTemplate is a family of resources whose URIs follow one pattern.
type ResourceTemplate struct {
	// URITemplate is the pattern, by RFC 6570, such as "log://{day}/{name}". A URI
	// without a resource is matched against the templates, in the lexical order of the
	// patterns.
	URITemplate string
	// The other fields are as in [Resource]. The default of Name is URITemplate.
	Name, Title, Description, MIMEType string
	Icons                              []toolspec.Icon
	Audience                           []string
	Priority                           *float64
	Modified                           time.Time
	Meta                               map[string]json.RawMessage
	// Complete suggests values for variables, by name. Optional.
	Complete map[string]CompleteFunc
}

// ReadRequest asks for the contents of a resource.
type ReadRequest struct {
	Request
	// URI is the requested URI.
	URI string
	// Variables are the decoded values of the template's variables: they may contain any
	// characters, such as / and .., whatever the template. Several values of one variable
	// are joined by commas. nil for a resource without a template.
	Variables map[string]string
}

// ReadResult is the content of a resource.
type ReadResult struct {
	// Contents are the parts, each with Text or Data. A part without URI or MIMEType gets
	// those of the resource; its Type is ignored. A resource without parts counts as not
	// existing: see [ErrUnknownResource].
	Contents []toolspec.Content
	// TTL is how long a client may cache the result, and Public allows shared caches to
	// serve it to other clients. By default nothing is cached.
	TTL    time.Duration
	Public bool
	// Meta is sent as _meta.
	Meta map[string]json.RawMessage
}

// ReadFunc reads a resource. It is called concurrently, and must end soon after ctx does.
// [ErrUnknownResource] says that there is no such resource. An [*client.RPCError] is sent
// to the client; the text of any other error is not.
type ReadFunc func(ctx context.Context, req *ReadRequest) (*ReadResult, error)

// ReadText returns a ReadFunc that always returns the same text.
func ReadText(text string) ReadFunc {
	return func(context.Context, *ReadRequest) (*ReadResult, error) {
		return &ReadResult{Contents: []toolspec.Content{{Text: text}}}, nil
	}
}

// AddResource serves a resource from now on, and notifies clients. The error says what is
// wrong with the resource, or matches toolspec.ErrNameTaken.
func (h *Hub) AddResource(r Resource, read ReadFunc) error {
	f, err := newResource(&r, read)
	if err != nil {
		return fmt.Errorf("mcphub: add resource %q: %w", clip.To(r.URI, 200), err)
	}
	return h.addFeature(f)
}

// RemoveResource stops serving a resource that was added by AddResource. Running reads
// finish. The error is ErrUnknownResource if there is none.
func (h *Hub) RemoveResource(uri string) error { return h.removeFeature(kindResource, uri) }

// AddResourceTemplate serves the resources of a template from now on, and notifies
// clients. The error says what is wrong with the template, or matches
// toolspec.ErrNameTaken.
func (h *Hub) AddResourceTemplate(t ResourceTemplate, read ReadFunc) error {
	f, err := newResourceTemplate(&t, read)
	if err != nil {
		return fmt.Errorf("mcphub: add resource template %q: %w", clip.To(t.URITemplate, 200), err)
	}
	return h.addFeature(f)
}

// RemoveResourceTemplate stops serving a template that was added by AddResourceTemplate.
// Running reads finish. The error is ErrUnknownResource if there is none.
func (h *Hub) RemoveResourceTemplate(uriTemplate string) error {
	return h.removeFeature(kindTemplate, uriTemplate)
}

// ResourceUpdated notifies the clients that have subscribed to a resource of its change.
// It does not block. Several changes in a short time cause one notification.
func (h *Hub) ResourceUpdated(uri string) { h.subscriptions.updated(uri) }

func newResource(r *Resource, read ReadFunc) (*feature, error) {
	if err := checkURI(r.URI); err != nil {
		return nil, err
	}
	if read == nil {
		return nil, errors.New("the function that reads it is nil")
	}
	f := &feature{kind: kindResource, key: r.URI, mimeType: r.MIMEType, read: read}
	c := &toolspec.Content{Audience: r.Audience, Priority: r.Priority, Modified: r.Modified, Meta: r.Meta}
	if err := checkDescription(r.Icons, c); err != nil {
		return nil, err
	}
	b := rpc.AppendString([]byte(`{"uri":`), r.URI)
	b = appendDescription(b, cmp.Or(r.Name, r.URI), r.Title, r.Description)
	b = rpc.AppendField(b, "mimeType", r.MIMEType)
	if r.Size > 0 {
		b = rpc.AppendNumber(append(b, `,"size":`...), float64(r.Size))
	}
	f.listed = append(rpc.AppendMeta(rpc.AppendAnnotations(appendIcons(b, r.Icons), c), c.Meta, nil), '}')
	return f, nil
}

func newResourceTemplate(t *ResourceTemplate, read ReadFunc) (*feature, error) {
	pattern, err := parseTemplate(t.URITemplate)
	if err != nil {
		return nil, err
	}
	if read == nil {
		return nil, errors.New("the function that reads it is nil")
	}
	f := &feature{kind: kindTemplate, key: t.URITemplate, mimeType: t.MIMEType, read: read, pattern: pattern}
	for name, complete := range t.Complete {
		if !pattern.has(name) {
			return nil, fmt.Errorf("it has no variable %q to complete", name)
		}
		f.completes(name, complete)
	}
	c := &toolspec.Content{Audience: t.Audience, Priority: t.Priority, Modified: t.Modified, Meta: t.Meta}
	if err := checkDescription(t.Icons, c); err != nil {
		return nil, err
	}
	b := rpc.AppendString([]byte(`{"uriTemplate":`), t.URITemplate)
	b = appendDescription(b, cmp.Or(t.Name, t.URITemplate), t.Title, t.Description)
	b = appendIcons(rpc.AppendField(b, "mimeType", t.MIMEType), t.Icons)
	f.listed = append(rpc.AppendMeta(rpc.AppendAnnotations(b, c), c.Meta, nil), '}')
	return f, nil
}

// checkURI rejects a text that cannot be the URI of a resource.
func checkURI(uri string) error {
	if len(uri) > rpc.MaxURI {
		return fmt.Errorf("its URI has more than %d bytes", rpc.MaxURI)
	}
	if u, err := url.Parse(uri); err != nil || u.Scheme == "" {
		return errors.New(`its URI must be absolute, such as "file:///a" or "notes://today"`)
	}
	return nil
}

// checkDescription rejects what cannot be listed. After this check, writing cannot fail.
func checkDescription(icons []toolspec.Icon, c *toolspec.Content) error {
	for i := range icons {
		if err := icons[i].Check(); err != nil {
			return err
		}
	}
	return rpc.CheckMeta(c.Meta)
}

func appendDescription(dst []byte, name, title, description string) []byte {
	dst = rpc.AppendString(append(dst, `,"name":`...), name)
	return rpc.AppendField(rpc.AppendField(dst, "title", title), "description", description)
}

// appendIcons writes `,"icons":[…]`, or nothing if no icon can be served.
func appendIcons(dst []byte, icons []toolspec.Icon) []byte {
	start := len(dst)
	for i := range icons {
		icon := &icons[i]
		if icon.Check() != nil {
			continue
		}
		if len(dst) == start {
			dst = append(dst, `,"icons":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = rpc.AppendString(append(dst, `{"src":`...), icon.Src)
		dst = rpc.AppendField(dst, "mimeType", icon.MIMEType)
		if len(icon.Sizes) > 0 {
			dst = rpc.AppendStrings(append(dst, `,"sizes":`...), icon.Sizes)
		}
		dst = append(rpc.AppendField(dst, "theme", icon.Theme), '}')
	}
	if len(dst) > start {
		dst = append(dst, ']')
	}
	return dst
}
