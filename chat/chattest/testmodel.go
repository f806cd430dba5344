package chattest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/internal/schema"
	"github.com/localpass/localpass/toolspec"
)

// ModelOptions are the options of [TestModel]. The zero value works for a model
// that understands English.
type ModelOptions struct {
	// Question is one that the model answers with a text.
	Question string
	// ToolQuestion is one that makes it call Tool when it must call one. The default
	// asks for the time in Seoul, of the tool getTime.
	ToolQuestion string
	Tool         *toolspec.Definition
	// NoTools leaves the calling of tools out although the model can, such as for one
	// too small to do it each time.
	NoTools bool
	// Options go along with each request, such as a seed and a limit of tokens that
	// keep a real server quick.
	Options llm.Options
	// Timeout bounds one exchange. Default one minute.
	Timeout time.Duration
	// Breaks is after how many deltas an exchange is broken off, one by one. Default
	// 12.
	Breaks int
	// Active returns how many exchanges are under way at the far end, such as the
	// requests that a fake server has not answered yet. nil: that is not known.
	Active func() int
}

// TestModel holds a [llm.Model] against its contract. open returns one that is
// ready for use; it is asked for one in each part of the test. opts may be nil.
//
// It checks that what the model says of itself does not change; that deltas obey
// their order, see [CheckDeltas]; that the request stays as it was; that breaking
// off after each delta, and ending the context, end the exchange; that several
// exchanges go side by side; that a history with everything in it is taken; and,
// where the model can call tools, a round of calls, from the question to the answer
// that follows the results. Run it with the race detector.
func TestModel(t *testing.T, open func(t *testing.T) llm.Model, opts *ModelOptions) {
	leak.Check(t)
	s := modelSuite{open: open}
	if opts != nil {
		s.ModelOptions = *opts
	}
	if s.Question == "" {
		s.Question = "Say hello in one short sentence."
	}
	if s.Tool == nil {
		s.Tool = &toolspec.Definition{Name: "getTime", Description: "Returns the time of day in a city.",
			InputSchema: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string","description":"the city, such as Paris"}},"required":["city"]}`)}
	}
	if s.ToolQuestion == "" {
		s.ToolQuestion = "What time of day is it in Seoul? Use the tool getTime."
	}
	if s.Timeout == 0 {
		s.Timeout = time.Minute
	}
	if s.Breaks == 0 {
		s.Breaks = 12
	}
	for _, c := range []struct {
		name string
		run  func(t *testing.T, m llm.Model)
	}{
		{"info", s.info},
		{"answer", s.answer},
		{"breaking off", s.breaking},
		{"cancel", s.cancel},
		{"side by side", s.sideBySide},
		{"history", s.history},
		{"tools", s.tools},
		{"no tools", s.none},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

type modelSuite struct {
	ModelOptions
	open func(t *testing.T) llm.Model
}

func (s *modelSuite) request(messages ...llm.Message) *llm.ModelRequest {
	return &llm.ModelRequest{Messages: messages, Options: s.Options, Turn: "t_test", Round: 1}
}

// exchange makes one exchange and holds it against the order of deltas. most ends it
// early; 0 does not.
func (s *modelSuite) exchange(t testing.TB, ctx context.Context, m llm.Model, req *llm.ModelRequest, most int) (deltas []llm.Delta, failed error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	before := describe(t, req)
	for d, err := range m.Generate(ctx, req) {
		if failed != nil {
			t.Errorf("after the error %v came %+v, %v", failed, d, err)
		}
		if err != nil {
			failed = err
			continue
		}
		if deltas = append(deltas, d); len(deltas) == most {
			break
		}
	}
	assert.Equal(t, before, describe(t, req), "the request is not the model's to change")
	if most == 0 || len(deltas) < most {
		assert.NoError(t, CheckDeltas(deltas, failed))
	}
	return deltas, failed
}

// describe is everything of a request that a model could change, what lies behind
// the ends of its lists included.
func describe(t testing.TB, req *llm.ModelRequest) string {
	t.Helper()
	all := *req
	all.Messages = all.Messages[:cap(all.Messages)]
	all.Tools = all.Tools[:cap(all.Tools)]
	raw, err := json.Marshal(all)
	require.NoError(t, err)
	return string(raw)
}

// spare makes room behind a list, that an append would fall into.
func spare[T any](list []T) []T { return slices.Grow(slices.Clip(list), len(list)+2)[:len(list)] }

// collected is what deltas say together.
type collected struct {
	text, reasoning string
	calls           []llm.ToolCall
}

func gather(deltas []llm.Delta) (c collected) {
	for _, d := range deltas {
		switch d.Kind {
		case llm.DeltaRetry:
			c = collected{}
		case llm.DeltaText:
			c.text += d.Text
		case llm.DeltaReasoning:
			c.reasoning += d.Text
		case llm.DeltaToolStart:
			c.calls = append(c.calls, llm.ToolCall{ID: d.CallID, ItemID: d.ItemID, Name: d.Name})
		case llm.DeltaToolArgs:
			if n := len(c.calls); n > 0 {
				c.calls[n-1].RawArguments += d.Text
			}
		}
	}
	return c
}

func (s *modelSuite) info(t *testing.T, m llm.Model) {
	info := m.Info()
	assert.NotEmpty(t, info.Provider, "conversations are locked to the provider")
	assert.NotEmpty(t, info.Name)
	assert.GreaterOrEqual(t, info.ContextTokens, 0)
	_, err := s.exchange(t, t.Context(), m, s.request(llm.UserText(s.Question)), 0)
	require.NoError(t, err)
	assert.Equal(t, info, m.Info(), "what a model says of itself does not change")
}

func (s *modelSuite) answer(t *testing.T, m llm.Model) {
	req := s.request(llm.SystemText("Answer briefly."), llm.UserText(s.Question))
	req.Messages = spare(req.Messages)
	deltas, err := s.exchange(t, t.Context(), m, req, 0)
	require.NoError(t, err)
	said := gather(deltas)
	assert.NotEmpty(t, strings.TrimSpace(said.text+said.reasoning), "a question gets an answer")
	assert.Empty(t, said.calls, "no tools were offered")
}

func (s *modelSuite) breaking(t *testing.T, m llm.Model) {
	for k := 1; k <= s.Breaks; k++ {
		deltas, err := s.exchange(t, t.Context(), m, s.request(llm.UserText(s.Question)), k)
		require.NoError(t, err, "broken off after %d deltas", k)
		s.idle(t, fmt.Sprintf("broken off after %d deltas", k))
		if len(deltas) < k { // it was shorter than that
			break
		}
	}
}

// idle waits for the far end to notice that the caller has gone.
func (s *modelSuite) idle(t *testing.T, when string) {
	t.Helper()
	if s.Active == nil {
		return
	}
	assert.Eventually(t, func() bool { return s.Active() == 0 }, 5*time.Second, 5*time.Millisecond, "%s, an exchange goes on", when)
}

func (s *modelSuite) cancel(t *testing.T, m llm.Model) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	deltas, err := s.exchange(t, ended, m, s.request(llm.UserText(s.Question)), 0)
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, gather(deltas).text, "nothing is said when the context has ended before")
	for k := 1; k <= 3; k++ {
		ctx, cancel := context.WithCancel(t.Context())
		seen := 0
		var failed error
		for d, err := range m.Generate(ctx, s.request(llm.UserText(s.Question))) {
			if failed = err; err != nil {
				break
			}
			if seen++; seen == k {
				cancel()
			}
			if d.Kind == llm.DeltaFinish { // all of it was there already
				failed = context.Canceled
			}
		}
		cancel()
		if seen >= k {
			assert.ErrorIs(t, failed, context.Canceled, "the context ended after %d deltas", k)
		}
		s.idle(t, fmt.Sprintf("the context ended after %d deltas", k))
	}
}

func (s *modelSuite) sideBySide(t *testing.T, m llm.Model) {
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			_, err := s.exchange(t, context.Background(), m, s.request(llm.UserText(s.Question)), 0)
			assert.NoError(t, err)
			_, err = s.exchange(t, context.Background(), m, s.request(llm.UserText(s.Question)), 2)
			assert.NoError(t, err)
			_ = m.Info()
		})
	}
	all.Wait()
}

// history asks after all that a conversation can hold.
func (s *modelSuite) history(t *testing.T, m llm.Model) {
	messages := []llm.Message{
		llm.SystemText("Answer briefly."),
		{Role: llm.RoleSummary, Parts: []llm.Part{llm.Text{Text: "The user said hello."}}},
		{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: "Hello – "}, llm.Text{Text: "grüß Gott 👋"}}},
		{Role: llm.RoleAssistant, Parts: []llm.Part{llm.Reasoning{Text: "A greeting."}, llm.Text{Text: "Hello!"}}},
		llm.UserText("What is there?"),
		{Role: llm.RoleAssistant, Parts: []llm.Part{llm.Refusal{Text: "I would rather not say."}}},
	}
	req := s.request()
	if m.Info().Capabilities.Tools {
		messages = append(messages, llm.UserText("Look."),
			llm.Message{Role: llm.RoleAssistant, Parts: []llm.Part{llm.Text{Text: "I look."},
				llm.ToolCall{ID: "call_1", Name: s.Tool.Name, Arguments: json.RawMessage(`{}`)},
				llm.ToolCall{ID: "call_2", Name: s.Tool.Name, RawArguments: "{", Problem: "it is no JSON"}}},
			llm.ToolResults(
				llm.ToolResult{CallID: "call_1", Name: s.Tool.Name, Content: []toolspec.Content{toolspec.Text("nine")}},
				llm.ToolResult{CallID: "call_2", Name: s.Tool.Name, IsError: true, Outcome: llm.OutcomeBadArguments, Content: []toolspec.Content{toolspec.Text("it was not run")}}),
			llm.AssistantText("It is nine."))
		req.Tools = spare([]toolspec.Definition{*s.Tool})
		req.ToolChoice = llm.ToolChoice{Mode: llm.ToolNone}
	}
	req.Messages = spare(append(messages, llm.UserText(s.Question)))
	require.NoError(t, llm.CheckHistory(req.Messages))
	_, err := s.exchange(t, t.Context(), m, req, 0)
	assert.NoError(t, err)
}

func (s *modelSuite) tools(t *testing.T, m llm.Model) {
	if !m.Info().Capabilities.Tools || s.NoTools {
		t.Skip("the model calls no tools")
	}
	req := s.request(llm.UserText(s.ToolQuestion))
	req.Tools = spare([]toolspec.Definition{*s.Tool})
	req.ToolChoice = llm.ToolChoice{Mode: llm.ToolRequired}
	deltas, err := s.exchange(t, t.Context(), m, req, 0)
	require.NoError(t, err)
	said := gather(deltas)
	require.NotEmpty(t, said.calls, "the tool must be called")
	form, err := schema.CompileObject(s.Tool.InputSchema)
	require.NoError(t, err)
	answer := llm.Message{Role: llm.RoleAssistant}
	var results []llm.ToolResult
	for i, c := range said.calls {
		assert.Equal(t, s.Tool.Name, c.Name, "only what is offered is called")
		if c.ID == "" {
			c.ID = fmt.Sprintf("call_%d", i)
		}
		c.Arguments, c.RawArguments = json.RawMessage(c.RawArguments), ""
		if len(c.Arguments) == 0 {
			c.Arguments = json.RawMessage("{}")
		}
		require.True(t, json.Valid(c.Arguments), "the arguments are no JSON: %s", c.Arguments)
		assert.NoError(t, form.Validate(c.Arguments), "the arguments %s", c.Arguments)
		answer.Parts = append(answer.Parts, c)
		results = append(results, llm.ToolResult{CallID: c.ID, Name: c.Name, Content: []toolspec.Content{toolspec.Text("It is nine in the morning.")}})
	}
	req = s.request(llm.UserText(s.ToolQuestion), answer, llm.ToolResults(results...))
	req.Round, req.Tools = 2, spare([]toolspec.Definition{*s.Tool})
	_, err = s.exchange(t, t.Context(), m, req, 0)
	assert.NoError(t, err, "the results are answered")
	for k := 1; k < min(len(deltas), s.Breaks); k++ { // in the middle of a call too
		req = s.request(llm.UserText(s.ToolQuestion))
		req.Tools, req.ToolChoice = []toolspec.Definition{*s.Tool}, llm.ToolChoice{Mode: llm.ToolRequired}
		_, err := s.exchange(t, t.Context(), m, req, k)
		assert.NoError(t, err)
		s.idle(t, fmt.Sprintf("broken off after %d deltas of a call", k))
	}
}

func (s *modelSuite) none(t *testing.T, m llm.Model) {
	if !m.Info().Capabilities.Tools {
		t.Skip("the model calls no tools")
	}
	req := s.request(llm.UserText(s.ToolQuestion))
	req.Tools = []toolspec.Definition{*s.Tool}
	req.ToolChoice = llm.ToolChoice{Mode: llm.ToolNone}
	deltas, err := s.exchange(t, t.Context(), m, req, 0)
	require.NoError(t, err)
	assert.Empty(t, gather(deltas).calls, "it must not call tools")
}
