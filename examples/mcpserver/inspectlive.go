package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/localpass/localpass/examples/internal/home"
	"github.com/localpass/localpass/internal/termtext"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
)

// liveTarget holds the flags of "inspect" for a running server.
type liveTarget struct {
	headers, env    paths
	call, arguments string
	command         []string // after --
	asJSON          bool
}

// live is the output of "inspect" for a running server.
type live struct {
	Endpoint     client.Endpoint   `json:"endpoint"`
	Era          client.Era        `json:"era"`
	Version      string            `json:"protocolVersion"`
	Server       client.Identity   `json:"server"`
	Capabilities json.RawMessage   `json:"capabilities"`
	Instructions string            `json:"instructions,omitempty"`
	Tools        []json.RawMessage `json:"tools,omitempty"`
	Resources    []json.RawMessage `json:"resources,omitempty"`
	Templates    []json.RawMessage `json:"resourceTemplates,omitempty"`
	Prompts      []json.RawMessage `json:"prompts,omitempty"`
	Problems     []string          `json:"problems,omitempty"`
}

// splitCommand splits off the arguments after --.
func splitCommand(args []string) (rest, command []string) {
	if i := slices.Index(args, "--"); i >= 0 {
		return args[:i], args[i+1:]
	}
	return args, nil
}

// isLive reports whether an argument of "inspect" is a running server: a URL, or a name
// that is not a file and may be the name of a server of the home.
func isLive(arg string) bool {
	if strings.HasPrefix(arg, "http://") || strings.HasPrefix(arg, "https://") {
		return true
	}
	_, err := os.Stat(arg)
	return errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(arg, `/\`) && !strings.HasSuffix(arg, ".json")
}

// transport returns the transport to the server.
func (l *liveTarget) transport(common *common, arg string) (client.Transport, error) {
	kinds := client.NewRegistry(&client.RegistryOptions{Lookup: home.WithoutModelKeys(home.Lookup(common.Config))})
	pairs := func(list []string, sep, flag string) (map[string]string, error) {
		out := map[string]string{}
		for _, item := range list {
			name, value, ok := strings.Cut(item, sep)
			if name = strings.TrimSpace(name); !ok || name == "" {
				return nil, fmt.Errorf("%s: write it as NAME%sVALUE", flag, sep)
			}
			out[name] = strings.TrimSpace(value)
		}
		return out, nil
	}
	headers, err := pairs(l.headers, ":", "-header")
	if err != nil {
		return nil, err
	}
	env, err := pairs(l.env, "=", "-env")
	if err != nil {
		return nil, err
	}
	definition := func(v any) (client.Transport, error) {
		data, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		return kinds.Transport("", data)
	}
	switch {
	case l.command != nil:
		return definition(client.StdioConfig{Command: l.command[0], Args: l.command[1:], Env: env})
	case strings.HasPrefix(arg, "http://") || strings.HasPrefix(arg, "https://"):
		return definition(client.HTTPConfig{URL: arg, Headers: headers})
	}
	r, err := savedServer(common, arg)
	if err != nil {
		return nil, err
	}
	return kinds.Transport(r.Kind, r.Connection)
}

// savedServer reads a server record of the home, which must exist.
func savedServer(common *common, name string) (servers.Record, error) {
	none := func(err error) (servers.Record, error) {
		return servers.Record{}, fmt.Errorf("there is no file %q, nor a server of this name in the home: %w", name, err)
	}
	if !home.StoreExists(common.Config) {
		return none(fmt.Errorf("%s: %w", common.Home, fs.ErrNotExist))
	}
	store, err := home.OpenStore(common.Config, 0, nil)
	if err != nil {
		return none(err)
	}
	defer store.Close()
	conns, err := servers.New(store, nil)
	if err != nil {
		return none(err)
	}
	defer conns.Close()
	r, err := conns.Get(name)
	if err != nil {
		return none(err)
	}
	return r, nil
}

// inspect connects to the server, and shows what it offers or calls one of its tools.
func (l *liveTarget) inspect(ctx context.Context, common *common, arg string, stdout, stderr io.Writer) error {
	t, err := l.transport(common, arg)
	if err != nil {
		return err
	}
	session, err := t.Dial(ctx, &client.DialOptions{Client: client.Identity{Name: "localpass - inspect"}})
	if err != nil {
		return err
	}
	defer session.Close()
	if l.call != "" {
		return l.callTool(ctx, common, session, stdout, stderr)
	}
	info := session.Info()
	out := live{Endpoint: info.Endpoint, Era: info.Era, Version: info.Version, Server: info.Server, Capabilities: info.Capabilities.Raw, Instructions: info.Instructions}
	for _, list := range []struct {
		offered     bool
		method, key string
		to          *[]json.RawMessage
	}{
		{info.Capabilities.Tools, "tools/list", "tools", &out.Tools},
		{info.Capabilities.Resources, "resources/list", "resources", &out.Resources},
		{info.Capabilities.Resources, "resources/templates/list", "resourceTemplates", &out.Templates},
		{info.Capabilities.Prompts, "prompts/list", "prompts", &out.Prompts},
	} {
		if !list.offered {
			continue
		}
		within, cancel := context.WithTimeout(ctx, common.Tools.Timeout)
		*list.to, err = allPages(within, session, list.method, list.key)
		cancel()
		if err != nil {
			out.Problems = append(out.Problems, err.Error())
		}
	}
	if l.asJSON {
		err = json.NewEncoder(stdout).Encode(out)
	} else {
		out.print(stdout)
	}
	if err == nil && out.Problems != nil {
		return errNotOK
	}
	return err
}

// maxPages limits the pages of a list, because a server might never end it.
const maxPages = 1_000

func allPages(ctx context.Context, session client.Session, method, key string) (all []json.RawMessage, err error) {
	params := json.RawMessage(`{}`)
	for range maxPages {
		result, err := session.Call(ctx, method, params, nil)
		if err != nil {
			return all, fmt.Errorf("%s: %w", method, err)
		}
		var page map[string]json.RawMessage
		if err := json.Unmarshal(result, &page); err != nil {
			return all, fmt.Errorf("%s: the result is no object: %w", method, err)
		}
		var items []json.RawMessage
		if err := json.Unmarshal(page[key], &items); err != nil {
			return all, fmt.Errorf("%s: %q is no list: %w", method, key, err)
		}
		all = append(all, items...)
		cursor := page["nextCursor"]
		if cursor == nil || string(cursor) == "null" {
			return all, nil
		}
		params, err = json.Marshal(map[string]json.RawMessage{"cursor": cursor})
		if err != nil {
			return all, err
		}
	}
	return all, fmt.Errorf("%s: the list does not end after %d pages", method, maxPages)
}

// callTool calls one tool. Progress is written to stderr, and the unchanged result to
// stdout.
func (l *liveTarget) callTool(ctx context.Context, common *common, session client.Session, stdout, stderr io.Writer) error {
	if !json.Valid([]byte(l.arguments)) {
		return fmt.Errorf("-args: %q is not JSON", l.arguments)
	}
	params, err := json.Marshal(map[string]any{"name": l.call, "arguments": json.RawMessage(l.arguments)})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, common.Tools.Timeout)
	defer cancel()
	result, err := session.Call(ctx, "tools/call", params, &client.CallOptions{Progress: func(p toolspec.Progress) {
		fmt.Fprintln(stderr, termtext.Escape(strings.TrimSpace(fmt.Sprintf("progress %v %s", p.Done, p.Message))))
	}})
	var question *client.InputRequired
	if errors.As(err, &question) {
		return fmt.Errorf("the tool asks a question, and inspect answers none: %w", err)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s\n", compact(result))
	var ended struct{ IsError bool }
	if json.Unmarshal(result, &ended) == nil && ended.IsError {
		return errNotOK
	}
	return nil
}

// print writes the inspection as text. All of it is information from the server itself.
func (l *live) print(w io.Writer) {
	line := func(format string, args ...any) { fmt.Fprintln(w, termtext.Escape(fmt.Sprintf(format, args...))) }
	line("%s %s  %s", l.Server.Name, l.Server.Version, l.Endpoint)
	line("  protocol %s (%s)", l.Version, l.Era)
	line("  offers   %s", compact(l.Capabilities))
	if l.Instructions != "" {
		line("  says     %s", l.Instructions)
	}
	for _, list := range []struct {
		what, key string
		items     []json.RawMessage
		more      []string
	}{
		{"tool", "name", l.Tools, []string{"inputSchema", "outputSchema", "annotations"}},
		{"resource", "uri", l.Resources, []string{"name", "mimeType"}},
		{"template", "uriTemplate", l.Templates, []string{"name", "mimeType"}},
		{"prompt", "name", l.Prompts, []string{"arguments"}},
	} {
		for _, item := range list.items {
			var all map[string]json.RawMessage
			if json.Unmarshal(item, &all) != nil {
				line("%s that is no object: %s", list.what, item)
				continue
			}
			line("%s %s", list.what, said(all[list.key]))
			for _, name := range append([]string{"title", "description"}, list.more...) {
				if value := all[name]; value != nil {
					line("  %-12s %s", name, said(value))
				}
			}
		}
	}
	for _, p := range l.Problems {
		line("problem  %s", p)
	}
}

// said returns a JSON string as its text, and any other value as JSON.
func said(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(compact(raw))
}
