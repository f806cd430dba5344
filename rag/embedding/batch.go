package embedding

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/localpass/localpass/rag"
)

// BatchOptions are the options of [Batch]. The zero value works.
type BatchOptions struct {
	// Size is the largest number of texts in one call. Default 64.
	Size int
	// MaxBytes is the largest number of bytes of text in one call; a longer text is sent
	// alone. Default 128 KiB.
	MaxBytes int
	// Concurrency is the number of calls at a time. Default 2.
	Concurrency int
	// Retries is how often a call is repeated after an error. Default 2; -1 for never.
	Retries int
	// Delay is the wait before the first repetition; it doubles with each one. Default
	// 500 ms.
	Delay time.Duration
	// Retry says which errors are worth a repetition. nil: all but the end of the
	// context. An unusable answer is never repeated as it was: its texts are sent again
	// one at a time.
	Retry func(error) bool
}

// Batch returns an embedder that divides the texts of a call into several calls of e,
// repeats failed ones, and checks every answer. If one fails for good, the others are
// cancelled, and nothing is returned. It has the upgrades of a [rag.Embedder] whatever e
// has.
func Batch(e rag.Embedder, opts *BatchOptions) (rag.Embedder, error) {
	if e == nil {
		return nil, fmt.Errorf("embedding: there is no embedder: %w", rag.ErrInvalid)
	}
	b := &batcher{embedder: e}
	if opts != nil {
		b.opts = *opts
	}
	o := &b.opts
	if o.Size < 0 || o.MaxBytes < 0 || o.Concurrency < 0 || o.Delay < 0 || o.Retries < -1 {
		return nil, fmt.Errorf("embedding: Size, MaxBytes, Concurrency and Delay must not be negative, and Retries not below -1: %w", rag.ErrInvalid)
	}
	setDefault(&o.Size, 64)
	setDefault(&o.MaxBytes, 128<<10)
	setDefault(&o.Concurrency, 2)
	setDefault(&o.Delay, 500*time.Millisecond)
	switch o.Retries {
	case 0:
		o.Retries = 2
	case -1:
		o.Retries = 0
	}
	return b, nil
}

func setDefault[T int | time.Duration](v *T, value T) {
	if *v == 0 {
		*v = value
	}
}

type batcher struct {
	embedder rag.Embedder
	opts     BatchOptions
}

func (b *batcher) EmbedderInfo() rag.EmbedderInfo { return rag.DescribeEmbedder(b.embedder) }

func (b *batcher) EmbedQuery(ctx context.Context, query string) ([]float32, error) {
	var v []float32
	err := b.repeat(ctx, func() (err error) {
		v, err = rag.EmbedQuery(ctx, b.embedder, query, 0)
		return err
	})
	return v, err
}

func (b *batcher) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	vectors := make([][]float32, len(texts))
	places := make(chan struct{}, b.opts.Concurrency)
	var group sync.WaitGroup
	for from := 0; from < len(texts) && ctx.Err() == nil; {
		to, size := from+1, len(texts[from])
		for to < len(texts) && to-from < b.opts.Size && size+len(texts[to]) <= b.opts.MaxBytes {
			size += len(texts[to])
			to++
		}
		first := from
		select {
		case places <- struct{}{}:
			group.Go(func() {
				defer func() { <-places }()
				if err := b.embed(ctx, texts[first:to], vectors[first:to]); err != nil {
					cancel(fmt.Errorf("embedding: texts %d to %d of %d: %w", first+1, to, len(texts), err))
				}
			})
		case <-ctx.Done():
		}
		from = to
	}
	group.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for i, v := range vectors {
		if len(v) != len(vectors[0]) {
			return nil, fmt.Errorf("embedding: text %d has %d dimensions, the first one has %d: %w", i+1, len(v), len(vectors[0]), rag.ErrVector)
		}
	}
	return vectors, nil
}

// embed embeds one batch into the room for its vectors.
func (b *batcher) embed(ctx context.Context, texts []string, room [][]float32) error {
	var unusable error
	err := b.repeat(ctx, func() error {
		vectors, err := b.embedder.Embed(ctx, texts)
		if err != nil {
			return err
		}
		fixed := rag.EmbedderFunc(func(context.Context, []string) ([][]float32, error) { return vectors, nil })
		if vectors, unusable = rag.EmbedTexts(ctx, fixed, texts, 0); unusable == nil {
			copy(room, vectors)
		}
		return nil
	})
	if err != nil || unusable == nil || len(texts) == 1 {
		return errors.Join(err, unusable)
	}
	for i := range texts {
		if err := b.embed(ctx, texts[i:i+1], room[i:i+1]); err != nil {
			return fmt.Errorf("text %d of the call: %w", i+1, err)
		}
	}
	return nil
}

// repeat makes a call until it succeeds, or fails for good.
func (b *batcher) repeat(ctx context.Context, call func() error) error {
	delay := b.opts.Delay
	for n := 0; ; n++ {
		err := call()
		if err == nil || ctx.Err() != nil || n == b.opts.Retries || b.opts.Retry != nil && !b.opts.Retry(err) {
			return err
		}
		timer := time.NewTimer(delay)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return errors.Join(ctx.Err(), err)
		}
		delay *= 2
	}
}
