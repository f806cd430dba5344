package eval

import (
	_ "embed" // of the handbook
	"encoding/json"
	"strings"

	"github.com/localpass/localpass/rag"
)

//go:embed handbook.jsonl
var handbook string

// Handbook returns 40 short passages about a guest house, with a question about each and 30
// questions that none of them answers. With otherWords the questions share no word with the
// passages that answer them, not even its stem: a search by words cannot find those.
func Handbook(otherWords bool) *Set {
	s := &Set{Name: "handbook"}
	if otherWords {
		s.Name = "handbook in other words"
	}
	for line := range strings.Lines(handbook) {
		var entry struct{ ID, Text, Question, Paraphrase string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			panic("eval: the handbook: " + err.Error()) // it is a part of this package
		}
		q := Question{ID: entry.ID, Text: entry.Question}
		if entry.ID != "" {
			s.Documents = append(s.Documents, rag.Document{ID: entry.ID, Text: entry.Text})
			q.Relevant = map[string]int{entry.ID: 1}
			if otherWords {
				q.Text = entry.Paraphrase
			}
		}
		s.Questions = append(s.Questions, q)
	}
	return s
}

// unanswerable returns the questions that have nothing to do with software.
func unanswerable() []Question {
	var list []Question
	for _, q := range Handbook(false).Questions {
		if len(q.Relevant) == 0 {
			list = append(list, q)
		}
	}
	return list
}
