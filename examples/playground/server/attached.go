package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/examples/internal/config"
	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/attachapi"
	"github.com/localpass/localpass/rag/attachment"
)

// openAttachments opens the API of the documents that are attached to conversations.
func (s *Server) openAttachments(context.Context) (err error) {
	s.docs.attachments, err = attachapi.New(func(r *http.Request, id string) (*attachment.Attachments, error) {
		conv, err := s.chats.store.Get(r.Context(), id)
		if errors.Is(err, llm.ErrNotFound) {
			return nil, localpass.ErrNotFound
		}
		if err != nil {
			return nil, err
		}
		who, err := s.principal(r)
		switch {
		case err != nil:
			return nil, err
		case !conv.BelongsTo(who):
			return nil, localpass.ErrNotFound
		}
		return s.docs.ofConversations()
	}, &attachapi.Options{MaxBytes: int64(s.opts.Config.Retrieval.MaxFile), Logger: s.opts.Logger})
	return err
}

// overview asks the current model for an overview. The demonstration model makes none.
func (d *docs) overview(ctx context.Context, prompt string) (string, error) {
	d.mu.RLock()
	demo := d.profile.Provider == config.Demo
	d.mu.RUnlock()
	if demo {
		return "", errors.New("the demonstration model summarises nothing")
	}
	return d.generate(ctx, prompt)
}

// ofConversations returns the attachments over the library that is open.
func (d *docs) ofConversations() (*attachment.Attachments, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.attached == nil {
		return nil, fmt.Errorf("%w: %w", attachapi.ErrUnavailable, d.err)
	}
	return d.attached, nil
}

// Attached implements advisor.AttachmentSource. While the documents cannot be opened, the
// model is told so.
func (d *docs) Attached(ctx context.Context, conversation string) ([]rag.Attached, error) {
	if some, err := d.some(ctx, conversation); !some || err != nil {
		return nil, err
	}
	attached, err := d.ofConversations()
	if err != nil {
		return []rag.Attached{{Name: "the documents of this conversation", Note: "They cannot be opened at the moment."}}, nil
	}
	return attached.Attached(ctx, conversation)
}

// Retriever implements advisor.AttachmentSource.
func (d *docs) Retriever(conversation string) rag.Retriever {
	return rag.RetrieverFunc(func(ctx context.Context, req rag.SearchRequest) ([]rag.Match, error) {
		attached, err := d.ofConversations()
		if err != nil {
			return nil, err
		}
		return attached.Retriever(conversation).Retrieve(ctx, req)
	})
}

// some reports whether documents are attached to a conversation.
func (d *docs) some(ctx context.Context, conversation string) (bool, error) {
	for _, err := range d.records.List(ctx, attachment.Collection, localpass.ListOptions{Prefix: conversation + "/", Limit: 1}) {
		return err == nil, err
	}
	return false, nil
}

// copy gives the copy of a conversation its documents.
func (d *docs) copy(ctx context.Context, from, to string) error {
	if some, err := d.some(ctx, from); !some || err != nil {
		return err
	}
	attached, err := d.ofConversations()
	if err != nil {
		return err
	}
	return attached.Copy(ctx, from, to)
}

// forget deletes the documents of a deleted conversation in the background.
func (d *docs) forget(conversation string) {
	d.background(func(ctx context.Context) {
		attached, err := d.ofConversations()
		if err != nil {
			return // the sweep of the next start deletes them
		}
		if err := attached.RemoveAll(ctx, conversation); err != nil && ctx.Err() == nil {
			d.opts.Logger.Warn("the documents of a deleted conversation are still there", "error", err)
		}
	})
}
