package rag_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
)

// every splits a text into chunks of n bytes.
type every int

func (n every) Split(_ context.Context, text string) ([]rag.Chunk, error) {
	var chunks []rag.Chunk
	for at := 0; at < len(text); at += int(n) {
		end := min(at+int(n), len(text))
		chunks = append(chunks, rag.Chunk{Text: text[at:end], Start: at, End: end})
	}
	return chunks, nil
}

// A chunk knows the pages on which it is.
func ExampleExtract_Document() {
	extract := rag.Extract{
		Format: "application/pdf", Text: "one page, another", Metadata: map[string]any{rag.KeyTitle: "Pages"},
		Parts: []rag.Part{
			{Start: 0, End: 9, Key: rag.KeyPage, Value: int64(1)},
			{Start: 10, End: 17, Key: rag.KeyPage, Value: int64(2)},
		},
	}
	chunks, err := rag.SplitDocument(context.Background(), every(12), extract.Document("d"), &rag.SplitOptions{Parts: extract.Parts})
	for _, c := range chunks {
		fmt.Printf("%s %q %v %v\n", c.Title(), c.Text, c.Metadata["page_number"], c.Metadata["end_page_number"])
	}
	fmt.Println(err)
	// Output:
	// Pages "one page, an" 1 2
	// Pages "other" 2 <nil>
	// <nil>
}

func TestPartsOfChunks(t *testing.T) {
	t.Parallel()
	part := func(start, end int, key string, value any) rag.Part {
		return rag.Part{Start: start, End: end, Key: key, Value: value}
	}
	parts := []rag.Part{
		part(0, 10, rag.KeySheet, "A"), part(0, 4, rag.KeyRow, int64(1)), part(4, 8, rag.KeyRow, int64(2)), part(8, 9, rag.KeyRow, int64(3)),
		part(12, 20, rag.KeySheet, "B"), part(14, 20, rag.KeyRow, int64(1)),
	}
	docs, err := rag.SplitDocument(context.Background(), every(4), rag.Document{ID: "d", Text: "01234567890123456789"}, &rag.SplitOptions{Parts: parts})
	require.NoError(t, err)
	var got []string
	for _, d := range docs {
		got = append(got, fmt.Sprint(d.Metadata[rag.KeySheet], d.Metadata[rag.KeyRow], d.Metadata["end_row"], d.Metadata["end_sheet"]))
	}
	assert.Equal(t, []string{"A1 <nil> <nil>", "A2 <nil> <nil>", "A3 <nil> <nil>", "B1 <nil> <nil>", "B1 <nil> <nil>"}, got)
	// A chunk over several parts has the first and the last number, and the first name.
	docs, err = rag.SplitDocument(context.Background(), every(20), rag.Document{ID: "d", Text: "01234567890123456789"}, &rag.SplitOptions{Parts: parts[:4]})
	require.NoError(t, err)
	assert.Equal(t, "A", docs[0].Metadata[rag.KeySheet])
	assert.Equal(t, int64(1), docs[0].Metadata[rag.KeyRow])
	assert.Equal(t, int64(3), docs[0].Metadata["end_row"])
}
