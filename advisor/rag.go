package advisor

import (
	"context"
	"fmt"
	"time"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/llm"
	"github.com/localpass/localpass/rag"
)

// EmptyPolicy says what happens if no document was found for a question.
type EmptyPolicy string

// The policies.
const (
	// EmptyTell tells the model that nothing was found, and asks it to say so.
	EmptyTell EmptyPolicy = ""
	// EmptyIgnore sends the question unchanged.
	EmptyIgnore EmptyPolicy = "ignore"
	// EmptyDecline answers that nothing was found, without asking the model.
	EmptyDecline EmptyPolicy = "decline"
)

// RAGOptions are the options of [RAG]. The zero value works.
type RAGOptions struct {
	// Name is the name of the advisor and of the source that it searches. Default "rag".
	Name string
	// Order is the advisor's order. nil means [OrderRAG].
	Order *int
	// TopK is the largest number of documents, and Threshold the lowest score of a
	// document. 0 and nil leave it to the retriever.
	TopK      int
	Threshold *float64
	// OptIn searches only in turns that select documents: those with [WithRetrieval], or
	// for which Select returns settings. Otherwise every turn searches.
	OptIn bool
	// Select returns the settings of a turn without [WithRetrieval], such as those that are
	// saved with its conversation; nil: there are none. Its error counts as one of the
	// search, and the warning of the turn shows its text.
	Select func(ctx context.Context, req *chat.Request) (*Retrieval, error)
	// Filter limits every search. A request can only narrow it: see [WithRetrieval].
	Filter rag.Filter
	// Mode is the search mode.
	Mode rag.Mode
	// Timeout bounds a search. Default 10 s.
	Timeout time.Duration
	// MaxChars bounds the total text of the documents for the model, in runes: the best
	// documents come first, and the rest is cut. Default 12,000, which is about 3,000
	// tokens of English.
	MaxChars int
	// Empty says what happens if nothing was found.
	Empty EmptyPolicy
	// Query makes the search query for a request. If it returns an empty text, there is
	// no search. nil: the query is the text of the question.
	Query func(ctx context.Context, req *chat.Request) (string, error)
	// FailClosed ends the turn if the search fails. Otherwise the turn continues without
	// documents, with a warning and a note to the model.
	FailClosed bool
	// Declined is the answer of [EmptyDecline]. Empty: a text that says that nothing was
	// found in the documents.
	Declined string
}

const (
	defaultRetrievalTimeout = 10 * time.Second
	defaultDocumentChars    = 12_000
	defaultDeclined         = "I found nothing about this in the documents, and so I cannot answer it."
)

// Retrieval holds the search settings of one turn.
type Retrieval struct {
	// Filter narrows the advisor's filter: both must match.
	Filter rag.Filter
	// TopK and Threshold replace those of the advisor. 0 and nil keep them.
	TopK      int
	Threshold *float64
	// Retriever replaces that of the advisor, such as by a pipeline. nil keeps it.
	Retriever rag.Retriever
	// Off disables the search.
	Off bool
}

type retrievalKey struct{}

// WithRetrieval returns values with the search settings of [RAG] for one turn, to pass in
// chat.TurnOptions.Values.
func WithRetrieval(values chat.Values, r Retrieval) chat.Values {
	return values.With(retrievalKey{}, r)
}

// RAG searches for documents about the question once per turn, and inserts them before
// the question as numbered sources that are marked as data. An event
// chat.RetrievalFinished names the documents that the model got. A resumed turn already
// has them.
//
// If a search fails, panics or takes too long, the turn continues without documents,
// unless FailClosed is set. Retrieved text does not change what the model may do: tools
// and approvals stay the same.
func RAG(retriever rag.Retriever, opts *RAGOptions) (Advisor, error) {
	if retriever == nil {
		return nil, fmt.Errorf("advisor: rag: there is no retriever: rag.RetrieverFunc makes one of a function: %w", llm.ErrInvalid)
	}
	a := &retrieval{retriever: retriever}
	if opts != nil {
		a.opts = *opts
	}
	o := &a.opts
	switch {
	case o.TopK < 0, o.Timeout < 0, o.MaxChars < 0:
		return nil, fmt.Errorf("advisor: RAGOptions.TopK, Timeout and MaxChars must not be negative: %w", llm.ErrInvalid)
	case o.Empty != EmptyTell && o.Empty != EmptyIgnore && o.Empty != EmptyDecline:
		return nil, fmt.Errorf("advisor: RAGOptions.Empty is %q: it must be EmptyTell, EmptyIgnore or EmptyDecline: %w", o.Empty, llm.ErrInvalid)
	}
	if err := o.Filter.Check(); err != nil {
		return nil, fmt.Errorf("advisor: RAGOptions.Filter: %w: %w", llm.ErrInvalid, err)
	}
	if o.Name == "" {
		o.Name = "rag"
	}
	if o.Timeout == 0 {
		o.Timeout = defaultRetrievalTimeout
	}
	if o.MaxChars == 0 {
		o.MaxChars = defaultDocumentChars
	}
	if o.Declined == "" {
		o.Declined = defaultDeclined
	}
	return a, nil
}

type retrieval struct {
	retriever rag.Retriever
	opts      RAGOptions
}

func (a *retrieval) Name() string { return a.opts.Name }

func (a *retrieval) Order() int { return orderOr(a.opts.Order, OrderRAG) }

func (a *retrieval) Advise(ctx context.Context, req *chat.Request, next chat.Handler) chat.Stream {
	wish, given := req.Values.Value(retrievalKey{}).(Retrieval)
	at := asked(req)
	choose := !given && a.opts.Select != nil
	if wish.Off || a.opts.OptIn && !given && !choose || at < 0 || req.Resumed != nil {
		return next.Handle(ctx, req)
	}
	return func(yield func(chat.Event, error) bool) {
		if choose {
			chosen, err := a.opts.Select(ctx, req)
			if err != nil {
				if a.failed(ctx, req, err, "the documents could not be searched: "+err.Error(), yield) {
					next.Handle(ctx, withContext(req, at, textUnsearched, nil))(yield)
				}
				return
			}
			if chosen != nil {
				wish = *chosen
			}
			if wish.Off || a.opts.OptIn && chosen == nil {
				next.Handle(ctx, req)(yield)
				return
			}
		}
		wanted, err := a.request(ctx, req, wish, at)
		if err != nil {
			yield(nil, err)
			return
		}
		if wanted.Query == "" {
			next.Handle(ctx, req)(yield)
			return
		}
		if !yield(started(wanted), nil) {
			return
		}
		began := time.Now()
		retriever := a.retriever
		if wish.Retriever != nil {
			retriever = wish.Retriever
		}
		s := &search{name: a.opts.Name, retriever: retriever, timeout: a.opts.Timeout}
		found, err := s.run(ctx, req, wanted)
		if err != nil && !a.failed(ctx, req, err, "the documents could not be searched; the answer does not rest on them", yield) {
			return
		}
		if err == nil && s.byWords.Load() &&
			!yield(&chat.Warned{Warning: chat.Warning{Code: chat.WarnRetrieval, Message: "the documents were searched by their words alone, because the model that embeds them does not answer"}}, nil) {
			return
		}
		given, quoted, text := quoteDocuments(found, a.opts.MaxChars, fenceOf(req))
		if !yield(&chat.RetrievalFinished{Documents: given, Millis: time.Since(began).Milliseconds()}, nil) {
			return
		}
		switch {
		case err != nil:
			text = textUnsearched
		case len(given) == 0 && a.opts.Empty == EmptyIgnore:
			next.Handle(ctx, req)(yield)
			return
		case len(given) == 0 && a.opts.Empty == EmptyDecline:
			ShortCircuit(a.opts.Declined)(yield)
			return
		case len(given) == 0:
			text = textNothingFound
		}
		next.Handle(ctx, withContext(req, at, text, quoted))(yield)
	}
}

// failed reports a failed search: it returns true after a warning, and false if the turn
// ended with the error.
func (a *retrieval) failed(ctx context.Context, req *chat.Request, err error, message string, yield func(chat.Event, error) bool) bool {
	if a.opts.FailClosed || ctx.Err() != nil {
		yield(nil, fmt.Errorf("the search for documents failed: %w", err))
		return false
	}
	req.Telemetry.Log().Warn("advisor: the search for documents failed", "advisor", a.opts.Name, "conversation", req.Conversation.ID, "error", err)
	return yield(&chat.Warned{Warning: chat.Warning{Code: chat.WarnRetrieval, Message: message}}, nil)
}

// request creates the search for a chat request.
func (a *retrieval) request(ctx context.Context, req *chat.Request, wish Retrieval, at int) (rag.SearchRequest, error) {
	search := rag.SearchRequest{History: history(req, at), TopK: a.opts.TopK, Threshold: a.opts.Threshold, Mode: a.opts.Mode, Filter: rag.And(a.opts.Filter, wish.Filter)}
	if wish.TopK != 0 {
		search.TopK = wish.TopK
	}
	if wish.Threshold != nil {
		search.Threshold = wish.Threshold
	}
	if err := search.Check(); err != nil { // an invalid restriction must not widen the search
		return search, fmt.Errorf("%w: %w", llm.ErrInvalid, err)
	}
	if a.opts.Query == nil {
		search.Query = insertedBefore(req, at).question.Text()
		return search, nil
	}
	query, err := a.opts.Query(ctx, req.Clone())
	search.Query = query
	if err != nil {
		return search, fmt.Errorf("the query could not be made: %w", err)
	}
	return search, nil
}

// maxHistory is how many messages of the conversation a search gets at most.
const maxHistory = 20

// history returns what was said before the question.
func history(req *chat.Request, at int) []rag.Message {
	var said []rag.Message
	for i := range req.Messages[:at] {
		m := &req.Messages[i]
		if text := m.Text(); text != "" && (m.Role == llm.RoleUser || m.Role == llm.RoleAssistant) {
			said = append(said, rag.Message{Role: string(m.Role), Text: text})
		}
	}
	return said[max(0, len(said)-maxHistory):]
}

// asked returns the index of the user's question among the messages of a request, or -1.
// A message that the program sent to the model in the user's role is not a question.
func asked(req *chat.Request) int {
	last := -1
	for i := len(req.Messages) - 1; i >= 0; i-- {
		m := &req.Messages[i]
		if m.Role != llm.RoleUser {
			continue
		}
		if req.Turn != nil && m.ID != "" && m.TurnID == req.Turn.ID && m.Round == 0 {
			return i
		}
		last = max(last, i)
	}
	return last
}
