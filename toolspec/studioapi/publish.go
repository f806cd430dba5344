package studioapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/specdiff"
	"github.com/localpass/localpass/toolspec/studio"
)

// PublishRequest names the pass to publish, which a user has inspected.
type PublishRequest struct {
	// Receipt is the id of the pass.
	Receipt string `json:"receipt" doc:"The id of the receipt that was reviewed. When another one holds by now, nothing is published."`
	// Confirm must be true for L4 and the tool's name for L5.
	Confirm json.RawMessage `json:"confirm,omitempty" doc:"true for a tool of L4, its name for one of L5."`
}

// Published is the result of publishing.
type Published struct {
	// Tool says whether clients are offered it, and if not, with which step they are.
	Tool    ToolDetail `json:"tool" doc:"Its serving says whether clients are offered it; its step, where there is one, offers it to them."`
	Receipt Receipt    `json:"receipt"`
	// Replaced says that another version was published before.
	Replaced bool `json:"replaced" doc:"Another version was live before."`
	// Diff is the difference from the previously published version, or from nothing.
	Diff specdiff.Difference `json:"diff" doc:"The difference from what was live before, or from nothing."`
}

func (a *API) publish(w http.ResponseWriter, r *http.Request) error {
	var in PublishRequest
	if err := httpapi.Decode(r, &in); err != nil {
		return err
	}
	e, err := a.find(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	status, err := a.studio.Status(r.Context(), e.spec)
	if err != nil {
		return err
	}
	if err := mayPublish(status, in.Receipt); err != nil {
		return err
	}
	if err := confirmed(e.spec, status.Risk, in.Confirm); err != nil {
		return err
	}
	old := a.published(e.spec.ID())
	var was *toolspec.Spec
	if old != nil {
		was = old.Spec()
	}
	var passed *studio.Passed
	if e.source == SourceMine {
		passed, err = a.studio.PublishDraft(r.Context(), studio.Draft{Spec: e.spec, Version: e.version})
	} else {
		passed, err = a.studio.Publish(r.Context(), e.spec)
	}
	if err != nil {
		return err
	}
	now, err := a.find(r.Context(), e.spec.ID()) // the document now says that it is no longer a draft
	if err != nil {
		return err
	}
	detail, err := a.detail(r.Context(), now)
	if err != nil {
		return err
	}
	receipt := passed.Receipt()
	return httpapi.Reply(w, http.StatusOK, Published{Tool: *detail, Receipt: *receiptOf(&receipt),
		Replaced: old != nil && old.Receipt().ContentHash != receipt.ContentHash, Diff: *a.studio.Compare(was, e.spec)})
}

// mayPublish compares the inspected pass with the currently valid one.
func mayPublish(status *studio.Status, receipt string) error {
	switch {
	case status.State == studio.StateMissingRequirements:
		return missingSettings.New("no value for ${%s}: set it in the environment of this program", strings.Join(status.Missing, "}, ${")).With("missing", status.Missing)
	case status.Problems.Err() != nil:
		p := noValidPass.New("its document has errors")
		p.Fields = fieldsOf(status.Problems.Errors())
		return p
	case status.Receipt == nil && status.Failure != "":
		return noValidPass.New("its last test failed: %s", status.Failure)
	case status.Receipt == nil:
		return noValidPass.New("run its test first")
	case status.Receipt.ID != receipt:
		return noValidPass.New("another pass holds by now: look at the tool again").With("current", receiptOf(status.Receipt))
	}
	return nil
}

// confirmed checks the user's confirmation for tools that can do harm: true for L4, the
// tool's name for L5. It is required even if each call needs approval.
func confirmed(spec *toolspec.Spec, risk toolspec.Risk, confirm json.RawMessage) error {
	var want any
	switch {
	case !risk.Level.Exceeds(toolspec.L3):
		return nil
	case !risk.Level.Exceeds(toolspec.L4):
		want = true
	default:
		want = spec.Name
	}
	var given any
	if len(confirm) > 0 && json.Unmarshal(confirm, &given) == nil && given == want {
		return nil
	}
	how := "send confirm: true once a person has read what it can reach"
	if want != true {
		how = fmt.Sprintf("send confirm: %q once a person has typed the name", spec.Name)
	}
	return confirmRequired.New("%v: %s", risk.Level, how).With("level", risk.Level).With("reasons", risk.Why).With("confirm", want)
}

func (a *API) unpublish(w http.ResponseWriter, r *http.Request) error {
	e, err := a.find(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	id := e.spec.ID()
	if err := a.studio.Unpublish(r.Context(), id); err != nil {
		a.changed()
		return err
	}
	a.changed()
	if now, err := a.find(r.Context(), id); err == nil {
		e = now // a tool that was only loaded disappears when it is unpublished
	}
	return a.reply(w, r, http.StatusOK, e)
}
