package prompt

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// maxHistory is the maximum number of remembered messages.
const maxHistory = 1000

// History holds earlier messages. It is stored in a file that only its owner can read,
// with one JSON string per line, so that a message may have several lines.
type History struct {
	file string
	all  []string
}

// OpenHistory reads a history file. A missing file is an empty history, and unreadable
// lines are skipped. With an empty name the history is kept in memory.
func OpenHistory(file string) (*History, error) {
	h := &History{file: file}
	if file == "" {
		return h, nil
	}
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return h, fmt.Errorf("history: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 2*maxPaste)
	for lines.Scan() {
		var s string
		if json.Unmarshal(lines.Bytes(), &s) == nil && s != "" {
			h.all = append(h.all, s)
		}
	}
	if err := lines.Err(); err != nil {
		return h, fmt.Errorf("history %s: %w", file, err)
	}
	h.all = h.all[max(len(h.all)-maxHistory, 0):]
	return h, nil
}

// Add remembers a message, unless it equals the last one or begins with a blank.
func (h *History) Add(text string) error {
	if text == "" || strings.HasPrefix(text, " ") || len(h.all) > 0 && h.all[len(h.all)-1] == text {
		return nil
	}
	h.all = append(h.all, text)
	if h.file == "" {
		return nil
	}
	if len(h.all) > maxHistory+maxHistory/4 { // rewrite the file from time to time
		h.all = append([]string(nil), h.all[len(h.all)-maxHistory:]...)
		return h.rewrite()
	}
	f, err := os.OpenFile(h.file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("history: %w", err)
	}
	_, err = f.Write(historyLine(text))
	return errors.Join(err, f.Close())
}

func historyLine(text string) []byte {
	line, _ := json.Marshal(text) // marshalling a string cannot fail
	return append(line, '\n')
}

func (h *History) rewrite() error {
	var b []byte
	for _, text := range h.all {
		b = append(b, historyLine(text)...)
	}
	if err := os.WriteFile(h.file+".tmp", b, 0o600); err != nil {
		return fmt.Errorf("history: %w", err)
	}
	return os.Rename(h.file+".tmp", h.file)
}

// find returns the index of the newest message before at that contains text.
func (h *History) find(text string, at int) (int, bool) {
	for i := min(at, len(h.all)) - 1; i >= 0; i-- {
		if strings.Contains(strings.ToLower(h.all[i]), strings.ToLower(text)) {
			return i, true
		}
	}
	return 0, false
}
