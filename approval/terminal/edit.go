package terminal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/localpass/localpass/internal/termtext"
)

// maxEdited bounds the file that an editor leaves.
const maxEdited = 1 << 20

// edit lets the person change the arguments. The note says how that ended; the question
// is asked again in any case.
func (s *sitting) edit(ctx context.Context, q *sheet) (note string, err error) {
	var text string
	if command := strings.Fields(s.opts.Editor); len(command) > 0 {
		text, err = s.editFile(ctx, command, q)
		if err != nil && ctx.Err() == nil {
			return "Not changed: " + termtext.Escape(err.Error()), nil
		}
	} else {
		text, err = s.prompt(ctx, "All arguments as one line of JSON (empty: leave them): ")
		if errors.Is(err, errSeveral) {
			return "Not changed: that was more than one line.", nil
		}
	}
	if err != nil {
		return "", err
	}
	if text == "" {
		return "Not changed.", nil
	}
	edited, err := checkEdited(q, json.RawMessage(text))
	if err != nil {
		return "Not changed: " + termtext.Escape(err.Error()), nil
	}
	q.whole, q.seen = false, false
	if string(edited) == string(q.request.Arguments) {
		q.edited = nil
		return "The arguments are as they were asked about.", nil
	}
	q.edited = edited
	return "", nil
}

// checkEdited returns the canonical form of edited arguments that may run. The
// broker checks them again.
func checkEdited(q *sheet, raw json.RawMessage) (json.RawMessage, error) {
	if err := q.request.CheckMask(raw, q.redact); err != nil {
		return nil, err
	}
	return q.request.CheckEdit(raw)
}

// editFile runs an editor on a file that only this user can read.
func (s *sitting) editFile(ctx context.Context, command []string, q *sheet) (string, error) {
	dir, err := os.MkdirTemp("", "localpass-approval-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }() // best effort: the system's place for such files
	name := filepath.Join(dir, "arguments.json")
	before := q.argumentText()
	if err := os.WriteFile(name, []byte(before+"\n"), 0o600); err != nil {
		return "", err
	}
	if err := s.console.run(ctx, append(command, name)); err != nil {
		return "", fmt.Errorf("the editor %s: %w", command[0], err)
	}
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	if info.Size() > maxEdited {
		return "", fmt.Errorf("the file is longer than %d bytes", maxEdited)
	}
	after, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(string(after))
	if text == strings.TrimSpace(before) {
		return "", nil
	}
	return text, nil
}
