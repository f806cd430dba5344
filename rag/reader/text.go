package reader

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/localpass/localpass/rag"
)

func (j *job) plain() error {
	j.got.Markdown = false
	j.out.Raw(j.text)
	return nil
}

// frontMatter are facts in YAML before a document in Markdown.
var frontMatter = pattern(`(?s)\A---\n(.*?\n)(?:---|\.\.\.)[ \t]*(?:\n|\z)`)

func (j *job) markdown() error {
	text := j.text
	if m := frontMatter().FindStringSubmatch(text); m != nil && len(m[1]) < 64<<10 {
		var facts struct{ Title, Author, Description, Language, Date string }
		if yaml.Unmarshal([]byte(m[1]), &facts) == nil { // otherwise it is text
			text = text[len(m[0]):]
			j.fact(rag.KeyTitle, facts.Title)
			j.fact(rag.KeyAuthor, facts.Author)
			j.fact(rag.KeyDescription, facts.Description)
			j.fact(rag.KeyLanguage, facts.Language)
			j.fact(rag.KeyCreated, facts.Date)
		}
	}
	if at := mdHeading().FindStringIndex(text); at != nil && j.got.Metadata[rag.KeyTitle] == nil && strings.TrimSpace(text[:at[0]]) == "" {
		title, _, _ := strings.Cut(text[at[0]:], "\n")
		j.fact(rag.KeyTitle, strings.Trim(title, "# \t"))
	}
	j.out.Raw(text)
	return nil
}

// delimiter returns the delimiter of a text in CSV, or 0: the one that divides the first
// lines into the most columns, as many in each of them.
func delimiter(begin string) rune {
	if i := strings.LastIndexByte(begin, '\n'); i > 0 && len(begin) > 4<<10 {
		begin = begin[:i] // the last line may be cut off
	}
	var best rune
	most := 1
	for _, d := range ",;\t|" {
		r := csv.NewReader(strings.NewReader(begin))
		r.Comma = d
		r.FieldsPerRecord = 0 // as many as in the first line
		rows, err := r.ReadAll()
		if err == nil && len(rows) > 0 && len(rows[0]) > most {
			best, most = d, len(rows[0])
		}
	}
	if best != 0 {
		return best
	}
	first, _, _ := strings.Cut(begin, "\n")
	for _, d := range ",;\t|" {
		if n := strings.Count(first, string(d)) + 1; n > most {
			best, most = d, n
		}
	}
	return best
}

// isTable reports that a text without a name is surely CSV: five lines or more of the same
// three columns or more, as prose with commas does not have.
func isTable(begin string) bool {
	d := delimiter(begin)
	if d == 0 || strings.Count(begin, "\n") < 4 {
		return false
	}
	r := csv.NewReader(strings.NewReader(begin[:strings.LastIndexByte(begin, '\n')]))
	r.Comma = d
	rows, err := r.ReadAll()
	return err == nil && len(rows) >= 4 && len(rows[0]) >= 3
}

func (j *job) csv() error {
	r := csv.NewReader(strings.NewReader(j.text))
	if r.Comma = delimiter(strings.TrimSpace(j.text[:min(len(j.text), 8<<10)])); r.Comma == 0 {
		r.Comma = ','
	}
	r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = -1, true, true
	for n := int64(1); !j.out.Full(); n++ {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return corrupt("it is not valid CSV", err)
		}
		if err := j.ctx.Err(); err != nil {
			return err
		}
		j.out.Begin(rag.KeyRow, n)
		j.out.Row(row)
	}
	return nil
}

func (j *job) jsonLines() error {
	n := int64(0)
	for line := range strings.Lines(j.text) {
		n++
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := j.ctx.Err(); err != nil {
			return err
		}
		j.record(rag.KeyLine, n)
		if err := j.values([]byte(line), fmt.Sprintf("line %d", n), false); err != nil {
			return err
		}
	}
	return nil
}

func (j *job) json() error { return j.values([]byte(j.text), "it", true) }

func (j *job) values(data []byte, what string, records bool) error {
	w := newJSONWalker(j, bytes.NewReader(data), records)
	if err := w.value(""); err != nil {
		return corrupt(what+" is not valid JSON", err)
	}
	if _, err := w.decoder.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s has more after its JSON value: %w", what, rag.ErrCorrupt)
	}
	return nil
}
