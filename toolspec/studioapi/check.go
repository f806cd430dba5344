package studioapi

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// Validation lists what is wrong with a document.
type Validation struct {
	Valid       bool         `json:"valid" doc:"It has no error. Warnings prevent nothing."`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// Preview is the effect that a document would have on this host.
type Preview struct {
	// Posture is null if this host grants none: the diagnostics say why.
	Posture       *Posture       `json:"posture" doc:"What a run may do; null when this host grants none."`
	Effect        []string       `json:"effect" doc:"The posture in plain words, a sentence each."`
	Level         toolspec.Level `json:"level"`
	Reasons       []string       `json:"reasons" doc:"What makes the level so high, each with the level that it forces."`
	Unasked       string         `json:"unasked" doc:"What a call may do without a person being asked, in one line."`
	Mitigated     toolspec.Level `json:"mitigated" doc:"The level that clients are shown where a person approves each call."`
	MCPDefinition Definition     `json:"mcpDefinition" doc:"What clients see in tools/list."`
	SchemaTokens  int            `json:"schemaTokens" doc:"What the definition costs a model with each request: its bytes divided by four, rounded up. An estimate."`
	Missing       []string       `json:"missing" doc:"Placeholders without a value here."`
	ContentHash   string         `json:"contentHash"`
	Valid         bool           `json:"valid"`
	Diagnostics   []Diagnostic   `json:"diagnostics"`
}

// inspect reads and checks a document without storing anything. The status is nil for a
// text that is not a spec.
func (a *API) inspect(r *http.Request) (*toolspec.Spec, *studio.Status, toolspec.Problems, error) {
	data, err := httpapi.Body(r)
	if err != nil {
		return nil, nil, nil, err
	}
	spec, problems := parseOne(data)
	if spec == nil {
		return nil, nil, problems, nil
	}
	status, err := a.studio.Status(r.Context(), spec)
	if err != nil {
		return nil, nil, nil, err
	}
	// Reading the document yields some positions that checking the spec alone does not.
	for _, p := range status.Problems {
		if !slices.ContainsFunc(problems, func(q toolspec.Problem) bool {
			return q.Reason == p.Reason && q.Pointer == p.Pointer && q.Message == p.Message
		}) {
			problems = append(problems, p)
		}
	}
	slices.SortStableFunc(problems, func(p, q toolspec.Problem) int { return cmp.Compare(rank(p), rank(q)) })
	return spec, status, problems, nil
}

// rank puts errors first.
func rank(p toolspec.Problem) int {
	if p.Severity == toolspec.SeverityError {
		return 0
	}
	return 1
}

func (a *API) validate(w http.ResponseWriter, r *http.Request) error {
	spec, _, problems, err := a.inspect(r)
	if err != nil {
		return err
	}
	return httpapi.Reply(w, http.StatusOK, Validation{Valid: problems.Err() == nil, Diagnostics: a.fixer(spec).diagnostics(problems)})
}

func (a *API) preview(w http.ResponseWriter, r *http.Request) error {
	spec, status, problems, err := a.inspect(r)
	if err != nil {
		return err
	}
	if spec == nil {
		return invalid(problems, "the body is no spec")
	}
	p := Preview{Posture: postureOf(status.Posture), Effect: append([]string{}, status.Posture.Effect()...), Level: status.Risk.Level, Reasons: append([]string{}, status.Risk.Why...),
		Mitigated: mitigated(status.Risk.Level, asksApproval(spec)), Missing: append([]string{}, status.Missing...),
		ContentHash: spec.ContentHash(), Valid: problems.Err() == nil, Diagnostics: a.fixer(spec).diagnostics(problems)}
	p.Unasked = unasked(spec, status.Posture)
	p.MCPDefinition, p.SchemaTokens = definitionOf(spec, status.Posture)
	return httpapi.Reply(w, http.StatusOK, p)
}
