package openai

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/localpass/localpass/chat/internal/wire"
	"github.com/localpass/localpass/chat/llm"
)

// itemKind is the kind of an output item.
type itemKind uint8

const (
	itemOther itemKind = iota // items of the provider's built-in tools
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

// kindOfEvent returns the kind of item that an event belongs to.
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

// streamItem is an output item while it is streamed.
type streamItem struct {
	outputItem
	kind    itemKind
	index   int
	pieces  []*itemPiece
	done    bool // the complete item has arrived
	cut     bool // the provider reports that it is incomplete
	started bool // its start was sent to the consumer
	closed  bool // all of it was sent to the consumer
	callID  string
}

// itemPiece is one text of an item: a part of a message or of a summary, or the arguments
// of a call. sent is the number of bytes sent to the consumer.
type itemPiece struct {
	kind  llm.DeltaKind
	index int
	text  []byte
	sent  int
	done  bool
	whole wire.UTF8 // joins characters that are split between deltas
}

// piece returns a text of the item, a new one if necessary. Reasoning and its summary are
// two forms of the same content: the form that arrives first counts, and nil is returned
// for the other.
func (it *streamItem) piece(kind llm.DeltaKind, index int, thought bool) *itemPiece {
	if it.kind == itemReasoning && thought {
		index = -1 - index // separate from those of the summary
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

// settle sets the complete text of a piece. It returns false if a different text was
// already sent to the consumer.
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

// sameJSON reports whether two texts are equal except for whitespace.
func sameJSON(a []byte, b string) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, []byte(b)) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// complete sets the complete form of the item. It returns false if a text differs from
// what was sent to the consumer.
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
	if it.started { // emitted values cannot change
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

// rest ends the open pieces.
func (it *streamItem) rest() {
	for _, p := range it.pieces {
		if !p.done {
			p.settle("")
		}
	}
}

// state returns the item in the form to send back to the provider, or nil for one that is
// useless: the provider stores nothing, so an item without content means nothing to it.
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
