package attachment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/library"
)

// start begins or continues the preparation of an attachment, unless it is prepared.
func (a *Attachments) start(r *record) error {
	if r.Prepared {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return fmt.Errorf("attachment: %w", localpass.ErrClosed)
	}
	k, own := key(r.Conversation, r.ID), *r
	if a.jobs[k] != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(a.ctx)
	j := &job{cancel: cancel, done: make(chan struct{})}
	a.jobs[k] = j
	a.group.Go(func() {
		defer cancel()
		err := a.prepare(ctx, j, &own)
		a.mu.Lock()
		delete(a.jobs, k)
		a.mu.Unlock()
		close(j.done)
		if err != nil && ctx.Err() == nil && !errors.Is(err, localpass.ErrNotFound) {
			a.opts.Logger.Error("attachment: a document could not be prepared", "document", own.ID, "conversation", own.Conversation, "error", err)
		}
	})
	return nil
}

// stop ends the preparation of an attachment, and waits for its end.
func (a *Attachments) stop(k string) {
	a.mu.Lock()
	j := a.jobs[k]
	a.mu.Unlock()
	if j != nil {
		j.cancel()
		<-j.done
	}
}

// prepare waits for the library, and takes the text or makes the overview of a document.
func (a *Attachments) prepare(ctx context.Context, j *job, r *record) error {
	d, err := a.library.Wait(ctx, r.ID)
	if ctx.Err() != nil || errors.Is(err, localpass.ErrClosed) || errors.Is(err, localpass.ErrNotFound) {
		return err
	}
	done := *r
	switch {
	case tierOf(d.Tokens) == TierSmall: // also if it could not be indexed
		err = a.inline(ctx, &done)
	case d.State == library.StateReady:
		err = a.overview(ctx, j, &done)
	default: // its document says why; it may be tried again
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		done.Error = err.Error()
	}
	return errors.Join(err, a.update(ctx, r, func(r *record) {
		r.Prepared, r.Text, r.Overview, r.Extractive, r.Error = true, done.Text, done.Overview, done.Extractive, done.Error
	}))
}

// inline keeps the text of a small document.
func (a *Attachments) inline(ctx context.Context, r *record) error {
	extract, err := a.library.Text(ctx, r.ID)
	if err != nil {
		return err
	}
	r.Text, r.Extractive = extract.Text, true
	r.Overview, err = extractive(ctx, []string{extract.Text})
	return err
}

// overview makes the overview of a document.
func (a *Attachments) overview(ctx context.Context, j *job, r *record) error {
	chunks, err := a.library.Chunks(ctx, r.ID)
	if err != nil {
		return err
	}
	texts := make([]string, len(chunks))
	for i := range chunks {
		texts[i] = chunks[i].Text
	}
	if a.opts.Generate != nil {
		select { // one document at a time
		case a.slot <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		r.Overview, err = summarize(ctx, texts, a.opts.Generate, func(made, total int) {
			a.mu.Lock()
			j.made, j.total = made, total
			a.mu.Unlock()
		})
		<-a.slot
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		a.opts.Logger.Warn("attachment: the model made no overview; sentences of the document take its place", "document", r.ID, "error", err)
	}
	r.Extractive = true
	r.Overview, err = extractive(ctx, texts)
	return err
}

// update changes a stored record.
func (a *Attachments) update(ctx context.Context, r *record, change func(*record)) error {
	for {
		stored, err := a.records.Get(ctx, Collection, key(r.Conversation, r.ID))
		if err != nil {
			return err
		}
		var now record
		if err := stored.Decode(&now); err != nil {
			return fmt.Errorf("attachment: the record %s: %w: %w", stored.Key, rag.ErrCorrupt, err)
		}
		change(&now)
		if stored.Data, err = json.Marshal(now); err != nil {
			return err
		}
		if _, err = a.records.Put(ctx, Collection, stored.Key, stored); !errors.Is(err, localpass.ErrConflict) {
			return err
		}
	}
}
