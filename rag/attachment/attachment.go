package attachment

import (
	"time"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/library"
)

// State is how far an attachment is prepared.
type State string

// The states, in their order.
const (
	StateExtracting  State = "extracting"  // its text is being read
	StateIndexing    State = "indexing"    // its passages are being made searchable
	StateSummarizing State = "summarizing" // its overview is being made
	StateReady       State = "ready"
	StateFailed      State = "failed" // see Attachment.Error
)

// Ended reports whether no other state is to come.
func (s State) Ended() bool { return s == StateReady || s == StateFailed }

// Tier is a class of lengths of texts.
type Tier string

// The tiers, by tokens.
const (
	TierSmall  Tier = "small"  // up to SmallTokens: a question gets the full text
	TierMedium Tier = "medium" // up to LargeTokens: a question gets an overview and passages
	TierLarge  Tier = "large"  // likewise
)

// The largest numbers of tokens of a small and of a medium text.
const (
	SmallTokens = 4_000
	LargeTokens = 40_000
)

func tierOf(tokens int) Tier {
	switch {
	case tokens == 0:
		return ""
	case tokens <= SmallTokens:
		return TierSmall
	case tokens <= LargeTokens:
		return TierMedium
	}
	return TierLarge
}

// Attachment describes a document of a conversation.
type Attachment struct {
	// ID is the id of its document in the library.
	ID           string `json:"id"`
	Conversation string `json:"conversation"`
	Name         string `json:"name"`
	State        State  `json:"state"`
	// Done of Total sections are summarised, or passages are indexed; Total is 0 where
	// nothing is counted.
	Done  int `json:"done,omitempty"`
	Total int `json:"total,omitempty"`
	// Error says in StateFailed what went wrong, and Problem which kind of error it is.
	Error   string          `json:"error,omitempty"`
	Problem library.Problem `json:"problem,omitempty"`
	// Tier is empty until the text was read.
	Tier   Tier   `json:"tier,omitempty"`
	Format string `json:"format,omitempty"` // the media type that was found
	Bytes  int64  `json:"bytes"`
	Pages  int    `json:"pages,omitempty"`
	Tokens int    `json:"tokens,omitempty"`
	Chunks int    `json:"chunks,omitempty"`
	// Overview is a short text about the document. Extractive says that it consists of
	// sentences of the document.
	Overview   string `json:"overview,omitempty"`
	Extractive bool   `json:"extractive,omitempty"`
	// Promoted says that it is a document of the library that stays if the conversation
	// is deleted.
	Promoted bool `json:"promoted,omitempty"`
	// Warnings say what was lost of the text, or that it cannot be searched.
	Warnings []string `json:"warnings,omitempty"`
	// Findings are the rules that the text matches: see [rag.Findings].
	Findings []string  `json:"findings,omitempty"`
	Added    time.Time `json:"added"`
}

// record is the stored form of what the library does not know.
type record struct {
	ID           string    `json:"id"`
	Conversation string    `json:"conversation"`
	Added        time.Time `json:"added"`
	Promoted     bool      `json:"promoted,omitempty"`
	// Prepared says that the fields below are complete.
	Prepared   bool   `json:"prepared,omitempty"`
	Text       string `json:"text,omitempty"` // of a small document
	Overview   string `json:"overview,omitempty"`
	Extractive bool   `json:"extractive,omitempty"`
	Error      string `json:"error,omitempty"`
}

// describe combines a record with the document of the library.
func describe(r *record, d *library.Document) Attachment {
	a := Attachment{ID: r.ID, Conversation: r.Conversation, Name: d.Source, Tier: tierOf(d.Tokens), Format: d.Format, Bytes: d.Bytes, Pages: d.Pages,
		Tokens: d.Tokens, Chunks: d.Chunks, Overview: r.Overview, Extractive: r.Extractive, Promoted: r.Promoted || d.Conversation == "", Warnings: d.Warnings, Findings: d.Findings, Added: r.Added}
	broken := d.Error
	if d.State == library.StateCancelled {
		broken = "it was cancelled"
	}
	switch {
	case r.Error != "":
		a.State, a.Error = StateFailed, r.Error
	case broken != "" && r.Text != "":
		a.State = StateReady
		a.Warnings = append(a.Warnings, "it cannot be searched: "+broken)
	case broken != "":
		a.State, a.Error, a.Problem = StateFailed, broken, d.Problem
	case r.Prepared:
		a.State = StateReady
	case d.State == library.StateReady:
		a.State = StateSummarizing
	case d.State == library.StateEmbedding:
		a.State, a.Done, a.Total = StateIndexing, d.Embedded, d.Chunks
	default:
		a.State = StateExtracting
	}
	return a
}

// attached is what a question gets of an attachment.
func attached(a *Attachment, r *record, searchable bool) rag.Attached {
	out := rag.Attached{ID: a.ID, Name: a.Name, Text: r.Text, Overview: r.Overview, Searchable: searchable, Findings: a.Findings}
	if r.Text != "" {
		out.Tokens = a.Tokens
	}
	switch a.State {
	case StateReady:
	case StateFailed:
		out.Note = "It could not be read."
	default:
		out.Note = "It is still being prepared: say so if the question needs it."
	}
	return out
}
