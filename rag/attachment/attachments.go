package attachment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/library"
)

// MaxPerConversation is how many attachments a conversation has at most.
const MaxPerConversation = 5

// Collection is where the records are in the Persistence. Their keys begin with the id of
// the conversation and a slash.
const Collection = "rag.attachments"

// Options are the options of [New]. The zero value works.
type Options struct {
	// Generate asks a model with a prompt, for overviews; from one goroutine at a time. nil:
	// overviews are extractive.
	Generate func(ctx context.Context, prompt string) (string, error)
	// Logger gets what has no caller. nil: nothing is logged.
	Logger *slog.Logger
	// Now replaces the time.
	Now func() time.Time
}

// Attachments keep the documents of conversations. Make them with [New]. They are safe for
// concurrent use, and implement the source of advisor.Attachments.
type Attachments struct {
	library *library.Library
	records localpass.Persistence
	opts    Options
	clock   clock.Clock
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	group   sync.WaitGroup
	slot    chan struct{} // held by the job that calls the model
	adding  sync.Mutex    // held while it changes which conversations have a document

	mu     sync.Mutex
	closed bool
	jobs   map[string]*job // by key
}

// job prepares one attachment.
type job struct {
	cancel      context.CancelFunc
	done        chan struct{}
	made, total int // summaries; guarded by Attachments.mu
}

// New returns the attachments over a library, which must be closed after them. What was not
// finished when a program ended continues when its conversation is looked at.
func New(l *library.Library, records localpass.Persistence, opts *Options) (*Attachments, error) {
	if l == nil || records == nil {
		return nil, fmt.Errorf("attachment: it needs a library and a persistence: %w", rag.ErrInvalid)
	}
	a := &Attachments{library: l, records: records, jobs: map[string]*job{}, slot: make(chan struct{}, 1)}
	if opts != nil {
		a.opts = *opts
	}
	if a.opts.Logger == nil {
		a.opts.Logger = slog.New(slog.DiscardHandler)
	}
	a.clock = clock.Clock{NowFunc: a.opts.Now}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	return a, nil
}

// Close stops the preparation of attachments.
func (a *Attachments) Close() error {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.cancel()
	a.group.Wait()
	return nil
}

func key(conversation, id string) string { return conversation + "/" + id }

// checkConversation refuses an id whose records would be those of another conversation.
func checkConversation(id string) error {
	if id == "" || len(id) > 200 || strings.Contains(id, "/") {
		return fmt.Errorf("attachment: the id of a conversation has 1 to 200 bytes and no slash: %w", rag.ErrInvalid)
	}
	return nil
}

// Add attaches a file to a conversation. It returns at once: see [Attachments.Wait]. A file
// that is attached already is returned as it is. More than [MaxPerConversation] are refused
// with [rag.ErrBudget].
func (a *Attachments) Add(ctx context.Context, conversation, name string, data []byte) (Attachment, error) {
	if err := checkConversation(conversation); err != nil {
		return Attachment{}, err
	}
	if len(data) == 0 {
		return Attachment{}, fmt.Errorf("attachment: %s is empty: %w", name, rag.ErrNoText)
	}
	a.adding.Lock()
	defer a.adding.Unlock()
	there, err := a.load(ctx, conversation)
	if err != nil {
		return Attachment{}, err
	}
	if len(there) >= MaxPerConversation {
		return Attachment{}, fmt.Errorf("attachment: a conversation has at most %d documents: remove one first: %w", MaxPerConversation, rag.ErrBudget)
	}
	d, err := a.library.Add(ctx, library.File{Name: name, Data: data, Conversation: conversation})
	if err != nil {
		return Attachment{}, err
	}
	r := &record{ID: d.ID, Conversation: conversation, Added: a.clock.Now()}
	text, err := json.Marshal(r)
	if err == nil {
		_, err = a.records.Put(ctx, Collection, key(conversation, d.ID), localpass.Document{Data: text})
	}
	switch {
	case errors.Is(err, localpass.ErrConflict): // it is attached already
		return a.Get(ctx, conversation, d.ID)
	case err != nil:
		return Attachment{}, errors.Join(err, a.library.Delete(context.WithoutCancel(ctx), d.ID))
	}
	return a.view(r, &d), a.start(r)
}

// loaded is an attachment as it is stored.
type loaded struct {
	record record
	doc    library.Document
}

// load returns the attachments of a conversation, the oldest first. The record of one whose
// document was deleted is removed.
func (a *Attachments) load(ctx context.Context, conversation string) ([]loaded, error) {
	if err := checkConversation(conversation); err != nil {
		return nil, err
	}
	var out []loaded
	for stored, err := range a.records.List(ctx, Collection, localpass.ListOptions{Prefix: conversation + "/"}) {
		if err != nil {
			return nil, err
		}
		l, err := a.read(ctx, stored)
		if errors.Is(err, localpass.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, *l)
	}
	slices.SortFunc(out, func(x, y loaded) int {
		if c := x.record.Added.Compare(y.record.Added); c != 0 {
			return c
		}
		return strings.Compare(x.record.ID, y.record.ID)
	})
	return out, nil
}

// read decodes a record and gets its document.
func (a *Attachments) read(ctx context.Context, stored localpass.Document) (*loaded, error) {
	var l loaded
	if err := stored.Decode(&l.record); err != nil {
		return nil, fmt.Errorf("attachment: the record %s: %w: %w", stored.Key, rag.ErrCorrupt, err)
	}
	var err error
	l.doc, err = a.library.Get(ctx, l.record.ID)
	if err == nil && l.doc.State == library.StateDeleting {
		err = localpass.ErrNotFound
	}
	return &l, err
}

// get returns one attachment. The error matches [localpass.ErrNotFound] if there is none.
func (a *Attachments) get(ctx context.Context, conversation, id string) (*loaded, error) {
	if err := checkConversation(conversation); err != nil {
		return nil, err
	}
	stored, err := a.records.Get(ctx, Collection, key(conversation, id))
	if err != nil {
		return nil, err
	}
	return a.read(ctx, stored)
}

// view describes an attachment, with the progress of its job.
func (a *Attachments) view(r *record, d *library.Document) Attachment {
	out := describe(r, d)
	a.mu.Lock()
	defer a.mu.Unlock()
	if j := a.jobs[key(r.Conversation, r.ID)]; j != nil && out.State == StateSummarizing {
		out.Done, out.Total = j.made, j.total
	}
	return out
}

// Get returns an attachment. The error matches [localpass.ErrNotFound] if there is none.
func (a *Attachments) Get(ctx context.Context, conversation, id string) (Attachment, error) {
	l, err := a.get(ctx, conversation, id)
	if err != nil {
		return Attachment{}, err
	}
	return a.view(&l.record, &l.doc), a.start(&l.record)
}

// List returns the attachments of a conversation, the oldest first.
func (a *Attachments) List(ctx context.Context, conversation string) ([]Attachment, error) {
	all, err := a.load(ctx, conversation)
	if err != nil {
		return nil, err
	}
	out := make([]Attachment, len(all))
	for i := range all {
		out[i] = a.view(&all[i].record, &all[i].doc)
		if err := a.start(&all[i].record); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Wait waits until an attachment is ready or failed, which is no error, and returns it.
func (a *Attachments) Wait(ctx context.Context, conversation, id string) (Attachment, error) {
	l, err := a.get(ctx, conversation, id)
	if err != nil {
		return Attachment{}, err
	}
	if err := a.start(&l.record); err != nil {
		return Attachment{}, err
	}
	a.mu.Lock()
	j := a.jobs[key(conversation, id)]
	a.mu.Unlock()
	if j != nil {
		select {
		case <-j.done:
		case <-ctx.Done():
			return Attachment{}, ctx.Err()
		}
	}
	if a.ctx.Err() != nil {
		return Attachment{}, fmt.Errorf("attachment: %w", localpass.ErrClosed)
	}
	if l, err = a.get(ctx, conversation, id); err != nil {
		return Attachment{}, err
	}
	return a.view(&l.record, &l.doc), nil
}

// Retry prepares an attachment again that failed.
func (a *Attachments) Retry(ctx context.Context, conversation, id string) (Attachment, error) {
	l, err := a.get(ctx, conversation, id)
	if err != nil {
		return Attachment{}, err
	}
	if a.view(&l.record, &l.doc).State != StateFailed {
		return Attachment{}, fmt.Errorf("attachment: %s did not fail: %w", l.doc.Source, rag.ErrInvalid)
	}
	if l.doc.State != library.StateReady {
		if _, err := a.library.Resume(ctx, id); err != nil {
			return Attachment{}, err
		}
	}
	if err := a.update(ctx, &l.record, func(r *record) { r.Prepared, r.Error = false, "" }); err != nil {
		return Attachment{}, err
	}
	return a.Get(ctx, conversation, id)
}

// Promote makes an attachment a document of the library, which every search finds and which
// stays if the conversation is deleted. It cannot be taken back; the conversation keeps the
// attachment too. The document must be indexed.
func (a *Attachments) Promote(ctx context.Context, conversation, id string) (Attachment, error) {
	l, err := a.get(ctx, conversation, id)
	if err != nil {
		return Attachment{}, err
	}
	if _, err := a.library.Promote(ctx, id); err != nil {
		return Attachment{}, err
	}
	if err := a.update(ctx, &l.record, func(r *record) { r.Promoted = true }); err != nil {
		return Attachment{}, err
	}
	return a.Get(ctx, conversation, id)
}

// Copy gives a conversation the attachments of another one, because it is a copy of it. The
// documents themselves are shared: what one conversation removes, the other keeps.
func (a *Attachments) Copy(ctx context.Context, from, to string) error {
	if err := errors.Join(checkConversation(from), checkConversation(to)); err != nil {
		return err
	}
	a.adding.Lock()
	defer a.adding.Unlock()
	all, err := a.load(ctx, from)
	if err != nil {
		return err
	}
	for i := range all {
		r := all[i].record
		r.Conversation = to
		text, err := json.Marshal(r)
		if err != nil {
			return err
		}
		_, err = a.records.Put(ctx, Collection, key(to, r.ID), localpass.Document{Data: text})
		if err != nil && !errors.Is(err, localpass.ErrConflict) { // a conflict: it is attached already
			return err
		}
	}
	return nil
}

// shared reports whether a conversation other than this one has an attachment.
func (a *Attachments) shared(ctx context.Context, conversation, id string) (bool, error) {
	for stored, err := range a.records.List(ctx, Collection, localpass.ListOptions{}) {
		if err != nil {
			return false, err
		}
		if other, of, _ := strings.Cut(stored.Key, "/"); of == id && other != conversation {
			return true, nil
		}
	}
	return false, nil
}

// discard deletes a document, unless it was promoted or another conversation has it.
func (a *Attachments) discard(ctx context.Context, conversation, id string) error {
	// The document says whether it was promoted: its record may not have been written.
	d, err := a.library.Get(ctx, id)
	if errors.Is(err, localpass.ErrNotFound) || err == nil && d.Conversation == "" {
		return nil
	}
	if err != nil {
		return err
	}
	if shared, err := a.shared(ctx, conversation, id); shared || err != nil {
		return err
	}
	if err := a.library.Delete(ctx, id); !errors.Is(err, localpass.ErrNotFound) {
		return err
	}
	return nil
}

// Remove removes an attachment with its file and passages; a promoted one, and one that
// another conversation has too, from the conversation only. One that is not there is not an
// error.
func (a *Attachments) Remove(ctx context.Context, conversation, id string) error {
	if err := checkConversation(conversation); err != nil {
		return err
	}
	stored, err := a.records.Get(ctx, Collection, key(conversation, id))
	if errors.Is(err, localpass.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	a.stop(key(conversation, id))
	a.adding.Lock()
	defer a.adding.Unlock()
	if err := a.discard(ctx, conversation, id); err != nil {
		return err
	}
	return a.records.Delete(ctx, Collection, stored.Key)
}

// RemoveAll removes all that a conversation has, because it is deleted. Promoted documents
// stay in the library, and those of copies of the conversation with the copies.
func (a *Attachments) RemoveAll(ctx context.Context, conversation string) error {
	if err := checkConversation(conversation); err != nil {
		return err
	}
	var ids []string
	for stored, err := range a.records.List(ctx, Collection, localpass.ListOptions{Prefix: conversation + "/"}) {
		if err != nil {
			return err
		}
		ids = append(ids, strings.TrimPrefix(stored.Key, conversation+"/"))
	}
	for _, id := range ids {
		if err := a.Remove(ctx, conversation, id); err != nil {
			return err
		}
	}
	docs, err := a.library.List(ctx) // without a record, because a program ended in between
	if err != nil {
		return err
	}
	a.adding.Lock()
	defer a.adding.Unlock()
	for _, d := range docs {
		if d.Conversation == conversation {
			if err := a.discard(ctx, conversation, d.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// Attached returns what a question of a conversation gets of its attachments.
func (a *Attachments) Attached(ctx context.Context, conversation string) ([]rag.Attached, error) {
	all, err := a.load(ctx, conversation)
	if err != nil {
		return nil, err
	}
	out := make([]rag.Attached, len(all))
	for i := range all {
		view := a.view(&all[i].record, &all[i].doc)
		out[i] = attached(&view, &all[i].record, all[i].doc.State == library.StateReady)
		if err := a.start(&all[i].record); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Retriever returns the search in the attachments of a conversation. It applies no threshold.
func (a *Attachments) Retriever(conversation string) rag.Retriever {
	return rag.RetrieverFunc(func(ctx context.Context, req rag.SearchRequest) ([]rag.Match, error) {
		all, err := a.load(ctx, conversation)
		if err != nil {
			return nil, err
		}
		ids := make([]string, len(all))
		for i := range all {
			ids[i] = all[i].record.ID
		}
		return a.library.Within(ids...).Retrieve(ctx, req)
	})
}
