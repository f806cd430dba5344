package studioapi

import (
	"errors"
	"net/http"
	"strings"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/specdiff"
)

// Diff is the difference between a tool and another version of it.
type Diff struct {
	// Against is "live", "origin" or "receipt:" and a content hash.
	Against    string              `json:"against" doc:"live, origin, or receipt:{contentHash}."`
	Difference specdiff.Difference `json:"difference" doc:"From that version to the tool as it is stored."`
	// OriginChanged says that the original has changed since the fork.
	OriginChanged bool `json:"originChanged,omitempty" doc:"Of a fork: the original changed since it was forked."`
}

func (a *API) diff(w http.ResponseWriter, r *http.Request) error {
	e, err := a.find(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	out := Diff{Against: r.URL.Query().Get("against")}
	var from *toolspec.Spec
	switch out.Against {
	case "", "live":
		out.Against = "live"
		if p := a.published(e.spec.ID()); p != nil {
			from = p.Spec()
		}
	case "origin":
		origin, forked := e.spec.ForkedFrom()
		if !forked {
			return httpapi.NotFound.New("this tool is no fork")
		}
		found, err := a.find(r.Context(), origin.ToolID)
		if errors.Is(err, localpass.ErrNotFound) {
			return httpapi.NotFound.New("the original, %q, is not here any more", origin.Name)
		}
		if err != nil {
			return err
		}
		from, out.OriginChanged = found.spec, found.spec.CatalogHash() != origin.CatalogHash
	default:
		hash, ok := strings.CutPrefix(out.Against, "receipt:")
		if !ok {
			return httpapi.InvalidArgument.New("against is live, origin, or receipt: and the content hash of a pass")
		}
		if from, err = a.version(r.Context(), e.spec.ID(), hash); err != nil {
			return err
		}
	}
	out.Difference = *a.studio.Compare(from, e.spec)
	return httpapi.Reply(w, http.StatusOK, out)
}
