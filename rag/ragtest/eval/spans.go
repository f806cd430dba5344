package eval

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/localpass/localpass/rag"
)

// SpanSet is texts with questions and the places of what answers them.
type SpanSet struct {
	Name      string
	Texts     []Text
	Questions []SpanQuestion
}

// Text is a text to divide.
type Text struct{ ID, Text string }

// SpanQuestion is a question about one text.
type SpanQuestion struct {
	Text   string
	TextID string
	Spans  []Span
}

// Span is a part of a text, in bytes.
type Span struct{ Start, End int }

// Check returns an error for the first invalid part of a set.
func (s *SpanSet) Check() error {
	texts := make(map[string]string, len(s.Texts))
	for _, t := range s.Texts {
		if _, ok := texts[t.ID]; ok || t.ID == "" {
			return fmt.Errorf("eval: %s: the text id %q is empty or there twice: %w", s.Name, t.ID, rag.ErrInvalid)
		}
		texts[t.ID] = t.Text
	}
	if len(s.Questions) == 0 {
		return fmt.Errorf("eval: %s has no questions: %w", s.Name, rag.ErrInvalid)
	}
	for _, q := range s.Questions {
		text, ok := texts[q.TextID]
		if !ok || len(q.Spans) == 0 {
			return fmt.Errorf("eval: %s: question %q has no places, or is about the text %q, which is not there: %w", s.Name, q.Text, q.TextID, rag.ErrInvalid)
		}
		for _, span := range q.Spans {
			if span.Start < 0 || span.Start >= span.End || span.End > len(text) {
				return fmt.Errorf("eval: %s: question %q: the place from %d to %d is not in the %d bytes of %s: %w", s.Name, q.Text, span.Start, span.End, len(text), q.TextID, rag.ErrInvalid)
			}
		}
	}
	return nil
}

// LoadSpans reads a set in the layout of Chroma's chunking_evaluation: questions_df.csv with
// the columns question, references and corpus_id, where references is a JSON array of
// objects with content, start_index and end_index, in characters; and the texts in
// corpora/ID.md, or in ID.md. A content that is not what the text has at its place is an
// error.
func LoadSpans(dir string) (*SpanSet, error) {
	s := &SpanSet{Name: filepath.Base(filepath.Clean(dir))}
	f, err := os.Open(filepath.Join(dir, "questions_df.csv"))
	if err != nil {
		return nil, fmt.Errorf("eval: %w", err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("eval: %s: %w: %w", f.Name(), rag.ErrCorrupt, err)
	}
	column := map[string]int{}
	for i, row := range rows {
		if i == 0 {
			for c, name := range row {
				column[name] = c + 1
			}
			if column["question"] == 0 || column["references"] == 0 || column["corpus_id"] == 0 {
				return nil, fmt.Errorf("eval: %s lacks one of the columns question, references and corpus_id: %w", f.Name(), rag.ErrCorrupt)
			}
			continue
		}
		q := SpanQuestion{Text: row[column["question"]-1], TextID: row[column["corpus_id"]-1]}
		text, err := s.text(dir, q.TextID)
		if err == nil {
			q.Spans, err = places(text, row[column["references"]-1])
		}
		if err != nil {
			return nil, fmt.Errorf("eval: %s, question %d: %w", f.Name(), i, err)
		}
		s.Questions = append(s.Questions, q)
	}
	return s, s.Check()
}

// text returns a text of the set, which is read when a question first names it.
func (s *SpanSet) text(dir, id string) (string, error) {
	for _, t := range s.Texts {
		if t.ID == id {
			return t.Text, nil
		}
	}
	if !filepath.IsLocal(id) {
		return "", fmt.Errorf("the text %q is outside of the folder: %w", id, rag.ErrInvalid)
	}
	data, err := os.ReadFile(filepath.Join(dir, "corpora", id+".md"))
	if errors.Is(err, fs.ErrNotExist) {
		data, err = os.ReadFile(filepath.Join(dir, id+".md"))
	}
	if err == nil && !utf8.Valid(data) {
		err = fmt.Errorf("the text %s is not UTF-8: %w", id, rag.ErrCorrupt)
	}
	if err == nil {
		s.Texts = append(s.Texts, Text{id, string(data)})
	}
	return string(data), err
}

// places reads the references of a question.
func places(text, references string) ([]Span, error) {
	var list []struct {
		Content string
		Start   int `json:"start_index"`
		End     int `json:"end_index"`
	}
	if err := json.Unmarshal([]byte(references), &list); err != nil {
		return nil, fmt.Errorf("the references: %w: %w", rag.ErrCorrupt, err)
	}
	var spans []Span
	for _, r := range list {
		span := Span{offset(text, r.Start), offset(text, r.End)}
		if span.Start > span.End || text[span.Start:span.End] != r.Content {
			return nil, fmt.Errorf("the text from character %d to %d is not the content of the reference: %w", r.Start, r.End, rag.ErrCorrupt)
		}
		spans = append(spans, span)
	}
	return spans, nil
}

// offset returns where the nth character of a text begins, in bytes.
func offset(text string, n int) int {
	for at := range text {
		if n == 0 {
			return at
		}
		n--
	}
	return len(text)
}
