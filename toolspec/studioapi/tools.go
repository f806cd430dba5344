package studioapi

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// readSpec reads the single spec of a body. A spec with problems is accepted, so that
// work in progress is never lost; a text that is not a spec is rejected.
func readSpec(r *http.Request) (*toolspec.Spec, error) {
	data, err := httpapi.Body(r)
	if err != nil {
		return nil, err
	}
	spec, problems := parseOne(data)
	if spec == nil {
		return nil, invalid(problems, "the body is no spec that can be stored")
	}
	return spec, nil
}

// parseOne parses a text that contains one spec. If there is no spec, the problems say
// why.
func parseOne(data []byte) (*toolspec.Spec, toolspec.Problems) {
	docs, err := toolspec.Parse(data, nil)
	switch {
	case err != nil:
		var problems toolspec.Problems
		if errors.As(err, &problems) {
			return nil, problems
		}
		return nil, toolspec.Problems{{Code: toolspec.CodeParse, Severity: toolspec.SeverityError, Reason: "not-a-spec", Message: err.Error()}}
	case len(docs) != 1:
		return nil, toolspec.Problems{{Code: toolspec.CodeParse, Severity: toolspec.SeverityError, Reason: "not-one-spec",
			Message: fmt.Sprintf("the text holds %d specs, one is wanted", len(docs)), Remedy: "import a list at /api/tools/import"}}
	}
	return docs[0].Spec, docs[0].Problems
}

func (a *API) createTool(w http.ResponseWriter, r *http.Request) error {
	spec, err := readSpec(r)
	if err != nil {
		return err
	}
	if spec.ToolID == "" {
		spec.ToolID = randomID()
	} else if !isID(spec.ToolID) {
		return invalid(toolspec.Problems{{Pointer: "toolId", Reason: "tool-id", Message: fmt.Sprintf("is no text of at most %d bytes", maxID), Remedy: "leave it out"}},
			"the document has an id that it cannot be stored under")
	} else if _, err := a.find(r.Context(), spec.ToolID); err == nil {
		return idTaken.New("save it over the tool at /api/tools/{id}, fork that tool, or leave toolId out")
	} else if !errors.Is(err, localpass.ErrNotFound) {
		return err
	}
	saved, err := a.studio.SaveDraft(r.Context(), studio.Draft{Spec: spec})
	if errors.Is(err, localpass.ErrConflict) {
		return idTaken.New("save it over the tool at /api/tools/{id}, fork that tool, or leave toolId out").Because(err)
	}
	if err != nil {
		return err
	}
	return a.saved(w, r, http.StatusCreated, saved)
}

// saved answers with a tool that was just stored.
func (a *API) saved(w http.ResponseWriter, r *http.Request, status int, d studio.Draft) error {
	a.changed()
	if status == http.StatusCreated {
		w.Header().Set("Location", toolPath(d.Spec.ToolID))
	}
	return a.reply(w, r, status, mine(d))
}

// reply answers with a tool and the entity tag of its version.
func (a *API) reply(w http.ResponseWriter, r *http.Request, status int, e entry) error {
	detail, err := a.detail(r.Context(), e)
	if err != nil {
		return err
	}
	if e.source == SourceMine {
		w.Header().Set("ETag", httpapi.VersionTag(e.version))
	}
	return httpapi.Reply(w, status, detail)
}

func (a *API) getTool(w http.ResponseWriter, r *http.Request) error {
	e, err := a.find(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return a.reply(w, r, http.StatusOK, e)
}

// writable returns the tool that a request changes, at the version that If-Match names.
func (a *API) writable(r *http.Request, version int64, anyVersion bool) (entry, error) {
	e, err := a.find(r.Context(), r.PathValue("id"))
	switch {
	case err != nil:
		return entry{}, err
	case e.source == SourceBundled:
		return entry{}, readOnly.New("it came with the program: fork it, and change the fork")
	case e.source == SourceLoaded:
		return entry{}, readOnly.New("it is kept elsewhere, such as in a file: change it there, or fork it")
	case !anyVersion && e.version != version:
		return entry{}, a.stale(r, e)
	}
	return e, nil
}

// stale returns the answer to a write that would overwrite a newer version; it contains
// the stored version.
func (a *API) stale(r *http.Request, e entry) error {
	p := httpapi.StaleVersion.New("version %d is the latest: apply the change to it, and save again", e.version)
	if detail, err := a.detail(r.Context(), e); err == nil {
		p = p.With("current", detail)
	}
	return p
}

func (a *API) putTool(w http.ResponseWriter, r *http.Request) error {
	version, anyVersion, err := httpapi.IfMatch(r)
	if err != nil {
		return err
	}
	spec, err := readSpec(r)
	if err != nil {
		return err
	}
	e, err := a.writable(r, version, anyVersion)
	if err != nil {
		return err
	}
	if id := e.spec.ToolID; spec.ToolID == "" {
		spec.ToolID = id
	} else if spec.ToolID != id {
		return invalid(toolspec.Problems{{Pointer: "toolId", Reason: "tool-id", Message: "is not that of the path", Remedy: "leave it as it is: a copy of a tool is a fork"}},
			"the document is that of another tool")
	}
	if spec.Created == 0 {
		spec.Created = e.spec.Created
	}
	saved, err := a.studio.SaveDraft(r.Context(), studio.Draft{Spec: spec, Version: e.version})
	if errors.Is(err, localpass.ErrConflict) {
		if now, err := a.find(r.Context(), e.spec.ToolID); err == nil {
			return a.stale(r, now)
		}
	}
	if err != nil {
		return err
	}
	return a.saved(w, r, http.StatusOK, saved)
}

func (a *API) deleteTool(w http.ResponseWriter, r *http.Request) error {
	version, anyVersion := int64(0), true
	if r.Header.Get("If-Match") != "" {
		var err error
		if version, anyVersion, err = httpapi.IfMatch(r); err != nil {
			return err
		}
	}
	id := r.PathValue("id")
	var problem *httpapi.Problem
	_, err := a.writable(r, version, anyVersion)
	if errors.As(err, &problem) && problem.Kind == unreadable && anyVersion {
		err = nil // an unreadable document can still be deleted
	}
	if err == nil {
		err = a.studio.DeleteDraft(r.Context(), id)
	}
	if err != nil {
		return err
	}
	a.changed()
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (a *API) forkTool(w http.ResponseWriter, r *http.Request) error {
	e, err := a.find(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	fork, err := a.studio.Fork(r.Context(), e.spec)
	if err != nil {
		return err
	}
	return a.saved(w, r, http.StatusCreated, fork)
}

// randomID returns a random UUID (RFC 9562, version 4).
func randomID() string {
	var id [16]byte
	rand.Read(id[:]) // never fails
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	text := hex.EncodeToString(id[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}
