package server

import (
	"context"
	"slices"

	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/toolspec/catalog"
	"github.com/localpass/localpass/toolspec/studio"
	"github.com/localpass/localpass/toolspec/studioapi"
)

// exposure adapts the hub's selection of offered tools to the studio's API.
type exposure struct{ *tools }

var _ studioapi.Exposure = (*exposure)(nil)

// Exposure implements studioapi.Exposure.
func (e *exposure) Exposure(context.Context) (studioapi.ExposureRecord, error) {
	now := e.hub.Exposure()
	return studioapi.ExposureRecord{AutoAdd: now.AutoAdd, Exposed: now.Exposed, Excluded: now.Excluded}, nil
}

// Serving implements studioapi.Exposure.
func (e *exposure) Serving(id string) studio.Serving { return e.hub.Serving(id) }

// SetExposure implements studioapi.Exposure. Newly selected bundled tools earn their pass
// and are published in the background: clients are notified when this is done. A tool
// that was selected before and then unpublished stays unpublished.
func (e *exposure) SetExposure(ctx context.Context, r studioapi.ExposureRecord) error {
	if r.Mode != "" && r.Mode != "both" {
		return httpapi.InvalidArgument.New("this program offers its own tools and those of other servers together: leave mode out")
	}
	named, before := map[string]bool{}, e.hub.Exposure().Exposed
	for _, id := range r.Exposed {
		named[id] = !slices.Contains(before, id)
	}
	if err := e.hub.SetExposure(ctx, mcphub.Exposure{AutoAdd: r.AutoAdd, Exposed: r.Exposed, Excluded: r.Excluded}); err != nil {
		return err
	}
	e.background(func(ctx context.Context) { e.admit(ctx, named) })
	return nil
}

// Presets implements studioapi.Exposure.
func (e *exposure) Presets(context.Context) ([]studioapi.Preset, error) {
	var out []studioapi.Preset
	for _, p := range catalog.Presets() {
		preset := studioapi.Preset{ID: p.ID, Name: p.DisplayName, Description: p.Description, Default: p.Default, Tools: p.Tools}
		if p.ID == catalog.PresetEverything { // this preset lists no tools
			preset.Tools = catalog.Names()
		}
		out = append(out, preset)
	}
	return out, nil
}
