package oauth_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"time"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/mcphubtest"
	"github.com/localpass/localpass/mcphub/oauth"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec/secret"
)

// protected is an MCP server that wants a token, with its authorization server,
// where everybody says yes.
func protected() *httptest.Server {
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, map[string]any{"resource": server.URL + "/mcp", "authorization_servers": []string{server.URL}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, map[string]any{"issuer": server.URL, "authorization_endpoint": server.URL + "/authorize", "token_endpoint": server.URL + "/token",
			"registration_endpoint": server.URL + "/register", "code_challenge_methods_supported": []string{"S256"}})
	})
	mux.HandleFunc("/register", func(w http.ResponseWriter, _ *http.Request) { reply(w, 201, map[string]any{"client_id": "a-client"}) })
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := url.Values{"code": {"a-code"}, "state": {r.FormValue("state")}}
		http.Redirect(w, r, r.FormValue("redirect_uri")+"?"+q.Encode(), http.StatusFound)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, map[string]any{"access_token": "a-token", "token_type": "Bearer"})
	})
	peer := mcphubtest.NewPeer(nil)
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer a-token" {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+server.URL+`/.well-known/oauth-protected-resource/mcp"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		peer.ServeHTTP(w, r)
	})
	return server
}

// A server that wants a token is used: a person says yes in a browser, once.
func ExampleNew() {
	server := protected() // stands for one elsewhere
	defer server.Close()
	callback, err := oauth.ListenCallback("")
	if err != nil {
		log.Fatal(err)
	}
	defer callback.Close()
	authorizer, err := oauth.New(server.URL+"/mcp", &oauth.Options{
		Redirect: callback,
		Wait:     time.Minute,
		Open: func(ctx context.Context, page string) error { // a program starts a browser here
			_, err := browse(ctx, page)
			return err
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer authorizer.Close()

	transport, err := client.NewHTTP(client.HTTPConfig{URL: authorizer.Resource()}, &client.HTTPOptions{Credentials: authorizer})
	if err != nil {
		log.Fatal(err)
	}
	session, err := transport.Dial(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	fmt.Println(session.Info().Server.Name)
	// Output:
	// peer
}

// The connections of a hub wait for a person, and go on by themselves after it.
func ExampleClients() {
	ctx := context.Background()
	server := protected() // stands for one elsewhere
	defer server.Close()
	callback, err := oauth.ListenCallback("")
	if err != nil {
		log.Fatal(err)
	}
	defer callback.Close()
	vault, err := secret.NewVault(make([]byte, 32), nil) // a program takes the key of secret.KeyFile
	if err != nil {
		log.Fatal(err)
	}
	home := memory.New()
	tokens, err := oauth.NewStore(home, vault)
	if err != nil {
		log.Fatal(err)
	}
	var conns *servers.Connections
	clients := oauth.NewClients(&oauth.Options{Redirect: callback, Store: tokens,
		Authorized: func(resource string) { conns.Authorized(resource) }}, nil)
	defer clients.Close()
	conns, err = servers.New(home, &servers.Options{Kinds: client.NewRegistry(&client.RegistryOptions{Credentials: clients.Credentials})})
	if err != nil {
		log.Fatal(err)
	}
	defer conns.Close()
	definition, err := json.Marshal(map[string]any{"url": server.URL, "oauth": map[string]any{}})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := conns.Save(ctx, servers.Record{ID: "files", Connection: definition}); err != nil {
		log.Fatal(err)
	}

	_ = conns.Connect(ctx, "files") // cannot, yet
	status, err := conns.Status("files")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(status.State, status.AuthorizationURL != "")
	if _, err := browse(ctx, status.AuthorizationURL); err != nil { // the person
		log.Fatal(err)
	}
	for status := range conns.Events(ctx, nil) {
		if now, err := conns.Status("files"); err == nil && now.State == servers.StateConnected {
			fmt.Println(now.State)
			break
		}
		_ = status
	}
	// Output:
	// AWAITING_AUTHORIZATION true
	// CONNECTED
}
