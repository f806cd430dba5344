package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/examples/internal/config"
	"github.com/localpass/localpass/internal/termtext"
	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/attachment"
)

// wholeFileShare is the part of a model's context, as a divisor, that a file may have to be
// sent whole with its question. A longer one is attached to the conversation.
const wholeFileShare = 3

// wholeFile returns how many tokens a file may have to be sent whole.
func (a *app) wholeFile() int {
	if n := a.now.model.Info().ContextTokens; n > 0 {
		return min(n/wholeFileShare, attachment.LargeTokens)
	}
	return attachment.LargeTokens
}

// attachLong attaches a file that is too long for a question to the conversation, and returns
// the part of the message that names it.
func (a *app) attachLong(ctx context.Context, name string, data []byte) (llm.Part, error) {
	if err := a.begin(ctx); err != nil {
		return nil, err
	}
	if _, err := a.docs.open(ctx); err != nil {
		return nil, err
	}
	base := filepath.Base(name)
	a.say("%s is long: an overview of it, and the passages that fit a question, go to the model", base)
	one, err := a.docs.own.Add(ctx, a.now.id, base, data)
	if err == nil {
		one, err = a.docs.own.Wait(ctx, a.now.id, one.ID)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case one.State == attachment.StateFailed:
		return nil, errors.Join(fmt.Errorf("%s: %s", name, one.Error), a.docs.own.Remove(context.WithoutCancel(ctx), a.now.id, one.ID))
	case len(one.Findings) > 0:
		a.say("! the text of %s may try to give orders to the model: %s", base, strings.Join(one.Findings, ", "))
	}
	return llm.Document{Name: base, Text: "(It is long. It is attached to this conversation: see above.)"}, nil
}

// summarizer returns what makes overviews: the model of this moment, or nil for the
// demonstration, which cannot.
func (a *app) summarizer() func(context.Context, string) (string, error) {
	if a.profile.Provider == config.Demo {
		return nil
	}
	model := a.now.model
	return func(ctx context.Context, prompt string) (string, error) {
		var b strings.Builder
		for d, err := range model.Generate(ctx, &llm.ModelRequest{Messages: []llm.Message{llm.UserText(prompt)}}) {
			if err != nil {
				return "", err
			}
			if d.Kind == llm.DeltaText {
				b.WriteString(d.Text)
			}
		}
		return b.String(), nil
	}
}

// searchQuery returns what the documents are searched for: the words of a question without
// the names of files.
func searchQuery(question *llm.Message) string {
	for _, p := range question.Parts {
		if text, ok := p.(llm.Text); ok { // the first one; others are files
			words := slices.DeleteFunc(strings.Fields(text.Text), func(w string) bool {
				return len(w) > 1 && w[0] == '@'
			})
			return strings.Join(words, " ")
		}
	}
	return ""
}

// attachedDocs is the source of the advisor that gives attached documents to the model. It
// opens the library only for a conversation that has some.
type attachedDocs struct{ *docs }

func (d attachedDocs) Attached(ctx context.Context, conversation string) ([]rag.Attached, error) {
	if some, err := d.ofConversation(ctx, conversation); !some || err != nil {
		return nil, err
	}
	return d.own.Attached(ctx, conversation)
}

func (d attachedDocs) Retriever(conversation string) rag.Retriever {
	return d.own.Retriever(conversation)
}

// ofConversation reports whether a conversation has documents, and opens the library if so.
func (d *docs) ofConversation(ctx context.Context, id string) (bool, error) {
	for _, err := range d.app.local.Store.List(ctx, attachment.Collection, localpass.ListOptions{Prefix: id + "/", Limit: 1}) {
		if err == nil {
			_, err = d.open(ctx)
		}
		return err == nil, err
	}
	return false, nil
}

// forget removes the documents of a conversation that is being deleted.
func (d *docs) forget(ctx context.Context, id string) error {
	some, err := d.ofConversation(ctx, id)
	if some {
		err = d.own.RemoveAll(ctx, id)
	}
	return err
}

// listAttached prints the documents that are attached to the conversation.
func (u *ui) listAttached(ctx context.Context) error {
	if u.now.id == "" {
		return nil
	}
	all, err := u.docs.own.List(ctx, u.now.id)
	if err != nil {
		return err
	}
	for _, a := range all {
		state := string(a.State)
		if a.Total > 0 {
			state += fmt.Sprintf(" %d/%d", a.Done, a.Total)
		}
		line := fmt.Sprintf("%-12.12s %-9s %5d  %s  attached to this conversation", strings.TrimPrefix(a.ID, "doc-"), state, a.Chunks, a.Name)
		if a.Promoted {
			line += ", and kept for all"
		}
		if a.Error != "" {
			line += "  " + a.Error
		}
		u.print("%s", termtext.Line(line))
	}
	return nil
}

// changeAttached removes a document of the conversation, or keeps it for all conversations.
// done is false if the conversation has none of that name.
func (u *ui) changeAttached(ctx context.Context, what, name string) (done bool, err error) {
	if u.now.id == "" {
		return false, nil
	}
	all, err := u.docs.own.List(ctx, u.now.id)
	if err != nil {
		return false, err
	}
	at := slices.IndexFunc(all, func(a attachment.Attachment) bool {
		return a.ID == name || a.Name == name || strings.HasPrefix(a.ID, "doc-"+name)
	})
	if at < 0 {
		return false, nil
	}
	if what == "rm" {
		return true, u.docs.own.Remove(ctx, u.now.id, all[at].ID)
	}
	one, err := u.docs.own.Promote(ctx, u.now.id, all[at].ID)
	if err != nil {
		return true, err
	}
	u.print("%s is a document of all conversations now", termtext.Line(one.Name))
	return true, nil
}
