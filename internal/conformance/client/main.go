// Command client is the client for the official conformance suite: it connects to the URL
// in its last argument and uses everything that the server offers. The suite names the
// scenario in MCP_CONFORMANCE_SCENARIO and sends settings in MCP_CONFORMANCE_CONTEXT.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/localpass/localpass/mcphub/client"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: client URL")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 25*time.Second)
	defer cancel()
	if err := run(ctx, os.Args[len(os.Args)-1], os.Getenv("MCP_CONFORMANCE_CONTEXT")); err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, address, text string) error {
	var given settings
	if text != "" {
		if err := json.Unmarshal([]byte(text), &given); err != nil {
			return fmt.Errorf("MCP_CONFORMANCE_CONTEXT: %w", err)
		}
	}
	creds, closeAll, err := credentials(address, &given)
	if err != nil {
		return err
	}
	defer closeAll()
	transport, err := client.NewHTTP(client.HTTPConfig{URL: address}, &client.HTTPOptions{Credentials: creds})
	if err != nil {
		return err
	}
	s, err := transport.Dial(ctx, &client.DialOptions{
		Client:       client.Identity{Name: "localpass-conformance", Version: "0.1.0"},
		Capabilities: client.ClientCapabilities{Form: true, Sampling: true, Roots: true},
		Handler:      client.Handler{Request: answer},
	})
	if err != nil {
		return err
	}
	defer s.Close()
	if s.Info().Era == client.EraSession {
		defer listen(ctx, s)()
	}
	u := &user{ctx: ctx, s: s}
	if err := u.useTools(&given); err != nil {
		return err
	}
	u.useLists()
	return nil
}

// listen keeps the listening stream open, if the server has one: some servers send their
// requests there. It returns when the stream is open.
func listen(ctx context.Context, s client.Session) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ready, done := make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Listen(ctx, &client.Subscription{Ready: func() {
			select {
			case ready <- struct{}{}:
			default:
			}
		}})
	}()
	select {
	case <-ready:
	case <-done:
	}
	return func() {
		cancel()
		<-done
	}
}

// user uses everything that a server offers.
type user struct {
	ctx context.Context
	s   client.Session
}

// list follows a list to its end and returns the items.
func (u *user) list(method, key string) ([]json.RawMessage, error) {
	var items []json.RawMessage
	params := json.RawMessage(`{}`)
	for range 100 {
		raw, err := u.s.Call(u.ctx, method, params, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		var page map[string]json.RawMessage
		if err := json.Unmarshal(raw, &page); err != nil {
			return nil, err
		}
		var some []json.RawMessage
		if err := json.Unmarshal(page[key], &some); err != nil && page[key] != nil {
			return nil, err
		}
		items = append(items, some...)
		if page["nextCursor"] == nil {
			return items, nil
		}
		params, _ = json.Marshal(map[string]json.RawMessage{"cursor": page["nextCursor"]})
	}
	return nil, errors.New(method + " does not end")
}

// useTools calls each tool with the arguments from the settings, or, if they have none,
// with arguments that fit its schema.
func (u *user) useTools(given *settings) error {
	type tool struct {
		Name        string          `json:"name"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}
	items, err := u.list("tools/list", "tools")
	if err != nil {
		return err
	}
	if given.ToolCalls != nil {
		for _, c := range given.ToolCalls {
			if err := u.call(c.Name, c.Arguments); err != nil {
				return err
			}
		}
		return nil
	}
	tools := make([]tool, len(items))
	for i, item := range items {
		if err := json.Unmarshal(item, &tools[i]); err != nil {
			return err
		}
	}
	for _, t := range tools {
		arguments := sample(t.InputSchema)
		// If an argument must be a schema, send the schema of another tool.
		if _, ok := arguments["schema"]; ok && tools[0].Name != t.Name {
			arguments["schema"] = tools[0].InputSchema
		}
		raw, err := json.Marshal(arguments)
		if err != nil {
			return err
		}
		if err := u.call(t.Name, raw); err != nil {
			return err
		}
	}
	return nil
}

func (u *user) call(name string, arguments json.RawMessage) error {
	params, err := json.Marshal(map[string]any{"name": name, "arguments": arguments})
	if err != nil {
		return err
	}
	_, err = u.s.Call(u.ctx, "tools/call", params, &client.CallOptions{Rounds: 10})
	var refused *client.RPCError
	if errors.As(err, &refused) {
		fmt.Fprintln(os.Stderr, name+":", err) // a server may refuse a call
		return nil
	}
	return err
}

// useLists reads the resources and gets the prompts. A server without any is not an
// error.
func (u *user) useLists() {
	can := u.s.Info().Capabilities
	if can.Resources {
		items, _ := u.list("resources/list", "resources")
		u.each(items, "uri", "resources/read")
	}
	if can.Prompts {
		items, _ := u.list("prompts/list", "prompts")
		u.each(items, "name", "prompts/get")
	}
}

func (u *user) each(items []json.RawMessage, key, method string) {
	for _, item := range items {
		var all map[string]json.RawMessage
		if json.Unmarshal(item, &all) != nil || all[key] == nil {
			continue
		}
		params, _ := json.Marshal(map[string]json.RawMessage{key: all[key]})
		if _, err := u.s.Call(u.ctx, method, params, nil); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

// answer answers the requests of the server.
func answer(_ context.Context, r client.ServerRequest) (json.RawMessage, error) {
	switch r.Method {
	case "elicitation/create":
		var ask struct {
			RequestedSchema json.RawMessage `json:"requestedSchema"`
		}
		if err := json.Unmarshal(r.Params, &ask); err != nil {
			return nil, err
		}
		return json.Marshal(map[string]any{"action": "accept", "content": sample(ask.RequestedSchema)})
	case "sampling/createMessage":
		return json.RawMessage(`{"role":"assistant","model":"none","content":{"type":"text","text":"an answer"},"stopReason":"endTurn"}`), nil
	case "roots/list":
		return json.RawMessage(`{"roots":[{"uri":"file:///workspace","name":"workspace"}]}`), nil
	}
	return nil, errors.ErrUnsupported
}

// sample makes a value for each property of an object's schema: its default, or a value
// of its type.
func sample(schema json.RawMessage) map[string]any {
	var object struct {
		Properties map[string]struct {
			Type    any   `json:"type"`
			Default any   `json:"default"`
			Enum    []any `json:"enum"`
		} `json:"properties"`
	}
	out := map[string]any{}
	if json.Unmarshal(schema, &object) != nil {
		return out
	}
	for name, p := range object.Properties {
		switch {
		case p.Default != nil:
			out[name] = p.Default
		case len(p.Enum) > 0:
			out[name] = p.Enum[0]
		case p.Type == "string":
			out[name] = "text"
		case p.Type == "integer", p.Type == "number":
			out[name] = 5
		case p.Type == "boolean":
			out[name] = true
		case p.Type == "array":
			out[name] = []any{}
		case p.Type == "object":
			out[name] = map[string]any{}
		}
	}
	return out
}
