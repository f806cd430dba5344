package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"runtime/debug"
	"time"
)

// storeWait is how long a call of a store may take: a turn does not hang on what
// keeps it.
const storeWait = 10 * time.Second

// safeStore keeps the failures of a store from being the failures of a turn's
// program: a panic is an error, and a call that takes too long is given up.
type safeStore struct{ Store }

// bound is the context of one call.
func (safeStore) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, storeWait, fmt.Errorf("chat: the store did not answer within %v: %w", storeWait, context.DeadlineExceeded))
}

// caught makes an error of a panic.
func caught(name string, err *error) {
	if v := recover(); v != nil {
		*err = &PanicError{Name: name, Value: v, Stack: debug.Stack()}
	}
}

const storeName = "the store"

func (s safeStore) Create(ctx context.Context, c *Conversation) (err error) {
	defer caught(storeName, &err)
	ctx, cancel := s.bound(ctx)
	defer cancel()
	return s.Store.Create(ctx, c)
}

func (s safeStore) Get(ctx context.Context, id string) (c *Conversation, err error) {
	defer caught(storeName, &err)
	ctx, cancel := s.bound(ctx)
	defer cancel()
	return s.Store.Get(ctx, id)
}

func (s safeStore) List(ctx context.Context, q ListQuery) iter.Seq2[*Conversation, error] {
	return safeList(s.Store.List, ctx, q)
}

func (s safeStore) Update(ctx context.Context, id string, change func(*Conversation) error) (c *Conversation, err error) {
	defer caught(storeName, &err)
	ctx, cancel := s.bound(ctx)
	defer cancel()
	return s.Store.Update(ctx, id, change)
}

func (s safeStore) Delete(ctx context.Context, id string) (err error) {
	defer caught(storeName, &err)
	ctx, cancel := s.bound(ctx)
	defer cancel()
	return s.Store.Delete(ctx, id)
}

func (s safeStore) SaveTurn(ctx context.Context, t *TurnRecord) (err error) {
	defer caught(storeName, &err)
	ctx, cancel := s.bound(ctx)
	defer cancel()
	return s.Store.SaveTurn(ctx, t)
}

func (s safeStore) Turn(ctx context.Context, conversation string, seq int) (t *TurnRecord, err error) {
	defer caught(storeName, &err)
	ctx, cancel := s.bound(ctx)
	defer cancel()
	return s.Store.Turn(ctx, conversation, seq)
}

func (s safeStore) Turns(ctx context.Context, conversation string, q TurnQuery) iter.Seq2[*TurnRecord, error] {
	return safeList(func(ctx context.Context, q TurnQuery) iter.Seq2[*TurnRecord, error] {
		return s.Store.Turns(ctx, conversation, q)
	}, ctx, q)
}

func (s safeStore) Trim(ctx context.Context, conversation string, messages int) (removed int, err error) {
	defer caught(storeName, &err)
	ctx, cancel := s.bound(ctx)
	defer cancel()
	return s.Store.Trim(ctx, conversation, messages)
}

func (s safeStore) SaveCheckpoint(ctx context.Context, conversation, turn string, state json.RawMessage) (err error) {
	defer caught(storeName, &err)
	ctx, cancel := s.bound(ctx)
	defer cancel()
	return s.Store.SaveCheckpoint(ctx, conversation, turn, state)
}

func (s safeStore) LoadCheckpoint(ctx context.Context, conversation, turn string) (state json.RawMessage, err error) {
	defer caught(storeName, &err)
	ctx, cancel := s.bound(ctx)
	defer cancel()
	return s.Store.LoadCheckpoint(ctx, conversation, turn)
}

func (s safeStore) DeleteCheckpoint(ctx context.Context, conversation, turn string) (err error) {
	defer caught(storeName, &err)
	ctx, cancel := s.bound(ctx)
	defer cancel()
	return s.Store.DeleteCheckpoint(ctx, conversation, turn)
}

// safeList is a list of which a panic is its last element. Each of its elements may
// take as long as a call.
func safeList[T, Q any](list func(context.Context, Q) iter.Seq2[T, error], ctx context.Context, q Q) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		slow := time.AfterFunc(storeWait, cancel)
		defer slow.Stop()
		stopped, inYield := false, false
		defer func() {
			if inYield { // the reader's own panic is the reader's
				return
			}
			if v := recover(); v != nil && !stopped {
				var none T
				yield(none, &PanicError{Name: storeName, Value: v, Stack: debug.Stack()})
			}
		}()
		for item, err := range list(ctx, q) {
			slow.Stop()
			inYield = true
			more := yield(item, err)
			inYield = false
			if !more {
				stopped = true
				return
			}
			slow.Reset(storeWait)
		}
	}
}
