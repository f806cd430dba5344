package mcphub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/localpass/localpass/mcphub/internal/rpc"
)

var errUnanswered = errors.New("mcphub: the client was asked, and did not answer in time")

// openQuestions are the unanswered questions of a call that can be parked.
type openQuestions struct {
	opened chan struct{} // capacity 1: there is a question to send

	mu        sync.Mutex                 // guards the fields below
	early     map[string]json.RawMessage // answers that came with the first request
	open      []*query                   // in the order in which they were asked
	generated int                        // number of generated keys
}

// ask opens questions and waits for all answers.
func (o *openQuestions) ask(ctx context.Context, queries []*query) {
	o.mu.Lock()
	for _, q := range queries {
		q.answer = make(chan reply, 1)
		if q.key != "" {
			o.admit(q)
		}
	}
	for _, q := range queries { // questions without a key take the remaining answers
		if q.key == "" {
			for q.key == "" || o.find(q.key) != nil {
				o.generated++
				q.key = "q" + strconv.Itoa(o.generated)
			}
			o.admit(q)
		}
	}
	waiting := len(o.open) > 0
	o.mu.Unlock()
	if waiting {
		o.wake()
	}
	for _, q := range queries {
		select {
		case r := <-q.answer:
			q.result, q.err = r.result, r.err
		case <-ctx.Done():
			o.withdraw(q)
			select {
			case r := <-q.answer: // the answer came first
				q.result, q.err = r.result, r.err
			default:
				q.err = fmt.Errorf("mcphub: the client did not answer %s: %w", q.method, ctx.Err())
			}
		}
	}
}

// admit opens a question, unless it is already answered. mu must be held.
func (o *openQuestions) admit(q *query) {
	answer, early := o.early[q.key]
	switch {
	case q.key == approvalKey, o.find(q.key) != nil:
		q.answer <- reply{err: fmt.Errorf("mcphub: another question of this call has the key %q already: choose another one", q.key)}
	case early && q.anticipated && rpc.IsObject(answer):
		delete(o.early, q.key)
		q.answer <- reply{result: answer}
	default:
		o.open = append(o.open, q)
	}
}

// find returns the open question with this key, or nil. mu must be held.
func (o *openQuestions) find(key string) *query {
	for _, q := range o.open {
		if q.key == key {
			return q
		}
	}
	return nil
}

// wake wakes the waiting request, which is then answered with the questions.
func (o *openQuestions) wake() {
	select {
	case o.opened <- struct{}{}:
	default: // the pending wake-up covers this question too
	}
}

// withdraw removes a question whose asker no longer waits.
func (o *openQuestions) withdraw(q *query) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, other := range o.open {
		if other == q {
			o.open = append(o.open[:i:i], o.open[i+1:]...)
			return
		}
	}
}

// put sends all open questions, if any, to the client with send. If that fails, the
// questions fail.
func (o *openQuestions) put(send func(open []*query) error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.open) == 0 {
		return
	}
	if err := send(o.open); err != nil {
		o.failAll(err)
		return
	}
	for _, q := range o.open {
		q.puts++
	}
}

// answer processes answers. Answers without a question are ignored; questions without an
// answer are asked again, at most twice.
func (o *openQuestions) answer(answers map[string]json.RawMessage) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var left []*query
	for _, q := range o.open {
		switch answer := answers[q.key]; {
		case q.puts > 0 && rpc.IsObject(answer):
			q.answer <- reply{result: answer}
		case q.puts > mostRestarts:
			q.answer <- reply{err: fmt.Errorf("mcphub: the client was asked %d times, and gave no valid answer", q.puts)}
		default:
			left = append(left, q)
		}
	}
	if o.open = left; len(left) > 0 {
		o.wake()
	}
}

// fail ends all open questions.
func (o *openQuestions) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failAll(err)
}

// failAll is fail with mu held.
func (o *openQuestions) failAll(err error) {
	for _, q := range o.open {
		q.answer <- reply{err: err}
	}
	o.open = nil
}

// appendQuestions writes the response to a request that ends with questions.
func appendQuestions(id []byte, open []*query, state string, serverInfo []byte) []byte {
	dst := append(rpc.AppendHead(make([]byte, 0, 1024), id), `,"result":{"resultType":"`+string(mcp.ResultTypeInputRequired)+`","inputRequests":{`...)
	for _, q := range open {
		dst = rpc.AppendString(append(rpc.AppendString(rpc.Comma(dst), q.key), `:{"method":`...), q.method)
		dst = append(dst, `,"params":`...)
		if q.params == nil {
			dst = append(dst, "{}"...)
		}
		dst = append(rpc.AppendRaw(dst, q.params), '}')
	}
	dst = rpc.AppendString(append(dst, `},"requestState":`...), state)
	return append(rpc.AppendMeta(dst, nil, serverInfo), "}}"...)
}
