package asking

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxEdited is the maximum size of an edited file, in bytes.
const maxEdited = 1 << 20

// EditFile opens a text in an editor, in a file that only this user can read. run starts
// the command at the terminal and waits for it. EditFile returns the new text, empty if
// it is unchanged. Its errors are of type [NotEditedError].
func EditFile(ctx context.Context, command []string, text string, run func(ctx context.Context, command []string) error) (string, error) {
	after, err := editFile(ctx, command, text, run)
	if err != nil {
		return "", &NotEditedError{err}
	}
	if after = strings.TrimSpace(after); after == strings.TrimSpace(text) {
		return "", nil
	}
	return after, nil
}

func editFile(ctx context.Context, command []string, text string, run func(ctx context.Context, command []string) error) (string, error) {
	if len(command) == 0 {
		return "", errors.New("set EDITOR to the editor to use")
	}
	dir, err := os.MkdirTemp("", "localpass-approval-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }() // best effort: the directory is in the system's temporary directory
	name := filepath.Join(dir, "arguments.json")
	if err := os.WriteFile(name, []byte(text+"\n"), 0o600); err != nil {
		return "", err
	}
	if err := run(ctx, append(command[:len(command):len(command)], name)); err != nil {
		return "", fmt.Errorf("the editor %s: %w", command[0], err)
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	after, err := io.ReadAll(io.LimitReader(f, maxEdited+1))
	if err == nil && len(after) > maxEdited {
		err = fmt.Errorf("the file is longer than %d bytes", maxEdited)
	}
	return string(after), err
}
