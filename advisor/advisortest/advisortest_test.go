package advisortest_test

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/advisor"
	"github.com/localpass/localpass/advisor/advisortest"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/leak"
)

type handle = func(ctx context.Context, req *chat.Request, next chat.Handler) chat.Stream

// wrong are advisors with one fault each.
var wrong = map[string]handle{
	"changes the request": func(ctx context.Context, req *chat.Request, next chat.Handler) chat.Stream {
		req.Messages[0] = llm.SystemText("changed")
		return next.Handle(ctx, req)
	},
	"appends in place": func(ctx context.Context, req *chat.Request, next chat.Handler) chat.Stream {
		own := *req
		own.Messages = append(own.Messages, llm.UserText("more"))
		return next.Handle(ctx, &own)
	},
	"asks at once": func(ctx context.Context, req *chat.Request, next chat.Handler) chat.Stream {
		for range next.Handle(ctx, req) {
			break
		}
		return next.Handle(ctx, req)
	},
	"goes on after an error": func(ctx context.Context, req *chat.Request, next chat.Handler) chat.Stream {
		return func(yield func(chat.Event, error) bool) {
			for ev, err := range next.Handle(ctx, req) {
				if !yield(ev, err) {
					return
				}
			}
			yield(&chat.Warned{}, nil)
		}
	},
	"hides errors": func(ctx context.Context, req *chat.Request, next chat.Handler) chat.Stream {
		return func(yield func(chat.Event, error) bool) {
			for ev, err := range next.Handle(ctx, req) {
				if err != nil || !yield(ev, nil) {
					return
				}
			}
		}
	},
	"loses the end": func(ctx context.Context, req *chat.Request, next chat.Handler) chat.Stream {
		return func(yield func(chat.Event, error) bool) {
			for ev, err := range next.Handle(ctx, req) {
				if _, last := ev.(*chat.RoundFinished); last || !yield(ev, err) {
					return
				}
			}
		}
	},
	"says half an answer": func(context.Context, *chat.Request, chat.Handler) chat.Stream {
		return func(yield func(chat.Event, error) bool) { yield(&chat.TextDelta{Text: "no"}, nil) }
	},
	"reads on in the background": func(ctx context.Context, req *chat.Request, next chat.Handler) chat.Stream {
		return func(yield func(chat.Event, error) bool) {
			for item := range chat.ToChannel(context.WithoutCancel(ctx), next.Handle(ctx, req)) {
				if !yield(item.Event, item.Err) {
					return
				}
			}
		}
	},
}

const chosen = "LOCALPASS_WRONG_ADVISOR"

// Each faulty advisor fails the suite, in a process of its own.
func TestSuiteFindsWhatIsWrong(t *testing.T) {
	if name := os.Getenv(chosen); name != "" {
		advisortest.TestAdvisor(t, func() advisor.Advisor { return advisor.New("wrong", 1, wrong[name]) })
		return
	}
	for name := range wrong {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run=^TestSuiteFindsWhatIsWrong$", "-test.timeout=5m", "-test.failfast")
			cmd.Env = append(os.Environ(), chosen+"="+name, leak.Wait+"=1s") // the faulty advisor leaks
			out, err := cmd.CombinedOutput()
			var failed *exec.ExitError
			assert.ErrorAs(t, err, &failed)
			if name != "reads on in the background" { // a panic there ends the process
				assert.Contains(t, string(out), "--- FAIL")
			}
			assert.NotContains(t, string(out), "panic: test timed out")
		})
	}
}

func TestSuiteTakesWhatIsRight(t *testing.T) {
	advisortest.TestAdvisor(t, func() advisor.Advisor { return advisor.Logger(nil) })
	advisortest.TestAdvisor(t, func() advisor.Advisor { // an advisor that replaces failures by an answer
		return advisor.New("fallback", 1, func(ctx context.Context, req *chat.Request, next chat.Handler) chat.Stream {
			return func(yield func(chat.Event, error) bool) {
				var events []chat.Event
				for ev, err := range next.Handle(ctx, req) {
					if err != nil {
						advisor.ShortCircuit("{}")(yield)
						return
					}
					events = append(events, ev)
				}
				for _, ev := range events {
					if !yield(ev, nil) {
						return
					}
				}
			}
		})
	})
}

func ExampleTestAdvisor() {
	test := func(t *testing.T) {
		advisortest.TestAdvisor(t, func() advisor.Advisor { return advisor.Logger(nil) })
	}
	_ = test // go test runs it
}
