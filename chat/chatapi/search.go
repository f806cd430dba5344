package chatapi

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/localpass/localpass/chat/conversation"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/internal/httpapi"
)

const (
	// searchTurns is how many turns a search through all conversations reads for one
	// page, so that it answers within a few hundred milliseconds; a conversation that was
	// started is read to its end.
	searchTurns = 4000
	// searchHits is how many matching messages of a conversation a list shows.
	searchHits = 3
	// snippetRunes is the length of a hit's snippet, and snippetLead how much of it
	// precedes the first word.
	snippetRunes, snippetLead = 160, 40
	// defaultAround is how many turns are returned around a message.
	defaultAround = 30
)

// searchWords are the words of a search, in lower case.
type searchWords []string

func wordsOf(q string) searchWords { return strings.Fields(strings.ToLower(q)) }

// in reports whether a text contains all of the words.
func (w searchWords) in(text string) bool {
	text = strings.ToLower(text)
	for _, word := range w {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return len(w) > 0
}

// snippet returns the part of a text around the first occurrence of a word, in one line.
func (w searchWords) snippet(text string) string {
	lower := strings.Map(unicode.ToLower, text) // maps rune by rune, so positions in runes stay the same
	at := len(lower)
	for _, word := range w {
		if i := strings.Index(lower, word); i >= 0 {
			at = min(at, i)
		}
	}
	from := 0
	if at < len(lower) {
		from = max(utf8.RuneCountInString(lower[:at])-snippetLead, 0)
	}
	runes := []rune(text)
	if from > 0 { // start at the beginning of a word
		for i := from; i < min(from+snippetLead/2, len(runes)); i++ {
			if unicode.IsSpace(runes[i]) {
				from = i + 1
				break
			}
		}
	}
	to := min(from+snippetRunes, len(runes))
	out := strings.Join(strings.Fields(string(runes[from:to])), " ")
	if from > 0 {
		out = "…" + out
	}
	if to < len(runes) {
		out += "…"
	}
	return out
}

// search finds messages of a conversation, the last ones first, and returns how many turns
// it read. limit is the maximum number of results; enough ends the search when that many
// turns were read and something was found, 0 means never.
func (a *API) search(ctx context.Context, conv *conversation.Conversation, words searchWords, limit, enough int) (apiHits, int, error) {
	out := apiHits{Items: []apiHit{}}
	turns := 0
	for t, err := range a.store.Turns(ctx, conv.ID, conversation.TurnQuery{Reverse: true}) {
		if err != nil {
			return out, turns, err
		}
		turns++
		for i := len(t.Messages) - 1; i >= 0; i-- {
			m := &t.Messages[i].Message
			if m.Role != llm.RoleUser && m.Role != llm.RoleAssistant {
				continue
			}
			text := m.Text()
			if !words.in(text) {
				continue
			}
			if out.Total++; len(out.Items) < limit {
				out.Items = append(out.Items, apiHit{MessageID: m.ID, TurnID: t.ID, Seq: t.Seq, Role: roleName(m.Role), Snippet: words.snippet(text), Created: m.Created})
			}
		}
		if enough > 0 && (len(out.Items) == limit || turns >= enough && out.Total > 0) {
			break
		}
	}
	return out, turns, nil
}

func (a *API) searchConversation(w http.ResponseWriter, r *http.Request) error {
	conv, _, err := a.conversation(r)
	if err != nil {
		return err
	}
	limit, err := httpapi.PageLimit(r.URL.Query(), httpapi.DefaultPage, httpapi.MaxPage)
	if err != nil {
		return err
	}
	words := wordsOf(r.URL.Query().Get("q"))
	if len(words) == 0 || utf8.RuneCountInString(r.URL.Query().Get("q")) > maxTitle {
		return httpapi.InvalidArgument.New("q has 1 to %d characters", maxTitle)
	}
	out, _, err := a.search(r.Context(), conv, words, limit, 0)
	if err != nil {
		return err
	}
	return httpapi.Reply(w, http.StatusOK, out)
}

// turnOfMessage finds the turn that contains a message.
func (a *API) turnOfMessage(ctx context.Context, convID, message string) (int, error) {
	for t, err := range a.store.Turns(ctx, convID, conversation.TurnQuery{Reverse: true}) {
		if err != nil {
			return 0, err
		}
		for i := range t.Messages {
			if t.Messages[i].Message.ID == message {
				return t.Seq, nil
			}
		}
	}
	return 0, fmt.Errorf("%w: message %q", llm.ErrNotFound, message)
}
