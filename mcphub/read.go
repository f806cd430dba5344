package mcphub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec"
)

// answerRead serves resources/read.
func (h *Hub) answerRead(ctx context.Context, x *exchange) ([]byte, *rpc.Error) {
	uri, bad := uriOf(&x.msg)
	if bad != nil {
		return nil, bad
	}
	f, variables := h.features.Load().resource(uri)
	if f == nil {
		return nil, resourceNotFound(x, uri)
	}
	return h.handle(ctx, x, f, uri, nil, func(ctx context.Context, call *toolspec.Call) (writer, error) {
		if f.remote != nil {
			return f.remote.read(ctx, h, x, call, uri)
		}
		result, err := f.read(ctx, &ReadRequest{Request: requestOf(call), URI: uri, Variables: variables})
		if err != nil {
			return nil, err
		}
		return h.contentsWriter(f, uri, result)
	})
}

// uriOf reads the parameter uri.
func uriOf(m *rpc.Message) (string, *rpc.Error) {
	params, bad := m.Pick("uri")
	if bad != nil {
		return "", bad
	}
	uri, ok := rpc.Text(params[0])
	if !ok || uri == "" || len(uri) > rpc.MaxURI {
		return "", rpc.BadParams(`"uri" must be a string of 1 to %d bytes`, rpc.MaxURI)
	}
	return uri, nil
}

// resourceNotFound is the error for a URI that is not served.
func resourceNotFound(x *exchange, uri string) *rpc.Error {
	e := &rpc.Error{Code: mcp.RESOURCE_NOT_FOUND, Message: "Resource not found", Data: map[string]string{"uri": uri}}
	if x.modern {
		e.Code = mcp.INVALID_PARAMS
	}
	return e
}

// contentsWriter writes the answer to resources/read.
func (h *Hub) contentsWriter(f *feature, uri string, result *ReadResult) (writer, error) {
	if result == nil || len(result.Contents) == 0 {
		return nil, errors.New("the resource has no contents")
	}
	err := rpc.CheckMeta(result.Meta)
	for i := range result.Contents {
		err = errors.Join(err, rpc.CheckMeta(result.Contents[i].Meta))
	}
	if err != nil {
		return nil, err
	}
	return func(x *exchange) []byte {
		b := append(rpc.AppendHead(make([]byte, 0, 512), x.msg.ID), `,"result":{"contents":[`...)
		for i := range result.Contents {
			c := &result.Contents[i]
			b = rpc.AppendString(append(rpc.Comma(b), `{"uri":`...), cmp.Or(c.URI, uri))
			b = rpc.AppendField(b, "mimeType", cmp.Or(c.MIMEType, f.mimeType))
			if c.Data != nil {
				b = rpc.AppendBase64(append(b, `,"blob":`...), c.Data)
			} else {
				b = rpc.AppendString(append(b, `,"text":`...), c.Text)
			}
			b = append(rpc.AppendMeta(b, c.Meta, nil), '}')
		}
		return h.appendEnd(appendCache(append(b, ']'), x, result.TTL, result.Public), x, result.Meta)
	}, nil
}

// appendCache writes how long and for whom a result may be cached, which 2026-07-28
// introduced.
func appendCache(dst []byte, x *exchange, ttl time.Duration, public bool) []byte {
	if !x.modern {
		return dst
	}
	dst = strconv.AppendInt(append(dst, `,"ttlMs":`...), max(ttl, 0).Milliseconds(), 10)
	if public {
		return append(dst, `,"cacheScope":"public"`...)
	}
	return append(dst, `,"cacheScope":"private"`...)
}

// appendEnd ends a non-empty result: with the members that each result has since
// 2026-07-28, and with meta.
func (h *Hub) appendEnd(dst []byte, x *exchange, meta map[string]json.RawMessage) []byte {
	var info []byte
	if x.modern {
		dst = append(dst, `,"resultType":"complete"`...)
		info = h.info
	}
	return append(rpc.AppendMeta(dst, meta, info), "}}"...)
}
