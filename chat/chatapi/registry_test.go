package chatapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/chatapi"
	"github.com/localpass/localpass/chat/chattest"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/internal/turntest"
	"github.com/localpass/localpass/observe/genai"
)

// jsonOf returns events as JSON lines.
func jsonOf(t *testing.T, list []chat.Event) string {
	t.Helper()
	var b strings.Builder
	for _, ev := range list {
		data, err := chat.MarshalEvent(ev)
		require.NoError(t, err)
		b.Write(append(data, '\n'))
	}
	return b.String()
}

func TestTurnsReplayEqualsLive(t *testing.T) {
	leak.Check(t)
	synctest.Test(t, func(t *testing.T) {
		open := make(chan struct{})
		m := chattest.NewModel(chattest.Call("time", "{}"), chattest.Steps(chattest.Text("It is "), turntest.WaitFor(open), chattest.Say("nine.")))
		c := turntest.NewClient(t, m, chat.ClientOptions{Store: turntest.NewStore(t), Tools: turntest.Tools{turntest.TextTool("time", "09:00")}})
		ts := newTurns(t, c, chatapi.TurnsOptions{})
		l, err := ts.Begin(t.Context(), "c_1", llm.UserText("q"), nil, "")
		require.NoError(t, err)
		assert.Equal(t, "c_1", l.Conversation())
		assert.EqualValues(t, 1, l.First())
		found, ok := ts.Find(l.ID())
		assert.True(t, ok && found == l)
		_, err = ts.Begin(t.Context(), "c_1", llm.UserText("q"), nil, "")
		require.ErrorIs(t, err, llm.ErrBusy)

		var all sync.WaitGroup
		live := make([][]chat.Event, 3)
		for i := range live {
			all.Go(func() { live[i] = readLive(t, l, 0) })
		}
		synctest.Wait()
		assert.Empty(t, l.Status(), "it runs")
		middle := l.Last()
		all.Go(func() {
			rest := readLive(t, l, middle)
			assert.Equal(t, middle+1, rest[0].Header().Seq)
		})
		close(open)
		all.Wait()
		<-l.Done()
		assert.Equal(t, conversation.EndCompleted, l.Status())
		assert.False(t, l.Stop(chat.CancelNow), "the turn has ended")
		require.NoError(t, chattest.CheckEvents(live[0]))
		want := jsonOf(t, live[0])
		assert.Equal(t, want, jsonOf(t, live[1]))
		assert.Equal(t, want, jsonOf(t, live[2]))
		assert.Equal(t, want, jsonOf(t, readLive(t, l, 0)), "after the turn too")
		for n := range l.Last() + 1 {
			assert.Len(t, readLive(t, l, n), int(l.Last()-n))
		}
		for _, beyond := range []int64{l.Last() + 1, 1 << 40} {
			for _, err := range l.Events(t.Context(), beyond) {
				assert.ErrorIs(t, err, chatapi.ErrReplay)
			}
		}
		time.Sleep(6 * time.Minute)
		_, ok = ts.Find(l.ID())
		assert.False(t, ok, "a turn is kept for five minutes")
		assert.NoError(t, ts.Close())
		_, err = ts.Begin(t.Context(), "c_1", llm.UserText("q"), nil, "")
		assert.ErrorIs(t, err, chatapi.ErrClosed)
		assert.NoError(t, ts.Close())
	})
}

// A slow reader does not delay the turn, and gets ErrReplay if it is too far behind.
func TestTurnsSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := chattest.NewModel(chattest.Say(strings.Repeat("word ", 200)), chattest.Say("short"))
		ts := newTurns(t, turntest.NewClient(t, m, chat.ClientOptions{Store: turntest.NewStore(t)}), chatapi.TurnsOptions{MaxEvents: 20})
		defer func() { assert.NoError(t, ts.Close()) }()
		l, err := ts.Begin(t.Context(), "c_1", llm.UserText("q"), nil, "")
		require.NoError(t, err)
		var got error
		n := 0
		for _, err := range l.Events(t.Context(), 0) {
			if got = err; err == nil {
				n++
				<-l.Done()
			}
		}
		<-l.Done()
		assert.ErrorIs(t, got, chatapi.ErrReplay)
		assert.LessOrEqual(t, n, 20)
		assert.Len(t, readLive(t, l, l.Last()-20), 20, "the kept events can be read")

		// The limit in bytes.
		ts2 := newTurns(t, turntest.NewClient(t, chattest.NewModel(chattest.Say(strings.Repeat("word ", 200))), chat.ClientOptions{}), chatapi.TurnsOptions{MaxBytes: 1000})
		defer func() { assert.NoError(t, ts2.Close()) }()
		l, err = ts2.Begin(t.Context(), "", llm.UserText("q"), nil, "")
		require.NoError(t, err)
		<-l.Done()
		last := readLive(t, l, l.Last()-1)
		assert.IsType(t, &chat.TurnFinished{}, last[0])
		for _, err := range l.Events(t.Context(), l.Last()-20) {
			assert.ErrorIs(t, err, chatapi.ErrReplay)
		}
	})
}

func TestTurnsDisconnect(t *testing.T) {
	for _, test := range []struct {
		how  chatapi.OnDisconnect
		want conversation.TurnStatus
	}{{chatapi.DisconnectContinue, conversation.EndCompleted}, {chatapi.DisconnectStop, conversation.EndCancelled}, {chatapi.DisconnectPause, conversation.EndCompleted}} {
		t.Run(string(test.how), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				open := make(chan struct{})
				m := chattest.NewModel(chattest.Steps(chattest.Text("half "), turntest.WaitFor(open), chattest.Say("whole")))
				ts := newTurns(t, turntest.NewClient(t, m, chat.ClientOptions{Store: turntest.NewStore(t)}), chatapi.TurnsOptions{OnDisconnect: test.how})
				defer func() { assert.NoError(t, ts.Close()) }()
				l, err := ts.Begin(t.Context(), "c_1", llm.UserText("q"), nil, "")
				require.NoError(t, err)
				time.Sleep(time.Minute)
				assert.Empty(t, l.Status(), "there was no reader that could leave")
				leave := func() {
					for range l.Events(t.Context(), 0) {
						break
					}
				}
				leave()
				time.Sleep(4 * time.Second)
				leave() // a reader that comes back in time
				time.Sleep(4 * time.Second)
				assert.Empty(t, l.Status())
				time.Sleep(2 * time.Second)
				synctest.Wait()
				if test.want == conversation.EndCancelled {
					assert.Equal(t, test.want, l.Status())
				}
				close(open)
				<-l.Done()
				assert.Equal(t, test.want, l.Status())
				require.NoError(t, chattest.CheckEvents(readLive(t, l, 0)))
			})
		})
	}
}

// A turn ends with exactly one TurnFinished.
func TestTurnsEndOnce(t *testing.T) {
	for name, step := range map[string]chattest.Step{
		"fails": chattest.Fail(errors.New("no")), "panics": chattest.Panic("boo"), "cut": chattest.Text("half"), "hangs": chattest.Hang(),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ts := newTurns(t, turntest.NewClient(t, chattest.NewModel(step), chat.ClientOptions{Store: turntest.NewStore(t)}), chatapi.TurnsOptions{})
				defer func() { assert.NoError(t, ts.Close()) }()
				l, err := ts.Begin(t.Context(), "c_1", llm.UserText("q"), nil, "")
				require.NoError(t, err)
				synctest.Wait()
				if name == "hangs" {
					assert.True(t, l.Stop(chat.CancelNow))
					l.Stop(chat.CancelNow)
				}
				<-l.Done()
				list := readLive(t, l, 0)
				assert.Len(t, turntest.Find[*chat.TurnFinished](list), 1)
				require.NoError(t, chattest.CheckEvents(list))
			})
		})
	}
}

// panicLog panics if a warning is logged.
type panicLog struct{ slog.Handler }

func (panicLog) Handle(_ context.Context, r slog.Record) error {
	if r.Level < slog.LevelError {
		panic("disk on fire")
	}
	return nil
}

func TestTurnsSurviveAPanic(t *testing.T) {
	panicking := &genai.Telemetry{Logger: slog.New(panicLog{slog.NewTextHandler(io.Discard, nil)})}
	c := turntest.NewClient(t, chattest.NewModel(chattest.Say("a")), chat.ClientOptions{Memory: turntest.Memory{Memory: chat.NewMemory(0), BeforeAppend: func(context.Context) error { panic("no memory") }}, Telemetry: panicking})
	ts := newTurns(t, c, chatapi.TurnsOptions{})
	l, err := ts.Begin(t.Context(), "c_1", llm.UserText("q"), nil, "")
	require.NoError(t, err)
	<-l.Done()
	list := readLive(t, l, 0)
	assert.Equal(t, conversation.EndFailed, l.Status())
	require.NoError(t, chattest.CheckEvents(list))
	assert.Len(t, turntest.Find[*chat.TurnFailed](list), 1)
	assert.NoError(t, ts.Close())
}

func TestTurnsLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := chattest.NewModel()
		m.Rule = func(*llm.ModelRequest) chattest.Step { return chattest.Hang() }
		c := turntest.NewClient(t, m, chat.ClientOptions{Store: turntest.NewStore(t)})
		ts := newTurns(t, c, chatapi.TurnsOptions{MaxTurns: 2, KeepTurns: 3})
		for n := range 4 {
			for i := range 2 {
				_, err := ts.Begin(t.Context(), fmt.Sprintf("c_%d_%d", n, i), llm.UserText("q"), nil, "")
				require.NoError(t, err)
			}
			_, err := ts.Begin(t.Context(), "c_x", llm.UserText("q"), nil, "")
			require.ErrorIs(t, err, chatapi.ErrTurnLimit)
			for i := range 2 {
				l, ok := ts.Of(fmt.Sprintf("c_%d_%d", n, i))
				require.True(t, ok)
				l.Stop(chat.CancelNow)
				<-l.Done()
			}
			synctest.Wait()
		}
		kept := 0
		for n := range 4 {
			for i := range 2 {
				if _, ok := ts.Of(fmt.Sprintf("c_%d_%d", n, i)); ok {
					kept++
				}
			}
		}
		assert.Equal(t, 3, kept)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := ts.Begin(ended, "c_y", llm.UserText("q"), nil, "")
		if err == nil { // the turn began and was stopped at once
			l, _ := ts.Of("c_y")
			<-l.Done()
			assert.Equal(t, conversation.EndCancelled, l.Status())
		}
		_, err = ts.Begin(t.Context(), "c_z", llm.UserText("q"), nil, "sometimes")
		require.ErrorIs(t, err, llm.ErrInvalid)
		l, err := ts.Begin(t.Context(), "c_z", llm.UserText("q"), nil, "")
		require.NoError(t, err)
		require.NoError(t, ts.Forget(t.Context(), "c_z"))
		assert.Equal(t, conversation.EndCancelled, l.Status())
		_, ok := ts.Of("c_z")
		assert.False(t, ok)
		require.NoError(t, ts.Forget(t.Context(), "c_z"))
		require.NoError(t, ts.Close())
	})
	c := turntest.NewClient(t, chattest.NewModel(), chat.ClientOptions{})
	for _, opts := range []chatapi.TurnsOptions{{MaxEvents: -1}, {MaxBytes: -1}, {KeepTurns: -1}, {MaxTurns: -1}, {Grace: -1}, {KeepFor: -1}, {OnDisconnect: "x"}} {
		_, err := chatapi.NewTurns(c, &opts)
		require.ErrorIs(t, err, llm.ErrInvalid)
	}
	_, err := chatapi.NewTurns(nil, nil)
	require.ErrorIs(t, err, llm.ErrInvalid)
}

// An event whose arguments are not JSON is still sent, so that the sequence has no gap.
func TestTurnsSendMalformedArguments(t *testing.T) {
	odd := chattest.Steps(chattest.Text("a"), chattest.One(llm.Delta{Kind: llm.DeltaToolStart, CallID: "x", Name: "t"}),
		chattest.One(llm.Delta{Kind: llm.DeltaToolArgs, CallID: "x", Text: "{{"}), chattest.One(llm.Delta{Kind: llm.DeltaToolEnd, CallID: "x"}), chattest.Finish(llm.FinishToolCalls))
	ts := newTurns(t, turntest.NewClient(t, chattest.NewModel(odd, chattest.Say("b")), chat.ClientOptions{}), chatapi.TurnsOptions{})
	l, err := ts.Begin(t.Context(), "", llm.UserText("q"), nil, "")
	require.NoError(t, err)
	<-l.Done()
	list := readLive(t, l, 0)
	require.NoError(t, chattest.CheckEvents(list))
	assert.True(t, json.Valid([]byte(strings.Split(jsonOf(t, list), "\n")[0])))
	assert.NoError(t, ts.Close())
}

// A panic of OnFinish does not affect later turns.
func TestTurnsSurviveAPanicOfOnFinish(t *testing.T) {
	c := turntest.NewClient(t, chattest.NewModel(chattest.Say("One."), chattest.Say("Two.")), chat.ClientOptions{Store: turntest.NewStore(t)})
	turns := newTurns(t, c, chatapi.TurnsOptions{})
	turns.OnFinish(func(*chatapi.LiveTurn) { panic("mine") })
	for range 2 {
		live, err := turns.Begin(t.Context(), "", llm.UserText("Hello?"), nil, "")
		require.NoError(t, err)
		<-live.Done()
		assert.Equal(t, conversation.EndCompleted, live.Status())
	}
	require.NoError(t, turns.Close())
}
