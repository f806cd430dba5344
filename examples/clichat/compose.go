package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/llm"
)

// compose converts the user's text to a message: @path attaches a file or the files of a
// directory, @https://… a page, @tool:name makes the model call a tool, and @@word is the
// literal text @word. A path without a file is an error, because the model would answer without the subject of the question. data is
// the input that was piped in.
func (a *app) compose(ctx context.Context, text, data string) (llm.Message, *chat.TurnOptions, error) {
	opts := &chat.TurnOptions{}
	m := llm.Message{Role: llm.RoleUser}
	var attached []llm.Part
	var words []string
	for _, word := range strings.Fields(text) {
		if name, ok := strings.CutPrefix(word, "@tool:"); ok {
			if _, err := a.tool(ctx, name); err != nil {
				return m, nil, err
			}
			opts.ToolChoice = llm.ToolChoice{Mode: llm.ToolNamed, Name: name}
			if a.now.tools != nil { // a tool that the user names explicitly is offered in addition to the others
				opts.Tools = append(slices.Clone(a.now.tools), name)
			}
			words = append(words, word)
			continue
		}
		name, err := attachmentName(word)
		if err != nil {
			return m, nil, err
		}
		if name != "" {
			part, err := a.attach(ctx, name)
			if err != nil {
				return m, nil, err
			}
			attached = append(attached, part)
		}
	}
	for _, w := range words {
		text = strings.TrimSpace(strings.Replace(text, w, "", 1))
	}
	text = doubledAt.ReplaceAllString(text, "$1@")
	if text == "" {
		return m, nil, fmt.Errorf("there is no question: %w", errUsage)
	}
	m.Parts = append(m.Parts, llm.Text{Text: text})
	m.Parts = append(m.Parts, attached...)
	if data != "" {
		m.Parts = append(m.Parts, fileText("stdin", data))
	}
	return m, opts, nil
}

// sizeOf returns the size of the terminal that w writes to.
func sizeOf(w io.Writer, width int) (columns, rows int) {
	columns, rows = 80, 24
	if f, ok := w.(*os.File); ok {
		if c, r, err := term.GetSize(int(f.Fd())); err == nil && c > 0 && r > 0 {
			columns, rows = c, r
		}
	}
	if width > 0 {
		columns = width
	}
	return columns, rows
}
