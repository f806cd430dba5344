package rag

import (
	"context"
	"maps"
	"sort"
)

// File is a file whose text is wanted.
type File struct {
	// Name is the name of the file. The content decides about the format; the name only
	// where the content allows several, such as Markdown and plain text.
	Name string
	Data []byte
	// Password opens an encrypted file. Optional.
	Password string
}

// Reader extracts the text of files. Obligations of an implementation:
//
//   - It is safe for concurrent use, returns soon after ctx ends, and does not change
//     File.Data.
//   - It bounds what a file can cost, whatever is in it. Its errors match
//     [ErrUnsupportedFormat], [ErrCorrupt], [ErrEncrypted], [ErrNoText],
//     [ErrPoorExtraction] or [ErrBudget].
//   - A file is read as a whole or not at all, unless an option of the reader says
//     otherwise.
type Reader interface {
	Read(ctx context.Context, file File) (*Extract, error)
}

// Extract is the text of a file.
type Extract struct {
	// Format is the media type of the file, such as "application/pdf".
	Format string
	// Text is valid UTF-8 with \n as its line break, and without other control
	// characters than tabs.
	Text string
	// Markdown says that Text is Markdown, whose structure a splitter can follow.
	Markdown bool
	// Metadata are the facts about the whole file, in the types that [CloneMetadata]
	// keeps: its title, author or language, where the file has them.
	Metadata map[string]any
	// Parts are the places in Text, such as its pages, ordered by Start. Two parts overlap
	// only if their keys differ: a row is in a sheet.
	Parts []Part
	// Warnings are remarks for a person: what was left out, and what may be wrong.
	Warnings []string
}

// Part is a place in a file: the text from Start to End is on page 3, or in row 7.
type Part struct {
	Start, End int    // in bytes of Extract.Text
	Key        string // such as KeyPage
	Value      any    // a string, or an int64 that counts from 1
}

// Keys of parts.
const (
	KeyPage       = "page_number"
	KeySlide      = "slide"
	KeySheet      = "sheet"      // the name of a sheet
	KeyRow        = "row"        // of a sheet or a CSV file, with the header as row 1
	KeyLine       = "line"       // of a file with a record per line
	KeyPointer    = "pointer"    // the JSON pointer of a record
	KeySection    = "section"    // the number of a file in a book
	KeyAttachment = "attachment" // the name of a file in an e-mail
)

// Keys of the metadata of files. [KeyTitle] is one too.
const (
	KeyFormat      = "format" // see Extract.Format
	KeyAuthor      = "author"
	KeyDescription = "description"
	KeyLanguage    = "language"
	KeyCreated     = "created" // as the file writes it
	KeyCharset     = "charset" // of a text that is not in UTF-8
	KeyPages       = "pages"   // how many pages, slides or sheets the file has
)

// Document returns the text of a file as a document with its metadata, to be split by
// [SplitDocument] with the parts:
//
//	rag.SplitDocument(ctx, s, extract.Document(id), &rag.SplitOptions{Parts: extract.Parts})
func (e *Extract) Document(id string) Document {
	metadata := make(map[string]any, len(e.Metadata)+1)
	maps.Copy(metadata, e.Metadata)
	metadata[KeyFormat] = e.Format
	return Document{ID: id, Text: e.Text, Metadata: metadata}
}

// byKey divides parts by their key.
func byKey(parts []Part) map[string][]Part {
	keys := map[string][]Part{}
	for _, p := range parts {
		keys[p.Key] = append(keys[p.Key], p)
	}
	return keys
}

// addPlaces adds to the metadata of a chunk where it is in the file: for each key the
// value of the first part that the chunk touches, and as "end_" and the key that of the
// last one, if it is another number.
func addPlaces(metadata map[string]any, keys map[string][]Part, c Chunk) {
	for key, parts := range keys {
		first := sort.Search(len(parts), func(i int) bool { return parts[i].End > c.Start })
		last := sort.Search(len(parts), func(i int) bool { return parts[i].Start >= c.End }) - 1
		if first > last {
			continue
		}
		metadata[key] = parts[first].Value
		if end, number := parts[last].Value.(int64); number && end != parts[first].Value {
			metadata["end_"+key] = end
		}
	}
}
