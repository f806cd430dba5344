package splitter

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/localpass/localpass/rag"
)

// CodeMode says what becomes of the code blocks of Markdown.
type CodeMode string

// The modes.
const (
	CodeInclude  CodeMode = ""         // a block stays with the text around it
	CodeSeparate CodeMode = "separate" // a block is a chunk of its own
	CodeDrop     CodeMode = "drop"     // blocks are left out
)

// MarkdownOptions are the options of [Markdown]. The zero value works.
type MarkdownOptions struct {
	// Size is the largest number of tokens of a chunk, without its headings. Default 800.
	// A longer block is divided like a text of [Token].
	Size int
	// Code says what becomes of code blocks.
	Code CodeMode
}

// Markdown returns a splitter by the structure of a document in Markdown (CommonMark with
// tables): a chunk never goes beyond a section, and holds as many whole paragraphs,
// lists, quotations, tables and code blocks as fit. [rag.Chunk].Headings is the path of
// headings above it; the heading lines themselves are no part of a chunk, and a heading
// with nothing below it makes none. Every part of a table that is divided between rows has
// the table's head as its Context.
func Markdown(tokenizer rag.Tokenizer, opts *MarkdownOptions) (rag.Splitter, error) {
	var o MarkdownOptions
	if opts != nil {
		o = *opts
	}
	if o.Size == 0 {
		o.Size = 800
	}
	switch o.Code {
	case CodeInclude, CodeSeparate, CodeDrop:
	default:
		return nil, fmt.Errorf("splitter: Code is %q: it must be CodeInclude, CodeSeparate or CodeDrop: %w", o.Code, rag.ErrInvalid)
	}
	within, err := tokensWithin(tokenizer, o.Size)
	if err != nil {
		return nil, err
	}
	blocks := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()
	return &markdownSplitter{within, blocks, o}, nil
}

type markdownSplitter struct {
	within *tokenSplitter
	parser parser.Parser
	opts   MarkdownOptions
}

// block is a top-level block of a document with the white space after it.
type block struct {
	span
	kind     blockKind
	headings []string // of a heading: its own path
}

type blockKind int

const (
	blockText blockKind = iota
	blockHeading
	blockCode
	blockTable
)

func (s *markdownSplitter) Split(ctx context.Context, source string) ([]rag.Chunk, error) {
	tokens, err := tokenize(ctx, s.within.tokenizer, source)
	if err != nil || tokens == nil {
		return nil, err
	}
	var chunks []rag.Chunk
	var headings []string
	open := span{-1, -1} // the blocks of the next chunk
	flush := func() error {
		if open.from < 0 {
			return nil
		}
		parts, err := s.fit(ctx, tokens, open)
		for _, c := range parts {
			c.Headings = slices.Clone(headings)
			chunks = append(chunks, c)
		}
		open = span{-1, -1}
		return err
	}
	for _, b := range s.blocks(source) {
		alone := b.kind == blockCode && s.opts.Code == CodeSeparate
		split := b.kind == blockTable && tokens.count(b.from, b.to) > s.opts.Size
		full := open.from >= 0 && tokens.count(open.from, b.to) > s.opts.Size
		drop := b.kind == blockCode && s.opts.Code == CodeDrop
		if b.kind == blockHeading || alone || split || full || drop {
			if err := flush(); err != nil {
				return nil, err
			}
		}
		switch {
		case b.kind == blockHeading:
			headings = b.headings
			continue
		case drop:
			continue
		case split:
			parts, err := s.table(ctx, tokens, b.span)
			if err != nil {
				return nil, err
			}
			for _, c := range parts {
				c.Headings = slices.Clone(headings)
				chunks = append(chunks, c)
			}
			continue
		}
		if open.from < 0 {
			open.from = b.from
		}
		open.to = b.to
		if alone {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	return chunks, nil
}

func (s *markdownSplitter) fit(ctx context.Context, tokens *tokenized, part span) ([]rag.Chunk, error) {
	if strings.TrimSpace(tokens.text[part.from:part.to]) == "" {
		return nil, nil
	}
	if tokens.count(part.from, part.to) > s.opts.Size {
		return s.within.split(ctx, tokens, part.from, part.to)
	}
	return []rag.Chunk{tokens.chunk(part.from, part.to)}, ctx.Err()
}

// table divides a table between its rows. The first two lines are its head.
func (s *markdownSplitter) table(ctx context.Context, tokens *tokenized, table span) ([]rag.Chunk, error) {
	var rows []span
	for at := table.from; at < table.to; {
		end := table.to
		if n := strings.IndexByte(tokens.text[at:table.to], '\n'); n >= 0 {
			end = at + n + 1
		}
		rows = append(rows, span{at, end})
		at = end
	}
	head := rows[min(1, len(rows)-1)].to
	var chunks []rag.Chunk
	for i := 0; i < len(rows); {
		part := rows[i]
		for i++; i < len(rows) && tokens.count(part.from, rows[i].to) <= s.opts.Size; i++ {
			part.to = rows[i].to
		}
		parts, err := s.fit(ctx, tokens, part)
		if err != nil {
			return nil, err
		}
		for _, c := range parts {
			if c.Start >= head {
				c.Context = tokens.text[table.from:head] + c.Text
			}
			chunks = append(chunks, c)
		}
	}
	return chunks, nil
}

// blocks returns the blocks of a document, which cover it from the first one on.
func (s *markdownSplitter) blocks(source string) []block {
	bytes := []byte(source)
	document := s.parser.Parse(text.NewReader(bytes))
	var blocks []block
	var path []string
	var levels []int
	for n := document.FirstChild(); n != nil; n = n.NextSibling() {
		from, ok := startOf(n, source)
		if !ok || len(blocks) > 0 && from < blocks[len(blocks)-1].from {
			continue // it belongs to the block before it
		}
		b := block{span: span{from: from}}
		switch n := n.(type) {
		case *ast.Heading:
			b.kind = blockHeading
			for len(levels) > 0 && levels[len(levels)-1] >= n.Level {
				levels, path = levels[:len(levels)-1], path[:len(path)-1]
			}
			levels, path = append(levels, n.Level), append(path, plainText(n, bytes))
			b.headings = slices.DeleteFunc(slices.Clone(path), func(h string) bool { return h == "" })
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			b.kind = blockCode
		case *extast.Table:
			b.kind = blockTable
		}
		if len(blocks) > 0 {
			blocks[len(blocks)-1].to = from
		}
		blocks = append(blocks, b)
	}
	if len(blocks) == 0 {
		return []block{{span: span{0, len(source)}}}
	}
	blocks[0].from = 0 // such as link definitions, which have no block
	blocks[len(blocks)-1].to = len(source)
	return blocks
}

// startOf returns the start of the line on which a block begins.
func startOf(n ast.Node, source string) (int, bool) {
	at := n.Pos()
	for at < 0 && n.FirstChild() != nil {
		n = n.FirstChild()
		at = n.Pos()
	}
	if at < 0 || at > len(source) {
		return 0, false
	}
	return strings.LastIndexByte(source[:at], '\n') + 1, true
}

// plainText returns the text of a heading without markup, on one line.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Segment.Value(source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(source))
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}
