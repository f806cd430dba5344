package studioapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

const (
	// collectionVersions holds the content of passed versions.
	collectionVersions = "studioversions"
	// keptVersions is how many versions are kept of one tool: enough to find when
	// something changed, and small compared with the tool itself.
	keptVersions = 20
	// keepTime is the time limit for storing a version.
	keepTime = 5 * time.Second
)

// PassedVersion is a version of a tool's content that passed.
type PassedVersion struct {
	Receipt Receipt `json:"receipt"`
	Current bool    `json:"current" doc:"It is the content as it is stored now."`
	Live    bool    `json:"live" doc:"It is what is published."`
	// Valid says that no later test of the same content voided the pass.
	Valid bool `json:"valid" doc:"No later test of the same content voided the pass."`
	// Kept says that the content is available for comparison.
	Kept bool `json:"kept" doc:"Its content is kept: diffTool compares with it as receipt:{contentHash}."`
}

// PassedVersionList lists the versions of a tool, the latest first.
type PassedVersionList struct {
	Items []PassedVersion `json:"items"`
}

// keptVersion is a version in its stored form.
type keptVersion struct {
	ToolID  string          `json:"toolId"`
	Receipt Receipt         `json:"receipt"`
	Spec    json.RawMessage `json:"spec"`
}

// versionPrefix returns the common prefix of the keys of a tool's versions. It is needed
// because a tool id may contain any characters and be long.
func versionPrefix(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:12]) + "-"
}

// keepVersion stores the content of a spec that has just passed. If this fails, the pass
// is still valid.
func (a *API) keepVersion(ctx context.Context, e entry, receipt *studio.Receipt) {
	if a.opts.Versions == nil || receipt == nil || e.source != SourceMine {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTime)
	defer cancel()
	if err := a.putVersion(ctx, e.spec, receipt); err != nil {
		a.opts.Logger.WarnContext(ctx, "studioapi: a version could not be kept", "toolId", e.spec.ID(), "error", err)
	}
}

func (a *API) putVersion(ctx context.Context, spec *toolspec.Spec, receipt *studio.Receipt) error {
	document, err := spec.MarshalJSON()
	if err != nil {
		return err
	}
	data, err := json.Marshal(keptVersion{ToolID: spec.ID(), Receipt: *receiptOf(receipt), Spec: document})
	if err != nil {
		return err
	}
	// The same content is one version, however often it passes.
	sum := sha256.Sum256([]byte(receipt.ContentHash))
	key := versionPrefix(spec.ID()) + hex.EncodeToString(sum[:16])
	if _, err := a.opts.Versions.Put(ctx, collectionVersions, key, localpass.Document{Version: localpass.AnyVersion, Data: data}); err != nil {
		return err
	}
	versions, err := a.versions(ctx, spec.ID())
	if err != nil || len(versions) <= keptVersions {
		return err
	}
	for _, old := range versions[keptVersions:] {
		sum := sha256.Sum256([]byte(old.Receipt.ContentHash))
		err := a.opts.Versions.Delete(ctx, collectionVersions, versionPrefix(spec.ID())+hex.EncodeToString(sum[:16]))
		if err != nil && !errors.Is(err, localpass.ErrNotFound) {
			return err
		}
	}
	return nil
}

// versions returns the kept versions of a tool, the latest first. An unreadable version
// is left out.
func (a *API) versions(ctx context.Context, id string) ([]keptVersion, error) {
	if a.opts.Versions == nil {
		return nil, nil
	}
	var out []keptVersion
	for doc, err := range a.opts.Versions.List(ctx, collectionVersions, localpass.ListOptions{Prefix: versionPrefix(id)}) {
		if err != nil {
			return nil, fmt.Errorf("studioapi: list the versions of %q: %w", id, err)
		}
		var v keptVersion
		if doc.Decode(&v) == nil && v.ToolID == id {
			out = append(out, v)
		}
	}
	slices.SortStableFunc(out, func(x, y keptVersion) int { return y.Receipt.At.Compare(x.Receipt.At) })
	return out, nil
}

// history answers with the passes of a tool: those whose content is kept, and those that
// were earned elsewhere, such as at the command line.
func (a *API) history(w http.ResponseWriter, r *http.Request) error {
	e, err := a.find(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	id := e.spec.ID()
	valid := make(map[string]studio.Receipt)
	for receipt, err := range a.studio.Receipts(r.Context()) {
		if err != nil {
			return err
		}
		if receipt.ToolID == id {
			valid[receipt.ContentHash] = receipt
		}
	}
	kept, err := a.versions(r.Context(), id)
	if err != nil {
		return err
	}
	live := ""
	if p := a.published(id); p != nil {
		live = p.Receipt().ContentHash
	}
	list := PassedVersionList{Items: []PassedVersion{}}
	add := func(receipt Receipt, kept, valid bool) {
		list.Items = append(list.Items, PassedVersion{Receipt: receipt, Kept: kept, Valid: valid,
			Current: receipt.ContentHash == e.spec.ContentHash(), Live: receipt.ContentHash == live})
	}
	for _, v := range kept {
		_, good := valid[v.Receipt.ContentHash]
		add(v.Receipt, true, good)
		delete(valid, v.Receipt.ContentHash)
	}
	for _, receipt := range valid {
		add(*receiptOf(&receipt), false, true)
	}
	slices.SortStableFunc(list.Items, func(x, y PassedVersion) int { return y.Receipt.At.Compare(x.Receipt.At) })
	return httpapi.Reply(w, http.StatusOK, list)
}

// version returns the kept content of a tool with the hash.
func (a *API) version(ctx context.Context, id, contentHash string) (*toolspec.Spec, error) {
	kept, err := a.versions(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, v := range kept {
		if v.Receipt.ContentHash == contentHash {
			if spec, _ := parseOne(v.Spec); spec != nil {
				return spec, nil
			}
		}
	}
	return nil, httpapi.NotFound.New("no content of that hash is kept of this tool")
}

// getVersion answers with the kept content of a pass.
func (a *API) getVersion(w http.ResponseWriter, r *http.Request) error {
	e, err := a.find(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	spec, err := a.version(r.Context(), e.spec.ID(), r.PathValue("hash"))
	if err != nil {
		return err
	}
	text, err := spec.MarshalJSON()
	if err != nil {
		return fmt.Errorf("studioapi: write a version of %q: %w", e.spec.Name, err)
	}
	return httpapi.Reply(w, http.StatusOK, document(text))
}
