package openai

import (
	"bytes"
	"context"
	"io"
	"maps"
	"mime"
	"net/http"

	"github.com/localpass/localpass/chat/internal/wire"
	"github.com/localpass/localpass/chat/llm"
)

// exchange is one streaming request that is made through the library. The context carries
// it past the library to [doer].
type exchange struct {
	// body is sent instead of the body from the library, which leaves out zeros and empty
	// strings, and supports only settings that it knows.
	body []byte
	// failure is the body of an error response.
	failure []byte
	// done says that the stream has sent its end marker.
	done bool
	// rest is the remaining body of the response.
	rest io.Reader
}

type exchangeKey struct{}

// with returns a context that carries this exchange through the library.
func (x *exchange) with(ctx context.Context) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// doer sends the requests of the library.
type doer struct{ p *Provider }

// Do sends a request with the API key, and with the body of its exchange if it has one.
// Its errors are those of wire.Do. The response body is framed for the library.
func (d doer) Do(req *http.Request) (*http.Response, error) {
	x, _ := req.Context().Value(exchangeKey{}).(*exchange)
	maps.Copy(req.Header, d.p.header)
	if x != nil {
		req.Body = io.NopCloser(bytes.NewReader(x.body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.body)), nil }
		req.ContentLength = int64(len(x.body))
		req.Header.Del("Connection") // set by the library; only for HTTP/1.0
	}
	resp, err := d.p.http.Do(req)
	if err != nil {
		return nil, wire.TransportError(req.Context(), d.p.id, err, false)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		e, failure := wire.Failure(d.p.id, resp, d.p.redact.String)
		if x != nil {
			x.failure = failure
		}
		return nil, e
	}
	if x != nil {
		if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/html" {
			resp.Body.Close()
			return nil, &llm.Error{Code: llm.CodeProviderRejected, Provider: d.p.id, HTTPStatus: resp.StatusCode,
				Message: "the answer is an HTML page: is the base URL right?"}
		}
		x.rest = resp.Body
		resp.Body = newFrames(resp, x)
	}
	return resp, nil
}
