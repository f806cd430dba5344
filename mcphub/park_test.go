package mcphub_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/internal/hubtest"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

func tools(list ...func(t testing.TB) *studio.Passed) func(t testing.TB) []*studio.Passed {
	return func(t testing.TB) (out []*studio.Passed) {
		for _, make := range list {
			out = append(out, make(t))
		}
		return out
	}
}

func talker(name string, do func(ctx context.Context, peer toolspec.Peer, text string) string) func(t testing.TB) *studio.Passed {
	return func(t testing.TB) *studio.Passed { return talks(t, name, do) }
}

// A tool asks in the middle of its work, and what it sends afterwards goes to the
// request that brought the answer, in order and before the result.
func TestParkedCall(t *testing.T) {
	inAskingHub(t, nil, tools(talker("ask", func(ctx context.Context, peer toolspec.Peer, text string) string {
		_ = peer.Progress(ctx, toolspec.Progress{Done: 1})
		said := make(chan string)
		go func() { said <- elicits(ctx, peer, text) }()
		time.Sleep(time.Second) // the client has its question by now
		_ = peer.Progress(ctx, toolspec.Progress{Done: 2})
		_ = peer.Log(ctx, toolspec.LogMessage{Level: "warning", Data: json.RawMessage(`"away"`)})
		_ = peer.Log(ctx, toolspec.LogMessage{Level: "debug", Data: json.RawMessage(`"too low"`)})
		answer := <-said
		_ = peer.Progress(ctx, toolspec.Progress{Done: 3})
		return answer
	})), func(l *askingHub) {
		l.meta = `,"progressToken":"a","io.modelcontextprotocol/logLevel":"info"`
		c := l.client("ada")
		l.call(c, "ask", text1, "")
		first := c.fresh()
		require.Len(t, first, 2)
		assert.Contains(t, first[0], `"progressToken":"a","progress":1`)
		assert.Contains(t, first[1], `"inputRequests":{"q1":{"method":"elicitation/create","params":{"requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}},"message":"Who?"}}}`)
		state := l.asked(parseReply(t, first[1]), "q1")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.Empty(t, c.fresh(), "nobody waits for anything")

		l.meta = `,"progressToken":"b","io.modelcontextprotocol/logLevel":"info"`
		l.call(c, "ask", `{ "text" : "\u0031" }`, `,"inputResponses":{"q1":{"action":"accept","content":{"name":"Ada"}},"q7":{"action":"accept"}},"requestState":"`+state+`"`)
		second := c.fresh()
		require.Len(t, second, 4)
		assert.Contains(t, second[0], `"progressToken":"b","progress":2`)
		assert.Contains(t, second[1], `"away"`)
		assert.Contains(t, second[2], `"progressToken":"b","progress":3`)
		assert.Equal(t, `{"Action":"accept","Content":{"name":"Ada"}}`, l.said(parseReply(t, second[3])))

		for r, err := range l.hub.AuditRecords(l.t.Context()) {
			require.NoError(t, err)
			assert.True(t, r.OK)
			assert.GreaterOrEqual(t, r.Duration, 2*time.Second, "one call, one record")
		}
	})
}

// A call can end while its client is away, as one of another server that asked on the side. What
// it sent until then comes with the next request, before the result.
func TestParkedCallEndsMeanwhile(t *testing.T) {
	inAskingHub(t, nil, tools(talker("ask", func(ctx context.Context, peer toolspec.Peer, text string) string {
		go elicits(ctx, peer, text)
		time.Sleep(time.Second) // the client has its question by now
		_ = peer.Progress(ctx, toolspec.Progress{Done: 1})
		return "done"
	})), func(l *askingHub) {
		l.meta = `,"progressToken":"a"`
		c := l.client("ada")
		l.call(c, "ask", text1, "")
		first := c.fresh()
		require.Len(t, first, 1)
		state := l.asked(parseReply(t, first[0]), "q1")
		time.Sleep(2 * time.Second)
		synctest.Wait()

		l.meta = `,"progressToken":"b"`
		l.call(c, "ask", text1, `,"inputResponses":{"q1":{"action":"accept","content":{"name":"Ada"}}},"requestState":"`+state+`"`)
		second := c.fresh()
		require.Len(t, second, 2)
		assert.Contains(t, second[0], `"progressToken":"b","progress":1`)
		assert.Equal(t, "done", l.said(parseReply(t, second[1])))
	})
}

// Whatever is not just the state of this call, of this client, at this time, is
// refused and changes nothing: the right one still counts afterwards, once.
func TestParkedCallTakesItsOwnStateOnly(t *testing.T) {
	inAskingHub(t, nil, tools(talker("ask", elicits), talker("other", elicits)), func(l *askingHub) {
		c, bob := l.client("ada"), l.client("bob")
		state := l.asked(l.begin(c, "ask", text1), "q1")
		foreign := l.asked(l.begin(bob, "ask", text1), "q1")
		yes := `{"q1":{"action":"accept"}}`
		for name, try := range map[string]func() reply{
			"one letter other":         func() reply { return l.again(c, "ask", text1, tamper(state, 20), yes) },
			"the prefix other":         func() reply { return l.again(c, "ask", text1, tamper(state, 2), yes) },
			"with more":                func() reply { return l.again(c, "ask", text1, state+"-TAMPERED", yes) },
			"made up":                  func() reply { return l.again(c, "ask", text1, "parked.AAAA", yes) },
			"empty":                    func() reply { return l.again(c, "ask", text1, "", yes) },
			"another principal":        func() reply { return l.again(bob, "ask", text1, state, yes) },
			"of another principal":     func() reply { return l.again(c, "ask", text1, foreign, yes) },
			"other arguments":          func() reply { return l.again(c, "ask", `{"text":"2"}`, state, yes) },
			"more arguments":           func() reply { return l.again(c, "ask", `{"text":"1","x":1}`, state, yes) },
			"another tool":             func() reply { return l.again(c, "other", text1, state, yes) },
			"of another one's on pipe": func() reply { return l.again(c, "other", text1, foreign, yes) },
		} {
			r := try()
			require.NotNil(t, r.Error, "%s: %+v", name, r)
			assert.Equal(t, -32602, r.Error.Code, name)
		}
		assert.Contains(t, l.said(l.again(c, "ask", text1, state, yes)), "accept")
		r := l.again(c, "ask", text1, state, yes)
		require.NotNil(t, r.Error, "once")
		assert.Contains(t, l.said(l.again(bob, "ask", text1, foreign, yes)), "accept")

		// Twice at once: one of the two.
		state = l.asked(l.begin(c, "ask", text1), "q1")
		for range 2 {
			l.post(c, "ask", text1, `,"inputResponses":`+yes+`,"requestState":"`+state+`"`)
		}
		synctest.Wait()
		answers := strings.Join(c.fresh(), "\n")
		assert.Equal(t, 1, strings.Count(answers, `"content"`), answers)
		assert.Equal(t, 1, strings.Count(answers, `-32602`), answers)

		// Another tool under the name is not what was called.
		state = l.asked(l.begin(c, "ask", text1), "q1")
		require.NoError(t, l.hub.Remove("ask"))
		require.NotNil(t, l.again(c, "ask", text1, state, yes).Error)
		require.NoError(t, l.hub.Add(talks(t, "ask", elicits)))
		require.NotNil(t, l.again(c, "ask", text1, state, yes).Error)
	})
}

// A client that does not come back loses the call, and leaves nothing.
func TestParkedCallEndsInTime(t *testing.T) {
	var mu sync.Mutex
	var ends []string
	note := func(ctx context.Context, peer toolspec.Peer, text string) string {
		said := elicits(ctx, peer, text)
		mu.Lock()
		defer mu.Unlock()
		ends = append(ends, said)
		return said
	}
	inAskingHub(t, &mcphub.Options{QuestionTimeout: time.Minute}, tools(talker("ask", note)), func(l *askingHub) {
		c := l.client("ada")
		state := l.asked(l.begin(c, "ask", text1), "q1")
		time.Sleep(59 * time.Second)
		state = l.asked(l.again(c, "ask", text1, state, `{}`), "q1")
		time.Sleep(61 * time.Second)
		synctest.Wait()
		mu.Lock()
		assert.Equal(t, []string{"error: mcphub: the client was asked, and did not answer in time"}, ends)
		mu.Unlock()
		require.NotNil(t, l.again(c, "ask", text1, state, `{"q1":{"action":"accept"}}`).Error, "too late")

		// One that is answered in time is not ended by the question before.
		state = l.asked(l.begin(c, "ask", text1), "q1")
		time.Sleep(50 * time.Second)
		assert.Contains(t, l.said(l.again(c, "ask", text1, state, `{"q1":{"action":"cancel"}}`)), "cancel")
		time.Sleep(time.Hour)
	})
}

// What is missing is asked again, and not for ever.
func TestParkedCallAsksAgain(t *testing.T) {
	inAskingHub(t, nil, tools(talker("ask", elicits)), func(l *askingHub) {
		c := l.client("ada")
		state := l.asked(l.begin(c, "ask", text1), "q1")
		for _, bad := range []string{`{"wrong":{"action":"accept"}}`, `{"q1":12345}`} {
			next := l.asked(l.again(c, "ask", text1, state, bad), "q1")
			assert.NotEqual(t, state, next)
			state = next
		}
		assert.Contains(t, l.said(l.again(c, "ask", text1, state, `{}`)), "asked 3 times")
		require.NotNil(t, l.again(c, "ask", text1, state, `null`).Error)
	})
}

// All questions that are open go out together; those of one round, and those that
// several goroutines ask.
func TestParkedQuestionsGoTogether(t *testing.T) {
	several := func(ctx context.Context, peer toolspec.Peer, _ string) string {
		answers := toolspec.Ask(ctx, peer,
			toolspec.Question{Key: "name", Elicit: &toolspec.ElicitRequest{Message: "Who?"}},
			toolspec.Question{Sample: &toolspec.SampleRequest{MaxTokens: 9, Messages: []toolspec.SampleMessage{{Role: "user", Content: toolspec.Text("Hi")}}}},
			toolspec.Question{Key: "q1", Roots: true},
			toolspec.Question{Key: "name", Roots: true}, toolspec.Question{Key: "approval", Roots: true},
			toolspec.Question{Roots: true, Elicit: &toolspec.ElicitRequest{}}, toolspec.Question{Sample: &toolspec.SampleRequest{}})
		var b strings.Builder
		for _, a := range answers {
			if a.Err != nil {
				fmt.Fprintf(&b, "[%v]", a.Err)
				continue
			}
			fmt.Fprint(&b, "[", show([]any{a.Elicit, a.Sample, a.Roots}, nil), "]")
		}
		return b.String()
	}
	side := func(ctx context.Context, peer toolspec.Peer, _ string) string {
		said := make([]string, 3)
		var all sync.WaitGroup
		for i := range said {
			all.Go(func() {
				if i > 0 {
					time.Sleep(time.Second)
				}
				said[i] = elicits(ctx, peer, "")
			})
		}
		all.Wait()
		return strings.Join(said, " ")
	}
	inAskingHub(t, nil, tools(talker("several", several), talker("side", side)), func(l *askingHub) {
		c := l.client("ada")
		state := l.asked(l.begin(c, "several", text1), "name", "q1", "q2")
		state = l.asked(l.again(c, "several", text1, state, `{"name":{"action":"decline","content":{}}}`), "q1", "q2")
		said := l.said(l.again(c, "several", text1, state, `{"q1":{"roots":[]},"q2":{"role":"assistant","content":{"type":"text","text":"Yo"},"model":"m"},"name":{"action":"accept"}}`))
		assert.Contains(t, said, `[[{"Action":"decline","Content":null},null,null]]`)
		assert.Contains(t, said, `"Text":"Yo"`)
		assert.Contains(t, said, `[[null,null,[]]]`)
		assert.Contains(t, said, `the key "name" already`)
		assert.Contains(t, said, `the key "approval" already`)
		assert.Contains(t, said, "asks for one thing")
		assert.Contains(t, said, "set MaxTokens")

		state = l.asked(l.begin(c, "side", text1), "q1")
		time.Sleep(2 * time.Second)
		state = l.asked(l.again(c, "side", text1, state, `{"q1":{"action":"accept"}}`), "q2", "q3")
		said = l.said(l.again(c, "side", text1, state, `{"q2":{"action":"accept"},"q3":{"action":"accept"}}`))
		assert.Equal(t, 3, strings.Count(said, "accept"), said)
	})
}

// An answer that comes first counts where the tool says so, and nowhere else.
func TestAnticipatedAnswers(t *testing.T) {
	ask := func(first bool) func(ctx context.Context, peer toolspec.Peer, _ string) string {
		return func(ctx context.Context, peer toolspec.Peer, _ string) string {
			a := toolspec.Ask(ctx, peer, toolspec.Question{Key: "name", Anticipated: first, Elicit: &toolspec.ElicitRequest{Message: "Who?"}})[0]
			return show(a.Elicit, a.Err)
		}
	}
	inAskingHub(t, nil, tools(talker("takes", ask(true)), talker("ignores", ask(false))), func(l *askingHub) {
		c := l.client("ada")
		l.call(c, "takes", text1, `,"inputResponses":{"name":{"action":"accept"},"other":{}}`)
		assert.Contains(t, l.said(l.last(c)), "accept")
		l.call(c, "takes", text1, `,"inputResponses":{"name":7}`)
		l.asked(l.last(c), "name")
		l.call(c, "ignores", text1, `,"inputResponses":{"name":{"action":"accept"}}`)
		l.asked(l.last(c), "name")
		l.call(c, "takes", text1, `,"inputResponses":null`)
		assert.Equal(t, -32602, l.last(c).Error.Code)
	})
}

// A question that needs what the client did not declare is not put.
func TestParkedCallChecksCapabilities(t *testing.T) {
	inAskingHub(t, nil, tools(talker("asks", func(ctx context.Context, peer toolspec.Peer, _ string) string {
		_, err := peer.Elicit(ctx, &toolspec.ElicitRequest{Message: "Who?"})
		_, err2 := peer.Elicit(ctx, &toolspec.ElicitRequest{Message: "Open", URL: "https://example.com"})
		_, err3 := peer.Sample(ctx, &toolspec.SampleRequest{MaxTokens: 1})
		if !errors.Is(err, errors.ErrUnsupported) || !errors.Is(err2, errors.ErrUnsupported) || !errors.Is(err3, errors.ErrUnsupported) {
			return fmt.Sprint(err, err2, err3)
		}
		return "could not"
	}), func(t testing.TB) *studio.Passed {
		return hubtest.Certified(t, "needs", func(ctx context.Context, in hubtest.TextIn) (string, error) {
			if in.Text == "certify" {
				return in.Text, nil
			}
			_, err := toolspec.CallFrom(ctx).Caller().Elicit(ctx, &toolspec.ElicitRequest{Message: "Who?"})
			return "", err
		}, `{"text":"certify"}`, `"certify"`, nil)
	}), func(l *askingHub) {
		c := l.client("ada")
		for _, caps := range []string{`{}`, `{"roots":{}}`} {
			l.caps = caps
			assert.Equal(t, "could not", l.said(l.begin(c, "asks", text1)))
			r := l.begin(c, "needs", text1)
			require.NotNil(t, r.Error)
			assert.Equal(t, -32021, r.Error.Code)
			assert.JSONEq(t, `{"requiredCapabilities":{"elicitation":{"form":{}}}}`, string(r.Error.Data))
		}
	})
}

// The wait for an answer is none of the call's time, and takes no place among the
// calls that run.
func TestParkedCallTakesNoTimeAndNoPlace(t *testing.T) {
	work := func(ctx context.Context, peer toolspec.Peer, text string) string {
		time.Sleep(4 * time.Second)
		said := elicits(ctx, peer, text)
		select {
		case <-time.After(4 * time.Second):
		case <-ctx.Done():
			return fmt.Sprint(ctx.Err())
		}
		return said
	}
	opts := &mcphub.Options{CallTimeout: 10 * time.Second, MaxCalls: 1, QuestionTimeout: time.Hour}
	inAskingHub(t, opts, tools(talker("work", work), talker("quick", func(context.Context, toolspec.Peer, string) string { return "done" })), func(l *askingHub) {
		c, other := l.client("ada"), l.client("bob")
		l.call(c, "work", text1, "")
		time.Sleep(5 * time.Second)
		synctest.Wait()
		state := l.asked(l.last(c), "q1")
		time.Sleep(30 * time.Minute)
		assert.Equal(t, "done", l.said(l.begin(other, "quick", text1)))
		l.call(c, "work", text1, `,"inputResponses":{"q1":{"action":"accept"}},"requestState":"`+state+`"`)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		assert.Contains(t, l.said(l.last(c)), "accept")
		assert.Equal(t, "done", l.said(l.begin(other, "quick", text1)))
	})
	// What comes after the answer is its time again.
	opts = &mcphub.Options{CallTimeout: 6 * time.Second}
	inAskingHub(t, opts, tools(talker("work", work)), func(l *askingHub) {
		c := l.client("ada")
		l.call(c, "work", text1, "")
		time.Sleep(5 * time.Second)
		synctest.Wait()
		state := l.asked(l.last(c), "q1")
		time.Sleep(time.Minute)
		l.call(c, "work", text1, `,"inputResponses":{"q1":{"action":"accept"}},"requestState":"`+state+`"`)
		time.Sleep(3 * time.Second)
		synctest.Wait()
		assert.Equal(t, "context deadline exceeded", l.said(l.last(c)))
	})
}

// There is room for so many parked calls, and for a quarter of them of one
// principal.
func TestParkedCallsAreBounded(t *testing.T) {
	inAskingHub(t, &mcphub.Options{MaxParked: 8}, tools(talker("ask", elicits)), func(l *askingHub) {
		ada := l.client("ada")
		state := l.asked(l.begin(ada, "ask", text1), "q1")
		l.asked(l.begin(ada, "ask", text1), "q1")
		assert.Contains(t, l.said(l.begin(ada, "ask", text1)), "try again later")
		for _, who := range []string{"b", "c", "d"} {
			c := l.client(who)
			l.asked(l.begin(c, "ask", text1), "q1")
			l.asked(l.begin(c, "ask", text1), "q1")
		}
		assert.Contains(t, l.said(l.begin(l.client("e"), "ask", text1)), "try again later")
		l.said(l.again(ada, "ask", text1, state, `{"q1":{"action":"accept"}}`))
		l.asked(l.begin(l.client("e"), "ask", text1), "q1")
	})
}

// A parked call ends with the hub, and with the request that it answers.
func TestParkedCallEndsWithTheHub(t *testing.T) {
	inAskingHub(t, nil, tools(talker("ask", elicits)), func(l *askingHub) {
		c := l.client("ada")
		l.asked(l.begin(c, "ask", text1), "q1")
		require.NoError(t, l.hub.Shutdown(l.t.Context()), "nothing had to be cut off")
		n := 0
		for range l.hub.AuditRecords(l.t.Context()) {
			n++
		}
		assert.Equal(t, 1, n)
	})
	// What panics is contained.
	inAskingHub(t, nil, tools(talker("ask", func(ctx context.Context, peer toolspec.Peer, text string) string {
		_ = elicits(ctx, peer, text)
		panic("no")
	})), func(l *askingHub) {
		c := l.client("ada")
		state := l.asked(l.begin(c, "ask", text1), "q1")
		r := l.again(c, "ask", text1, state, `{"q1":{"action":"accept"}}`)
		assert.True(t, r.Result.IsError)
		assert.Equal(t, "panic", r.Result.Meta.Error.Reason)
	})
}
