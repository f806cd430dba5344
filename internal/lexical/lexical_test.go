package lexical_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/lexical"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		"The quick brown foxes jumped":  "quick brown fox jump",
		"readTextFile":                  "readtextfil read text file",
		"URLParser, utf8Text":           "urlpars url parser utf8text utf8 text",
		"the user's files don’t matter": "user file dont matter",
		"날씨 알려줘":                        "날씨 알려 려줘",
		"東京tower":                       "東京 tower",
		"가 b":                           "가 b",
		"café Ünïcode":                  "café ünïcode",
		"a-b_c 3.14":                    "b c 3 14",
	} {
		assert.Equal(t, want, strings.Join(lexical.Words(text), " "), text)
	}
}

func TestSearch(t *testing.T) {
	x := lexical.New([]lexical.Document{
		{ID: "weather", Fields: []lexical.Field{{Text: "getWeather", Weight: 2}, {Text: "the current weather of a city"}}},
		{ID: "files", Fields: []lexical.Field{{Text: "reads text files"}}},
		{ID: "cities", Fields: []lexical.Field{{Text: "a list of each city, and of each file of a city, and of more"}}},
	})
	ids := func(query string, limit int) (ids []string) {
		for _, m := range x.Search(query, limit) {
			require.Positive(t, m.Score)
			ids = append(ids, m.ID)
		}
		return ids
	}
	assert.Equal(t, []string{"weather"}, ids("what is the weather like?", 0))
	assert.Equal(t, []string{"files", "cities"}, ids("read a file", 0), "what has both words comes first")
	assert.Equal(t, []string{"files"}, ids("read a file", 1))
	assert.Equal(t, ids("city", 0), ids("city city city", 0), "a word counts once in a query")
	assert.Empty(t, ids("nothing here shares it", 0))
	assert.Empty(t, ids("", 0))
	assert.Empty(t, lexical.New(nil).Search("a file", 0))
}

// Rare words count more than common ones, and equal documents keep their order.
func TestOrder(t *testing.T) {
	var docs []lexical.Document
	for _, id := range []string{"a", "b", "c", "d"} {
		text := "common word"
		if id == "c" {
			text = "rare word"
		}
		docs = append(docs, lexical.Document{ID: id, Fields: []lexical.Field{{Text: text}}})
	}
	var got []string
	for _, m := range lexical.New(docs).Search("common rare", 0) {
		got = append(got, m.ID)
	}
	assert.Equal(t, []string{"c", "a", "b", "d"}, got)
}

func FuzzWords(f *testing.F) {
	for _, s := range []string{"", "readTextFile's", "東京tower가", "\xff\xfe", "ⅣΣς", "'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, w := range lexical.Words(text) {
			if w == "" || strings.ContainsAny(w, " \t\n") || utf8.ValidString(text) && !utf8.ValidString(w) {
				t.Fatalf("%q gives the term %q", text, w)
			}
		}
	})
}

func BenchmarkSearch(b *testing.B) {
	var docs []lexical.Document
	for i := range 1000 {
		docs = append(docs, lexical.Document{ID: string(rune('a' + i%26)), Fields: []lexical.Field{{Text: strings.Repeat("some words of a tool that reads files ", 1+i%3)}}})
	}
	x := lexical.New(docs)
	b.ReportAllocs()
	for b.Loop() {
		x.Search("read the words of this file", 10)
	}
}
