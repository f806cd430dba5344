package main

import (
	"context"
	"encoding/json"
	"io"
	"slices"

	"github.com/localpass/localpass/examples/internal/boot"
	"github.com/localpass/localpass/examples/internal/toolhost"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/catalog"
)

// bundledTool is the output of "tools" for one tool of the catalogue.
type bundledTool struct {
	Name        string         `json:"name"`
	ToolID      string         `json:"toolId"`
	Category    string         `json:"category"`
	Tags        []string       `json:"tags"`
	Level       toolspec.Level `json:"level"`
	Active      bool           `json:"active"`
	Requires    []string       `json:"requires,omitempty"`
	Description string         `json:"description"`
}

// tools lists the bundled tools and which of them are active; with -save it stores this
// selection in the home.
func tools(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) error {
	fs, common := flags("mcpserver tools", stderr)
	asJSON := fs.Bool("json", false, "print one JSON object for each tool")
	save := fs.Bool("save", false, "remember what is active for every program of this home")
	var active selection
	active.flags(fs)
	if err := common.parse(fs, args, false); err != nil {
		return err
	}
	local, err := boot.Open(ctx, common.options(stderr))
	if err != nil {
		return err
	}
	defer local.Close()
	documents, err := local.Bundled(ctx, active.preset, active.tools)
	if err != nil {
		return err
	}
	var ids []string
	for _, doc := range documents {
		ids = append(ids, doc.Spec.ID())
	}
	all, err := catalog.Specs()
	if err != nil {
		return err
	}
	if *save {
		if err := remember(ctx, local, all, ids); err != nil {
			return err
		}
	}
	host := toolhost.Host(&common.Tools)
	for _, spec := range all {
		t := bundledTool{spec.Name, spec.ID(), spec.Category, spec.Tags, spec.Risk(host).Level, slices.Contains(ids, spec.ID()), spec.Placeholders(), spec.Description}
		if *asJSON {
			if err := json.NewEncoder(stdout).Encode(t); err != nil {
				return err
			}
			continue
		}
		mark := " "
		if t.Active {
			mark = "*"
		}
		printLine(stdout, "%s %-28s %s  %s", mark, t.Name, t.Level, t.Category)
	}
	return nil
}

// remember writes the exposure record: of the bundled tools exactly those in ids, and the
// user's own tools unchanged.
func remember(ctx context.Context, local *boot.Local, all []*toolspec.Spec, ids []string) error {
	hub, err := mcphub.New(&mcphub.Options{Store: local.Store})
	if err != nil {
		return err
	}
	defer hub.Close()
	bundled := func(id string) bool {
		return slices.ContainsFunc(all, func(s *toolspec.Spec) bool { return s.ID() == id })
	}
	exposure := hub.Exposure()
	exposure.Exposed = append(slices.DeleteFunc(exposure.Exposed, bundled), ids...)
	exposure.Excluded = slices.DeleteFunc(exposure.Excluded, bundled)
	return hub.SetExposure(ctx, exposure)
}
