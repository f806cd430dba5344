package embedding_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/embedding"
)

// server is an embedder that records its calls, and answers as change says.
type server struct {
	mu      sync.Mutex
	calls   [][]string
	running int
	most    int // calls at a time
	took    time.Duration
	answer  func(call int, texts []string) ([][]float32, error)
}

func lengths(texts []string) (vectors [][]float32) {
	for _, text := range texts {
		vectors = append(vectors, []float32{1, float32(len(text))})
	}
	return vectors
}

func (s *server) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	s.mu.Lock()
	s.calls = append(s.calls, texts)
	call := len(s.calls)
	s.running++
	s.most = max(s.most, s.running)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.running--
		s.mu.Unlock()
	}()
	if s.took > 0 {
		select {
		case <-time.After(s.took):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if s.answer != nil {
		return s.answer(call, texts)
	}
	return lengths(texts), nil
}

func batch(t *testing.T, s *server, o embedding.BatchOptions) rag.Embedder {
	t.Helper()
	e, err := embedding.Batch(s, &o)
	require.NoError(t, err)
	return e
}

func many(n int) (texts []string) {
	for i := range n {
		texts = append(texts, strings.Repeat("x", i))
	}
	return texts
}

func Example() {
	slow := rag.EmbedderFunc(func(_ context.Context, texts []string) ([][]float32, error) {
		fmt.Println(len(texts), "texts")
		return lengths(texts), nil
	})
	e, err := embedding.Batch(slow, &embedding.BatchOptions{Size: 2, Concurrency: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	vectors, err := e.Embed(context.Background(), []string{"one", "two", "three"})
	fmt.Println(len(vectors), err)
	// Output:
	// 2 texts
	// 1 texts
	// 3 <nil>
}

// The vectors come in the order of the texts, whatever the order of the calls.
func TestBatches(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{took: time.Second}
		texts := many(100)
		vectors, err := batch(t, s, embedding.BatchOptions{Size: 7, Concurrency: 3}).Embed(context.Background(), texts)
		require.NoError(t, err)
		assert.Equal(t, lengths(texts), vectors)
		assert.Len(t, s.calls, 15)
		assert.Equal(t, 3, s.most)

		s = &server{}
		_, err = batch(t, s, embedding.BatchOptions{MaxBytes: 10}).Embed(context.Background(), []string{"12345", "1234", "12", strings.Repeat("x", 50), "1"})
		require.NoError(t, err)
		assert.ElementsMatch(t, [][]string{{"12345", "1234"}, {"12"}, {strings.Repeat("x", 50)}, {"1"}}, s.calls)

		none, err := batch(t, s, embedding.BatchOptions{}).Embed(context.Background(), nil)
		require.NoError(t, err)
		assert.Empty(t, none)
	})
}

var errBusy = errors.New("busy")

// A failed call is repeated after a growing wait, and not for ever.
func TestRetries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		busy := func(until int) *server {
			return &server{answer: func(call int, texts []string) ([][]float32, error) {
				if call < until {
					return nil, errBusy
				}
				return lengths(texts), nil
			}}
		}
		start := time.Now()
		_, err := batch(t, busy(3), embedding.BatchOptions{Delay: time.Second}).Embed(context.Background(), many(3))
		require.NoError(t, err)
		assert.Equal(t, 3*time.Second, time.Since(start))

		s := busy(100)
		_, err = batch(t, s, embedding.BatchOptions{}).Embed(context.Background(), many(3))
		require.ErrorIs(t, err, errBusy)
		assert.ErrorContains(t, err, "texts 1 to 3 of 3")
		assert.Len(t, s.calls, 3)

		for _, o := range []embedding.BatchOptions{{Retries: -1}, {Retry: func(err error) bool { return !errors.Is(err, errBusy) }}} {
			s = busy(100)
			_, err = batch(t, s, o).Embed(context.Background(), many(3))
			require.ErrorIs(t, err, errBusy)
			assert.Len(t, s.calls, 1)
		}

		v, err := rag.EmbedQuery(context.Background(), batch(t, busy(2), embedding.BatchOptions{}), "abc", 2)
		require.NoError(t, err)
		assert.Equal(t, []float32{1, 3}, v)
	})
}

// An unusable answer to a batch is tried again one text at a time, so that the error names
// the text.
func TestUnusable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{answer: func(_ int, texts []string) ([][]float32, error) {
			if len(texts) > 1 {
				return lengths(texts[1:]), nil
			}
			return lengths(texts), nil
		}}
		vectors, err := batch(t, s, embedding.BatchOptions{}).Embed(context.Background(), many(4))
		require.NoError(t, err)
		assert.Equal(t, lengths(many(4)), vectors)
		assert.Len(t, s.calls, 5)

		s = &server{answer: func(_ int, texts []string) ([][]float32, error) {
			vectors := lengths(texts)
			for i, text := range texts {
				if text == "bad" {
					vectors[i] = []float32{0, 0}
				}
			}
			return vectors, nil
		}}
		_, err = batch(t, s, embedding.BatchOptions{}).Embed(context.Background(), []string{"a", "b", "bad", "c"})
		require.ErrorIs(t, err, rag.ErrVector)
		assert.ErrorContains(t, err, "text 3 of the call")

		s = &server{answer: func(call int, _ []string) ([][]float32, error) {
			v := make([]float32, call)
			v[0] = 1
			return [][]float32{v}, nil
		}}
		_, err = batch(t, s, embedding.BatchOptions{Size: 1, Concurrency: 1}).Embed(context.Background(), many(2))
		assert.ErrorIs(t, err, rag.ErrVector, "two dimensions")
	})
}

// The end of the context ends the waits, and one failure ends the other calls.
func TestEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		s := &server{took: time.Hour}
		_, err := batch(t, s, embedding.BatchOptions{Size: 1}).Embed(ctx, many(10))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Len(t, s.calls, 2)

		s = &server{answer: func(int, []string) ([][]float32, error) { return nil, errBusy }}
		ctx, cancel = context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_, err = batch(t, s, embedding.BatchOptions{Delay: time.Hour}).Embed(ctx, many(1))
		require.ErrorIs(t, err, context.DeadlineExceeded)

		start := time.Now()
		s = &server{took: time.Second}
		s.answer = func(call int, texts []string) ([][]float32, error) {
			if len(texts[0]) == 0 {
				return nil, errBusy
			}
			return lengths(texts), nil
		}
		_, err = batch(t, s, embedding.BatchOptions{Size: 1, Retries: -1}).Embed(context.Background(), many(100))
		require.ErrorIs(t, err, errBusy)
		assert.Less(t, time.Since(start), 10*time.Second)
	})
}

func TestBatchOptions(t *testing.T) {
	t.Parallel()
	for _, o := range []embedding.BatchOptions{{Size: -1}, {MaxBytes: -1}, {Concurrency: -1}, {Delay: -1}, {Retries: -2}} {
		_, err := embedding.Batch(&server{}, &o)
		assert.ErrorIs(t, err, rag.ErrInvalid)
	}
	_, err := embedding.Batch(nil, nil)
	assert.ErrorIs(t, err, rag.ErrInvalid)
}
