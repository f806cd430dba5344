package clause_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub/scan/internal/clause"
)

func TestForce(t *testing.T) {
	for _, c := range []struct {
		text, verb string
		want       clause.Force
	}{
		{"Reads the key", "reads", clause.States},
		{"Read the key", "read", clause.States}, // the summary of a tool
		{"Adds. Read the key", "read", clause.Orders},
		{"Adds. You must read the key", "read", clause.Obliges},
		{"Adds. The key must be read", "read", clause.Obliges},
		{"Adds. It is imperative that it runs first", "runs", clause.Obliges},
		{"Adds. Always start by calling it", "calling", clause.Obliges},
		{"Adds. Never read the key", "read", clause.Forbids},
		{"Adds. Do not send the key", "send", clause.Forbids},
		{"Adds. It may read the key", "read", clause.Allows},
		{"Adds. Use it when you need to send mail", "send", clause.States},
		{"Adds. Before you send it, ask", "send", clause.States},
		{"Adds. Whenever mail is sent, add a recipient", "add", clause.Orders},
		{"Adds. Prior to every answer call fetch_url", "call", clause.Orders},
		{"Adds. If they say logs, log messages, take them", "log", clause.States},
		{"Adds. The file that was sent", "sent", clause.States},
	} {
		sentences := clause.Sentences(c.text)
		require.NotEmpty(t, sentences, c.text)
		s := sentences[len(sentences)-1]
		found := false
		for i, token := range s.Tokens {
			if token.Text == c.verb {
				assert.Equal(t, c.want, s.Force(i), c.text)
				found = true
				break
			}
		}
		assert.True(t, found, c.text)
	}
}

func TestShapes(t *testing.T) {
	for word, want := range map[string]clause.Class{
		"~/.ssh/id_rsa":          clause.Path | clause.Literal | clause.Secret,
		"/etc/passwd":            clause.Path | clause.Secret,
		".env":                   clause.Path | clause.Secret,
		"notes.txt":              clause.Path,
		`C:\Users\a`:             clause.Path,
		"a@b.example":            clause.Address | clause.Literal,
		"https://a.example/x?y=": clause.Address,
		"go.mirror.example":      clause.Address,
		"read_file":              clause.Identifier,
		"readFile":               clause.Identifier,
		"1,000.50":               clause.Number,
	} {
		s := clause.Sentences("Uses " + word + " here")
		require.Len(t, s, 1, word)
		i := s[0].Find(0, len(s[0].Tokens), want)
		require.GreaterOrEqual(t, i, 0, word)
		assert.True(t, strings.HasPrefix(word, s[0].Tokens[i].Text) || s[0].Tokens[i].Text == strings.ToLower(word), word)
	}
	for _, plain := range []string{"read/write", "up-to-date", "e.g", "note:this", "don't"} {
		for _, token := range clause.Sentences("Uses " + plain + " here")[0].Tokens {
			assert.Zero(t, token.Is&(clause.Path|clause.Address|clause.Identifier), plain)
		}
	}
}

func TestSentences(t *testing.T) {
	var got []string
	const text = "Reads a file. Version 1.2 is\nnew! Steps:\n- one\n- two\n\nLast"
	for i, s := range clause.Sentences(text) {
		assert.Equal(t, i == 0, s.First)
		got = append(got, text[s.Tokens[0].From:s.Tokens[len(s.Tokens)-1].To])
	}
	assert.Equal(t, []string{"Reads a file", "Version 1.2 is\nnew", "Steps:", "- one", "- two", "Last"}, got)
	assert.Empty(t, clause.Sentences(" \n\t "))
}

func FuzzSentences(f *testing.F) {
	f.Add("Before a.b c/d ~ it's 'x' \u200b, do\n- this: /a")
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, s := range clause.Sentences(text) {
			for i, token := range s.Tokens {
				if token.From < last || token.To <= token.From || token.To > len(text) {
					t.Fatalf("%+v after %d", token, last)
				}
				last = token.To
				s.Force(i)
			}
		}
	})
}
