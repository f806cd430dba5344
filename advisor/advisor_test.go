package advisor_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/advisor"
	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/llm"
)

func handler(t *testing.T, m llm.Model, advisors ...advisor.Advisor) chat.Handler {
	t.Helper()
	chain, err := advisor.Chain(advisors...)
	require.NoError(t, err)
	return chain(chat.NewModelHandler(m))
}

func tracer(name string, order int, trace *[]string) advisor.Advisor {
	return advisor.New(name, order, func(ctx context.Context, req *chat.Request, next chat.Handler) chat.Stream {
		return func(yield func(chat.Event, error) bool) {
			*trace = append(*trace, name)
			defer func() { *trace = append(*trace, "/"+name) }()
			next.Handle(ctx, req)(yield)
		}
	})
}

func TestChainOrder(t *testing.T) {
	var trace []string
	h := handler(t, chattest.NewModel(chattest.Say("x")), tracer("c", 5, &trace), tracer("a", -1, &trace), tracer("d", 5, &trace), tracer("b", 0, &trace))
	_, err := chat.Collect(h.Handle(t.Context(), &chat.Request{}))
	require.NoError(t, err)
	assert.Equal(t, "a b c d /d /c /b /a", strings.Join(trace, " "))
}

func TestChainRefuses(t *testing.T) {
	plain := func() advisor.Advisor { return advisor.Logger(nil) }
	named := func(name string, order int) advisor.Advisor {
		return advisor.Before(name, order, func(_ context.Context, r *chat.Request) (*chat.Request, error) { return r, nil })
	}
	for _, c := range []struct {
		want     string
		advisors []advisor.Advisor
	}{
		{"number 1 of the chain is nil", []advisor.Advisor{plain(), nil}},
		{"number 0 of the chain has no name", []advisor.Advisor{named("", 0)}},
		{`two of the name "a"`, []advisor.Advisor{named("a", 0), named("a", 1)}},
		{"the order 9223372036854775807 is that of the model", []advisor.Advisor{named("a", advisor.OrderModel)}},
	} {
		_, err := advisor.Chain(c.advisors...)
		require.ErrorIs(t, err, llm.ErrInvalid)
		assert.ErrorContains(t, err, c.want)
	}
}

func TestErrorsNameTheAdvisor(t *testing.T) {
	boom := errors.New("boom")
	inner := &llm.Error{Code: llm.CodeRateLimited}
	quiet := advisor.Logger(nil)
	for _, c := range []struct {
		name string
		step chattest.Step
		a    advisor.Advisor
		who  string // the advisor's name; "" if the error is the model's
		is   error
	}{
		{"before", chattest.Say("x"), advisor.Before("b", 0, func(context.Context, *chat.Request) (*chat.Request, error) { return nil, boom }), "b", boom},
		{"before without a request", chattest.Say("x"), advisor.Before("b", 0, func(context.Context, *chat.Request) (*chat.Request, error) { return nil, nil }), "b", llm.ErrInvalid},
		{"after", chattest.Say("x"), advisor.After("a", 0, func(context.Context, *chat.Response) error { return boom }), "a", boom},
		{"panic", chattest.Say("x"), advisor.Before("p", 0, func(context.Context, *chat.Request) (*chat.Request, error) { panic("oh") }), "p", nil},
		{"the model's", chattest.Fail(inner), quiet, "", inner},
	} {
		t.Run(c.name, func(t *testing.T) {
			outer := advisor.New("outer", -10, func(ctx context.Context, req *chat.Request, next chat.Handler) chat.Stream {
				return next.Handle(ctx, req)
			})
			_, err := chat.Collect(handler(t, chattest.NewModel(c.step), outer, c.a).Handle(t.Context(), &chat.Request{}))
			require.Error(t, err)
			var named *advisor.Error
			if assert.Equal(t, c.who != "", errors.As(err, &named)) && named != nil {
				assert.Equal(t, c.who, named.Name)
			}
			if c.is != nil {
				assert.ErrorIs(t, err, c.is)
			} else {
				var panicked *chat.PanicError
				assert.ErrorAs(t, err, &panicked)
			}
		})
	}
}

func TestReaderStopsAtEachEvent(t *testing.T) {
	var trace []string
	build := func() chat.Handler {
		return handler(t, chattest.NewModel(chattest.Steps(chattest.Think("ab"), chattest.Say("some text"))),
			tracer("m", 0, &trace), advisor.Logger(nil), advisor.After("a", 9, func(context.Context, *chat.Response) error { return nil }))
	}
	n := 0
	for range build().Handle(t.Context(), &chat.Request{}) {
		n++
	}
	for k := 1; k <= n; k++ {
		trace = nil
		seen := 0
		for range build().Handle(t.Context(), &chat.Request{}) {
			if seen++; seen == k {
				break
			}
		}
		assert.Equal(t, []string{"m", "/m"}, trace, "deferred functions of an advisor run when the reader stops")
	}
}

func TestSafeguard(t *testing.T) {
	m := chattest.NewModel(chattest.Say("of course"))
	h := handler(t, m, advisor.Safeguard([]string{" PassWord ", ""}, &advisor.SafeguardOptions{Refusal: "no"}))
	var events []chat.Event
	for ev, err := range h.Handle(t.Context(), &chat.Request{Messages: []llm.Message{llm.UserText("What is the PASSWORD?")}}) {
		require.NoError(t, err)
		events = append(events, ev)
	}
	require.NoError(t, chattest.CheckRound(events))
	assert.Empty(t, m.Asked())
	resp, err := chat.Collect(h.Handle(t.Context(), &chat.Request{Messages: []llm.Message{llm.UserText("What is the time?")}}))
	require.NoError(t, err)
	assert.Equal(t, "of course", resp.Text())
}

// The changes of an advisor to its request do not affect other uses of the request.
func TestRequestsAreCopied(t *testing.T) {
	add := func(name string) advisor.Advisor {
		return advisor.Before(name, 0, func(_ context.Context, r *chat.Request) (*chat.Request, error) {
			r.Messages = append(r.Messages, llm.UserText(name))
			return r, nil
		})
	}
	branch := advisor.New("branch", -1, func(ctx context.Context, req *chat.Request, next chat.Handler) chat.Stream {
		return func(yield func(chat.Event, error) bool) {
			for range 2 {
				for ev, err := range next.Handle(ctx, req) {
					if !yield(ev, err) {
						return
					}
				}
			}
		}
	})
	m := chattest.NewModel(chattest.Say("1"), chattest.Say("2"))
	messages := make([]llm.Message, 1, 10)
	messages[0] = llm.UserText("q")
	_, err := chat.Collect(handler(t, m, branch, add("x"), add("y")).Handle(t.Context(), &chat.Request{Messages: messages}))
	require.NoError(t, err)
	for _, asked := range m.Asked() {
		assert.Len(t, asked.Messages, 3)
	}
}

// Advisors of equal order keep the order of the list, and 0 is an order like any other.
func TestEqualOrdersKeepTheList(t *testing.T) {
	var seen []string
	at := func(name string, order int) advisor.Advisor {
		return advisor.Before(name, order, func(_ context.Context, r *chat.Request) (*chat.Request, error) {
			seen = append(seen, name)
			return r, nil
		})
	}
	guard := advisor.Safeguard(nil, &advisor.SafeguardOptions{Order: new(0)})
	assert.Equal(t, 0, guard.Order())
	chain, err := advisor.Chain(at("b", 0), at("last", 1), guard, at("a", 0), at("first", -1), at("c", 0))
	require.NoError(t, err)
	client, err := chat.NewClient(chattest.NewModel(chattest.Say("well")), &chat.ClientOptions{Middleware: chain})
	require.NoError(t, err)
	_, err = client.Ask(t.Context(), "", "q", nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"first", "b", "a", "c", "last"}, seen)
}
