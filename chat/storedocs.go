package chat

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/clock"
)

// ErrConflict says that somebody else wrote in between: read again.
var ErrConflict = localpass.ErrConflict

// Collections of a store.
const (
	inConversations = "chat-conversations" // by id
	inIndex         = "chat-index"         // by time of change, newest first
	inTurns         = "chat-turns"         // by conversation and number
	inCheckpoints   = "chat-checkpoints"   // by conversation and turn
)

// NewStore returns a store in documents of p: one for each conversation, and one
// for each turn, so that writing a message costs the same however long the
// conversation is. A persistence that can write several documents as one
// ([localpass.Batcher]) makes the index of the list and the removal of a
// conversation atomic; without, an index that was left behind by a crash is
// mended when it is met.
func NewStore(p localpass.Persistence) (Store, error) {
	if p == nil {
		return nil, fmt.Errorf("chat: a store needs a persistence: persistence/memory keeps conversations as long as the program runs: %w", ErrInvalid)
	}
	s := &documentStore{p: p}
	s.batch, _ = p.(localpass.Batcher)
	return s, nil
}

type documentStore struct {
	p     localpass.Persistence
	batch localpass.Batcher // nil: documents one by one
	clock clock.Clock
}

// idAlphabet is Crockford's base 32, in lower case.
const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// newID returns a prefix and a ULID: ids of later times sort behind.
func newID(prefix string, at time.Time) string {
	var b [16]byte
	ms := uint64(max(at.UnixMilli(), 0))
	for i := range 6 {
		b[i] = byte(ms >> (40 - 8*i))
	}
	rand.Read(b[6:]) // never fails
	out := make([]byte, 0, len(prefix)+26)
	out = append(out, prefix...)
	// 128 bits in groups of five, from the top: the first has three.
	bits, n := uint32(0), 2
	for _, x := range b {
		bits = bits<<8 | uint32(x)
		for n += 8; n >= 5; n -= 5 {
			out = append(out, idAlphabet[bits>>(n-5)&31])
		}
	}
	return string(out)
}

// validID reports whether an id can name documents and folders.
func validID(id string) bool {
	if id == "" || len(id) > 80 {
		return false
	}
	for _, c := range []byte(id) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}

func checkID(what, id string) error {
	if !validID(id) {
		return fmt.Errorf("chat: %q is no id of a %s: it has 1 to 80 characters of A-Z a-z 0-9 _ and -: %w", id, what, ErrInvalid)
	}
	return nil
}

// Cursor is the place of a conversation in the list, for [ListQuery.After].
func (c *Conversation) Cursor() string { return indexKey(c) }

// indexKey sorts the conversation that was changed last first.
func indexKey(c *Conversation) string {
	return fmt.Sprintf("%016x.%s", uint64(math.MaxInt64-c.Updated.UnixNano()), c.ID)
}

// indexed is what the index says of a conversation.
type indexed struct {
	ID string `json:"id"`
}

func (s *documentStore) Create(ctx context.Context, c *Conversation) error {
	now := s.clock.Now()
	own := *c
	if own.ID == "" {
		own.ID = newID("c_", now)
	}
	if err := checkID("conversation", own.ID); err != nil {
		return err
	}
	own.Status = or(own.Status, StatusCreated)
	if own.Created.IsZero() {
		own.Created = now
	}
	own.Updated = now
	data, err := json.Marshal(&own)
	if err != nil {
		return fmt.Errorf("chat: conversation: %w", err)
	}
	docs, err := s.write(ctx, localpass.Op{Collection: inConversations, Key: own.ID, Version: localpass.NoVersion, Data: data}, s.index(&own))
	if err != nil {
		return fmt.Errorf("chat: create conversation %s: %w", own.ID, err)
	}
	own.Version = docs[0].Version
	*c = own
	return nil
}

func (s *documentStore) index(c *Conversation) localpass.Op {
	data, _ := json.Marshal(indexed{c.ID}) // a text
	return localpass.Op{Collection: inIndex, Key: indexKey(c), Version: localpass.AnyVersion, Data: data}
}

// write applies operations as one where that is possible, or one by one, the
// first of them first.
func (s *documentStore) write(ctx context.Context, ops ...localpass.Op) ([]localpass.Document, error) {
	if s.batch != nil {
		return s.batch.Batch(ctx, ops...)
	}
	docs := make([]localpass.Document, len(ops))
	for i, op := range ops {
		var err error
		if op.Delete {
			if err = s.p.Delete(ctx, op.Collection, op.Key); errors.Is(err, localpass.ErrNotFound) {
				err = nil
			}
			docs[i].Key = op.Key
		} else {
			docs[i], err = s.p.Put(ctx, op.Collection, op.Key, localpass.Document{Version: op.Version, Data: op.Data})
		}
		if err != nil {
			return docs, err
		}
	}
	return docs, nil
}

func (s *documentStore) Get(ctx context.Context, id string) (*Conversation, error) {
	if err := checkID("conversation", id); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	doc, err := s.p.Get(ctx, inConversations, id)
	if err != nil {
		return nil, s.missing(err, "conversation "+id)
	}
	return readConversation(doc)
}

func (s *documentStore) missing(err error, what string) error {
	if errors.Is(err, localpass.ErrNotFound) {
		return fmt.Errorf("%w: %s", ErrNotFound, what)
	}
	return fmt.Errorf("chat: %s: %w", what, err)
}

func readConversation(doc localpass.Document) (*Conversation, error) {
	var c Conversation
	if err := doc.Decode(&c); err != nil {
		return nil, fmt.Errorf("chat: conversation %s cannot be read: %w", doc.Key, err)
	}
	c.Version = doc.Version
	return &c, nil
}

func (s *documentStore) List(ctx context.Context, q ListQuery) iter.Seq2[*Conversation, error] {
	return func(yield func(*Conversation, error) bool) {
		n, text := 0, strings.ToLower(q.Text)
		for doc, err := range s.p.List(ctx, inIndex, localpass.ListOptions{After: q.After}) {
			if err != nil {
				yield(nil, fmt.Errorf("chat: list of conversations: %w", err))
				return
			}
			var entry indexed
			if doc.Decode(&entry) != nil {
				continue
			}
			c, err := s.Get(ctx, entry.ID)
			switch {
			case err != nil && ctx.Err() != nil:
				yield(nil, err)
				return
			case errors.Is(err, ErrNotFound), err == nil && indexKey(c) != doc.Key:
				// A crash without a batch left it. When it cannot be removed it is met again.
				_ = s.p.Delete(ctx, inIndex, doc.Key)
				continue
			case err != nil: // hides nothing else
				continue
			case q.Principal != nil && !c.BelongsTo(*q.Principal), text != "" && !strings.Contains(strings.ToLower(c.Title), text):
				continue
			}
			if !yield(c, nil) {
				return
			}
			if n++; q.Limit > 0 && n >= q.Limit {
				return
			}
		}
	}
}

// updateTries bounds how often an update begins anew.
const updateTries = 50

func (s *documentStore) Update(ctx context.Context, id string, change func(*Conversation) error) (*Conversation, error) {
	lost := false // its entry in the index is not there
	for try := 0; ; try++ {
		c, err := s.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		before := indexKey(c)
		version, created := c.Version, c.Created
		if err := change(c); err != nil {
			return nil, err
		}
		c.ID, c.Created = id, created
		c.Updated = s.clock.Now()
		data, err := json.Marshal(c)
		if err != nil {
			return nil, fmt.Errorf("chat: conversation %s: %w", id, err)
		}
		ops := []localpass.Op{{Collection: inConversations, Key: id, Version: version, Data: data}, s.index(c)}
		if before != indexKey(c) && !lost {
			ops = append(ops, localpass.Op{Collection: inIndex, Key: before, Version: localpass.AnyVersion, Delete: true})
		}
		docs, err := s.write(ctx, ops...)
		if err == nil {
			c.Version = docs[0].Version
			return c, nil
		}
		lost = errors.Is(err, localpass.ErrNotFound)
		if !errors.Is(err, localpass.ErrConflict) && !lost || try >= updateTries {
			return nil, fmt.Errorf("chat: conversation %s: %w", id, err)
		}
	}
}

func (s *documentStore) Delete(ctx context.Context, id string) error {
	c, err := s.Get(ctx, id)
	if err != nil {
		return err
	}
	ops := []localpass.Op{
		{Collection: inConversations, Key: id, Version: localpass.AnyVersion, Delete: true},
		{Collection: inIndex, Key: indexKey(c), Version: localpass.AnyVersion, Delete: true},
	}
	for _, collection := range []string{inTurns, inCheckpoints} {
		for doc, err := range s.p.List(ctx, collection, localpass.ListOptions{Prefix: id + "/"}) {
			if err != nil {
				return fmt.Errorf("chat: delete conversation %s: %w", id, err)
			}
			ops = append(ops, localpass.Op{Collection: collection, Key: doc.Key, Version: localpass.AnyVersion, Delete: true})
		}
	}
	if _, err := s.write(ctx, ops...); err != nil {
		return fmt.Errorf("chat: delete conversation %s: %w", id, err)
	}
	return nil
}

func turnKey(conversation string, seq int) string { return fmt.Sprintf("%s/%08d", conversation, seq) }

func (s *documentStore) SaveTurn(ctx context.Context, t *TurnRecord) error {
	if err := checkID("conversation", t.Conversation); err != nil {
		return err
	}
	if t.Seq < 1 {
		return fmt.Errorf("chat: turn %s of %s has the number %d: it must be 1 or more: %w", t.ID, t.Conversation, t.Seq, ErrInvalid)
	}
	data, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("chat: turn %s: %w", t.ID, err)
	}
	doc, err := s.p.Put(ctx, inTurns, turnKey(t.Conversation, t.Seq), localpass.Document{Version: t.Version, Data: data})
	if err != nil {
		return fmt.Errorf("chat: turn %d of %s: %w", t.Seq, t.Conversation, err)
	}
	t.Version = doc.Version
	return nil
}

func (s *documentStore) Turn(ctx context.Context, conversation string, seq int) (*TurnRecord, error) {
	if err := checkID("conversation", conversation); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	doc, err := s.p.Get(ctx, inTurns, turnKey(conversation, seq))
	if err != nil {
		return nil, s.missing(err, fmt.Sprintf("turn %d of %s", seq, conversation))
	}
	return readTurn(doc)
}

func readTurn(doc localpass.Document) (*TurnRecord, error) {
	var t TurnRecord
	if err := doc.Decode(&t); err != nil {
		return nil, fmt.Errorf("chat: turn %s cannot be read: %w", doc.Key, err)
	}
	t.Version = doc.Version
	return &t, nil
}

func (s *documentStore) Turns(ctx context.Context, conversation string, q TurnQuery) iter.Seq2[*TurnRecord, error] {
	return func(yield func(*TurnRecord, error) bool) {
		if err := checkID("conversation", conversation); err != nil {
			yield(nil, fmt.Errorf("%w: %w", ErrNotFound, err))
			return
		}
		opts := localpass.ListOptions{Prefix: conversation + "/", Limit: q.Limit, Reverse: q.Reverse}
		if q.After > 0 {
			opts.After = turnKey(conversation, q.After)
		}
		for doc, err := range s.p.List(ctx, inTurns, opts) {
			if err != nil {
				yield(nil, fmt.Errorf("chat: turns of %s: %w", conversation, err))
				return
			}
			t, err := readTurn(doc)
			if err != nil { // hides nothing else
				continue
			}
			if !yield(t, nil) {
				return
			}
		}
	}
}

func (s *documentStore) Trim(ctx context.Context, conversation string, messages int) (removed int, err error) {
	last := 0
	for t, err := range s.Turns(ctx, conversation, TurnQuery{Reverse: true, Limit: 1}) {
		if err != nil {
			return 0, err
		}
		last = t.Seq
	}
	for t, err := range s.Turns(ctx, conversation, TurnQuery{}) {
		if err != nil {
			return removed, err
		}
		if removed >= messages || t.Seq == last {
			break
		}
		if err := s.p.Delete(ctx, inTurns, turnKey(conversation, t.Seq)); err != nil && !errors.Is(err, localpass.ErrNotFound) {
			return removed, fmt.Errorf("chat: turn %d of %s: %w", t.Seq, conversation, err)
		}
		removed += len(t.Messages)
	}
	return removed, nil
}

func (s *documentStore) SaveCheckpoint(ctx context.Context, conversation, turn string, state json.RawMessage) error {
	if err := errors.Join(checkID("conversation", conversation), checkID("turn", turn)); err != nil {
		return err
	}
	if _, err := s.p.Put(ctx, inCheckpoints, conversation+"/"+turn, localpass.Document{Version: localpass.AnyVersion, Data: state}); err != nil {
		return fmt.Errorf("chat: checkpoint of turn %s: %w", turn, err)
	}
	return nil
}

func (s *documentStore) LoadCheckpoint(ctx context.Context, conversation, turn string) (json.RawMessage, error) {
	if err := errors.Join(checkID("conversation", conversation), checkID("turn", turn)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	doc, err := s.p.Get(ctx, inCheckpoints, conversation+"/"+turn)
	if err != nil {
		return nil, s.missing(err, "checkpoint of turn "+turn)
	}
	return doc.Data, nil
}

func (s *documentStore) DeleteCheckpoint(ctx context.Context, conversation, turn string) error {
	if err := errors.Join(checkID("conversation", conversation), checkID("turn", turn)); err != nil {
		return err
	}
	err := s.p.Delete(ctx, inCheckpoints, conversation+"/"+turn)
	if err != nil && !errors.Is(err, localpass.ErrNotFound) {
		return fmt.Errorf("chat: checkpoint of turn %s: %w", turn, err)
	}
	return nil
}
