package conversation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/chat/internal/ids"
	"github.com/localpass/localpass/chat/llm"
)

func turnKey(conversation string, seq int) string { return fmt.Sprintf("%s/%08d", conversation, seq) }

func (s *documentStore) SaveTurn(ctx context.Context, t *TurnRecord) error {
	if err := ids.Check("conversation", t.Conversation); err != nil {
		return err
	}
	if t.Seq < 1 {
		return fmt.Errorf("conversation: turn %s of %s has the number %d: it must be 1 or more: %w", t.ID, t.Conversation, t.Seq, llm.ErrInvalid)
	}
	data, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("conversation: turn %s: %w", t.ID, err)
	}
	doc, err := s.p.Put(ctx, inTurns, turnKey(t.Conversation, t.Seq), localpass.Document{Version: t.Version, Data: data})
	if err != nil {
		return fmt.Errorf("conversation: turn %d of %s: %w", t.Seq, t.Conversation, err)
	}
	t.Version = doc.Version
	return nil
}

func (s *documentStore) Turn(ctx context.Context, conversation string, seq int) (*TurnRecord, error) {
	if err := ids.Check("conversation", conversation); err != nil {
		return nil, fmt.Errorf("%w: %w", llm.ErrNotFound, err)
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
		return nil, fmt.Errorf("conversation: turn %s cannot be read: %w", doc.Key, err)
	}
	t.Version = doc.Version
	return &t, nil
}

func (s *documentStore) Turns(ctx context.Context, conversation string, q TurnQuery) iter.Seq2[*TurnRecord, error] {
	return func(yield func(*TurnRecord, error) bool) {
		if err := ids.Check("conversation", conversation); err != nil {
			yield(nil, fmt.Errorf("%w: %w", llm.ErrNotFound, err))
			return
		}
		opts := localpass.ListOptions{Prefix: conversation + "/", Limit: q.Limit, Reverse: q.Reverse}
		if q.After > 0 {
			opts.After = turnKey(conversation, q.After)
		}
		for doc, err := range s.p.List(ctx, inTurns, opts) {
			if err != nil {
				yield(nil, fmt.Errorf("conversation: turns of %s: %w", conversation, err))
				return
			}
			t, err := readTurn(doc)
			if err != nil { // an error does not hide the other turns
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
			return removed, fmt.Errorf("conversation: turn %d of %s: %w", t.Seq, conversation, err)
		}
		removed += len(t.Messages)
	}
	return removed, nil
}

func (s *documentStore) SaveCheckpoint(ctx context.Context, conversation, turn string, state json.RawMessage) error {
	if err := errors.Join(ids.Check("conversation", conversation), ids.Check("turn", turn)); err != nil {
		return err
	}
	if _, err := s.p.Put(ctx, inCheckpoints, conversation+"/"+turn, localpass.Document{Version: localpass.AnyVersion, Data: state}); err != nil {
		return fmt.Errorf("conversation: checkpoint of turn %s: %w", turn, err)
	}
	return nil
}

func (s *documentStore) LoadCheckpoint(ctx context.Context, conversation, turn string) (json.RawMessage, error) {
	if err := errors.Join(ids.Check("conversation", conversation), ids.Check("turn", turn)); err != nil {
		return nil, fmt.Errorf("%w: %w", llm.ErrNotFound, err)
	}
	doc, err := s.p.Get(ctx, inCheckpoints, conversation+"/"+turn)
	if err != nil {
		return nil, s.missing(err, "checkpoint of turn "+turn)
	}
	return doc.Data, nil
}

func (s *documentStore) DeleteCheckpoint(ctx context.Context, conversation, turn string) error {
	if err := errors.Join(ids.Check("conversation", conversation), ids.Check("turn", turn)); err != nil {
		return err
	}
	err := s.p.Delete(ctx, inCheckpoints, conversation+"/"+turn)
	if err != nil && !errors.Is(err, localpass.ErrNotFound) {
		return fmt.Errorf("conversation: checkpoint of turn %s: %w", turn, err)
	}
	return nil
}
