package openai

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/localpass/localpass/chat/internal/wire"
	"github.com/localpass/localpass/chat/llm"
)

// itemKind tells items of the output apart.
type itemKind uint8

const (
	itemOther itemKind = iota // of the provider's own tools
	itemMessage
	itemReasoning
	itemCall
)

func kindOfItem(name string) itemKind {
	switch name {
	case "message":
		return itemMessage
	case "reasoning":
		return itemReasoning
	case "function_call":
		return itemCall
	}
	return itemOther
}

// kindOfEvent is the kind of the items that an event belongs to.
func kindOfEvent(k eventKind) itemKind {
	switch k {
	case eventTextDelta, eventTextDone, eventRefusalDelta, eventRefusalDone:
		return itemMessage
	case eventArgsDelta, eventArgsDone:
		return itemCall
	case eventSummaryDelta, eventSummaryDone, eventThoughtDelta, eventThoughtDone:
		return itemReasoning
	}
	return itemOther
}

// streamItem is an item of the output while it comes.
type streamItem struct {
	outputItem
	kind    itemKind
	index   int
	pieces  []*itemPiece
	done    bool // its whole form has come
	cut     bool // the provider says that it is not whole
	started bool // the consumer knows of it
	closed  bool // the consumer has all of it
	callID  string
}

// itemPiece is one text of an item: a part of a message or of a summary, or the
// arguments of a call. sent counts the bytes that the consumer has.
type itemPiece struct {
	kind  llm.DeltaKind
	index int
	text  []byte
	sent  int
	done  bool
	whole wire.UTF8 // characters, out of pieces that may hold halves
}

// piece returns a text of the item, a new one if need be. A model's own words and
// their summary are two forms of one thought: the form that came first counts,
// and nil is returned for the other.
func (it *streamItem) piece(kind llm.DeltaKind, index int, thought bool) *itemPiece {
	if it.kind == itemReasoning && thought {
		index = -1 - index // apart from the summary's
	}
	for _, p := range it.pieces {
		if p.kind == kind && p.index == index {
			return p
		}
	}
	if it.kind == itemReasoning && len(it.pieces) > 0 && (it.pieces[0].index < 0) != (index < 0) {
		return nil
	}
	p := &itemPiece{kind: kind, index: index}
	it.pieces = append(it.pieces, p)
	return p
}

// settle takes the whole form of a piece. It is false when the consumer has
// something else already.
func (p *itemPiece) settle(whole string) bool {
	p.done = true
	rest := p.whole.Flush()
	if whole == "" {
		p.text = append(p.text, rest...)
	} else if !utf8.ValidString(whole) {
		var u wire.UTF8
		whole = u.Push(whole) + u.Flush()
	}
	switch {
	case whole == "" || string(p.text) == whole:
		return true
	case len(whole) >= p.sent && whole[:p.sent] == string(p.text[:p.sent]):
		p.text = append(p.text[:p.sent], whole[p.sent:]...)
		return true
	case p.kind == llm.DeltaToolArgs:
		return sameJSON(p.text, whole)
	}
	return strings.TrimSpace(string(p.text)) == strings.TrimSpace(whole)
}

// sameJSON reports whether two texts are the same but for spaces.
func sameJSON(a []byte, b string) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, []byte(b)) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// complete takes the whole form of the item. It is false when a text differs from
// what the consumer has.
func (it *streamItem) complete(whole *outputItem) bool {
	same := true
	settle := func(p *itemPiece, text string) {
		if p != nil && (text != "" || len(p.text) > 0) {
			same = p.settle(text) && same
		}
	}
	switch it.kind {
	case itemMessage:
		for i := range whole.Content {
			c := &whole.Content[i]
			if c.Refusal != "" {
				settle(it.piece(llm.DeltaRefusal, i, false), c.Refusal)
			} else if c.Text != "" {
				settle(it.piece(llm.DeltaText, i, false), c.Text)
			}
		}
	case itemReasoning:
		for i := range whole.Summary {
			settle(it.piece(llm.DeltaReasoning, i, false), whole.Summary[i].Text)
		}
		for i := range whole.Content {
			settle(it.piece(llm.DeltaReasoning, i, true), whole.Content[i].Text)
		}
	case itemCall:
		settle(it.piece(llm.DeltaToolArgs, 0, false), whole.arguments())
	}
	it.rest()
	started := it.outputItem
	it.outputItem = *whole
	if it.started { // what was emitted stays
		it.CallID, it.Name = started.CallID, started.Name
	}
	fill := func(s *string, from string) {
		if *s == "" {
			*s = from
		}
	}
	fill(&it.ID, started.ID)
	fill(&it.CallID, started.CallID)
	fill(&it.Name, started.Name)
	it.done, it.cut = true, whole.Status == "incomplete"
	return same
}

// rest ends the pieces that are open.
func (it *streamItem) rest() {
	for _, p := range it.pieces {
		if !p.done {
			p.settle("")
		}
	}
}

// state returns the item as the provider wants it back, or nil for one that it
// could not read: it keeps nothing, so an item without contents says nothing.
func (it *streamItem) state() json.RawMessage {
	encrypted := given(it.Encrypted) && string(it.Encrypted) != `""`
	if !encrypted && len(it.outputItem.Content) == 0 {
		return nil
	}
	back := struct {
		Type      string          `json:"type"`
		ID        string          `json:"id,omitempty"`
		Summary   []stateText     `json:"summary"`
		Content   []stateText     `json:"content,omitempty"`
		Encrypted json.RawMessage `json:"encrypted_content,omitempty"`
	}{Type: "reasoning", ID: it.ID, Summary: stateTexts(it.Summary), Content: stateTexts(it.outputItem.Content)}
	if encrypted {
		back.Encrypted = it.Encrypted
	}
	raw, err := json.Marshal(back)
	if err != nil {
		return nil
	}
	return raw
}

type stateText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func stateTexts(texts []itemText) []stateText {
	out := make([]stateText, len(texts))
	for i := range texts {
		out[i] = stateText{texts[i].Type, texts[i].Text}
	}
	return out
}
