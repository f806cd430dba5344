package eval

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/localpass/localpass/rag"
)

// LoadBEIR reads a set in the layout of BEIR: corpus.jsonl with _id, title and text,
// queries.jsonl with _id and text, and qrels/SPLIT.tsv with the columns query-id, corpus-id
// and score below a line of headings. The split is usually "test". Queries without a line in
// the file of the split are left out, as in BEIR; one whose scores are all 0 has no answer.
func LoadBEIR(dir, split string) (*Set, error) {
	s := &Set{Name: filepath.Base(filepath.Clean(dir))}
	type entry struct {
		ID    string `json:"_id"`
		Title string `json:"title"`
		Text  string `json:"text"`
	}
	err := eachLine(filepath.Join(dir, "corpus.jsonl"), func(line string) error {
		var e entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return err
		}
		s.Documents = append(s.Documents, rag.Document{ID: e.ID, Text: strings.TrimSpace(e.Title + "\n" + e.Text)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	judged := map[string]map[string]int{}
	first := true
	err = eachLine(filepath.Join(dir, "qrels", filepath.Base(split)+".tsv"), func(line string) error {
		fields := strings.Fields(line)
		if first {
			first = false
			return nil
		}
		if len(fields) != 3 {
			return fmt.Errorf("it has %d columns, not 3", len(fields))
		}
		grade, err := strconv.Atoi(fields[2])
		if err != nil {
			return err
		}
		if judged[fields[0]] == nil {
			judged[fields[0]] = map[string]int{}
		}
		if grade > 0 {
			judged[fields[0]][fields[1]] = grade
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = eachLine(filepath.Join(dir, "queries.jsonl"), func(line string) error {
		var e entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return err
		}
		if relevant, ok := judged[e.ID]; ok {
			s.Questions = append(s.Questions, Question{ID: e.ID, Text: e.Text, Relevant: relevant})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	// Documents without text cannot be found, and no store takes them.
	empty := map[string]bool{}
	s.Documents = slices.DeleteFunc(s.Documents, func(d rag.Document) bool {
		empty[d.ID] = d.Text == ""
		return d.Text == ""
	})
	for _, q := range s.Questions {
		for id := range q.Relevant {
			if empty[id] {
				return nil, fmt.Errorf("eval: %s: the document %q answers a question and has no text: %w", dir, id, rag.ErrInvalid)
			}
		}
	}
	return s, s.Check()
}

// eachLine calls do for each line of a file that is not blank.
func eachLine(path string, do func(line string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("eval: %w", err)
	}
	defer f.Close()
	r := bufio.NewReader(f)
	for n := 1; ; n++ {
		line, err := r.ReadString('\n')
		if strings.TrimSpace(line) != "" {
			if err := do(line); err != nil {
				return fmt.Errorf("eval: %s, line %d: %w: %w", path, n, rag.ErrCorrupt, err)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("eval: %w", err)
		}
	}
}
