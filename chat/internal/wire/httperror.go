package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/localpass/localpass/chat/llm"
)

// mostMessage is how much of the message of a provider an error contains, in runes.
const mostMessage = 400

// HTTPError converts a response of a provider with a status other than 2xx to an error:
// its code, whether a retry may help, and when. The message is that of the provider, if
// it sent one, as one line, cut, and without text that looks like an API key. body may be
// JSON, HTML or empty.
func HTTPError(provider string, status int, header http.Header, body []byte) *llm.Error {
	f := readFailure(body)
	e := &llm.Error{Provider: provider, HTTPStatus: status}
	e.Code, e.Retryable = classify(status, f)
	if e.Retryable {
		e.RetryAfter = RetryAfter(header)
	}
	if e.Message = clean(f.message); e.Message == "" {
		e.Message = strings.ToLower(http.StatusText(status))
	}
	if status == http.StatusNotFound && f.page {
		e.Message += ": is the base URL right?"
	}
	return e
}

// StreamError converts an error within a stream. raw is the value that the provider sent
// instead of a piece of the answer.
func StreamError(provider string, raw []byte) *llm.Error {
	f := readFailure(raw)
	status := f.status
	if status < 400 || status > 599 {
		status = 0
	}
	e := &llm.Error{Provider: provider, HTTPStatus: status, Message: clean(f.message)}
	e.Code, e.Retryable = classify(status, f)
	if e.Message == "" {
		e.Message = "the provider reported an error in the middle of its answer, without a reason"
	}
	return e
}

// Param returns the name of the setting that the body of an error refuses, if the
// provider sends it in a separate field.
func Param(body []byte) string { return readFailure(body).param }

// TransportError converts a failure of the connection. If the context is done, the error
// wraps the error of the context and its cause. begun says that the answer had started.
func TransportError(ctx context.Context, provider string, err error, begun bool) error {
	var known *llm.Error
	var timeout interface{ Timeout() bool }
	switch {
	case ctx.Err() != nil:
		if cause := context.Cause(ctx); !errors.Is(cause, ctx.Err()) {
			return fmt.Errorf("chat: %s: the request was stopped: %w: %w", provider, ctx.Err(), cause)
		}
		return fmt.Errorf("chat: %s: the request was stopped: %w", provider, ctx.Err())
	case errors.As(err, &known):
		return err
	case errors.Is(err, errRedirect):
		return &llm.Error{Code: llm.CodeProviderRejected, Provider: provider, Err: err}
	case errors.Is(err, ErrTooLong):
		return &llm.Error{Code: llm.CodeStreamBroken, Provider: provider, Err: err}
	case !dialing(err) && errors.As(err, &timeout) && timeout.Timeout():
		return &llm.Error{Code: llm.CodeProviderTimeout, Provider: provider, Retryable: true, Message: "the connection ran into a time limit", Err: err}
	case begun:
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return &llm.Error{Code: llm.CodeStreamBroken, Provider: provider, Retryable: true, Message: "the connection broke in the middle of the answer", Err: err}
	}
	message := "the server cannot be reached"
	var name *net.DNSError
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		message += ": nothing listens at its address"
	case errors.As(err, &name):
		message += ": the name of its host leads nowhere"
	}
	return &llm.Error{Code: llm.CodeUnavailable, Provider: provider, Retryable: true, Message: message, Err: err}
}

// dialing reports whether the connection could not be established.
func dialing(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// failure is the content of an error body, whatever its form.
type failure struct {
	message, code, kind, param string
	status                     int
	page                       bool // not JSON, but HTML, plain text or nothing
}

// readFailure reads the message of an error body. Supported forms are
// {"error":{"message":"...","code":"..."}}, {"error":"..."}, {"message":"..."},
// {"detail":"..."} and {"detail":[{"msg":"..."}]}, a list of one of these, HTML and plain
// text.
func readFailure(body []byte) failure {
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return failure{message: pageText(string(body)), page: true}
	}
	var f failure
	f.read(v, 0)
	return f
}

func (f *failure) read(v any, depth int) {
	if depth > 4 {
		return
	}
	switch v := v.(type) {
	case string:
		if f.message == "" {
			f.message = v
		}
	case []any:
		if len(v) > 0 {
			f.read(v[0], depth+1)
		}
	case map[string]any:
		if inner, ok := v["error"]; ok && inner != nil {
			f.read(inner, depth+1)
		}
		for _, name := range [...]string{"message", "msg", "detail", "errors", "error_description", "title"} {
			if f.message == "" {
				f.read(v[name], depth+1)
			}
		}
		f.code = first(f.code, stringOf(v["code"]))
		f.kind = first(f.kind, stringOf(v["type"]))
		f.param = first(f.param, stringOf(v["param"]))
		for _, name := range [...]string{"code", "status", "status_code"} {
			if n := statusOf(v[name]); f.status == 0 && n >= 100 && n <= 599 {
				f.status = n
			}
		}
	}
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// statusOf reads a status as a number or, as LiteLLM sends it, as a string.
func statusOf(v any) int {
	switch v := v.(type) {
	case float64:
		return int(v)
	case string:
		n, _ := strconv.Atoi(v) // 0 if it is a name
		return n
	}
	return 0
}

func stringOf(v any) string {
	s, _ := v.(string)
	return s
}

var (
	titles = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)
	tags   = regexp.MustCompile(`(?s)<[^>]*>`)
	// keys matches text that looks like an API key: a known prefix of a provider, or text
	// after the word Bearer.
	keys = regexp.MustCompile(`(?i)\b(?:sk|pk|rk|gsk|hf|xai|nvapi|pplx|key|token)[-_][A-Za-z0-9_*.-]{6,}|\bAIza[A-Za-z0-9_-]{10,}|\beyJ[A-Za-z0-9_-]{8,}[A-Za-z0-9_.-]*|\bbearer\s+\S+`)
)

// pageText returns the title of an HTML page, or the text of anything else.
func pageText(body string) string {
	if m := titles.FindStringSubmatch(body); m != nil {
		return "an HTML page: " + m[1]
	}
	if strings.Contains(body, "<html") || strings.Contains(body, "<!DOCTYPE") {
		return "an HTML page: " + tags.ReplaceAllString(body, " ")
	}
	return body
}

// clean returns a message as one line, without control characters and keys, cut to the
// maximum length.
func clean(message string) string {
	if len(message) > 16*mostMessage { // so that the patterns search no more text than needed
		message = message[:16*mostMessage]
	}
	message = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, message)
	message = keys.ReplaceAllString(message, "***")
	message = strings.Join(strings.Fields(message), " ")
	return Clip(message, mostMessage)
}

// Clip cuts a text after most runes, and then appends an ellipsis.
func Clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
