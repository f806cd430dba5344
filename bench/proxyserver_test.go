package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"

	peer "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/file"
)

// Where a hop leads, and the protocol version that it speaks there.
const (
	upstreamEnv = "LOCALPASS_BENCH_UPSTREAM"
	eraEnv      = "LOCALPASS_BENCH_ERA"
)

// hop makes one of the hops.
func hop(name string) (http.Handler, error) {
	switch name {
	case "localpass-hop":
		return localpassHop()
	case "mcp-go-hop", "mcp-go-pooled-hop":
		return mcpGoHop(name == "mcp-go-pooled-hop")
	case "reverse-proxy-hop":
		return reverseProxy()
	}
	return httpHop(), nil
}

// localpassHop is a hub that serves the tool of the upstream server by its
// Composition, with the gate of passes, validation and audit records in a file.
func localpassHop() (http.Handler, error) {
	ctx := context.Background()
	store, err := file.Open(os.Getenv(dirEnv), nil)
	if err != nil {
		return nil, err
	}
	hub, err := mcphub.New(&mcphub.Options{Store: store})
	if err != nil {
		return nil, err
	}
	conns, err := servers.New(store, &servers.Options{Dial: client.DialOptions{Versions: []string{os.Getenv(eraEnv)}}})
	if err != nil {
		return nil, err
	}
	if _, err := conns.Save(ctx, servers.HTTP("upstream", os.Getenv(upstreamEnv))); err != nil {
		return nil, err
	}
	if err := conns.Connect(ctx, "upstream"); err != nil {
		return nil, err
	}
	chosen, err := mcphub.NewComposition(hub, conns, nil)
	if err != nil {
		return nil, err
	}
	if err := chosen.Put(ctx, mcphub.Member{Server: "upstream", Tool: "echo", Alias: "echo"}); err != nil {
		return nil, err
	}
	tool := conns.Snapshot("upstream").Tool("echo")
	if tool == nil {
		return nil, errors.New("the upstream server has no echo")
	}
	return hub.Handler(), chosen.Approve(ctx, "upstream", "echo", tool.Fingerprint)
}

// mcpGoHop is a server whose handler hands the call to a client, both mcp-go's.
//
// By itself mcp-go's client keeps two connections; pooled gives it as many as
// there are clients.
func mcpGoHop(pooled bool) (http.Handler, error) {
	ctx := context.Background()
	era := os.Getenv(eraEnv)
	var opts []transport.StreamableHTTPCOption
	if pooled {
		opts = append(opts, transport.WithHTTPBasicClient(&http.Client{Transport: wide()}))
	}
	way, err := transport.NewStreamableHTTP(os.Getenv(upstreamEnv), opts...)
	if err != nil {
		return nil, err
	}
	upstream := peer.NewClient(way, peer.WithProtocolVersion(era))
	if err := upstream.Start(ctx); err != nil {
		return nil, err
	}
	hello := mcp.InitializeRequest{}
	hello.Params.ProtocolVersion = era
	hello.Params.ClientInfo = mcp.Implementation{Name: "bench", Version: "1"}
	if _, err := upstream.Initialize(ctx, hello); err != nil {
		return nil, err
	}
	s := server.NewMCPServer("bench", "1", server.WithInputSchemaValidation(), server.WithRecovery(), server.WithToolCapabilities(true))
	s.AddTool(mcp.NewToolWithRawSchema("echo", "Gives its text back.", json.RawMessage(echoSchema)), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		onward := mcp.CallToolRequest{}
		onward.Params.Name, onward.Params.Arguments = req.Params.Name, req.Params.Arguments
		return upstream.CallTool(ctx, onward)
	})
	return server.NewStreamableHTTPServer(s, server.WithStateful(true)), nil
}

// httpHop posts on what arrives and hands back what comes, whole: the least that
// a hop between two connections does.
func httpHop() http.Handler {
	to, onward := os.Getenv(upstreamEnv), wide()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		req, err := http.NewRequestWithContext(r.Context(), r.Method, to, bytes.NewReader(body))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		req.Header = r.Header
		resp, err := onward.RoundTrip(req)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		for _, name := range []string{"Content-Type", "Mcp-Session-Id"} {
			if value := resp.Header[name]; value != nil {
				w.Header()[name] = value
			}
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		w.WriteHeader(resp.StatusCode)
		w.Write(answer)
	})
}

// reverseProxy is the standard library's.
func reverseProxy() (http.Handler, error) {
	to, err := url.Parse(os.Getenv(upstreamEnv))
	if err != nil {
		return nil, err
	}
	to.Path = ""
	return &httputil.ReverseProxy{Transport: wide(), Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}, nil
}

// wide keeps as many connections as there are clients, as the hub does: with the
// two of the default most calls would pay for a new one.
func wide() *http.Transport { return &http.Transport{MaxIdleConnsPerHost: 64} }
