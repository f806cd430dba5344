package reader

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/localpass/localpass/rag"
)

// maxJSONDepth is how deep JSON may be nested.
const maxJSONDepth = 100

// jsonWalker writes the values of a JSON text, one per line with the path to it. The
// elements of an array at the top, or in a member of the object at the top, are records.
type jsonWalker struct {
	*job
	decoder *json.Decoder
	records bool
	depth   int
	path    []string // from the record
}

func newJSONWalker(j *job, r io.Reader, records bool) *jsonWalker {
	j.got.Markdown = false
	d := json.NewDecoder(r)
	d.UseNumber()
	return &jsonWalker{job: j, decoder: d, records: records}
}

// record begins a record.
func (j *job) record(key string, value any) {
	if j.out.Len() > 0 {
		j.out.End(key)
		j.out.Raw("\n")
	}
	j.out.Begin(key, value)
}

// value writes the next value. pointer is its JSON pointer.
func (w *jsonWalker) value(pointer string) error {
	token, err := w.decoder.Token()
	if err != nil {
		return err
	}
	if w.out.Full() {
		return fmt.Errorf("its text has more than %d bytes: %w", w.Limits.TextBytes, rag.ErrBudget)
	}
	open, composite := token.(json.Delim)
	if !composite {
		w.line(token)
		return nil
	}
	if w.depth++; w.depth > maxJSONDepth {
		return fmt.Errorf("it is nested deeper than %d: %w", maxJSONDepth, rag.ErrBudget)
	}
	for n := 0; w.decoder.More(); n++ {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		name := strconv.Itoa(n)
		if open == '{' {
			key, err := w.decoder.Token()
			if err != nil {
				return err
			}
			name, _ = key.(string)
		}
		inner := pointer + "/" + strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
		path := w.path
		if w.records && (open == '[' && w.depth <= 2 || w.depth == 1) {
			w.record(rag.KeyPointer, clip(inner))
			if w.path = nil; open == '{' {
				w.path = []string{name}
			}
		} else {
			w.path = append(w.path, name)
		}
		if err := w.value(inner); err != nil {
			return err
		}
		w.path = path
	}
	w.depth--
	_, err = w.decoder.Token()
	return err
}

func (w *jsonWalker) line(value any) {
	switch v := value.(type) {
	case nil:
		return
	case string:
		if v = strings.TrimSpace(v); v != "" {
			w.write(v)
		}
	default:
		w.write(fmt.Sprint(v))
	}
}

func (w *jsonWalker) write(value string) {
	if len(w.path) > 0 {
		w.out.Raw(strings.Join(w.path, "/") + ": ")
	}
	w.out.Raw(value + "\n")
}
