package eval

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/localpass/localpass/rag"
)

// SplitterOptions are the options of [MeasureSplitter].
type SplitterOptions struct {
	// Store is new and empty. It gets the chunks, and finds them.
	Store rag.VectorStore
	// Tokenizer counts.
	Tokenizer rag.Tokenizer
	// TopK is how many chunks a question gets. 0 means 5.
	TopK int
	// Mode is the mode of the searches.
	Mode rag.Mode
}

// SplitterResult is what was measured of a splitter: means over the questions, from 0 to 1,
// of the tokens of the chunks that were found and of the tokens that answer the question.
// A token that is found in two chunks counts twice, as a model reads it twice.
type SplitterResult struct {
	Splitter string
	Chunks   int
	// Tokens is the mean of the tokens of a chunk, or of its context: see rag.WithContext.
	Tokens float64
	// Recall is the share of the answer that was found, and Precision that of what was
	// found which is the answer. IoU is what both have in common, as a share of what either
	// has.
	Recall, Precision, IoU float64
	// BestPrecision is the precision of a search that finds exactly the chunks that hold a
	// part of the answer. It depends on the splitter alone.
	BestPrecision float64
}

// MeasureSplitter divides the texts of a set, and asks its questions.
func MeasureSplitter(ctx context.Context, set *SpanSet, name string, s rag.Splitter, o SplitterOptions) (SplitterResult, error) {
	r := SplitterResult{Splitter: name}
	if o.Store == nil || o.Tokenizer == nil || o.TopK < 0 {
		return r, fmt.Errorf("eval: a splitter is measured with a store, a tokenizer and a TopK of 0 or more: %w", rag.ErrInvalid)
	}
	if o.TopK == 0 {
		o.TopK = 5
	}
	if err := set.Check(); err != nil {
		return r, err
	}
	fail := func(err error) (SplitterResult, error) { return r, fmt.Errorf("eval: %s: %s: %w", set.Name, name, err) }
	texts := map[string]*divided{}
	places := map[string]Span{} // what of its text a chunk shows to a model
	parents := map[string]*divided{}
	total := 0
	for _, t := range set.Texts {
		ends, err := o.Tokenizer.Tokens(t.Text)
		if err != nil {
			return fail(err)
		}
		text := &divided{ends: ends}
		texts[t.ID] = text
		chunks, err := rag.SplitDocument(ctx, s, rag.Document{ID: t.ID, Text: t.Text}, nil)
		if err != nil {
			return fail(err)
		}
		for _, c := range chunks {
			shown := text.tokens(shown(t.Text, c.Metadata))
			text.chunks = append(text.chunks, shown)
			places[c.ID], parents[c.ID] = shown, text
			total += shown.End - shown.Start
		}
		if err := o.Store.Add(ctx, chunks...); err != nil {
			return fail(err)
		}
		r.Chunks += len(chunks)
	}
	r.Tokens = float64(total) / float64(max(1, r.Chunks))
	search := rag.WithContext(rag.RetrieverFunc(o.Store.Search))
	for _, q := range set.Questions {
		text := texts[q.TextID]
		var answer []Span
		for _, span := range q.Spans {
			answer = append(answer, text.tokens(span))
		}
		answer = union(answer)
		found, err := search.Retrieve(ctx, rag.SearchRequest{Query: q.Text, TopK: o.TopK, Mode: o.Mode})
		if err != nil {
			return fail(err)
		}
		var own []Span
		read := 0
		for _, m := range found {
			place := places[m.ID]
			read += place.End - place.Start
			if parents[m.ID] == text {
				own = append(own, place)
			}
		}
		same, needed := common(answer, union(own)), size(answer)
		r.Recall += share(same, needed)
		r.Precision += share(same, read)
		r.IoU += share(same, needed+read-same)
		var best []Span
		for _, c := range text.chunks {
			if common(answer, []Span{c}) > 0 && !slices.Contains(best, c) { // once, as a context is found once
				best = append(best, c)
			}
		}
		r.BestPrecision += share(common(answer, union(best)), size(best))
	}
	for _, sum := range []*float64{&r.Recall, &r.Precision, &r.IoU, &r.BestPrecision} {
		*sum /= float64(len(set.Questions))
	}
	return r, nil
}

// divided is a text as tokens.
type divided struct {
	ends   []int  // of the tokens, in bytes
	chunks []Span // in tokens
}

// tokens returns the tokens that a part of the text touches.
func (d *divided) tokens(part Span) Span {
	first, _ := slices.BinarySearch(d.ends, part.Start+1)
	last, _ := slices.BinarySearch(d.ends, part.End)
	return Span{first, min(last+1, len(d.ends))}
}

// shown returns which part of a text a model reads of a chunk: its context, if it has one.
func shown(text string, chunk map[string]any) Span {
	start, _ := chunk[rag.KeyStart].(int64)
	end, _ := chunk[rag.KeyEnd].(int64)
	own := Span{int(start), int(end)}
	around, _ := chunk[rag.KeyContext].(string)
	if around == "" {
		return own
	}
	from := max(0, own.End-len(around))
	if at := strings.Index(text[from:], around); at >= 0 && from+at <= own.Start {
		return Span{from + at, from + at + len(around)}
	}
	return own
}

// union returns the same tokens as ascending spans that do not touch.
func union(spans []Span) []Span {
	sorted := slices.SortedFunc(slices.Values(spans), func(a, b Span) int { return a.Start - b.Start })
	var merged []Span
	for _, s := range sorted {
		if n := len(merged); n > 0 && s.Start <= merged[n-1].End {
			merged[n-1].End = max(merged[n-1].End, s.End)
		} else {
			merged = append(merged, s)
		}
	}
	return merged
}

func size(spans []Span) (n int) {
	for _, s := range spans {
		n += s.End - s.Start
	}
	return n
}

// common is how many tokens two unions share.
func common(a, b []Span) (n int) {
	for _, x := range a {
		for _, y := range b {
			n += max(0, min(x.End, y.End)-max(x.Start, y.Start))
		}
	}
	return n
}

func share(n, of int) float64 { return float64(n) / float64(max(1, of)) }

// WriteSplitters writes results as a table, in percent.
func WriteSplitters(w io.Writer, set *SpanSet, results []SplitterResult) error {
	fmt.Fprintf(w, "%s: %d texts, %d questions\n", set.Name, len(set.Texts), len(set.Questions))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "recall\tprecision\tIoU\tbest precision\tchunks\ttokens\t  splitter")
	for _, r := range results {
		fmt.Fprintf(t, "%.1f\t%.1f\t%.1f\t%.1f\t%d\t%.0f\t  %s\n", 100*r.Recall, 100*r.Precision, 100*r.IoU, 100*r.BestPrecision, r.Chunks, r.Tokens, r.Splitter)
	}
	return t.Flush()
}
