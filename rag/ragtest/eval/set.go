package eval

import (
	"fmt"

	"github.com/localpass/localpass/rag"
)

// Set is documents with questions about them.
type Set struct {
	Name      string
	Documents []rag.Document
	Questions []Question
}

// Question is a question with what is known to answer it.
type Question struct {
	ID, Text string
	// Relevant are the ids of the documents that answer the question, with how well: 1 or
	// more. Empty: the documents do not answer it.
	Relevant map[string]int
}

// Check returns an error for the first invalid part of a set.
func (s *Set) Check() error {
	known := make(map[string]bool, len(s.Documents))
	for _, d := range s.Documents {
		if d.ID == "" || known[d.ID] {
			return fmt.Errorf("eval: %s: the document id %q is empty or there twice: %w", s.Name, d.ID, rag.ErrInvalid)
		}
		known[d.ID] = true
	}
	if len(s.Questions) == 0 {
		return fmt.Errorf("eval: %s has no questions: %w", s.Name, rag.ErrInvalid)
	}
	for _, q := range s.Questions {
		for id, grade := range q.Relevant {
			if !known[id] || grade < 1 {
				return fmt.Errorf("eval: %s: question %q names the document %q with the grade %d, which is not there or below 1: %w", s.Name, q.Text, id, grade, rag.ErrInvalid)
			}
		}
	}
	return nil
}
