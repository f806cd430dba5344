package files

import (
	"encoding/binary"
	"encoding/json"

	"github.com/localpass/localpass/toolspec"
)

// OpPrefix begins the names of all operations.
const OpPrefix = "fs."

// The operations that carry what is too large for one request or reply.
const (
	opStage = "stage" // Data is a part of the body of the operation to come
	opNext  = "next"  // gives the next part of the answer before
)

// arguments is the JSON object of an operation, with the members that the
// operation has.
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
	// Old is how many bytes of the body are the text that editText looks for;
	// the rest is what to put there.
	Old int64 `json:"old,omitempty"`
	// Staged says that parts of the body were sent ahead.
	Staged bool `json:"staged,omitempty"`
	// First begins a new body with fs.stage.
	First bool `json:"first,omitempty"`
}

// size is the value of a reply whose answer is in its data: bytes in all, with
// those of the replies to fs.next, and how many strings they are.
type size struct {
	Bytes int64 `json:"bytes"`
	Count int64 `json:"count"`
}

// edited is the value of editText.
type edited struct {
	Path         string `json:"path"`
	Replacements int64  `json:"replacements"`
}

// status is the value of stat.
type status struct {
	Size      int64 `json:"size"`
	Modified  int64 `json:"mtime"`
	Directory bool  `json:"directory"`
}

// list is an answer of many strings: each with its length before it.
type list struct {
	data   []byte
	count  int64
	bytes  int64 // of the strings alone
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

// next takes the first string off data, as a list has it.
func next(data []byte) (text, rest []byte, ok bool) {
	n, width := binary.Uvarint(data)
	if width <= 0 || n > uint64(len(data)-width) {
		return nil, nil, false
	}
	end := width + int(n)
	return data[width:end], data[end:], true
}

// value marshals a small answer.
func value(v any) (json.RawMessage, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, failed(err, "the answer cannot be encoded")
	}
	return data, nil
}
