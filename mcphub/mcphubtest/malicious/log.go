package malicious

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// Log is what has reached a server. As text, it is a line for each request: "list", or "call"
// and the name of the tool.
type Log struct {
	// Listings is how many times the list of tools was requested.
	Listings int
	// Calls are the names of the tools that were called, in order.
	Calls []string
}

const (
	lineList = "list"
	lineCall = "call "
)

// Add adds a line.
func (l *Log) Add(line string) {
	if name, ok := strings.CutPrefix(line, lineCall); ok {
		l.Calls = append(l.Calls, name)
	} else if line == lineList {
		l.Listings++
	}
}

func (l *Log) clone() Log { return Log{l.Listings, slices.Clone(l.Calls)} }

// ReadLog reads the log that a program wrote (-log). A file that does not exist yet is an
// empty log.
func ReadLog(path string) (Log, error) {
	var l Log
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return l, fmt.Errorf("malicious: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		l.Add(lines.Text())
	}
	if err := lines.Err(); err != nil {
		return l, fmt.Errorf("malicious: %w", err)
	}
	return l, nil
}
