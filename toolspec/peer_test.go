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

// A function always gets a peer, whatever the caller gives.
func TestPeerFrom(t *testing.T) {
	var got toolspec.Peer
	tool, err := toolspec.Func("peer", "Gets its peer.", func(ctx context.Context, _ struct{}) (string, error) {
		got = toolspec.PeerFrom(ctx)
		return "", nil
	}, nil)
	require.NoError(t, err)
	peerOf := func(call *toolspec.Call) toolspec.Peer {
		_, err := tool.Call(t.Context(), call)
		require.NoError(t, err)
		return got
	}
	for name, peer := range map[string]toolspec.Peer{"no call": toolspec.PeerFrom(t.Context()), "a call without a peer": peerOf(&toolspec.Call{})} {
		require.NotNil(t, peer, name)
		assert.ErrorIs(t, peer.Progress(t.Context(), toolspec.Progress{Done: 1}), errors.ErrUnsupported, name)
		_, err := peer.Roots(t.Context())
		assert.ErrorIs(t, err, errors.ErrUnsupported, name)
	}
	own := &plainPeer{}
	assert.Same(t, own, peerOf(&toolspec.Call{Peer: own}))
	answers := toolspec.Ask(t.Context(), nil, toolspec.Question{Roots: true})
	require.Len(t, answers, 1)
	assert.ErrorIs(t, answers[0].Err, errors.ErrUnsupported)
}
