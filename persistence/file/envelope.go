package file

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/internal/contract"
)

// maxIndented is the depth up to which data is written with indentation. Deeper
// data stays on one line, since indenting costs the square of the depth.
const maxIndented = 64

// maxGrowth is the factor by which indentation may enlarge a file: each level of nesting
// makes every element of a long list longer.
const maxGrowth = 4

// formatDocument returns the content of a document's file. The data must be valid.
func formatDocument(doc localpass.Document) []byte {
	var buf bytes.Buffer
	buf.Grow(len(doc.Data)*5/4 + len(doc.Key) + 128)
	buf.WriteString("{\n  \"key\": ")
	buf.Write(quoteJSON(doc.Key))
	buf.WriteString(",\n  \"version\": ")
	buf.Write(strconv.AppendInt(buf.AvailableBuffer(), doc.Version, 10))
	buf.WriteString(",\n  \"updated\": \"")
	buf.Write(doc.Updated.AppendFormat(buf.AvailableBuffer(), time.RFC3339Nano))
	buf.WriteString("\",\n  \"data\": ")
	deepest, size := indented(doc.Data)
	if deepest > maxIndented || size > maxGrowth*(len(doc.Data)+1<<10) || json.Indent(&buf, doc.Data, "  ", "  ") != nil {
		buf.Write(doc.Data)
	}
	buf.WriteString("\n}\n")
	return buf.Bytes()
}

// quoteJSON writes s as a JSON string without escapes for HTML.
func quoteJSON(s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil { // a string can always be encoded
		return []byte(strconv.Quote(s))
	}
	return bytes.TrimRight(buf.Bytes(), "\n")
}

// skipString returns the index after the string that begins at i, in valid JSON.
func skipString(b []byte, i int) int {
	for i++; b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// indented returns how deeply valid JSON is nested and roughly how many bytes it has when
// indented.
func indented(data []byte) (deepest, size int) {
	now := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = skipString(data, i) - 1
		case '{', '[':
			now++
			deepest = max(deepest, now)
			size += 2 * now
		case '}', ']':
			size += 2 * now
			now--
		case ',':
			size += 2 * now
		}
	}
	return deepest, size + len(data)
}

// parseDocument reads what formatDocument wrote, even if a person has edited it.
func parseDocument(b []byte) (localpass.Document, error) {
	doc, data, err := parseHead(b, false)
	if err != nil {
		return localpass.Document{}, err
	}
	doc.Data, err = contract.Compact(data)
	if err != nil {
		return localpass.Document{}, err
	}
	return doc, nil
}

// errHead ends parseHead as soon as the head is known.
var errHead = errors.New("the head is read")

// parseHead reads the members of an envelope. With headOnly it stops as soon as
// key, version and updated are known; b may then be the beginning of a file.
func parseHead(b []byte, headOnly bool) (doc localpass.Document, data []byte, err error) {
	if !headOnly && !utf8.Valid(b) {
		return doc, nil, errors.New("it is not valid UTF-8")
	}
	seen := 0
	err = members(b, func(name, value []byte) (err error) {
		var bit int
		switch string(name) {
		case "key":
			bit = 1
			if json.Unmarshal(value, &doc.Key) != nil || doc.Key == "" || len(doc.Key) > localpass.MaxKey {
				return fmt.Errorf("its key is not a string of 1 to %d bytes", localpass.MaxKey)
			}
		case "version":
			bit = 2
			doc.Version, err = strconv.ParseInt(string(value), 10, 64)
			if err != nil || doc.Version <= 0 || doc.Version >= maxVersion {
				return errors.New("its version is not a positive number of sensible size")
			}
		case "updated":
			bit = 4
			var updated string
			if json.Unmarshal(value, &updated) != nil {
				return errors.New("its time is not a string")
			}
			doc.Updated, err = time.Parse(time.RFC3339Nano, updated)
			if doc.Updated = doc.Updated.UTC(); err != nil || doc.Updated.Year() < 0 || doc.Updated.Year() > 9999 { // JSON cannot express such a time
				return fmt.Errorf("its time is %s", shown(updated))
			}
		case "data":
			bit = 8
			data = value
		} // a later version of this package, or a person, may have added others
		if seen&bit != 0 {
			return fmt.Errorf("it has two members %s", shown(string(name)))
		}
		if seen |= bit; headOnly && seen&7 == 7 {
			return errHead
		}
		return nil
	})
	switch {
	case errors.Is(err, errHead):
		return doc, nil, nil
	case err != nil:
		return doc, nil, err
	case seen != 15:
		return doc, nil, errors.New(`it lacks one of "key", "version", "updated" and "data"`)
	}
	return doc, data, nil
}

// shown formats a part of a damaged file for an error message.
func shown(text string) string {
	const most = 80
	if len(text) > most {
		return strconv.Quote(text[:most]) + "…"
	}
	return strconv.Quote(text)
}

// headSize is enough for everything before the data of a document, even with the longest
// key fully escaped.
const headSize = 8 << 10

// readHead reads the key and version of a document without reading all of it.
func readHead(path string) (localpass.Document, error) {
	f, err := openFile(path)
	if err != nil {
		return localpass.Document{}, err
	}
	defer f.Close()
	b := make([]byte, headSize)
	n, err := io.ReadFull(f, b)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return localpass.Document{}, err
	}
	doc, _, err := parseHead(b[:n], true)
	if err == nil {
		return doc, nil
	}
	if n < len(b) {
		return localpass.Document{}, corrupt(path, err)
	}
	// A person has reordered the members.
	b, err = readFile(path, maxDocument)
	if err != nil {
		return localpass.Document{}, err
	}
	if doc, _, err = parseHead(b, true); err != nil {
		return localpass.Document{}, corrupt(path, err)
	}
	return doc, nil
}

// ErrCorrupt reports a damaged file. The message names the file and says whether it was
// set aside.
var ErrCorrupt = errors.New("localpass: damaged file")

func corrupt(path string, why error) error {
	return fmt.Errorf("%w: %s: %w", ErrCorrupt, path, why)
}
