package chatapi

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/localpass/localpass/chat/prompt"
	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/toolspec"
)

// missing returns the given tools that the client does not offer, with the reasons if its
// source of tools knows them ([toolspec.Explainer]).
func (a *API) missing(ctx context.Context, names []string) ([]apiMissingTool, error) {
	if len(names) == 0 {
		return nil, nil
	}
	offered, err := a.offered(ctx)
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return offered[n] })
	var unserved []toolspec.Unserved
	if explainer, ok := a.client.Options().Tools.(toolspec.Explainer); ok && len(names) > 0 {
		if unserved, err = explainer.Unserved(ctx, names); err != nil {
			return nil, fmt.Errorf("chatapi: why tools are not offered: %w", err)
		}
	} else {
		for _, n := range names {
			unserved = append(unserved, toolspec.Unserved{Name: n, Reason: toolspec.UnservedUnknown})
		}
	}
	out := make([]apiMissingTool, len(unserved))
	for i, u := range unserved {
		out[i] = apiMissingTool{Unserved: u, Message: u.Explain()}
	}
	return out, nil
}

// knownServers rejects servers that offer no tool now.
func (a *API) knownServers(ctx context.Context, servers []string) error {
	if len(servers) == 0 {
		return nil
	}
	known := map[string]bool{}
	if source := a.client.Options().Tools; source != nil {
		all, err := source.Tools(ctx)
		if err != nil {
			return fmt.Errorf("chatapi: the tools cannot be listed: %w", err)
		}
		for _, t := range all {
			if remote, ok := t.(interface{ Server() string }); ok {
				known[remote.Server()] = true
			}
		}
	}
	for _, s := range servers {
		if s == "" || !known[s] {
			return httpapi.InvalidArgument.New("the server %.100q offers no tool to chats now", s)
		}
	}
	return nil
}

// offered returns the names of the tools that the client offers now.
func (a *API) offered(ctx context.Context) (map[string]bool, error) {
	names := map[string]bool{}
	if source := a.client.Options().Tools; source != nil {
		all, err := source.Tools(ctx)
		if err != nil {
			return nil, fmt.Errorf("chatapi: the tools cannot be listed: %w", err)
		}
		for _, t := range all {
			names[t.Definition().Name] = true
		}
	}
	return names, nil
}

// missingOf returns the missing tools of each of several presets, with a single query for
// all.
func (a *API) missingOf(ctx context.Context, presets []prompt.Preset) (map[string]apiMissingTool, error) {
	var names []string
	for i := range presets {
		names = append(names, presets[i].Tools...)
	}
	slices.Sort(names)
	missing, err := a.missing(ctx, slices.Compact(names))
	byName := make(map[string]apiMissingTool, len(missing))
	for _, m := range missing {
		byName[m.Name] = m
	}
	return byName, err
}

// unfilled rejects a template that still needs values, and names its variables.
func unfilled(p *prompt.Preset, values map[string]string) error {
	open := prompt.Unfilled(p.Prompt, values, nil)
	if len(open) == 0 {
		return nil
	}
	names := make([]string, len(open))
	fields := make([]httpapi.Field, len(open))
	for i, v := range open {
		names[i] = v.Name
		fields[i] = httpapi.Field{Path: "values." + v.Name, Code: "required", Message: "it has no default"}
	}
	problem := unfilledTemplate.New("the template %.100q needs values for %s", p.ID, strings.Join(names, ", ")).With("variables", open)
	problem.Fields = fields
	return problem
}
