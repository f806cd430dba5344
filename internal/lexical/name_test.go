package lexical_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/internal/lexical"
)

func TestFitName(t *testing.T) {
	for _, c := range []struct {
		name, query string
		want        lexical.NameFit
	}{
		{"hash", "hash", lexical.NameExact}, {"hash", " HASH ", lexical.NameExact}, {"hashFile", "Hash", lexical.NamePrefix},
		{"bcryptHash", "hash", lexical.NameOther}, {"hash", "", lexical.NameOther}, {"", "", lexical.NameOther}, {"has", "hash", lexical.NameOther},
	} {
		assert.Equal(t, c.want, lexical.FitName(c.name, c.query), "%s %s", c.name, c.query)
	}
}

// The name that was looked for comes before every text that has more of the words,
// then come the names that begin with it, though they share no word.
func TestNamesComeFirst(t *testing.T) {
	x := lexical.New([]lexical.Document{
		{ID: "words", Name: "fileHash", Fields: []lexical.Field{{Text: "fileHash", Weight: 3}, {Text: "hash hash hash"}}},
		{ID: "prefix", Name: "hashing", Fields: []lexical.Field{{Text: "a long text about something else, with many words in it"}}},
		{ID: "exact", Name: "Hash", Fields: []lexical.Field{{Text: "a long text about something else, with many words in it"}}},
		{ID: "none", Name: "other", Fields: []lexical.Field{{Text: "other"}}},
	})
	var ids []string
	for _, m := range x.Search("hash", 0) {
		ids = append(ids, m.ID)
	}
	assert.Equal(t, []string{"exact", "prefix", "words"}, ids)
	assert.Empty(t, x.Search(" ", 0), "no query begins no name")
	assert.Equal(t, "exact", x.Search("hash", 1)[0].ID)
}
