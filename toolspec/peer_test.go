package toolspec_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/toolspec"
)

// plainPeer answers one question at a time.
type plainPeer struct {
	toolspec.Peer
	asked []string
}

func (p *plainPeer) Elicit(_ context.Context, req *toolspec.ElicitRequest) (*toolspec.ElicitResult, error) {
	p.asked = append(p.asked, req.Message)
	return &toolspec.ElicitResult{Action: toolspec.ElicitAccept}, nil
}

func (p *plainPeer) Sample(context.Context, *toolspec.SampleRequest) (*toolspec.SampleResult, error) {
	p.asked = append(p.asked, "sample")
	return &toolspec.SampleResult{Model: "m"}, nil
}

// roundPeer answers all at once.
type roundPeer struct{ plainPeer }

func (p *roundPeer) Ask(_ context.Context, questions []toolspec.Question) []toolspec.Answer {
	p.asked = append(p.asked, fmt.Sprint(len(questions), " at once"))
	return make([]toolspec.Answer, len(questions))
}

func TestAsk(t *testing.T) {
	questions := []toolspec.Question{
		{Elicit: &toolspec.ElicitRequest{Message: "Who?"}},
		{Sample: &toolspec.SampleRequest{}},
		{Roots: true},
		{},
	}
	one := &plainPeer{Peer: toolspec.NoPeer}
	answers := toolspec.Ask(t.Context(), one, questions...)
	require.Len(t, answers, 4)
	assert.Equal(t, toolspec.ElicitAccept, answers[0].Elicit.Action)
	assert.Equal(t, "m", answers[1].Sample.Model)
	require.ErrorIs(t, answers[2].Err, errors.ErrUnsupported)
	require.ErrorContains(t, answers[3].Err, "asks for one thing")
	assert.Equal(t, []string{"Who?", "sample"}, one.asked)

	round := &roundPeer{}
	assert.Len(t, toolspec.Ask(t.Context(), round, questions...), 4)
	assert.Equal(t, []string{"4 at once"}, round.asked)
}

func TestQuestionCheck(t *testing.T) {
	for name, test := range map[string]struct {
		q    toolspec.Question
		want string
	}{
		"nothing":       {toolspec.Question{}, "one thing"},
		"two":           {toolspec.Question{Roots: true, Sample: &toolspec.SampleRequest{}}, "one thing"},
		"key":           {toolspec.Question{Roots: true, Key: "a b"}, "cannot be the key"},
		"early, no key": {toolspec.Question{Roots: true, Anticipated: true}, "needs a key"},
		"good":          {toolspec.Question{Roots: true, Key: "a.B_9-", Anticipated: true}, ""},
	} {
		if err := test.q.Check(); test.want == "" {
			assert.NoError(t, err, name)
		} else {
			assert.ErrorContains(t, err, test.want, name)
		}
	}
}

// A tool asks for two things at once, and goes on without what its caller cannot
// give.
func ExampleAsk() {
	greet := func(ctx context.Context, peer toolspec.Peer) string {
		answers := toolspec.Ask(ctx, peer,
			toolspec.Question{Key: "name", Elicit: &toolspec.ElicitRequest{Message: "What is your name?"}},
			toolspec.Question{Key: "folders", Roots: true})
		if errors.Is(answers[1].Err, errors.ErrUnsupported) {
			return string(answers[0].Elicit.Action) + ", no folders"
		}
		return fmt.Sprint(len(answers[1].Roots), " folders")
	}
	fmt.Println(greet(context.Background(), &plainPeer{Peer: toolspec.NoPeer}))
	// Output: accept, no folders
}

// There is a peer outside a call too; it reaches nobody.
func TestPeerFrom(t *testing.T) {
	ctx := t.Context()
	for name, ctx := range map[string]context.Context{"no call": ctx, "a nil call": toolspec.WithCall(ctx, nil), "a call without a peer": toolspec.WithCall(ctx, &toolspec.Call{})} {
		t.Run(name, func(t *testing.T) {
			peer := toolspec.PeerFrom(ctx)
			require.NotNil(t, peer)
			assert.ErrorIs(t, peer.Progress(ctx, toolspec.Progress{Done: 1}), errors.ErrUnsupported)
			_, err := peer.Roots(ctx)
			assert.ErrorIs(t, err, errors.ErrUnsupported)
		})
	}
	own := &plainPeer{}
	assert.Same(t, own, toolspec.PeerFrom(toolspec.WithCall(ctx, &toolspec.Call{Peer: own})))
	answers := toolspec.Ask(ctx, nil, toolspec.Question{Roots: true})
	require.Len(t, answers, 1)
	assert.ErrorIs(t, answers[0].Err, errors.ErrUnsupported)
}
