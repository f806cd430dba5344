package fetch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/sandbox/internal/hostcall"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/activity"
)

// The operations.
const (
	opFetch  = "fetch"
	opBody   = "fetch.body"
	opText   = "fetch.text"
	opUpload = "fetch.upload"
)

// component names this package in errors.
const component = "fetch"

// Reasons in addition to those of package egress.
const (
	ReasonInvalidJSON = "invalid-json"
	ReasonRequest     = "invalid-request" // a request that the JavaScript part never sends
	ReasonPart        = "invalid-part"    // a part of a body that does not exist
	ReasonCharset     = "unknown-charset" // a charset that the program cannot decode
)

// Limits holds the limits on the form of a request. Operators cannot change them; the
// guard limits the cost of requests.
type Limits struct {
	Headers     int // number of request headers: 100; servers refuse more
	HeaderBytes int // total length of the headers: 64 KiB
	URLBytes    int // length of the URL: 64 KiB
	JSONDepth   int // nesting depth of a text that json() parses: 2,000
}

// DefaultLimits returns the limits.
func DefaultLimits() Limits {
	return Limits{Headers: 100, HeaderBytes: 64 << 10, URLBytes: 64 << 10, JSONDepth: 2000}
}

// Service performs the requests of one run. It implements hostcall.Service.
type Service struct {
	call   *egress.Call
	limits Limits
	send   int64 // maximum bytes of one request body
	upload []byte
	decode Decode
	bodies map[int]*held // the windows that more is asked of, by id
	last   int
}

// Decode decodes a text in the charset of a label to UTF-8. ok is false for a label that
// it does not know: the text counts as UTF-8.
type Decode = func(label string, body []byte) (text []byte, ok bool)

// held is a window that did not fit into one reply, or that only the program can decode.
type held struct {
	data  []byte
	label string // of a charset that package charset does not have
	text  int    // the id of the decoded text
}

var _ hostcall.Service = (*Service)(nil)

// NewService returns the service for one run, which sends its requests through call.
// decode may be nil: then a body in a charset other than those of package charset is an
// error for code that reads its text.
func NewService(call *egress.Call, decode Decode) *Service {
	return &Service{call: call, decode: decode, limits: DefaultLimits(), send: egress.DefaultLimits().Send, bodies: map[int]*held{}}
}

// Denials returns the refused requests.
func (s *Service) Denials() []activity.Denial { return s.call.Denials() }

// Close releases the bodies that are still held.
func (s *Service) Close() error {
	s.upload = nil
	clear(s.bodies)
	return nil
}

// Serve performs one operation. It validates everything in the request.
func (s *Service) Serve(ctx context.Context, req hostcall.Request) (hostcall.Reply, *toolspec.CallError) {
	switch {
	case len(req.Data) > hostcall.MaxData:
		return hostcall.Reply{}, malformed("the data is too large")
	case len(req.Args) > s.limits.URLBytes+2*s.limits.HeaderBytes+1<<20:
		return hostcall.Reply{}, malformed("the arguments are too large")
	}
	switch req.Op {
	case opFetch:
		return s.fetch(ctx, req)
	case opBody:
		return s.part(req)
	case opText:
		return s.text(req)
	case opUpload:
		return s.uploadPart(req)
	}
	return hostcall.Reply{}, malformed(fmt.Sprintf("there is no operation %.40q", req.Op))
}

func malformed(what string) *toolspec.CallError {
	return &toolspec.CallError{Kind: toolspec.KindInvalidInput, Reason: ReasonRequest, Component: component, Message: "[fetch] " + what}
}

// request is the Args of "fetch".
type request struct {
	URL        string      `json:"url"`
	Method     string      `json:"method"`
	Headers    [][2]string `json:"headers,omitempty"`
	StartIndex int64       `json:"startIndex,omitempty"`
	MaxLength  int64       `json:"maxLength,omitempty"` // 0: to the end
	Upload     bool        `json:"upload,omitempty"`
}

// response is the Value of "fetch".
type response struct {
	ID             int         `json:"id,omitempty"` // of the body, if more of it can be fetched
	Status         int         `json:"status"`
	URL            string      `json:"url"`
	Redirected     bool        `json:"redirected,omitempty"`
	ContentType    *string     `json:"contentType"`
	Headers        [][2]string `json:"headers"`
	Truncated      bool        `json:"truncated,omitempty"`
	NextStartIndex int64       `json:"nextStartIndex,omitempty"`
	Size           int         `json:"size"` // of the window
}

func (s *Service) fetch(ctx context.Context, in hostcall.Request) (hostcall.Reply, *toolspec.CallError) {
	var r request
	if err := json.Unmarshal(in.Args, &r); err != nil {
		return hostcall.Reply{}, malformed("the arguments cannot be read")
	}
	data := in.Data
	if r.Upload {
		data = append(s.upload, in.Data...)
		s.upload = nil
	}
	if err := s.check(&r, data); err != nil {
		return hostcall.Reply{}, err
	}
	out, err := s.build(ctx, &r, data)
	if err != nil {
		return hostcall.Reply{}, err
	}
	resp, sent := s.call.Do(out)
	if sent != nil {
		return hostcall.Reply{}, callError(sent)
	}
	window, more, readErr := s.window(resp, &r)
	if readErr != nil {
		return hostcall.Reply{}, callError(readErr)
	}
	window = s.mask(window)
	answer := response{
		Status: resp.StatusCode, URL: s.call.Redactor().String(address(resp.Request.URL)), Redirected: resp.Request.Response != nil,
		Headers: s.headers(resp.Header), Size: len(window),
	}
	if values := resp.Header.Values("Content-Type"); len(values) > 0 {
		text := validUTF8(strings.Join(values, ", "))
		answer.ContentType = &text
		if label, ok := charsetOf(text); !ok {
			answer.ID = s.hold(&held{data: window, label: label})
		}
	}
	if more {
		answer.Truncated, answer.NextStartIndex = true, r.StartIndex+r.MaxLength
	}
	return s.reply(&answer, window)
}

// hold keeps a window for "fetch.body" and "fetch.text", and returns its id.
func (s *Service) hold(h *held) int {
	s.last++
	s.bodies[s.last] = h
	return s.last
}

// reply returns the result of a request and as much of the window as fits into the reply;
// the rest is held for "fetch.body".
func (s *Service) reply(answer *response, window []byte) (hostcall.Reply, *toolspec.CallError) {
	value, err := json.Marshal(answer)
	if err == nil && len(value)+len(window) > hostcall.MaxData {
		if answer.ID == 0 {
			answer.ID = s.hold(&held{data: window})
		}
		if value, err = json.Marshal(answer); err == nil {
			room := max(hostcall.MaxData-len(value), 0)
			window = window[:room:room]
		}
	}
	if err != nil {
		return hostcall.Reply{}, malformed("the response cannot be described")
	}
	return hostcall.Reply{Value: value, Data: window}, nil
}

// mask hides secrets that a server sends back: values that were added to the request and
// that code must not see.
func (s *Service) mask(window []byte) []byte {
	if s.call.Redactor() == nil {
		return window
	}
	return []byte(s.call.Redactor().String(string(window)))
}

// address returns the URL that code sees: without a fragment, and with at least "/" as
// its path.
func address(u *url.URL) string {
	out := *u
	if out.Fragment, out.RawFragment = "", ""; out.Path == "" {
		out.Path = "/"
	}
	return out.String()
}

// check checks a request from code against the limits.
func (s *Service) check(r *request, data []byte) *toolspec.CallError {
	size := 0
	for _, h := range r.Headers {
		size += len(h[0]) + len(h[1])
	}
	switch {
	case r.URL == "":
		return &toolspec.CallError{Kind: toolspec.KindInvalidInput, Reason: egress.ReasonMissingURL, Component: component, Message: "[fetch] there is no URL"}
	case len(r.URL) > s.limits.URLBytes:
		return &toolspec.CallError{Kind: toolspec.KindInvalidInput, Reason: egress.ReasonInvalidURL, Component: component, Message: "[fetch] the URL is too long"}
	case len(r.Headers) > s.limits.Headers || size > s.limits.HeaderBytes:
		return &toolspec.CallError{Kind: toolspec.KindInvalidInput, Reason: egress.ReasonInvalidHeader, Component: component,
			Message: fmt.Sprintf("[fetch] a request has at most %d headers with %d bytes", s.limits.Headers, s.limits.HeaderBytes)}
	case int64(len(data)) > s.send:
		return tooMuch()
	case r.StartIndex < 0 || r.MaxLength < 0 || r.StartIndex > math.MaxInt64/2 || r.MaxLength > math.MaxInt64/2:
		return malformed("startIndex and maxLength are not positions in a body")
	}
	return nil
}

func tooMuch() *toolspec.CallError {
	return &toolspec.CallError{Kind: toolspec.KindResourceLimit, Reason: egress.ReasonRequestBody, Component: component, Message: "[fetch] the body of the request is too large"}
}

// build builds the HTTP request to send.
func (s *Service) build(ctx context.Context, r *request, data []byte) (*http.Request, *toolspec.CallError) {
	u, err := s.call.ParseURL(ctx, r.URL)
	if err != nil {
		return nil, callError(err)
	}
	out := (&http.Request{Method: strings.ToUpper(r.Method), URL: u, Header: make(http.Header, len(r.Headers))}).WithContext(ctx)
	if out.Method == "" {
		out.Method = http.MethodGet
	}
	for _, h := range r.Headers {
		if !strings.EqualFold(h[0], "Accept-Encoding") { // bodies are delivered decompressed
			out.Header.Add(h[0], h[1])
		}
	}
	if len(data) > 0 {
		out.ContentLength = int64(len(data))
		out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
		out.Body, _ = out.GetBody()
	}
	return out, nil
}

// window reads the requested part of a body, and reports whether the body continues after
// it. It does not read the rest.
func (s *Service) window(resp *http.Response, r *request) (window []byte, more bool, err error) {
	defer resp.Body.Close()
	if r.StartIndex > 0 {
		if n, err := io.CopyN(io.Discard, resp.Body, r.StartIndex); err != nil && !(errors.Is(err, io.EOF) && n < r.StartIndex) {
			return nil, false, err
		}
	}
	var body io.Reader = resp.Body
	if r.MaxLength > 0 {
		body = io.LimitReader(body, r.MaxLength+1)
	}
	var b bytes.Buffer
	if n := resp.ContentLength; n > 0 && n < 1<<20 {
		b.Grow(int(n) + bytes.MinRead)
	}
	if _, err := b.ReadFrom(body); err != nil {
		return nil, false, err
	}
	window = b.Bytes()
	if r.MaxLength > 0 && int64(len(window)) > r.MaxLength {
		return window[:r.MaxLength], true, nil
	}
	return window, false, nil
}

// headers returns the headers of a response, with names in lower case and sorted.
func (s *Service) headers(h http.Header) [][2]string {
	list := make([][2]string, 0, len(h))
	for name, values := range h {
		list = append(list, [2]string{strings.ToLower(name), validUTF8(s.call.Redactor().String(strings.Join(values, ", ")))})
	}
	slices.SortFunc(list, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return list
}

// validUTF8 replaces invalid UTF-8 from a server, so that s can be encoded as JSON.
func validUTF8(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

// body returns the window that the arguments of a request name, and their offset.
func (s *Service) body(in hostcall.Request) (body *held, offset int64, failed *toolspec.CallError) {
	var p struct {
		ID     int   `json:"id"`
		Offset int64 `json:"offset"`
	}
	if err := json.Unmarshal(in.Args, &p); err != nil {
		return nil, 0, malformed("the arguments cannot be read")
	}
	body, ok := s.bodies[p.ID]
	if !ok || p.Offset < 0 || p.Offset > int64(len(body.data)) {
		return nil, 0, &toolspec.CallError{Kind: toolspec.KindInvalidInput, Reason: ReasonPart, Component: component, Message: "[fetch] there is no such part of a body"}
	}
	return body, p.Offset, nil
}

// part returns a further part of a body.
func (s *Service) part(in hostcall.Request) (hostcall.Reply, *toolspec.CallError) {
	body, offset, failed := s.body(in)
	if failed != nil {
		return hostcall.Reply{}, failed
	}
	rest := body.data[offset:]
	return hostcall.Reply{Value: json.RawMessage("null"), Data: rest[:min(len(rest), hostcall.MaxData)]}, nil
}

// text returns a body as UTF-8.
func (s *Service) text(in hostcall.Request) (hostcall.Reply, *toolspec.CallError) {
	body, _, failed := s.body(in)
	if failed != nil {
		return hostcall.Reply{}, failed
	}
	if s.decode == nil && body.label != "" {
		return hostcall.Reply{}, &toolspec.CallError{Kind: toolspec.KindHelperRuntime, Reason: ReasonCharset, Component: component,
			Message: fmt.Sprintf("[fetch] this program cannot decode the charset %.40q; read arrayBuffer(), or have the program use package sandbox/charsets", body.label)}
	}
	if body.text == 0 {
		text := &held{data: body.data}
		if body.label != "" {
			if decoded, ok := s.decode(body.label, body.data); ok {
				text.data = s.mask(decoded)
			}
		}
		body.text = s.hold(text)
	}
	text := s.bodies[body.text]
	return s.reply(&response{ID: body.text, Size: len(text.data)}, text.data)
}

// uploadPart stores a part of the body of the next request.
func (s *Service) uploadPart(in hostcall.Request) (hostcall.Reply, *toolspec.CallError) {
	var p struct {
		Reset bool `json:"reset"`
	}
	if len(in.Args) > 0 {
		if err := json.Unmarshal(in.Args, &p); err != nil {
			return hostcall.Reply{}, malformed("the arguments cannot be read")
		}
	}
	if p.Reset {
		s.upload = nil
	}
	if int64(len(s.upload)+len(in.Data)) > s.send {
		s.upload = nil
		return hostcall.Reply{}, tooMuch()
	}
	s.upload = append(s.upload, in.Data...)
	return hostcall.Reply{Value: json.RawMessage("null")}, nil
}

// callError converts an error of the guard to a toolspec.CallError.
func callError(err error) *toolspec.CallError {
	var e *egress.Error
	if errors.As(err, &e) {
		return e.CallError()
	}
	return &toolspec.CallError{Kind: toolspec.KindHelperRuntime, Reason: egress.ReasonIO, Component: component, Message: "[fetch] the request failed", Err: err}
}
