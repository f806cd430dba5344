package file

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/persistence/internal/contract"
)

// maxIndented is the depth up to which data is written with indentation. Deeper
// data stays on one line, since indenting costs the square of the depth.
const maxIndented = 64

// formatDocument writes a document as its file shows it. The data must be valid.
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
	if depth(doc.Data) > maxIndented || json.Indent(&buf, doc.Data, "  ", "  ") != nil {
		buf.Write(doc.Data)
	}
	buf.WriteString("\n}\n")
	return buf.Bytes()
}

// quoteJSON writes s as a JSON string without the escapes that are meant for
// HTML.
func quoteJSON(s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil { // a string always encodes
		return []byte(strconv.Quote(s))
	}
	return bytes.TrimRight(buf.Bytes(), "\n")
}

// depth is how deep valid JSON is nested.
func depth(data []byte) int {
	deepest, now := 0, 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = skipString(data, i) - 1
		case '{', '[':
			now++
			deepest = max(deepest, now)
		case '}', ']':
			now--
		}
	}
	return deepest
}

// parseDocument reads what formatDocument wrote, or what somebody made of it.
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

// parseHead reads the members of an envelope. With headOnly it stops as soon as
// key, version and updated are known; b may then be the beginning of a file.
func parseHead(b []byte, headOnly bool) (doc localpass.Document, data []byte, err error) {
	if !headOnly && !utf8.Valid(b) {
		return doc, nil, errors.New("it is not valid UTF-8")
	}
	seen := 0
	r := objectReader{b: b}
	for name, ok := r.next(); ok; name, ok = r.next() {
		var bit int
		switch string(name) {
		case "key":
			bit = 1
			if json.Unmarshal(r.value(), &doc.Key) != nil || doc.Key == "" {
				return doc, nil, errors.New("its key is not a string")
			}
		case "version":
			bit = 2
			doc.Version, err = strconv.ParseInt(string(r.value()), 10, 64)
			if err != nil || doc.Version <= 0 || doc.Version >= maxVersion {
				return doc, nil, errors.New("its version is not a positive number of sensible size")
			}
		case "updated":
			bit = 4
			var updated string
			if json.Unmarshal(r.value(), &updated) != nil {
				return doc, nil, errors.New("its time is not a string")
			}
			if doc.Updated, err = time.Parse(time.RFC3339Nano, updated); err != nil {
				return doc, nil, fmt.Errorf("its time is %q", updated)
			}
			doc.Updated = doc.Updated.UTC()
		case "data":
			bit = 8
			data = r.value()
		default:
			// Of a later version of this package, or of somebody's own.
			if value := r.value(); !headOnly && r.err == nil && (!json.Valid(value) || !json.Valid(fmt.Appendf(nil, `"%s"`, name))) {
				return doc, nil, fmt.Errorf("its member %q is not JSON", name)
			}
		}
		if seen&bit != 0 {
			return doc, nil, fmt.Errorf("it has two members %q", name)
		}
		if seen |= bit; headOnly && seen&7 == 7 && r.err == nil {
			return doc, nil, nil
		}
	}
	if r.err != nil {
		return doc, nil, r.err
	}
	if seen != 15 {
		return doc, nil, errors.New(`it lacks one of "key", "version", "updated" and "data"`)
	}
	return doc, data, nil
}

// headSize holds everything before the data of a document, the longest key in
// escapes included.
const headSize = 8 << 10

// readHead reads key and version of a document without reading all of it.
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
	// Somebody has moved the members around.
	b, err = readFile(path)
	if err != nil {
		return localpass.Document{}, err
	}
	if doc, _, err = parseHead(b, true); err != nil {
		return localpass.Document{}, corrupt(path, err)
	}
	return doc, nil
}

// ErrCorrupt reports a file that is not what it should be. The message names
// the file and tells whether it was set aside.
var ErrCorrupt = errors.New("localpass: damaged file")

func corrupt(path string, why error) error {
	return fmt.Errorf("%w: %s: %w", ErrCorrupt, path, why)
}

// readFile is os.ReadFile that bears with files that are just being replaced.
func readFile(path string) ([]byte, error) {
	var b []byte
	err := patiently(func() (err error) {
		b, err = os.ReadFile(path)
		return err
	})
	return b, err
}

// openFile is os.Open that bears with files that are just being replaced.
func openFile(path string) (*os.File, error) {
	var f *os.File
	err := patiently(func() (err error) {
		f, err = os.Open(path)
		return err
	})
	return f, err
}
