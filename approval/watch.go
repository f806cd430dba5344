package approval

import (
	"context"
	"errors"
	"iter"
	"time"
)

// Watch yields each request as it is asked, decided, used or written down as
// expired, also those of other programs. It misses no change that comes after it
// has returned; several changes of one request may come as one. A request that
// expires is not yielded at its deadline: look at the deadline.
//
// The sequence can be ranged over once. Its last pair is an error: that of ctx,
// [ErrClosed] after [Broker.Close], or that of the store.
func (b *Broker) Watch(ctx context.Context) iter.Seq2[Record, error] {
	sub, release := b.follow.subscribe()
	context.AfterFunc(ctx, release) // also where nothing ranges over the sequence
	failed := b.follow.baseline(ctx)
	return func(yield func(Record, error) bool) {
		defer release()
		if failed != nil {
			yield(Record{}, failed)
			return
		}
		for {
			select {
			case <-ctx.Done():
				yield(Record{}, ctx.Err())
				return
			case <-b.ctx.Done():
				yield(Record{}, ErrClosed)
				return
			case <-sub.signal:
			}
			for _, id := range sub.takeChanged() {
				rec, err := b.Get(ctx, id)
				if errors.Is(err, ErrNotFound) || errors.Is(err, ErrInvalid) {
					continue
				}
				if !yield(rec, err) || err != nil {
					return
				}
			}
		}
	}
}

// Wait returns the record as soon as it is no longer pending, which it is at its
// deadline at the latest. The error is ctx's, or [ErrClosed], or that of
// [Broker.Get].
func (b *Broker) Wait(ctx context.Context, id string) (Record, error) {
	sub, release := b.follow.subscribe(id)
	defer release()
	for {
		rec, err := b.Get(ctx, id)
		if err != nil || rec.Status != StatusPending {
			return rec, err
		}
		timer := time.NewTimer(max(rec.Request.Deadline.Sub(b.now()), time.Millisecond))
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-b.ctx.Done():
			err = ErrClosed
		case <-sub.signal:
			sub.takeChanged()
		case <-timer.C:
		}
		timer.Stop()
		if err != nil {
			return rec, err
		}
	}
}
