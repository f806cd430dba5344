package chatapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"unicode/utf8"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/chat/prompt"
	"github.com/localpass/localpass/internal/httpapi"
)

// maxRendered is the maximum size of a rendered template, in bytes: a short template can
// repeat a value often enough to make a long text.
const maxRendered = 1 << 20

func presetItem(p *prompt.Preset) apiPreset {
	out := apiPreset{ID: p.ID, DisplayName: p.Name, Description: p.Description, Prompt: p.Prompt, Kind: p.Kind, Tools: p.Tools, Dynamic: p.Dynamic, Own: p.Own}
	if out.Tools == nil {
		out.Tools = []string{}
	}
	if p.Kind == prompt.PresetTemplate {
		out.Variables = prompt.Variables(p.Prompt, nil)
	}
	return out
}

// checkDefaultPreset rejects a default preset that cannot be used for new conversations.
// A user may delete a custom preset later: new conversations then start without one.
func (a *API) checkDefaultPreset() error {
	id := a.opts.DefaultPreset
	if id == "" {
		return nil
	}
	if a.opts.Presets == nil {
		return fmt.Errorf("chatapi: Options.DefaultPreset is %q, and Options.Presets is nil: %w", id, llm.ErrInvalid)
	}
	p, err := a.opts.Presets.Get(context.Background(), id)
	if err != nil {
		return fmt.Errorf("chatapi: Options.DefaultPreset: %w", err)
	}
	if err := unfilled(&p, nil); err != nil {
		return fmt.Errorf("chatapi: Options.DefaultPreset: %q is a template with variables that need values: %w", id, llm.ErrInvalid)
	}
	return nil
}

func (a *API) listPresets(w http.ResponseWriter, r *http.Request) error {
	if _, err := a.principal(r); err != nil {
		return err
	}
	all, err := a.opts.Presets.List(r.Context())
	if err != nil { // an unreadable preset hides nothing else
		if r.Context().Err() != nil {
			return err
		}
		a.opts.Logger.Warn("chatapi: some presets cannot be read", "error", err)
	}
	out := apiPresets{Items: make([]apiPreset, len(all))}
	missing, err := a.missingOf(r.Context(), all)
	if err != nil {
		return err
	}
	for i := range all {
		item := presetItem(&all[i])
		for _, name := range all[i].Tools {
			if m, lacks := missing[name]; lacks {
				item.Missing = append(item.Missing, m)
			}
		}
		item.Default = item.ID == a.opts.DefaultPreset
		out.Items[i] = item
	}
	return httpapi.Reply(w, http.StatusOK, out)
}

func (a *API) savePreset(w http.ResponseWriter, r *http.Request) error {
	if _, err := a.principal(r); err != nil {
		return err
	}
	var body apiNewPreset
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	for _, f := range []struct {
		name       string
		is, atMost int
	}{
		{"displayName", utf8.RuneCountInString(body.DisplayName), maxTitle}, {"description", utf8.RuneCountInString(body.Description), 10 * maxTitle},
		{"prompt", utf8.RuneCountInString(body.Prompt), maxPrompt}, {"tools", len(body.Tools), maxNames},
	} {
		if f.is > f.atMost {
			return httpapi.InvalidArgument.New("%s is longer than %d", f.name, f.atMost)
		}
	}
	saved, err := a.opts.Presets.Save(r.Context(), prompt.Preset{Name: body.DisplayName, Description: body.Description, Prompt: body.Prompt, Tools: body.Tools, Dynamic: body.Dynamic})
	if err != nil {
		return err
	}
	return httpapi.Reply(w, http.StatusCreated, presetItem(&saved))
}

func (a *API) deletePreset(w http.ResponseWriter, r *http.Request) error {
	if _, err := a.principal(r); err != nil {
		return err
	}
	if err := a.opts.Presets.Delete(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// renderTemplate renders a template. Invalid values are reported but still inserted,
// because a page shows the text while a user types.
func (a *API) renderTemplate(w http.ResponseWriter, r *http.Request) error {
	if _, err := a.principal(r); err != nil {
		return err
	}
	var body apiRender
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	tpl := body.Template
	switch {
	case (body.PresetID == "") == (tpl == ""):
		return httpapi.InvalidArgument.New("send presetId or template, and not both")
	case body.PresetID != "" && a.opts.Presets == nil:
		return httpapi.NotFound.New("there are no presets here")
	case body.PresetID != "":
		p, err := a.opts.Presets.Get(r.Context(), body.PresetID)
		if err != nil {
			return err
		}
		tpl = p.Prompt
	}
	opts := &prompt.TemplateOptions{Loose: body.Loose}
	if err := renderable(tpl, body.Values, opts); err != nil {
		return err
	}
	out := apiRendered{Text: prompt.Render(tpl, body.Values, opts), Variables: prompt.Variables(tpl, opts), Unfilled: []string{}, Problems: []string{}}
	for _, v := range prompt.Unfilled(tpl, body.Values, opts) {
		out.Unfilled = append(out.Unfilled, v.Name)
	}
	if out.Variables == nil {
		out.Variables = []prompt.VariableSpec{}
	}
	if err := prompt.Validate(tpl, body.Values, opts); err != nil {
		out.Problems = errorLines(err)
	}
	return httpapi.Reply(w, http.StatusOK, out)
}

// errorLines returns the texts of joined errors, without the name of the package.
func errorLines(err error) []string {
	all := []error{err}
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		all = joined.Unwrap()
	}
	out := make([]string, len(all))
	for i, e := range all {
		out[i] = withoutPackage(e)
	}
	return out
}

// renderable rejects a template that would become too long.
func renderable(tpl string, values map[string]string, opts *prompt.TemplateOptions) error {
	if prompt.RenderedSize(tpl, values, opts) > maxRendered {
		return httpapi.InvalidArgument.New("the template would become longer than %d bytes", maxRendered)
	}
	return nil
}
