package rag_test

import (
	"context"
	"errors"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
)

func TestCalibrateThreshold(t *testing.T) {
	// A query is the score of its best match; "none" finds nothing.
	scored := rag.RetrieverFunc(func(_ context.Context, req rag.SearchRequest) ([]rag.Match, error) {
		assert.Equal(t, 1, req.TopK)
		if req.Query == "none" {
			return nil, nil
		}
		score, err := strconv.ParseFloat(req.Query, 64)
		return []rag.Match{{Score: score}}, err
	})
	for name, c := range map[string]struct {
		yes, no []string
		want    rag.Calibration
	}{
		"apart":   {[]string{"0.8", "0.6"}, []string{"0.1", "none", "0.2"}, rag.Calibration{Threshold: 0.4, Answerable: []float64{0.6, 0.8}, Unanswerable: []float64{0, 0.1, 0.2}}},
		"overlap": {[]string{"0.9", "0.8", "0.3"}, []string{"0.4", "0.1"}, rag.Calibration{Threshold: 0.6, Lost: 1, Answerable: []float64{0.3, 0.8, 0.9}, Unanswerable: []float64{0.1, 0.4}}},
	} {
		got, err := rag.CalibrateThreshold(t.Context(), scored, rag.ModeVector, c.yes, c.no)
		require.NoError(t, err, name)
		assert.InDelta(t, c.want.Threshold, got.Threshold, 1e-9, name)
		got.Threshold = c.want.Threshold
		assert.Equal(t, c.want, got, name)
	}
	_, err := rag.CalibrateThreshold(t.Context(), scored, "", nil, []string{"1"})
	require.ErrorIs(t, err, rag.ErrInvalid)
	failing := rag.RetrieverFunc(func(context.Context, rag.SearchRequest) ([]rag.Match, error) { return nil, errors.New("down") })
	_, err = rag.CalibrateThreshold(t.Context(), failing, "", []string{"a"}, []string{"b"})
	require.ErrorContains(t, err, `question "a": down`)
}
