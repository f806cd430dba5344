package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/localpass/localpass/chat"
	"github.com/localpass/localpass/chat/llm"
)

// maxAttached is the maximum size of a file attached to a message, in bytes.
const maxAttached = 1 << 20

// compose converts the user's text to a message: @path attaches a file, @tool:name makes
// the model call a tool, and @@word is the literal text @word. A path without a file is
// an error, because the model would answer without the subject of the question. data is
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
		name, err := attachment(word)
		if err != nil {
			return m, nil, err
		}
		if name != "" {
			part, err := a.attach(name)
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

// doubledAt matches an @@ at the beginning of a literal word, singleAt an @ at the
// beginning of a word that may name a file.
var (
	doubledAt = regexp.MustCompile(`(^|\s)@@`)
	singleAt  = regexp.MustCompile(`(^|\s)@`)
)

// attachment returns the path of the file that a word attaches; empty: the word is not an
// attachment. A missing file is an error. Brackets around the word and punctuation after
// it are not part of the path, unless a file with exactly that name exists.
func attachment(word string) (string, error) {
	name, ok := strings.CutPrefix(strings.TrimLeft(word, "(["), "@")
	if !ok || name == "" || name[0] == '@' {
		return "", nil
	}
	bare := strings.TrimRight(name, ".,;:!?)]")
	for _, path := range []string{name, bare} {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	if bare == "" { // such as "@."
		return "", nil
	}
	info, err := os.Stat(bare)
	switch {
	case err == nil && info.IsDir():
		return "", fmt.Errorf("@%q is a directory, and a file is needed: %w", bare, errUsage)
	case err == nil:
		return "", fmt.Errorf("@%q is not a regular file: %w", bare, errUsage)
	}
	why := "it cannot be read"
	if errors.Is(err, fs.ErrNotExist) {
		why = "there is no such file"
	}
	return "", fmt.Errorf("@%q: %s; write @@ before a word that is only text: %w", bare, why, errUsage)
}

// attach converts a file to a part of a message: an image or a text.
func (a *app) attach(name string) (llm.Part, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxAttached+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxAttached {
		return nil, fmt.Errorf("%s: more than %d bytes cannot be attached", name, maxAttached)
	}
	switch kind := http.DetectContentType(data); kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		if info := a.now.model.Info(); !info.Capabilities.Vision {
			return nil, fmt.Errorf("%s: %s/%s does not look at images", name, info.Provider, info.Name)
		}
		return llm.Image{MIMEType: kind, Data: data, Name: filepath.Base(name)}, nil
	}
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("%s is neither text nor an image", name)
	}
	return fileText(filepath.Base(name), string(data)), nil
}

// fileText returns the text of a file as a part of a message. The fence is longer than
// any fence in the text, so that the model can tell where the file ends.
func fileText(name, text string) llm.Part {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return llm.Text{Text: fmt.Sprintf("\n\n%s:\n%s\n%s\n%s\n", name, fence, strings.TrimRight(text, "\n"), fence)}
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
