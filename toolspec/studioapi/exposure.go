package studioapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/toolspec/studio"
)

// Exposure stores which published tools the server offers its clients. Its methods are
// called concurrently.
type Exposure interface {
	// Exposure returns the current record.
	Exposure(ctx context.Context) (ExposureRecord, error)
	// SetExposure replaces the record. An error that matches localpass.ErrConflict means
	// that another writer changed it in the meantime.
	SetExposure(ctx context.Context, record ExposureRecord) error
	// Serving returns whether clients are offered the published tool with an id, and if
	// not, why. It must not block.
	Serving(id string) studio.Serving
	// Presets lists named selections of tools.
	Presets(ctx context.Context) ([]Preset, error)
}

// ExposureRecord says which tools clients are offered.
type ExposureRecord struct {
	// Mode is "both", "builtin" (the tools of this host) or "composed" (those of
	// other servers).
	Mode string `json:"mode,omitempty" enum:"both,builtin,composed"`
	// AutoAdd offers tools that the user publishes, even if they are not named.
	AutoAdd  bool     `json:"autoAdd" doc:"What the user publishes is offered unless it is excluded."`
	Exposed  []string `json:"exposedToolIds"`
	Excluded []string `json:"excludedToolIds"`
}

// Preset is a named selection of tools.
type Preset struct {
	ID          string   `json:"id"`
	Name        string   `json:"displayName"`
	Description string   `json:"description,omitempty"`
	Default     bool     `json:"isDefault"`
	Tools       []string `json:"tools" doc:"Names of tools."`
}

// PresetList is the list of presets.
type PresetList struct {
	Items []Preset `json:"items"`
}

// tag returns the entity tag of the record's content, for If-Match.
func (e ExposureRecord) tag() string {
	raw, _ := json.Marshal(e) // a fixed struct always marshals
	sum := sha256.Sum256(raw)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// tidy replaces nil lists with empty ones, so that they are lists in JSON.
func (e ExposureRecord) tidy() ExposureRecord {
	e.Exposed, e.Excluded = append([]string{}, e.Exposed...), append([]string{}, e.Excluded...)
	return e
}

func (a *API) getExposure(w http.ResponseWriter, r *http.Request) error {
	record, err := a.opts.Exposure.Exposure(r.Context())
	if err != nil {
		return err
	}
	return replyExposure(w, record)
}

func replyExposure(w http.ResponseWriter, record ExposureRecord) error {
	record = record.tidy()
	w.Header().Set("ETag", record.tag())
	return httpapi.Reply(w, http.StatusOK, record)
}

func (a *API) putExposure(w http.ResponseWriter, r *http.Request) error {
	match := r.Header.Get("If-Match")
	if match == "" {
		return httpapi.PreconditionNeeded.New("send the ETag of what you read as If-Match, or If-Match: * to replace any version")
	}
	var in ExposureRecord
	if err := httpapi.Decode(r, &in); err != nil {
		return err
	}
	switch in.Mode {
	case "", "both", "builtin", "composed":
	default:
		return httpapi.InvalidArgument.New("mode is both, builtin or composed")
	}
	// One at a time, so that the record that was compared is the one that is replaced;
	// the exposure itself handles other programs.
	a.exposing.Lock()
	defer a.exposing.Unlock()
	now, err := a.opts.Exposure.Exposure(r.Context())
	if err != nil {
		return err
	}
	if now = now.tidy(); !httpapi.Matches(match, now.tag()) {
		return httpapi.StaleVersion.New("apply the change to what is there now, and save again").With("current", now)
	}
	if err := a.opts.Exposure.SetExposure(r.Context(), in.tidy()); err != nil {
		return err
	}
	a.changed()
	record, err := a.opts.Exposure.Exposure(r.Context())
	if err != nil {
		return err
	}
	return replyExposure(w, record)
}

func (a *API) getPresets(w http.ResponseWriter, r *http.Request) error {
	presets, err := a.opts.Exposure.Presets(r.Context())
	if err != nil {
		return err
	}
	list := PresetList{Items: append([]Preset{}, presets...)}
	for i := range list.Items {
		list.Items[i].Tools = append([]string{}, list.Items[i].Tools...)
	}
	return httpapi.ReplyCached(w, r, list)
}

func (a *API) exposeTool(w http.ResponseWriter, r *http.Request) error {
	return a.changeExposure(w, r, func(record *ExposureRecord, e entry) {
		if e.source == SourceBundled || !record.AutoAdd {
			record.Exposed = append(record.Exposed, e.spec.ID())
		}
	})
}

func (a *API) hideTool(w http.ResponseWriter, r *http.Request) error {
	return a.changeExposure(w, r, func(record *ExposureRecord, e entry) { record.Excluded = append(record.Excluded, e.spec.ID()) })
}

// changeExposure removes a tool from both lists of the record, lets change add it where
// it belongs, and answers with the tool.
func (a *API) changeExposure(w http.ResponseWriter, r *http.Request, change func(*ExposureRecord, entry)) error {
	e, err := a.find(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	id := e.spec.ID()
	a.exposing.Lock()
	defer a.exposing.Unlock()
	for range 3 { // another program may change the record in between
		var record ExposureRecord
		if record, err = a.opts.Exposure.Exposure(r.Context()); err != nil {
			return err
		}
		record = record.tidy()
		other := func(listed string) bool { return listed == id }
		record.Exposed, record.Excluded = slices.DeleteFunc(record.Exposed, other), slices.DeleteFunc(record.Excluded, other)
		change(&record, e)
		if err = a.opts.Exposure.SetExposure(r.Context(), record); !errors.Is(err, localpass.ErrConflict) {
			break
		}
	}
	if err != nil {
		return err
	}
	a.changed()
	return a.reply(w, r, http.StatusOK, e)
}
