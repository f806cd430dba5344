package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
)

func (u *ui) newConversation(ctx context.Context, _ string) error {
	u.now.id = ""
	_ = u.enterStart(ctx) // a directory that is never used was reported at the start
	u.print("a new conversation begins with the next message")
	return nil
}

// maxListed is the maximum number of conversations in a list.
const maxListed = 20

func (u *ui) list(ctx context.Context, text string) error {
	n := 0
	for conv, err := range u.latest(ctx, text) {
		if err != nil {
			return err
		}
		n++
		here := " "
		if conv.ID == u.now.id {
			here = "*"
		}
		state := ""
		if waits, cut := u.interrupted(ctx, conv); waits || cut {
			state = "  interrupted"
		}
		u.print("%s %s  %s  %s, %d turns%s", here, conv.ID, conv.Updated.Local().Format("2006-01-02 15:04"), conv.Title, conv.Turns, state)
	}
	if n == 0 {
		u.print("there is none yet")
	}
	return nil
}

func (u *ui) conversationIDs() []string {
	ids := []string{"last"}
	for conv, err := range u.latest(context.Background(), "") {
		if err != nil {
			break
		}
		ids = append(ids, conv.ID)
	}
	return ids
}

func (u *ui) open(ctx context.Context, id string) error {
	if id == "" {
		return errors.New("/open ID: /list shows the ids")
	}
	if err := u.continueWith(ctx, id); err != nil {
		return err
	}
	u.tell()
	u.opened(ctx)
	return nil
}

// opened shows the status of a conversation, and asks whether to continue a turn that is
// waiting or was interrupted.
func (u *ui) opened(ctx context.Context) {
	conv, err := u.store.Get(ctx, u.now.id)
	if err != nil {
		u.failed(err)
		return
	}
	u.print("%s, %d turns", conv.Title, conv.Turns)
	for turn, err := range u.store.Turns(ctx, conv.ID, conversation.TurnQuery{Reverse: true, Limit: 1}) {
		if err != nil {
			u.failed(err)
			return
		}
		u.recall(turn)
		if waits, cut := u.interrupted(ctx, conv); waits || cut {
			if err := u.unfinished(ctx, turn, waits); err != nil {
				u.failed(err)
			}
		}
	}
}

// recall shows the last turn again.
func (u *ui) recall(turn *conversation.TurnRecord) {
	for i := range turn.Messages {
		m := &turn.Messages[i].Message
		text := strings.TrimSpace(m.Text())
		if text == "" {
			continue
		}
		switch m.Role {
		case llm.RoleUser:
			own := *m
			u.asked, u.opts = &own, nil
			u.print("%s%s", u.theme.Sign("you › ", "you > "), text)
		case llm.RoleAssistant:
			u.answer = text
			v := newView(u.screen, nil)
			u.markdown(v, text)
		}
	}
}

func (u *ui) title(ctx context.Context, text string) error {
	if u.now.id == "" || text == "" {
		return errors.New("/title TEXT: there must be a conversation, and a title")
	}
	_, err := u.store.Update(ctx, u.now.id, func(c *conversation.Conversation) error { c.Title = clipText(text, 200); return nil })
	return err
}

// turnNumber parses the number of a turn; 0 if args is empty.
func turnNumber(args string) (int, error) {
	if args == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(args)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is no number of a turn", args)
	}
	return n, nil
}

// copyUpTo copies the conversation up to and including a turn, and makes the copy the
// current conversation. 0 copies no turns, a negative number all.
func (u *ui) copyUpTo(ctx context.Context, turn int) error {
	if u.now.id == "" {
		return errors.New("there is no conversation yet")
	}
	if turn == 0 {
		from := u.now.id
		u.now.id = ""
		u.print("a new conversation, as %s began", from)
		return nil
	}
	conv, err := conversation.Fork(ctx, u.store, u.now.id, u.now.model.Info().Provider, max(turn, 0))
	if err != nil {
		return err
	}
	u.now.id = conv.ID
	u.print("in a copy, %s, of %d turns", conv.ID, conv.Turns)
	return nil
}

func (u *ui) branch(ctx context.Context, args string) error {
	n, err := turnNumber(args)
	if err != nil {
		return err
	}
	if n == 0 {
		n = -1
	}
	return u.copyUpTo(ctx, n)
}

// lastQuestion returns the question of turn n, and the number of that turn; n = 0 means
// the last turn.
func (u *ui) lastQuestion(ctx context.Context, n int) (*llm.Message, int, error) {
	if u.now.id == "" {
		return nil, 0, errors.New("nothing has been asked yet")
	}
	var turn *conversation.TurnRecord
	q := conversation.TurnQuery{Reverse: true, Limit: 1}
	if n > 0 {
		q = conversation.TurnQuery{After: n - 1, Limit: 1}
	}
	for t, err := range u.store.Turns(ctx, u.now.id, q) {
		if err != nil {
			return nil, 0, err
		}
		turn = t
	}
	if turn == nil || n > 0 && turn.Seq != n {
		return nil, 0, errors.New("there is no such turn")
	}
	n = turn.Seq
	if len(turn.Messages) == 0 || turn.Messages[0].Message.Role != llm.RoleUser {
		return nil, 0, fmt.Errorf("turn %d has no question", n)
	}
	m := turn.Messages[0].Message.Clone()
	return &m, n, nil
}

func (u *ui) retry(ctx context.Context, _ string) error {
	m, n, err := u.lastQuestion(ctx, 0)
	if err != nil {
		return err
	}
	opts := u.opts
	if err := u.copyUpTo(ctx, n-1); err != nil {
		return err
	}
	return u.put(ctx, llm.Message{Role: llm.RoleUser, Parts: m.Parts}, opts)
}

func (u *ui) editQuestion(ctx context.Context, args string) error {
	n, err := turnNumber(args)
	if err != nil {
		return err
	}
	m, n, err := u.lastQuestion(ctx, n)
	if err != nil {
		return err
	}
	if err := u.copyUpTo(ctx, n-1); err != nil {
		return err
	}
	u.next = asWritten(m)
	return nil
}

// asWritten returns the question as the user wrote it: attached files appear as their
// names, so that they are attached again. If the question has no attachments, every @
// before a word is escaped, because it was literal text.
func asWritten(m *llm.Message) string {
	if len(m.Parts) == 0 {
		return ""
	}
	text, _ := m.Parts[0].(llm.Text)
	if len(m.Parts) == 1 {
		return singleAt.ReplaceAllString(text.Text, "$1@@")
	}
	return text.Text
}

// stopCommand ends a waiting turn: its approval requests are refused, and none of its
// calls run.
func (u *ui) stopCommand(ctx context.Context, _ string) error {
	if u.now.id == "" {
		return errors.New("nothing runs here")
	}
	conv, err := u.store.Get(ctx, u.now.id)
	if err != nil {
		return err
	}
	if waits, _ := u.interrupted(ctx, conv); !waits {
		return errors.New("nothing runs here")
	}
	u.declineOpen(ctx)
	return u.follow(ctx, func(ctx context.Context) chat.Stream {
		return func(yield func(chat.Event, error) bool) {
			for ev, err := range u.client.Resume(ctx, u.now.id, &chat.TurnOptions{Model: u.now.model, Principal: me()}) {
				if _, begun := ev.(*chat.TurnStarted); begun {
					u.client.Cancel(u.now.id, chat.CancelNow)
				}
				if !yield(ev, err) {
					return
				}
			}
		}
	})
}
