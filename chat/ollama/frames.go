package ollama

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// mostLine is the maximum length of one frame, as in Ollama's own client.
const mostLine = 8 << 20

var errLongLine = fmt.Errorf("a line of the answer is longer than %d bytes", mostLine)

// frame is one line of an answer.
type frame struct {
	Message struct {
		Content   string          `json:"content"`
		Thinking  string          `json:"thinking"`
		ToolCalls []frameToolCall `json:"tool_calls"`
	} `json:"message"`
	Done            bool            `json:"done"`
	DoneReason      string          `json:"done_reason"`
	PromptEvalCount int             `json:"prompt_eval_count"`
	EvalCount       int             `json:"eval_count"`
	Error           json.RawMessage `json:"error"`
}

type frameToolCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// frames reads an answer line by line.
type frames struct{ lines *bufio.Scanner }

func newFrames(r io.Reader) *frames {
	f := &frames{bufio.NewScanner(r)}
	f.lines.Buffer(make([]byte, 4<<10), mostLine)
	f.lines.Split(splitFrames)
	return f
}

// splitFrames is [bufio.ScanLines], but it keeps the line feeds, since a line without one
// was cut off.
func splitFrames(data []byte, atEnd bool) (int, []byte, error) {
	if n := bytes.IndexByte(data, '\n') + 1; n > 0 {
		return n, data[:n], nil
	}
	if atEnd && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// line returns the next line that is not blank, without its line feed. The line is valid
// until the next call. whole is false for text after the last line feed, which is
// returned together with the error that ended the body.
func (f *frames) line() (line []byte, whole bool, err error) {
	for f.lines.Scan() {
		line, whole = bytes.CutSuffix(f.lines.Bytes(), []byte("\n"))
		if line = bytes.TrimSpace(line); whole && len(line) > 0 {
			return line, true, nil
		}
	}
	switch err = f.lines.Err(); {
	case err == nil:
		err = io.EOF
	case errors.Is(err, bufio.ErrTooLong):
		err = errLongLine
	}
	return line, false, err
}

// next reads the next frame. It returns io.EOF if the body ends after a complete line;
// any other end is a different error.
func (f *frames) next(into *frame) ([]byte, error) {
	line, whole, err := f.line()
	if len(line) == 0 {
		return nil, err
	}
	*into = frame{}
	if bad := json.Unmarshal(line, into); bad != nil {
		if !whole {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, fmt.Errorf("half a line at the end of the answer: %w", err)
		}
		return nil, fmt.Errorf("a line of the answer is not what it should be: %w", bad)
	}
	return line, nil
}
