package rag

import (
	"context"
	"fmt"
	"slices"
)

// Calibration is a threshold that was measured on questions.
type Calibration struct {
	// Threshold separates the best scores of questions with an answer from those of
	// questions without one, as well as a single number can.
	Threshold float64
	// Lost is the number of questions with an answer whose best score is below Threshold,
	// and Passed that of questions without one whose best score is not. Both are 0 if the
	// scores do not overlap.
	Lost, Passed int
	// Answerable and Unanswerable are the best scores of the questions, in ascending
	// order.
	Answerable, Unanswerable []float64
}

// CalibrateThreshold measures a threshold for an embedder and a collection: it searches for
// questions that documents of r answer, and for some that none does. Of the thresholds with
// the fewest wrong questions it takes the middle of the widest gap.
func CalibrateThreshold(ctx context.Context, r Retriever, mode Mode, answerable, unanswerable []string) (Calibration, error) {
	var c Calibration
	if len(answerable) == 0 || len(unanswerable) == 0 {
		return c, fmt.Errorf("rag: a threshold needs questions with an answer, and some without: %w", ErrInvalid)
	}
	best := func(questions []string) ([]float64, error) {
		scores := make([]float64, 0, len(questions))
		for _, q := range questions {
			found, err := r.Retrieve(ctx, SearchRequest{Query: q, TopK: 1, Mode: mode})
			if err != nil {
				return nil, fmt.Errorf("rag: question %q: %w", q, err)
			}
			score := 0.0
			if len(found) > 0 {
				score = found[0].Score
			}
			scores = append(scores, score)
		}
		slices.Sort(scores)
		return scores, nil
	}
	var err error
	if c.Answerable, err = best(answerable); err != nil {
		return c, err
	}
	if c.Unanswerable, err = best(unanswerable); err != nil {
		return c, err
	}
	all := slices.Concat(c.Answerable, c.Unanswerable)
	slices.Sort(all)
	wrong, gap := len(all)+1, 0.0
	for i := range len(all) - 1 {
		at := (all[i] + all[i+1]) / 2
		lost, _ := slices.BinarySearch(c.Answerable, at)
		below, _ := slices.BinarySearch(c.Unanswerable, at)
		passed := len(c.Unanswerable) - below
		if width := all[i+1] - all[i]; lost+passed < wrong || lost+passed == wrong && width > gap {
			c.Threshold, c.Lost, c.Passed, wrong, gap = at, lost, passed, lost+passed, width
		}
	}
	return c, nil
}
