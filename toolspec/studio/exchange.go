package studio

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/toolspec"
)

// maxToolID is the largest length of a tool id, which is a key of a Persistence.
const maxToolID = 1024

// OnClash says what an import does with a document whose tool id or name is already
// taken.
type OnClash string

// The ways to deal with a clash. The zero value is ClashRename, which changes no existing
// document.
const (
	// ClashRename gives the new document another name and, if necessary, another tool id.
	ClashRename OnClash = "rename"
	// ClashSkip leaves the new document out.
	ClashSkip OnClash = "skip"
	// ClashReplace replaces the stored document, which is unpublished. A bundled tool is
	// never replaced: the new document is renamed instead.
	ClashReplace OnClash = "replace"
)

// ImportOptions are the options of [Studio.Import]. The zero value works.
type ImportOptions struct {
	// DryRun reports what an import would do, but stores nothing.
	DryRun bool
	// OnClash is what to do with a document whose tool id or name is taken; empty means
	// ClashRename.
	OnClash OnClash
	// Taken are further tool ids, besides those of the stored specs, that count as taken
	// and are not replaced: those of bundled tools.
	Taken []string
}

// ImportOutcome is the outcome for a document.
type ImportOutcome string

// The outcomes.
const (
	ImportAdded    ImportOutcome = "import"
	ImportRenamed  ImportOutcome = "rename"
	ImportSkipped  ImportOutcome = "skip"
	ImportReplaced ImportOutcome = "replace"
	ImportRefused  ImportOutcome = "refused"
)

// ImportResult is the result for one document of an import.
type ImportResult struct {
	// Pointer is the document's place in the text, such as "toolSpecs[2]".
	Pointer string        `json:"pointer,omitempty"`
	Outcome ImportOutcome `json:"outcome"`
	// Name and ToolID are those under which the document is stored; WasNamed is its
	// original name, if that differs.
	Name     string `json:"name"`
	WasNamed string `json:"wasNamed,omitempty"`
	ToolID   string `json:"toolId,omitempty"`
	// State and Level are the state (draft or unsupported) and the level of the spec on
	// this host.
	State State          `json:"state,omitempty"`
	Level toolspec.Level `json:"level"`
	// Problems are the problems of the document, including the reason if it was left out.
	Problems toolspec.Problems `json:"problems,omitempty"`
	// Missing names the placeholders that have no value here.
	Missing []string `json:"missing,omitempty"`
	// Unknown names the members that this version does not know. They are kept.
	Unknown []string `json:"unknown,omitempty"`
	// ClaimedPass is set if the document claims that it passed elsewhere. That is no pass
	// here.
	ClaimedPass *toolspec.ClaimedPass `json:"claimedPass,omitempty"`
}

// Import stores the specs of a text in any form that [toolspec.Parse] reads, each as a
// draft without a pass, whatever it claims. A document that cannot be loaded is refused,
// and the others are imported; a document that is already stored with the same content is
// skipped. The results are in the order of the text.
//
// Import returns an error if the whole text is unusable, or if the store failed; in the
// second case, the results say which documents were stored before.
func (s *Studio) Import(ctx context.Context, data []byte, opts *ImportOptions) ([]ImportResult, error) {
	if opts == nil {
		opts = &ImportOptions{}
	}
	switch opts.OnClash {
	case "", ClashRename, ClashSkip, ClashReplace:
	default:
		return nil, fmt.Errorf("studio: import: OnClash is %q: use rename, skip or replace", opts.OnClash)
	}
	docs, err := toolspec.Parse(data, nil)
	if err != nil {
		return nil, fmt.Errorf("studio: import: %w", err)
	}
	s.naming.Lock()
	defer s.naming.Unlock()
	stock, err := s.inventory(ctx)
	if err != nil {
		return nil, fmt.Errorf("studio: import: %w", err)
	}
	for _, id := range opts.Taken {
		if _, stored := stock.drafts[id]; !stored {
			stock.drafts[id] = Draft{Version: localpass.NoVersion} // there is no document to replace
		}
	}
	results := make([]ImportResult, 0, len(docs))
	for i := range docs {
		result, err := s.importOne(ctx, &docs[i], stock, opts)
		if err != nil {
			return results, fmt.Errorf("studio: import %s: %w", strconv.Quote(result.Name), err)
		}
		results = append(results, result)
	}
	return results, nil
}

func (s *Studio) importOne(ctx context.Context, doc *toolspec.Document, stock *inventory, opts *ImportOptions) (ImportResult, error) {
	result := ImportResult{Pointer: doc.Pointer, Outcome: ImportRefused, Problems: doc.Problems}
	if doc.Spec == nil {
		return result, nil
	}
	spec := doc.Spec.Clone()
	spec.Draft = true
	if spec.ToolID == "" {
		spec.ToolID = spec.ID()
	}
	if len(spec.ToolID) > maxToolID || !utf8.ValidString(spec.ToolID) {
		result.Name = spec.Name
		result.Problems = append(slices.Clone(result.Problems), toolspec.Problem{Code: toolspec.CodeInvariant, Severity: toolspec.SeverityError, Reason: "tool-id", Pointer: "toolId",
			Message: "the tool id is no text that a spec can be stored under", Remedy: fmt.Sprintf("use at most %d bytes of UTF-8, or leave it out", maxToolID)})
		return result, nil
	}
	result.Name, result.ToolID, result.Unknown, result.ClaimedPass = spec.Name, spec.ToolID, slices.Sorted(maps.Keys(spec.Extra)), spec.ClaimedPass()
	version := stock.place(spec, &result, opts.OnClash, s.integrity(spec))
	result.Name, result.ToolID = spec.Name, spec.ToolID
	if spec.Name != doc.Spec.Name {
		result.WasNamed = doc.Spec.Name
		result.Problems = slices.DeleteFunc(slices.Clone(result.Problems), func(p toolspec.Problem) bool { return p.Reason == "name-taken" })
	}
	status, err := s.Status(ctx, spec)
	if err != nil {
		return result, err
	}
	result.State, result.Level, result.Missing = status.State, status.Risk.Level, status.Missing
	for _, p := range status.Problems {
		if !slices.Contains(result.Problems, p) {
			result.Problems = append(result.Problems, p)
		}
	}
	if result.Outcome == ImportSkipped {
		return result, nil
	}
	saved := Draft{Spec: spec, Version: version}
	if !opts.DryRun {
		if saved, err = s.SaveDraft(ctx, saved); errors.Is(err, localpass.ErrConflict) {
			result.Outcome = ImportRefused
			result.clash("changed-meanwhile", "import it again", "a spec of this tool id was saved meanwhile")
			return result, nil
		}
		if err != nil {
			return result, err
		}
	}
	stock.add(spec.ToolID, saved)
	return result, nil
}

// place determines the name and the tool id under which to store a document, and the
// version that it replaces.
func (i *inventory) place(spec *toolspec.Spec, result *ImportResult, policy OnClash, verdict Integrity) (version int64) {
	stored, hasID := i.drafts[spec.ToolID]
	owner, hasName := i.names[spec.Name]
	hasName = hasName && owner != spec.ToolID || verdict == IntegrityTampered
	switch {
	case verdict == IntegrityPristine:
		result.Outcome = ImportSkipped
		result.clash("bundled", "fork the bundled tool to change it", "this tool came with the program")
		return 0
	case hasID && stored.Spec != nil && stored.Spec.ContentHash() == spec.ContentHash():
		result.Outcome = ImportSkipped
		result.clash("identical", "nothing is to be done", "this spec is here already, with just this content")
		return 0
	case !hasID && !hasName:
		result.Outcome = ImportAdded
		return 0
	case policy == ClashSkip:
		result.Outcome = ImportSkipped
		result.clash("taken", "import it with rename or replace", "its %s is taken", map[bool]string{true: "tool id", false: "name"}[hasID])
		return 0
	}
	if policy == ClashReplace {
		if !hasID && verdict != IntegrityTampered {
			stored, hasID = i.drafts[owner]
			if hasID && stored.Version != localpass.NoVersion {
				spec.ToolID, hasName = owner, false
			}
		}
		if hasID && stored.Version != localpass.NoVersion {
			if stored.Spec != nil && spec.Created == 0 {
				spec.Created = stored.Spec.Created
			}
			if hasName {
				spec.Name = freeName(cutName(spec.Name), i.hasName)
			}
			result.Outcome = ImportReplaced
			return stored.Version
		}
	}
	if _, hasID = i.drafts[spec.ToolID]; hasID {
		spec.RenewID()
	}
	if hasName || i.hasName(spec.Name) {
		spec.Name = freeName(cutName(spec.Name), i.hasName)
	}
	result.Outcome = ImportRenamed
	return 0
}

// clash records why a document was left out.
func (r *ImportResult) clash(reason, remedy, format string, args ...any) {
	r.Problems = append(slices.Clone(r.Problems), toolspec.Problem{Code: toolspec.CodeResolver, Severity: toolspec.SeverityWarning, Reason: reason,
		Message: fmt.Sprintf(format, args...), Remedy: remedy})
}
