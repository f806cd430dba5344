package oauth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/mcphub/oauth"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/toolspec/secret"
)

func vaultOf(t testing.TB, first byte) *secret.Vault {
	key := bytes.Repeat([]byte{first}, 32)
	v, err := secret.NewVault(key, nil)
	require.NoError(t, err)
	return v
}

func storeOf(t testing.TB, p localpass.Persistence, first byte) oauth.Store {
	s, err := oauth.NewStore(p, vaultOf(t, first))
	require.NoError(t, err)
	return s
}

func TestStore(t *testing.T) {
	_, err := oauth.NewStore(nil, vaultOf(t, 1))
	require.Error(t, err)
	_, err = oauth.NewStore(memory.New(), nil)
	require.Error(t, err)
	for name, s := range map[string]oauth.Store{"memory": oauth.NewMemoryStore(), "sealed": storeOf(t, memory.New(), 1)} {
		ctx := t.Context()
		one := oauth.Key{Kind: "oauth-token", Issuer: "https://a.example.com", Resource: "r", Subject: "s"}
		two := oauth.Key{Kind: "oauth-token", Issuer: "https://b.example.com", Resource: "r", Subject: "s"}
		_, err := s.Load(ctx, one)
		require.ErrorIs(t, err, oauth.ErrNotStored, name)
		require.ErrorIs(t, s.Delete(ctx, one), oauth.ErrNotStored, name)
		require.NoError(t, s.Save(ctx, one, []byte("1")), name)
		require.NoError(t, s.Save(ctx, one, []byte("2")), name)
		_, err = s.Load(ctx, two)
		require.ErrorIs(t, err, oauth.ErrNotStored, name)
		value, err := s.Load(ctx, one)
		require.NoError(t, err, name)
		assert.Equal(t, "2", string(value), name)
		require.NoError(t, s.Delete(ctx, one), name)
		_, err = s.Load(ctx, one)
		require.ErrorIs(t, err, oauth.ErrNotStored, name)
	}
}

func TestTokensAreSealed(t *testing.T) {
	p := memory.New()
	var opts *oauth.Options
	w := newSetup(t, func(w *setup, o *oauth.Options) {
		o.Store, opts = storeOf(t, p, 1), o
		w.as.register = func(map[string]any) (int, map[string]any) {
			return 201, map[string]any{"client_id": "an-id", "client_secret": "a-client-secret"}
		}
	})
	w.must()
	var docs []localpass.Document
	for doc, err := range p.List(t.Context(), "mcp-oauth", localpass.ListOptions{}) {
		require.NoError(t, err)
		docs = append(docs, doc)
		for _, hidden := range []string{"access-", "refresh-", "a-client-secret", "an-id", w.rs.URL, w.as.URL} {
			assert.NotContains(t, doc.Key+string(doc.Data), hidden)
		}
	}
	require.Len(t, docs, 3, "a token, where it is from, a registration")

	// The next start goes on with them.
	next := w.another(opts)
	status, err := call(t.Context(), next, w.rs.address())
	require.NoError(t, err)
	assert.Equal(t, 200, status)
	assert.Len(t, w.opened(), 1)

	// With another key nothing is opened, and nothing is overwritten.
	other := *opts
	other.Store = storeOf(t, p, 2)
	blind := w.another(&other)
	_, err = call(t.Context(), blind, w.rs.address())
	require.ErrorIs(t, err, secret.ErrSealed)
	assert.Len(t, w.opened(), 1)
	require.ErrorIs(t, blind.Revoke(t.Context()), secret.ErrSealed)
	_, err = blind.Begin(t.Context())
	require.ErrorIs(t, err, secret.ErrSealed)

	// A value that was copied to another place is opened by nobody.
	for _, from := range docs {
		for _, to := range docs {
			if strings.HasPrefix(from.Key, "oauth-token") && strings.HasPrefix(to.Key, "oauth-resource") {
				_, err := p.Put(t.Context(), "mcp-oauth", to.Key, localpass.Document{Data: from.Data, Version: localpass.AnyVersion})
				require.NoError(t, err)
			}
		}
	}
	swapped := w.another(opts)
	_, err = call(t.Context(), swapped, w.rs.address())
	require.ErrorIs(t, err, secret.ErrSealed)
	// Forgetting is the way out.
	require.NoError(t, swapped.Forget(t.Context()))
	status, err = call(t.Context(), swapped, w.rs.address())
	require.NoError(t, err)
	assert.Equal(t, 200, status)
}

func TestSubjectsAreApart(t *testing.T) {
	var opts *oauth.Options
	w := newSetup(t, func(_ *setup, o *oauth.Options) { o.Store, o.Subject, opts = oauth.NewMemoryStore(), "ada", o })
	w.must()
	other := *opts
	other.Subject = "grace"
	status, err := call(t.Context(), w.another(&other), w.rs.address())
	require.NoError(t, err)
	assert.Equal(t, 200, status)
	assert.Len(t, w.opened(), 2)
	assert.Equal(t, 1, w.as.seen("register"), "the program is the same")
}

// Two programs share a store: one of them refreshes, and the other goes on with
// what came of it.
func TestProgramsShareAStore(t *testing.T) {
	var opts *oauth.Options
	w := newSetup(t, func(w *setup, o *oauth.Options) {
		w.as.oneTime, w.as.life = true, 3600
		o.Store, opts = storeOf(t, memory.New(), 1), o
	})
	w.must()
	next := w.another(opts)
	status, err := call(t.Context(), next, w.rs.address())
	require.NoError(t, err)
	assert.Equal(t, 200, status)
	w.wait(2 * time.Hour)
	w.must()
	status, err = call(t.Context(), next, w.rs.address())
	require.NoError(t, err)
	assert.Equal(t, 200, status)
	assert.Equal(t, 1, w.as.seen("token refresh_token"), "once for both")
	assert.Len(t, w.opened(), 1)
}

// Two programs refresh at the same time. One is refused, and finds what the other
// is about to store.
func TestProgramsRefreshTogether(t *testing.T) {
	var opts *oauth.Options
	p, refreshes, second := memory.New(), 0, make(chan struct{})
	w := newSetup(t, func(w *setup, o *oauth.Options) {
		w.as.oneTime, w.as.life = true, 3600
		o.Store, opts = storeOf(t, p, 1), o
		w.as.refuse = func(f url.Values) (int, string) {
			if f.Get("grant_type") == "refresh_token" {
				if refreshes++; refreshes == 2 {
					close(second)
				}
			}
			return 0, ""
		}
	})
	w.must()
	slow := *opts
	held := &slowStore{Store: storeOf(t, p, 1), until: second}
	slow.Store = held
	first := w.another(&slow)
	require.NoError(t, first.Authorize(t.Context(), http.Header{}))
	held.on.Store(true)
	w.wait(2 * time.Hour)
	ended := make(chan error, 1)
	go func() { ended <- first.Authorize(t.Context(), http.Header{}) }()
	<-held.saving()
	w.must()
	require.NoError(t, <-ended)
	assert.Equal(t, 2, w.as.seen("token refresh_token"))
	assert.Len(t, w.opened(), 1)
}

// slowStore waits before it saves a token.
type slowStore struct {
	oauth.Store
	on    atomic.Bool
	until chan struct{}
	once  sync.Once
	begun chan struct{}
}

func (s *slowStore) saving() chan struct{} {
	s.once.Do(func() { s.begun = make(chan struct{}) })
	return s.begun
}

func (s *slowStore) Save(ctx context.Context, k oauth.Key, v []byte) error {
	if k.Kind == "oauth-token" && s.on.CompareAndSwap(true, false) {
		close(s.saving())
		<-s.until
	}
	return s.Store.Save(ctx, k, v)
}

// broken is a store that does not always work.
type broken struct {
	oauth.Store
	load, save, remove error
}

func (b *broken) Load(ctx context.Context, k oauth.Key) ([]byte, error) {
	if b.load != nil {
		return nil, b.load
	}
	return b.Store.Load(ctx, k)
}

func (b *broken) Save(ctx context.Context, k oauth.Key, v []byte) error {
	if b.save != nil && k.Kind == "oauth-token" {
		return b.save
	}
	return b.Store.Save(ctx, k, v)
}

func (b *broken) Delete(ctx context.Context, k oauth.Key) error {
	if b.remove != nil {
		return b.remove
	}
	return b.Store.Delete(ctx, k)
}

func TestStoresThatFail(t *testing.T) {
	full := errors.New("disk full")
	var log bytes.Buffer
	store := &broken{Store: oauth.NewMemoryStore(), save: full}
	w := newSetup(t, func(_ *setup, o *oauth.Options) {
		o.Store, o.Logger = store, slog.New(slog.NewTextHandler(&log, nil))
	})
	w.must()
	assert.Contains(t, log.String(), "disk full")
	assert.NotContains(t, log.String(), "access-")
	store.remove = full
	require.ErrorIs(t, w.client.Revoke(t.Context()), full)

	w = newSetup(t, func(_ *setup, o *oauth.Options) { o.Store = &broken{Store: oauth.NewMemoryStore(), load: full} })
	_, err := w.call()
	require.ErrorIs(t, err, full)

	// What is stored and cannot be read is told of, and forgotten on demand.
	damaged := oauth.NewMemoryStore()
	w = newSetup(t, func(w *setup, o *oauth.Options) {
		o.Store = damaged
		require.NoError(t, damaged.Save(t.Context(), oauth.Key{Kind: "oauth-resource", Resource: w.rs.address()}, []byte(`{"issuer":`)))
	})
	_, err = w.call()
	require.ErrorContains(t, err, "damaged")
	require.NoError(t, w.client.Forget(t.Context()))
	w.must()

	// So is a document that is no sealed value.
	p := memory.New()
	sealed := storeOf(t, p, 1)
	key := oauth.Key{Kind: "oauth-token"}
	require.NoError(t, sealed.Save(t.Context(), key, []byte("x")))
	for doc, err := range p.List(t.Context(), "mcp-oauth", localpass.ListOptions{}) {
		require.NoError(t, err)
		_, err = p.Put(t.Context(), "mcp-oauth", doc.Key, localpass.Document{Data: json.RawMessage(`[]`), Version: localpass.AnyVersion})
		require.NoError(t, err)
	}
	_, err = sealed.Load(t.Context(), key)
	require.ErrorContains(t, err, "damaged")
	failing, err := oauth.NewStore(deadPersistence{}, vaultOf(t, 1))
	require.NoError(t, err)
	_, err = failing.Load(t.Context(), key)
	require.ErrorIs(t, err, errDead)
	require.ErrorIs(t, failing.Save(t.Context(), key, nil), errDead)
	require.ErrorIs(t, failing.Delete(t.Context(), key), errDead)
}

var errDead = errors.New("dead")

type deadPersistence struct{}

func (deadPersistence) Get(context.Context, string, string) (localpass.Document, error) {
	return localpass.Document{}, errDead
}

func (deadPersistence) Put(context.Context, string, string, localpass.Document) (localpass.Document, error) {
	return localpass.Document{}, errDead
}
func (deadPersistence) Delete(context.Context, string, string) error { return errDead }
func (deadPersistence) List(context.Context, string, localpass.ListOptions) iter.Seq2[localpass.Document, error] {
	return func(func(localpass.Document, error) bool) {}
}

// A stored token that does not belong where it stands is not sent.
func TestStoredTokensAreChecked(t *testing.T) {
	store := oauth.NewMemoryStore()
	w := newSetup(t, func(w *setup, o *oauth.Options) {
		o.Store = store
		for key, value := range map[oauth.Key]any{
			{Kind: "oauth-resource", Resource: w.rs.address()}:                     map[string]any{"issuer": w.as.issuer()},
			{Kind: "oauth-token", Issuer: w.as.issuer(), Resource: w.rs.address()}: map[string]any{"access": "a", "server": map[string]any{"issuer": "https://other.example.com"}},
		} {
			data, err := json.Marshal(value)
			require.NoError(t, err)
			require.NoError(t, store.Save(t.Context(), key, data))
		}
	})
	_, err := w.call()
	require.ErrorContains(t, err, "damaged")
	assert.Zero(t, len(w.rs.tokens))
}
