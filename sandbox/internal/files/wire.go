package files

import (
	"encoding/binary"
	"encoding/json"

	"github.com/localpass/localpass/toolspec"
)

// OpPrefix is the prefix of the names of all operations.
const OpPrefix = "fs."

// The operations that transfer what is too large for one request or reply.
const (
	opStage = "stage" // Data is a part of the body of the next operation
	opNext  = "next"  // returns the next part of the previous result
)

// arguments holds the JSON arguments of all operations; each operation uses only some of
// the members.
type arguments struct {
	Path            string  `json:"path,omitempty"`
	To              string  `json:"to,omitempty"`
	Pattern         string  `json:"pattern,omitempty"`
	Glob            string  `json:"glob,omitempty"`
	Type            string  `json:"type,omitempty"`
	Delimiter       *string `json:"delimiter,omitempty"`
	Fields          []int64 `json:"fields,omitempty"`
	Start           *int64  `json:"start,omitempty"`
	End             *int64  `json:"end,omitempty"`
	Limit           int64   `json:"limit,omitempty"`
	MaxDepth        int64   `json:"maxDepth,omitempty"`
	CaseInsensitive bool    `json:"caseInsensitive,omitempty"`
	Numbered        bool    `json:"numbered,omitempty"`
	Regex           bool    `json:"regex,omitempty"`
	Reverse         bool    `json:"reverse,omitempty"`
	Numeric         bool    `json:"numeric,omitempty"`
	Unique          bool    `json:"unique,omitempty"`
	ReplaceAll      bool    `json:"replaceAll,omitempty"`
	// Old is the length, in bytes, of the text at the start of the body that editText
	// searches for; the rest of the body is the replacement.
	Old int64 `json:"old,omitempty"`
	// Staged says that parts of the body were sent ahead with fs.stage.
	Staged bool `json:"staged,omitempty"`
	// First says that fs.stage begins a new body.
	First bool `json:"first,omitempty"`
}

// size is the value of a reply whose result is in its data: the total number of bytes,
// including those of the replies to fs.next, and the number of strings.
type size struct {
	Bytes int64 `json:"bytes"`
	Count int64 `json:"count"`
}

// edited is the result of editText.
type edited struct {
	Path         string `json:"path"`
	Replacements int64  `json:"replacements"`
}

// status is the result of stat.
type status struct {
	Size      int64 `json:"size"`
	Modified  int64 `json:"mtime"`
	Directory bool  `json:"directory"`
}

// list is a result of many strings, each preceded by its length.
type list struct {
	data   []byte
	count  int64
	bytes  int64 // of the strings, without their lengths
	limits *Limits
}

func (l *list) add(text string) error {
	if l.count++; l.count > int64(l.limits.Lines) {
		return limit(toolspec.ReasonResultTooLarge, "the result has more than %d strings; ask for less", l.limits.Lines)
	}
	if l.bytes += int64(len(text)); l.bytes > l.limits.ResultBytes {
		return limit(toolspec.ReasonResultTooLarge, "the result is larger than %d bytes; ask for less", l.limits.ResultBytes)
	}
	l.data = append(binary.AppendUvarint(l.data, uint64(len(text))), text...)
	return nil
}

// nextText splits the first string of a list from data.
func nextText(data []byte) (text, rest []byte, ok bool) {
	n, width := binary.Uvarint(data)
	if width <= 0 || n > uint64(len(data)-width) {
		return nil, nil, false
	}
	end := width + int(n)
	return data[width:end], data[end:], true
}

// resultJSON marshals a small result.
func resultJSON(v any) (json.RawMessage, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, failed(err, "the answer cannot be encoded")
	}
	return data, nil
}
