package hubapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"strings"

	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec/secret"
)

// A server can also be sent in a short form: serverId, baseUrl and apiKey in place of id,
// connection and version. It then changes the current version of the record.

// named sets the id of a body from serverId.
func (b *serverBody) named() error {
	if b.ID != "" && b.ServerID != "" && b.ID != b.ServerID {
		return httpapi.ValidationFailed.New("id and serverId are two names of one member: send one of them")
	}
	b.ID = cmp.Or(b.ID, b.ServerID)
	return nil
}

// expand makes the connection that baseUrl and apiKey describe, based on the stored
// record. The stored headers are kept if the URL has the same host: what was stored for
// one host is not sent to another.
func (b *serverBody) expand(kept *servers.Record) error {
	if b.BaseURL == nil && b.APIKey == nil {
		return nil
	}
	if b.Connection != nil {
		return httpapi.ValidationFailed.New("connection says it all: leave baseUrl and apiKey out")
	}
	stored := rpc.Object(bytes.TrimSpace(kept.Connection))
	was, _ := rpc.Text(stored["url"])
	if b.BaseURL == nil && was == "" {
		return httpapi.ValidationFailed.New("apiKey goes with a server that is reached over HTTP: send baseUrl too")
	}
	connection, headers := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if b.BaseURL == nil || rpc.Origin(*b.BaseURL) == rpc.Origin(was) {
		maps.Copy(connection, stored)
		maps.Copy(headers, rpc.Object(stored["headers"]))
	}
	if b.BaseURL != nil {
		connection["url"] = rpc.AppendString(nil, *b.BaseURL)
		if b.Kind == nil && was == "" { // no record, or one of another kind
			kind := client.TransportHTTP
			b.Kind = &kind
		}
	}
	if b.APIKey != nil {
		maps.DeleteFunc(headers, func(name string, _ json.RawMessage) bool { return strings.EqualFold(name, "Authorization") })
		switch key := *b.APIKey; {
		case key == secret.Mask: // the stored key stays
			for name, value := range rpc.Object(stored["headers"]) {
				if strings.EqualFold(name, "Authorization") {
					headers[name] = value
				}
			}
			if rpc.Origin(*cmp.Or(b.BaseURL, &was)) != rpc.Origin(was) {
				return httpapi.ValidationFailed.New("apiKey is a mask, and baseUrl leads to another host: send the key itself")
			}
		case key != "":
			headers["Authorization"] = rpc.AppendString(nil, "Bearer "+key)
		}
	}
	delete(connection, "headers")
	if len(headers) > 0 {
		connection["headers"] = rpc.Encode(headers)
	}
	b.Connection = rpc.Encode(connection)
	return nil
}
