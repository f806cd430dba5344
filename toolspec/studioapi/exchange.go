package studioapi

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/specfile"
	"github.com/localpass/localpass/toolspec/studio"
)

// ImportReport is the result for each document of an import.
type ImportReport struct {
	DryRun bool                  `json:"dryRun" doc:"Nothing was stored."`
	Items  []studio.ImportResult `json:"items"`
	Counts map[string]int        `json:"counts" doc:"How many there are of each outcome."`
}

func (a *API) importTools(w http.ResponseWriter, r *http.Request) error {
	dry, err := flag(r, "dryRun")
	if err != nil {
		return err
	}
	policy := studio.OnClash(r.URL.Query().Get("onClash"))
	if !slices.Contains([]studio.OnClash{"", studio.ClashRename, studio.ClashSkip, studio.ClashReplace}, policy) {
		return httpapi.InvalidArgument.New("onClash is rename, skip or replace")
	}
	data, err := httpapi.Body(r)
	if err != nil {
		return err
	}
	results, err := a.studio.Import(r.Context(), data, &studio.ImportOptions{DryRun: dry, OnClash: policy, Taken: a.ids})
	if !dry {
		a.changed()
	}
	var problems toolspec.Problems
	if errors.As(err, &problems) {
		return invalid(problems, "the body holds no specs")
	}
	if err != nil {
		return err
	}
	report := ImportReport{DryRun: dry, Items: results, Counts: make(map[string]int)}
	for _, result := range results {
		report.Counts[string(result.Outcome)]++
	}
	return httpapi.Reply(w, http.StatusOK, report)
}

// problemsHeader is the header with the number of places in an export that look like
// credentials.
const problemsHeader = "X-Localpass-Problems"

func (a *API) exportTools(w http.ResponseWriter, r *http.Request) error {
	specs, err := a.chosen(r)
	if err != nil {
		return err
	}
	body, problems, err := specfile.Export(specs...)
	if err != nil {
		return err
	}
	name := "tools"
	if len(specs) == 1 && toolspec.CheckToolName(specs[0].Name) == nil {
		name = specs[0].Name
	}
	sum := sha256.Sum256(body)
	h := w.Header()
	h.Set("Content-Disposition", `attachment; filename="`+name+`.json"`)
	h.Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":") // RFC 9530
	h.Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
	h.Set(problemsHeader, strconv.Itoa(len(problems)))
	return httpapi.ReplyBytes(w, http.StatusOK, "application/json", body)
}

// chosen returns the specs with the ids in the query, or all of the user's own specs,
// sorted by name.
func (a *API) chosen(r *http.Request) ([]*toolspec.Spec, error) {
	var specs []*toolspec.Spec
	lists := r.URL.Query()["ids"]
	if len(lists) == 0 {
		entries, _, err := a.entries(r.Context())
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.source == SourceMine {
				specs = append(specs, e.spec)
			}
		}
		slices.SortFunc(specs, func(x, y *toolspec.Spec) int { return strings.Compare(x.Name+"\x00"+x.ID(), y.Name+"\x00"+y.ID()) })
		return specs, nil
	}
	for _, list := range lists {
		e, err := a.find(r.Context(), list)
		if err == nil { // an id may contain a comma
			specs = append(specs, e.spec)
			continue
		}
		for id := range strings.SplitSeq(list, ",") {
			e, err := a.find(r.Context(), strings.TrimSpace(id))
			if errors.Is(err, localpass.ErrNotFound) {
				return nil, httpapi.NotFound.New("there is no tool %q", id)
			}
			if err != nil {
				return nil, err
			}
			specs = append(specs, e.spec)
		}
	}
	return specs, nil
}
