// Evaluate prints how well documents are found: a table for each set of questions, with each
// store and mode of this module that needs no server, and one for each set with exact
// places, with each splitter.
//
//	go run ./rag/ragtest/eval/evaluate
//	go run ./rag/ragtest/eval/evaluate -ollama qwen3-embedding:0.6b
//	go run ./rag/ragtest/eval/evaluate -beir ~/scifact -spans ~/chunking_evaluation/general_evaluation_data
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/chromem"
	"github.com/localpass/localpass/rag/embedding"
	"github.com/localpass/localpass/rag/flat"
	"github.com/localpass/localpass/rag/ollama"
	"github.com/localpass/localpass/rag/ragtest/eval"
	"github.com/localpass/localpass/rag/rank"
	"github.com/localpass/localpass/rag/splitter"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("evaluate", flag.ContinueOnError)
	flags.SetOutput(out)
	beir := flags.String("beir", "", "measure the set in this `folder` with BEIR's layout instead of ours")
	split := flags.String("split", "test", "the split of -beir")
	spans := flags.String("spans", "", "measure the splitters by the set in this `folder` with questions_df.csv instead of ours")
	model := flags.String("ollama", "", "embed with this `model` of a local Ollama instead of by words")
	packages := flags.String("packages", "", "the packages of Go whose comments are used, with commas between; empty: all")
	if err := flags.Parse(args); err != nil {
		return err
	}
	e := embedding.Words()
	if *model != "" {
		var err error
		if e, err = ollama.New(&ollama.Options{Model: *model}); err != nil {
			return err
		}
	}
	sets := []*eval.Set{eval.Handbook(false), eval.Handbook(true)}
	var texts *eval.SpanSet
	if *beir == "" || *spans == "" {
		docs, places, err := goDocs(ctx, *packages)
		if err != nil {
			return err
		}
		sets, texts = append(sets, docs), places
	}
	var err error
	if *beir != "" {
		set, err := eval.LoadBEIR(*beir, *split)
		if err != nil {
			return err
		}
		sets = []*eval.Set{set}
	}
	if *spans != "" {
		if texts, err = eval.LoadSpans(*spans); err != nil {
			return err
		}
	}
	for _, set := range sets {
		if err := stores(ctx, out, set, e); err != nil {
			return err
		}
	}
	return splitters(ctx, out, texts)
}

func goDocs(ctx context.Context, packages string) (*eval.Set, *eval.SpanSet, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, nil, fmt.Errorf("the sources of Go were not found: %w", err)
	}
	return eval.GoDocs(filepath.Join(strings.TrimSpace(string(root)), "src"), strings.FieldsFunc(packages, func(r rune) bool { return r == ',' })...)
}

// stores measures each store and mode.
func stores(ctx context.Context, out io.Writer, set *eval.Set, e rag.Embedder) error {
	exact, err := flat.New(&flat.Options{Embedder: e})
	if err != nil {
		return err
	}
	defer exact.Close()
	similar, err := chromem.New(&chromem.Options{Embedder: e})
	if err != nil {
		return err
	}
	defer similar.Close()
	threshold := rag.DescribeEmbedder(e).Threshold
	reranker := &byVector{e, map[string][]float32{}}
	var systems []eval.System
	for _, s := range []struct {
		name  string
		store rag.VectorStore
		modes []rag.Mode
	}{
		{"flat", exact, []rag.Mode{rag.ModeLexical, rag.ModeVector, rag.ModeHybrid}},
		{"chromem", similar, []rag.Mode{rag.ModeVector}},
	} {
		if err := s.store.Add(ctx, set.Documents...); err != nil {
			return err
		}
		more, err := eval.Systems(s.name, s.store, s.modes, threshold, reranker)
		if err != nil {
			return err
		}
		systems = append(systems, more...)
	}
	both := rank.Hybrid(rag.RetrieverFunc(similar.Search), rag.RetrieverFunc(exact.Search))
	systems = append(systems, eval.System{Name: "chromem and flat hybrid", Retriever: both, Request: rag.SearchRequest{Threshold: threshold}})
	var results []eval.Result
	for _, system := range systems {
		r, err := eval.Measure(ctx, set, system)
		if err != nil {
			return err
		}
		results = append(results, r)
	}
	if err := eval.WriteTable(out, set, results); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out)
	return err
}

// byVector orders texts by the similarity of their vectors to that of the query.
type byVector struct {
	rag.Embedder
	made map[string][]float32 // by text, of length 1
}

func (b *byVector) Rerank(ctx context.Context, query string, texts []string, n int) ([]rank.Rank, error) {
	q, err := rag.EmbedQuery(ctx, b.Embedder, query, 0)
	if err != nil {
		return nil, err
	}
	rag.Normalize(q)
	ranks := make([]rank.Rank, len(texts))
	for i, text := range texts {
		if b.made[text] == nil {
			v, err := rag.EmbedTexts(ctx, b.Embedder, []string{text}, len(q))
			if err != nil {
				return nil, err
			}
			rag.Normalize(v[0])
			b.made[text] = v[0]
		}
		ranks[i].Index = i
		for j, x := range b.made[text] {
			ranks[i].Score += float64(x) * float64(q[j])
		}
	}
	return ranks, nil
}

// splitters measures each splitter, by a search for words.
func splitters(ctx context.Context, out io.Writer, set *eval.SpanSet) error {
	tokenizer := splitter.Approximate()
	tokens := func(size, overlap int) func() (rag.Splitter, error) {
		o := splitter.DefaultTokenOptions()
		o.Size, o.Overlap, o.MinChars = size, overlap, min(o.MinChars, 2*size)
		return func() (rag.Splitter, error) { return splitter.Token(tokenizer, &o) }
	}
	var results []eval.SplitterResult
	for _, s := range []struct {
		name string
		open func() (rag.Splitter, error)
	}{
		{"800 tokens", tokens(800, 0)},
		{"800 tokens, overlap of 400", tokens(800, 400)},
		{"400 tokens", tokens(400, 0)},
		{"200 tokens", tokens(200, 0)},
		{"sentences", func() (rag.Splitter, error) { return splitter.Sentence(tokenizer, nil) }},
		{"Markdown", func() (rag.Splitter, error) { return splitter.Markdown(tokenizer, nil) }},
		{"sentences in 400 tokens", func() (rag.Splitter, error) {
			parent, err := tokens(400, 0)()
			if err != nil {
				return nil, err
			}
			child, err := splitter.Sentence(tokenizer, &splitter.SentenceOptions{Size: 60})
			if err != nil {
				return nil, err
			}
			return splitter.ParentChild(parent, child)
		}},
	} {
		split, err := s.open()
		if err != nil {
			return err
		}
		store, err := flat.New(nil)
		if err != nil {
			return err
		}
		r, err := eval.MeasureSplitter(ctx, set, s.name, split, eval.SplitterOptions{Store: store, Tokenizer: tokenizer})
		if err != nil {
			return err
		}
		results = append(results, r)
	}
	return eval.WriteSplitters(out, set, results)
}
