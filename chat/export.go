package chat

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/localpass/localpass/toolspec"
)

// ExportFormat is a form in which a conversation leaves the program.
type ExportFormat string

// The formats. Only JSON can be imported again.
const (
	ExportMarkdown ExportFormat = "md"
	ExportText     ExportFormat = "txt"
	ExportJSON     ExportFormat = "json"
)

// exported is a conversation in JSON.
type exported struct {
	Format       string        `json:"format"` // exportedFormat
	Conversation *Conversation `json:"conversation"`
	Turns        []*TurnRecord `json:"turns"`
}

const exportedFormat = "localpass.conversation/1"

// Export writes a conversation. Markdown and text hold what people read: the
// questions, the answers, and a line for each call; JSON holds everything.
func Export(ctx context.Context, s Store, id string, format ExportFormat, w io.Writer) error {
	conv, err := s.Get(ctx, id)
	if err != nil {
		return err
	}
	switch format {
	case ExportMarkdown, ExportText, ExportJSON:
	default:
		return fmt.Errorf("chat: export: the format %q is unknown: use md, txt or json: %w", format, ErrInvalid)
	}
	out := bufio.NewWriter(w)
	all := exported{Format: exportedFormat, Conversation: conv, Turns: []*TurnRecord{}}
	if format == ExportMarkdown {
		fmt.Fprintf(out, "# %s\n", oneLine(or(conv.Title, conv.ID), 200))
	}
	for t, err := range s.Turns(ctx, id, TurnQuery{}) {
		if err != nil {
			return err
		}
		if format == ExportJSON {
			all.Turns = append(all.Turns, t)
			continue
		}
		writeTurn(out, t, format)
	}
	if format == ExportJSON {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		if err := enc.Encode(all); err != nil {
			return fmt.Errorf("chat: export of %s: %w", id, err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("chat: export of %s: %w", id, err)
	}
	return nil
}

// writeTurn writes what people read of a turn. Write errors are the writer's.
func writeTurn(out *bufio.Writer, t *TurnRecord, format ExportFormat) {
	who := map[Role]string{RoleUser: "User", RoleAssistant: "Assistant", RoleSummary: "Summary"}
	for i := range t.Messages {
		m := &t.Messages[i].Message
		name := who[m.Role]
		if name == "" { // results stand beside their calls
			continue
		}
		text := strings.TrimSpace(m.Text())
		var lines []string
		for _, c := range m.ToolCalls() {
			status := "no result"
			if stored := t.call(c.ID); stored != nil {
				status = strings.ToLower(string(stored.Status))
			}
			lines = append(lines, fmt.Sprintf("%s(%s): %s", c.Name, oneLine(string(c.Arguments), 200), status))
		}
		if text == "" && len(lines) == 0 {
			continue
		}
		if format == ExportMarkdown {
			fmt.Fprintf(out, "\n## %s\n", name)
			if text != "" {
				fmt.Fprintf(out, "\n%s\n", text)
			}
			for _, l := range lines {
				fmt.Fprintf(out, "\n- `%s`\n", strings.ReplaceAll(l, "`", "'"))
			}
			continue
		}
		fmt.Fprintf(out, "%s:\n", name)
		if text != "" {
			fmt.Fprintln(out, text)
		}
		for _, l := range lines {
			fmt.Fprintf(out, "[%s]\n", l)
		}
		fmt.Fprintln(out)
	}
}

// maxImport bounds an import, in bytes.
const maxImport = 64 << 20

// Import reads what [Export] wrote as JSON, as a new conversation of its own id,
// and returns that. It belongs to owner, whoever the file names. Nothing of it
// runs: turns that were under way are closed.
func Import(ctx context.Context, s Store, owner toolspec.Principal, r io.Reader) (*Conversation, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxImport+1))
	if err != nil {
		return nil, fmt.Errorf("chat: import: %w", err)
	}
	if len(data) > maxImport {
		return nil, fmt.Errorf("chat: import: it is larger than %d bytes: %w", maxImport, ErrInvalid)
	}
	var all exported
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("chat: import: it is no exported conversation: %w: %w", ErrInvalid, err)
	}
	if all.Format != exportedFormat || all.Conversation == nil {
		return nil, fmt.Errorf("chat: import: its format is %q, and should be %q: %w", all.Format, exportedFormat, ErrInvalid)
	}
	for i, t := range all.Turns {
		if t == nil {
			return nil, fmt.Errorf("chat: import: turn %d is null: %w", i+1, ErrInvalid)
		}
	}
	all.Conversation.Principal = owner // a file is no reason to believe it
	return copyInto(ctx, s, all.Conversation, all.Turns)
}

// Fork copies a conversation for another provider, or for another way to go on,
// and returns the copy. What only the old provider understands is left out; with
// another provider the tool rounds become notes in words, because their ids and
// forms are the old one's. The copy belongs to whom the conversation does. upTo is
// the last turn that is copied; 0 copies all. An empty provider leaves the copy
// open to any.
func Fork(ctx context.Context, s Store, id, provider string, upTo int) (*Conversation, error) {
	conv, err := s.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	var turns []*TurnRecord
	for t, err := range s.Turns(ctx, id, TurnQuery{}) {
		if err != nil {
			return nil, err
		}
		if upTo > 0 && t.Seq > upTo {
			break
		}
		if provider != conv.Provider {
			t = plainTurn(t)
		}
		turns = append(turns, t)
	}
	own := *conv
	own.Provider = provider
	if provider != conv.Provider {
		own.Options.Model, own.Options.Overlay = "", nil
	}
	return copyInto(ctx, s, &own, turns)
}

// plainTurn is a turn that any provider understands: its text, and notes in place
// of calls.
func plainTurn(t *TurnRecord) *TurnRecord {
	own := *t
	own.Calls, own.Messages = nil, nil
	for _, m := range ToolSummaries.apply(t.History()) {
		m = m.Clone()
		m.Provider = nil
		m.Parts = slices.DeleteFunc(m.Parts, func(p Part) bool {
			switch p.(type) {
			case Text, Image:
				return false
			}
			return true
		})
		if len(m.Parts) > 0 {
			own.Messages = append(own.Messages, StoredMessage{Message: m, Status: MessageFinal, Updated: t.Ended})
		}
	}
	return &own
}

// copyInto writes a conversation under a new id. Its turns are counted anew; one
// that was under way is closed.
func copyInto(ctx context.Context, s Store, from *Conversation, turns []*TurnRecord) (*Conversation, error) {
	conv := *from
	conv.ID, conv.Version, conv.Running, conv.Status = "", 0, nil, StatusCreated
	conv.Turns, conv.Messages = len(turns), 0
	for _, t := range turns {
		conv.Messages += len(t.Messages)
	}
	if len(turns) > 0 {
		conv.Status = StatusIncomplete
		if last := turns[len(turns)-1].Status; last != EndPaused {
			conv.Status = last.Conversation()
		}
	}
	if err := s.Create(ctx, &conv); err != nil {
		return nil, err
	}
	for i, t := range turns {
		own := *t
		// The id of a turn finds it and no other, and says when it began.
		own.ID, own.Conversation, own.Seq, own.Version = newID("t_", t.Started), conv.ID, i+1, 0
		own.Messages, own.Calls = slices.Clone(t.Messages), slices.Clone(t.Calls)
		for j := range own.Messages {
			m := &own.Messages[j]
			m.Message.ID, m.Message.TurnID = or(m.Message.ID, newID("m_", conv.Created)), own.ID
			switch m.Status {
			case MessageFinal, MessagePartial, MessageError:
			case MessageDraft:
				m.Status = MessagePartial
			default:
				m.Status = MessageFinal
			}
		}
		for j := range own.Calls {
			if c := &own.Calls[j]; !c.Status.Terminal() {
				c.Status, c.Error = CallCancelled, string(OutcomeCancelled)
			}
		}
		switch own.Status {
		case EndCompleted, EndIncomplete, EndFailed, EndCancelled:
		default:
			own.Status, own.Finish = EndIncomplete, FinishCancelled
		}
		closeHistory(&own, conv.Created)
		err := CheckHistory(own.History())
		if err == nil {
			err = s.SaveTurn(ctx, &own)
		}
		if err != nil { // a half of it is of no use
			_ = s.Delete(context.WithoutCancel(ctx), conv.ID)
			return nil, fmt.Errorf("chat: turn %d: %w", i+1, err)
		}
	}
	return &conv, nil
}
