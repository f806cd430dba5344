package chat

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/toolspec"
)

const (
	defaultAPIPage = 50
	maxAPIPage     = 200
	// maxTitle, maxPrompt and maxNames bound what a conversation is described with:
	// runes, runes, and tools or preferences.
	maxTitle  = 200
	maxPrompt = 100_000
	maxNames  = 1000
	// stopWithin is how long a turn may take to stop whose conversation is deleted.
	stopWithin = 10 * time.Second
)

// summary is a conversation as lists show it.
func (a *API) summary(c *Conversation) APIConversation {
	out := APIConversation{ID: c.ID, Title: c.Title, Status: c.Status, Provider: c.Provider, PresetID: c.Preset,
		Turns: c.Turns, Messages: c.Messages, Created: c.Created, Updated: c.Updated}
	if c.Running != nil {
		out.TurnID, out.Paused = c.Running.ID, c.Running.Paused
		if t, ok := a.turns.Find(c.Running.ID); ok {
			out.Waiting = t.Waits()
		}
	}
	if c.Status == StatusPaused {
		out.Status, out.Waiting = StatusStreaming, true
	}
	return out
}

func (a *API) listConversations(w http.ResponseWriter, r *http.Request) error {
	who, err := a.principal(r)
	if err != nil {
		return err
	}
	q := r.URL.Query()
	limit := defaultAPIPage
	if text := q.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > maxAPIPage {
			return httpapi.InvalidArgument.New("limit is 1 to %d", maxAPIPage)
		}
	}
	after, err := base64.RawURLEncoding.DecodeString(q.Get("cursor"))
	if err != nil || len(after) > 200 {
		return httpapi.InvalidArgument.New("the cursor is none that this list gave: begin without one")
	}
	out := APIConversations{Items: []APIConversation{}}
	last := ""
	for c, err := range a.store.List(r.Context(), ListQuery{Principal: &who, Text: q.Get("q"), After: string(after), Limit: limit + 1}) {
		if err != nil {
			return err
		}
		if len(out.Items) == limit {
			out.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(last))
			break
		}
		out.Items = append(out.Items, a.summary(c))
		last = c.Cursor()
	}
	return httpapi.Reply(w, http.StatusOK, out)
}

func (a *API) createConversation(w http.ResponseWriter, r *http.Request) error {
	who, err := a.principal(r)
	if err != nil {
		return err
	}
	var body APINewConversation
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	conv := &Conversation{Title: strings.TrimSpace(body.Title), System: body.SystemPrompt, Tools: body.Tools, Preferences: body.Preferences, Principal: who}
	if err := a.preset(r.Context(), conv, &body); err != nil {
		return err
	}
	if err := checkConversation(conv); err != nil {
		return err
	}
	if err := a.knownTools(r.Context(), body.Tools); err != nil {
		return err
	}
	if body.Options != nil {
		if err := body.Options.Check(); err != nil {
			return err
		}
		conv.Options = *body.Options
		conv.Options.Effort = "" // it belongs to a turn
		if name := conv.Options.Model; name != "" {
			m, err := a.model(r.Context(), &Conversation{}, name)
			if err != nil {
				return err
			}
			conv.Provider, conv.Options.Model = m.Info().Provider, m.Info().Name
		}
	}
	if err := a.store.Create(r.Context(), conv); err != nil {
		return err
	}
	a.changed(r.Context(), conv.ID)
	w.Header().Set("Location", "/api/conversations/"+conv.ID)
	return httpapi.Reply(w, http.StatusCreated, a.summary(conv))
}

// preset applies the preset of a new conversation.
func (a *API) preset(ctx context.Context, conv *Conversation, body *APINewConversation) error {
	if body.PresetID == "" {
		if len(body.Values) > 0 {
			return httpapi.InvalidArgument.New("values are for the variables of a preset: name one")
		}
		return nil
	}
	if a.opts.Presets == nil {
		return httpapi.NotFound.New("there are no presets here")
	}
	p, err := a.opts.Presets.Get(ctx, body.PresetID)
	if err != nil {
		return err
	}
	if conv.System == "" {
		if err := Validate(p.Prompt, body.Values, nil); err != nil {
			return err
		}
		if err := renderable(p.Prompt, body.Values, nil); err != nil {
			return err
		}
		conv.System = Render(p.Prompt, body.Values, nil)
	}
	conv.Preset = p.ID
	if conv.Tools == nil && !p.Dynamic {
		conv.Tools = p.Tools
	}
	return nil
}

func checkConversation(c *Conversation) error {
	for _, f := range []struct {
		name       string
		is, atMost int
	}{
		{"title", utf8.RuneCountInString(c.Title), maxTitle}, {"systemPrompt", utf8.RuneCountInString(c.System), maxPrompt},
		{"tools", len(c.Tools), maxNames}, {"toolPreferences", len(c.Preferences), maxNames},
	} {
		if f.is > f.atMost {
			return httpapi.InvalidArgument.New("%s is longer than %d", f.name, f.atMost)
		}
	}
	return nil
}

// knownTools refuses names of tools that the client does not have: what is not
// offered must not look as if it were.
func (a *API) knownTools(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	known := map[string]bool{}
	if source := a.client.opts.Tools; source != nil {
		all, err := source.Tools(ctx)
		if err != nil {
			return fmt.Errorf("chat: the tools cannot be listed: %w", err)
		}
		for _, t := range all {
			known[t.Definition().Name] = true
		}
	}
	for _, n := range names {
		if !known[n] {
			return httpapi.InvalidArgument.New("there is no tool %.100q here", n)
		}
	}
	return nil
}

func (a *API) getConversation(w http.ResponseWriter, r *http.Request) error {
	conv, _, err := a.conversation(r)
	if err != nil {
		return err
	}
	out := APIConversationDetail{APIConversation: a.summary(conv), SystemPrompt: conv.System, Options: conv.Options, Tools: conv.Tools,
		ToolPreferences: conv.Preferences, History: []APIMessage{}, Calls: []APIToolCall{}}
	for t, err := range a.store.Turns(r.Context(), conv.ID, TurnQuery{}) {
		if err != nil {
			return err
		}
		out.History, out.Calls = appendTurn(out.History, out.Calls, t)
	}
	return httpapi.Reply(w, http.StatusOK, out)
}

// appendTurn adds what was said in a turn, and its calls.
func appendTurn(messages []APIMessage, calls []APIToolCall, t *TurnRecord) ([]APIMessage, []APIToolCall) {
	first := len(calls)
	for i := range t.Calls {
		c := &t.Calls[i]
		status, failure := c.Status.Backend(c.Error)
		calls = append(calls, APIToolCall{ItemID: c.ItemID, TurnID: t.ID, MessageID: c.MessageID, Type: or(c.Type, TypeFunction), ServerID: c.Server, Name: c.Name,
			Status: status, State: c.Status, Arguments: c.Arguments, Result: c.Result, Error: failure, Round: c.Round, OutputIndex: c.Index,
			Created: c.Created, Updated: c.Updated})
	}
	for i := range t.Messages {
		s := &t.Messages[i]
		m := &s.Message
		out := APIMessage{ID: m.ID, ConversationID: t.Conversation, TurnID: t.ID, Round: m.Round, Role: roleName(m.Role), Content: m.Text(),
			Parts: []any{}, Status: s.Status, ItemID: m.ItemID, OutputIndex: m.OutputIndex, Model: s.Model, Usage: s.Usage, Created: m.Created, Updated: s.Updated}
		for _, p := range m.Parts {
			if raw, err := marshalPart(p); err == nil {
				out.Parts = append(out.Parts, json.RawMessage(raw))
			}
		}
		for _, c := range calls[first:] {
			if c.MessageID == m.ID {
				out.Calls = append(out.Calls, c)
			}
		}
		messages = append(messages, out)
	}
	return messages, calls
}

func (a *API) changeConversation(w http.ResponseWriter, r *http.Request) error {
	conv, who, err := a.conversation(r)
	if err != nil {
		return err
	}
	var body APIChange
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	if body.AllTools && body.Tools != nil {
		return httpapi.InvalidArgument.New("tools and allTools say two things: send one of them")
	}
	if err := a.knownTools(r.Context(), body.Tools); err != nil {
		return err
	}
	conv, err = a.store.Update(r.Context(), conv.ID, func(c *Conversation) error {
		if !c.BelongsTo(who) {
			return ErrNotFound
		}
		if body.Title != nil {
			c.Title = strings.TrimSpace(*body.Title)
		}
		if body.Tools != nil || body.AllTools {
			c.Tools = body.Tools
		}
		if body.Preferences != nil {
			c.Preferences = body.Preferences
		}
		return checkConversation(c)
	})
	if err != nil {
		return err
	}
	a.changed(r.Context(), conv.ID)
	return httpapi.Reply(w, http.StatusOK, a.summary(conv))
}

func (a *API) deleteConversation(w http.ResponseWriter, r *http.Request) error {
	conv, who, err := a.conversation(r)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), stopWithin)
	defer cancel()
	if conv.Running != nil && conv.Running.Paused {
		a.withdraw(ctx, conv, who)
	}
	if err := a.turns.Forget(ctx, conv.ID); err != nil {
		return busyConversation.New("its turn was told to stop, and has not yet: try again").Because(err)
	}
	if err := a.store.Delete(ctx, conv.ID); err != nil {
		return err
	}
	if m := a.client.opts.Memory; m != nil {
		if err := m.Clear(ctx, conv.ID); err != nil {
			return fmt.Errorf("chat: conversation %s is deleted, and the memory still has it: %w", conv.ID, err)
		}
	}
	a.tell(APIEvent{Topic: "chat", Type: "conversation.deleted", Data: APIConversation{ID: conv.ID}, Principal: conv.Principal})
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// withdraw takes back the questions of a turn that waits. Where that cannot be done
// they expire.
func (a *API) withdraw(ctx context.Context, conv *Conversation, who toolspec.Principal) {
	opts := &TurnOptions{Principal: who}
	var err error
	if opts.Model, err = a.modelOfTurn(ctx, conv); err == nil {
		var t *LiveTurn
		if t, err = a.turns.Abandon(ctx, conv.ID, opts); err == nil {
			select {
			case <-t.Done():
			case <-ctx.Done():
			}
		}
	}
	if err != nil && !errors.Is(err, ErrNotFound) && a.opts.Log != nil {
		a.opts.Log.Warn("chat: the questions of a turn could not be taken back", "conversation", conv.ID, "error", err)
	}
}

// apiExportMedia are the media types of exports.
var apiExportMedia = map[ExportFormat]string{ExportMarkdown: "text/markdown; charset=utf-8", ExportText: "text/plain; charset=utf-8", ExportJSON: "application/json"}

func (a *API) exportConversation(w http.ResponseWriter, r *http.Request) error {
	conv, _, err := a.conversation(r)
	if err != nil {
		return err
	}
	format := ExportFormat(or(r.URL.Query().Get("format"), string(ExportMarkdown)))
	media, ok := apiExportMedia[format]
	if !ok {
		return httpapi.InvalidArgument.New("format is md, txt or json")
	}
	w.Header().Set("Content-Type", media)
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", conv.ID+"."+string(format)))
	return Export(r.Context(), a.store, conv.ID, format, w)
}

func (a *API) importConversation(w http.ResponseWriter, r *http.Request) error {
	who, err := a.principal(r)
	if err != nil {
		return err
	}
	conv, err := Import(r.Context(), a.store, who, r.Body)
	if err != nil {
		return err
	}
	a.changed(r.Context(), conv.ID)
	w.Header().Set("Location", "/api/conversations/"+conv.ID)
	return httpapi.Reply(w, http.StatusCreated, a.summary(conv))
}
