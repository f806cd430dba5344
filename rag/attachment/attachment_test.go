package attachment_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/attachment"
	"github.com/localpass/localpass/rag/flat"
	"github.com/localpass/localpass/rag/library"
	"github.com/localpass/localpass/rag/reader"
)

// embedder embeds words by their letters; it can be broken.
type embedder struct{ broken atomic.Bool }

func (e *embedder) Embed(_ context.Context, texts []string) ([][]float32, error) {
	if e.broken.Load() {
		return nil, io.ErrUnexpectedEOF
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		v := make([]float32, 26)
		v[0] = 0.1
		for _, r := range strings.ToLower(text) {
			if r >= 'a' && r <= 'z' {
				v[r-'a']++
			}
		}
		out[i] = v
	}
	return out, nil
}

func (e *embedder) EmbedderInfo() rag.EmbedderInfo {
	return rag.EmbedderInfo{ID: "letters", Dimension: 26}
}

// parts are what a program puts together; they survive a restart of it.
type parts struct {
	store    *flat.Store
	records  localpass.Persistence
	embedder *embedder
	dir      string
}

func newParts(t *testing.T) *parts {
	t.Helper()
	p := &parts{records: memory.New(), embedder: &embedder{}, dir: t.TempDir()}
	var err error
	p.store, err = flat.New(&flat.Options{Embedder: p.embedder})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, p.store.Close()) })
	return p
}

func (p *parts) open(t *testing.T, opts *attachment.Options) (*attachment.Attachments, *library.Library) {
	t.Helper()
	l, err := library.Open(t.Context(), p.store, reader.New(nil), p.records, &library.Options{Embedder: p.embedder, Dir: p.dir})
	require.NoError(t, err)
	a, err := attachment.New(l, p.records, opts)
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, a.Close())
		assert.NoError(t, l.Close())
	})
	return a, l
}

func add(t *testing.T, a *attachment.Attachments, conversation, name, text string) attachment.Attachment {
	t.Helper()
	got, err := a.Add(t.Context(), conversation, name, []byte(text))
	require.NoError(t, err)
	assert.Equal(t, []string{name, conversation}, []string{got.Name, got.Conversation})
	got, err = a.Wait(t.Context(), conversation, got.ID)
	require.NoError(t, err)
	return got
}

// long is a text of about as many tokens.
func long(tokens int) string {
	var b strings.Builder
	for i := 0; b.Len() < tokens*5; i++ {
		fmt.Fprintf(&b, "Pump number %d of the water works was checked in the spring. ", i)
	}
	return b.String()
}

func TestTiers(t *testing.T) {
	var mu sync.Mutex
	var prompts []string
	p := newParts(t)
	a, l := p.open(t, &attachment.Options{Generate: func(_ context.Context, prompt string) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		prompts = append(prompts, prompt)
		return "It is about pumps.", nil
	}})
	small := add(t, a, "c1", "hotel.md", "# Meals\n\nBreakfast is served from seven to ten.")
	assert.Equal(t, []any{attachment.StateReady, attachment.TierSmall}, []any{small.State, small.Tier})
	assert.Empty(t, prompts, "a small text needs no model")

	medium := add(t, a, "c1", "pumps.txt", long(6_000))
	assert.Equal(t, []any{attachment.StateReady, attachment.TierMedium, "It is about pumps.", false}, []any{medium.State, medium.Tier, medium.Overview, medium.Extractive})
	assert.Contains(t, prompts[0], "Pump number 0 of")
	assert.Len(t, prompts, calls(medium.Chunks))

	large := add(t, a, "c1", "works.txt", "The works. "+long(45_000))
	assert.Equal(t, []any{attachment.StateReady, attachment.TierLarge}, []any{large.State, large.Tier})

	list, err := a.List(t.Context(), "c1")
	require.NoError(t, err)
	require.Len(t, list, 3)
	assert.Equal(t, []string{small.ID, medium.ID, large.ID}, []string{list[0].ID, list[1].ID, list[2].ID}, "in their order")
	again, err := a.Add(t.Context(), "c1", "copy.txt", []byte(long(6_000)))
	require.NoError(t, err)
	assert.Equal(t, medium.ID, again.ID, "the same content is attached once")

	docs, err := a.Attached(t.Context(), "c1")
	require.NoError(t, err)
	require.Len(t, docs, 3)
	assert.Contains(t, docs[0].Text, "Breakfast is served")
	assert.Positive(t, docs[0].Tokens)
	assert.Equal(t, rag.Attached{ID: medium.ID, Name: "pumps.txt", Overview: "It is about pumps.", Searchable: true}, docs[1])
	found, err := a.Retriever("c1").Retrieve(t.Context(), rag.SearchRequest{Query: "breakfast", Mode: rag.ModeLexical})
	require.NoError(t, err)
	require.Len(t, found, 1)
	found, err = a.Retriever("c2").Retrieve(t.Context(), rag.SearchRequest{Query: "breakfast", Filter: rag.Equal(rag.KeyDocument, small.ID)})
	require.NoError(t, err)
	assert.Empty(t, found, "a conversation sees its own documents")
	found, err = l.Retrieve(t.Context(), rag.SearchRequest{Query: "breakfast"})
	require.NoError(t, err)
	assert.Empty(t, found, "no other search finds them")
}

// calls is how many calls of a model an overview takes, by the sheet: 6 chunks take 1, 9
// take 3, 13 take 4, 40 take 10.
func calls(chunks int) int {
	n := 1
	for chunks > 6 {
		chunks = (chunks + 5) / 6
		n += chunks
	}
	return n
}

func TestCalls(t *testing.T) {
	assert.Equal(t, []int{1, 3, 4, 10}, []int{calls(6), calls(9), calls(13), calls(40)})
}

func TestWithoutAModel(t *testing.T) {
	p := newParts(t)
	for name, generate := range map[string]func(context.Context, string) (string, error){
		"none": nil, "broken": func(context.Context, string) (string, error) { return "", io.ErrUnexpectedEOF },
		"silent": func(context.Context, string) (string, error) { return " ", nil },
	} {
		a, _ := p.open(t, &attachment.Options{Generate: generate})
		got := add(t, a, name, "pumps.txt", long(5_000))
		assert.Equal(t, attachment.StateReady, got.State)
		assert.True(t, got.Extractive)
		assert.Contains(t, got.Overview, "of the water works was checked")
		assert.Less(t, len(got.Overview), 2000)
	}
}

func TestFailures(t *testing.T) {
	p := newParts(t)
	a, _ := p.open(t, nil)
	got := add(t, a, "c1", "noise.bin", strings.Repeat("\x00\x01\x02\xff", 100))
	assert.Equal(t, attachment.StateFailed, got.State)
	assert.NotEmpty(t, got.Error)
	assert.Equal(t, library.ProblemUnsupported, got.Problem)
	docs, err := a.Attached(t.Context(), "c1")
	require.NoError(t, err)
	assert.Equal(t, "It could not be read.", docs[0].Note)
	_, err = a.Promote(t.Context(), "c1", got.ID)
	require.ErrorIs(t, err, rag.ErrInvalid)
	got = add(t, a, "c1", "blank.txt", " \n ")
	assert.Equal(t, attachment.StateFailed, got.State)
	_, err = a.Add(t.Context(), "c1", "empty.txt", nil)
	require.ErrorIs(t, err, rag.ErrNoText)
	_, err = a.Add(t.Context(), "c1", "", []byte("x"))
	require.ErrorIs(t, err, rag.ErrInvalid)
	for _, bad := range []string{"", "a/b", strings.Repeat("x", 201)} {
		_, err = a.Add(t.Context(), bad, "a.txt", []byte("x"))
		require.ErrorIs(t, err, rag.ErrInvalid, bad)
		_, err = a.List(t.Context(), bad)
		require.ErrorIs(t, err, rag.ErrInvalid, bad)
		require.ErrorIs(t, a.Remove(t.Context(), bad, "x"), rag.ErrInvalid)
		require.ErrorIs(t, a.RemoveAll(t.Context(), bad), rag.ErrInvalid)
		_, err = a.Get(t.Context(), bad, "x")
		require.ErrorIs(t, err, rag.ErrInvalid, bad)
	}

	p.embedder.broken.Store(true)
	small := add(t, a, "c2", "hotel.txt", "Breakfast is served from seven to ten.")
	assert.Equal(t, attachment.StateReady, small.State, "its text is enough")
	assert.Contains(t, small.Warnings[0], "cannot be searched")
	broken := add(t, a, "c2", "pumps.txt", long(5_000))
	assert.Equal(t, attachment.StateFailed, broken.State)
	assert.Equal(t, library.ProblemEmbedder, broken.Problem)
	_, err = a.Retry(t.Context(), "c2", small.ID)
	require.ErrorIs(t, err, rag.ErrInvalid, "it did not fail")
	p.embedder.broken.Store(false)
	_, err = a.Retry(t.Context(), "c2", broken.ID)
	require.NoError(t, err)
	broken, err = a.Wait(t.Context(), "c2", broken.ID)
	require.NoError(t, err)
	assert.Equal(t, attachment.StateReady, broken.State)

	for _, call := range []func() error{
		func() error { _, err := a.Get(t.Context(), "c2", "doc-none"); return err },
		func() error { _, err := a.Wait(t.Context(), "c2", "doc-none"); return err },
		func() error { _, err := a.Promote(t.Context(), "c1", small.ID); return err },
		func() error { _, err := a.Retry(t.Context(), "c1", small.ID); return err },
	} {
		require.ErrorIs(t, call(), localpass.ErrNotFound)
	}
	require.NoError(t, a.Remove(t.Context(), "c2", "doc-none"))

	for i := range attachment.MaxPerConversation {
		_, err = a.Add(t.Context(), "c3", "a.txt", fmt.Appendf(nil, "text %d", i))
		require.NoError(t, err)
	}
	_, err = a.Add(t.Context(), "c3", "a.txt", []byte("one more"))
	require.ErrorIs(t, err, rag.ErrBudget)

	_, err = attachment.New(nil, p.records, nil)
	require.ErrorIs(t, err, rag.ErrInvalid)
	_, err = p.records.Put(t.Context(), "rag.attachments", "c4/torn", localpass.Document{Data: []byte(`{"id": 7}`)})
	require.NoError(t, err)
	_, err = a.List(t.Context(), "c4")
	require.ErrorIs(t, err, rag.ErrCorrupt)
	_, err = a.Attached(t.Context(), "c4")
	require.ErrorIs(t, err, rag.ErrCorrupt)
	_, err = a.Retriever("c4").Retrieve(t.Context(), rag.SearchRequest{Query: "x"})
	require.ErrorIs(t, err, rag.ErrCorrupt)
}

func TestPromotionAndRemoval(t *testing.T) {
	p := newParts(t)
	a, l := p.open(t, nil)
	kept := add(t, a, "c1", "hotel.txt", "Breakfast is served from seven to ten.")
	gone := add(t, a, "c1", "pumps.txt", long(5_000))
	other := add(t, a, "c10", "car.txt", "The car has a red roof.")
	kept, err := a.Promote(t.Context(), "c1", kept.ID)
	require.NoError(t, err)
	assert.True(t, kept.Promoted)
	found, err := a.Retriever("c1").Retrieve(t.Context(), rag.SearchRequest{Query: "breakfast", Mode: rag.ModeLexical})
	require.NoError(t, err)
	assert.Len(t, found, 1, "the conversation still has it")
	found, err = l.Retrieve(t.Context(), rag.SearchRequest{Query: "breakfast", Mode: rag.ModeLexical})
	require.NoError(t, err)
	assert.Len(t, found, 1, "and so does everybody")

	orphan, err := l.Add(t.Context(), library.File{Name: "x.txt", Data: []byte("without a record"), Conversation: "c1"})
	require.NoError(t, err)
	require.NoError(t, a.RemoveAll(t.Context(), "c1"))
	for id, there := range map[string]bool{kept.ID: true, gone.ID: false, orphan.ID: false, other.ID: true} {
		_, err = l.Get(t.Context(), id)
		assert.Equal(t, there, err == nil, id)
	}
	list, err := a.List(t.Context(), "c1")
	require.NoError(t, err)
	assert.Empty(t, list)

	require.NoError(t, l.Delete(t.Context(), other.ID))
	list, err = a.List(t.Context(), "c10")
	require.NoError(t, err)
	assert.Empty(t, list, "its document was deleted elsewhere")
	require.NoError(t, a.Remove(t.Context(), "c10", other.ID))
}

// A copy of a conversation shares its documents, whichever of the two is deleted first.
func TestCopy(t *testing.T) {
	p := newParts(t)
	a, l := p.open(t, nil)
	small := add(t, a, "c1", "hotel.txt", "Breakfast is served from seven to ten.")
	large := add(t, a, "c1", "pumps.txt", long(5_000))
	kept := add(t, a, "c1", "car.txt", "The car has a red roof.")
	require.NoError(t, a.Copy(t.Context(), "c1", "c2"))
	require.NoError(t, a.Copy(t.Context(), "c1", "c2"), "a second time changes nothing")
	require.NoError(t, a.Copy(t.Context(), "c-none", "c3"))
	require.ErrorIs(t, a.Copy(t.Context(), "c1", "a/b"), rag.ErrInvalid)
	list, err := a.List(t.Context(), "c2")
	require.NoError(t, err)
	require.Len(t, list, 3)
	want := large
	want.Conversation = "c2"
	assert.Equal(t, want, list[1], "it is ready at once, and as old")
	docs, err := a.Attached(t.Context(), "c2")
	require.NoError(t, err)
	assert.Contains(t, docs[0].Text, "from seven to ten")

	_, err = a.Promote(t.Context(), "c2", kept.ID)
	require.NoError(t, err)
	got, err := a.Get(t.Context(), "c1", kept.ID)
	require.NoError(t, err)
	assert.True(t, got.Promoted, "of both")
	require.NoError(t, a.Remove(t.Context(), "c2", small.ID))
	_, err = a.Get(t.Context(), "c1", small.ID)
	require.NoError(t, err, "the first conversation keeps it")

	require.NoError(t, a.RemoveAll(t.Context(), "c1"))
	found, err := a.Retriever("c2").Retrieve(t.Context(), rag.SearchRequest{Query: "pump number 7", Mode: rag.ModeLexical})
	require.NoError(t, err)
	assert.NotEmpty(t, found, "the copy keeps it")
	require.NoError(t, a.RemoveAll(t.Context(), "c2"))
	for id, there := range map[string]bool{kept.ID: true, large.ID: false, small.ID: false} {
		_, err = l.Get(t.Context(), id)
		assert.Equal(t, there, err == nil, id)
	}
}

// What a program did not finish, the next one does; and a removal ends it.
func TestInterrupted(t *testing.T) {
	p := newParts(t)
	asked := make(chan struct{}, 10)
	stuck := func(ctx context.Context, _ string) (string, error) {
		asked <- struct{}{}
		<-ctx.Done()
		return "", ctx.Err()
	}
	l, err := library.Open(t.Context(), p.store, reader.New(nil), p.records, &library.Options{Embedder: p.embedder, Dir: p.dir})
	require.NoError(t, err)
	a, err := attachment.New(l, p.records, &attachment.Options{Generate: stuck})
	require.NoError(t, err)
	first, err := a.Add(t.Context(), "c1", "pumps.txt", []byte(long(6_000)))
	require.NoError(t, err)
	<-asked
	first, err = a.Get(t.Context(), "c1", first.ID)
	require.NoError(t, err)
	assert.Equal(t, []any{attachment.StateSummarizing, 0, calls(first.Chunks)}, []any{first.State, first.Done, first.Total})
	docs, err := a.Attached(t.Context(), "c1")
	require.NoError(t, err)
	assert.Contains(t, docs[0].Note, "still being prepared")
	assert.True(t, docs[0].Searchable)
	second, err := a.Add(t.Context(), "c1", "works.txt", []byte("The works. "+long(6_000)))
	require.NoError(t, err)
	require.NoError(t, a.Remove(t.Context(), "c1", second.ID), "while it waits for the model")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = a.Wait(ended, "c1", first.ID)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, a.Close())
	_, err = a.Wait(t.Context(), "c1", first.ID)
	require.ErrorIs(t, err, localpass.ErrClosed)
	_, err = a.List(t.Context(), "c1")
	require.ErrorIs(t, err, localpass.ErrClosed)
	require.NoError(t, l.Close())

	a, _ = p.open(t, &attachment.Options{Generate: func(context.Context, string) (string, error) { return "Pumps.", nil }})
	list, err := a.List(t.Context(), "c1")
	require.NoError(t, err)
	require.Len(t, list, 1)
	first, err = a.Wait(t.Context(), "c1", first.ID)
	require.NoError(t, err)
	assert.Equal(t, []any{attachment.StateReady, "Pumps."}, []any{first.State, first.Overview})
}

// failing is a persistence that refuses to write records of attachments.
type failing struct{ localpass.Persistence }

func (f failing) Put(ctx context.Context, collection, key string, d localpass.Document) (localpass.Document, error) {
	if collection == "rag.attachments" {
		return d, errors.New("the disk is full")
	}
	return f.Persistence.Put(ctx, collection, key, d)
}

func TestARecordThatCannotBeWritten(t *testing.T) {
	p := newParts(t)
	p.records = failing{p.records}
	a, l := p.open(t, nil)
	_, err := a.Add(t.Context(), "c1", "a.txt", []byte("x"))
	require.ErrorContains(t, err, "disk is full")
	docs, err := l.List(t.Context())
	require.NoError(t, err)
	assert.Empty(t, docs, "nothing is left of it")
}
