package file

import (
	"io"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/logline"
)

// What the tests of this package reach beside its exported names.
var (
	EncodeName     = encodeName
	DecodeName     = decodeName
	FileKey        = fileKey
	FormatDocument = formatDocument
	ParseDocument  = parseDocument
	SegmentName    = segmentName
	IsSegment      = isSegment
)

const MaxRecord = maxRecord

// OpenWithSteps is Open with a function that is called before each system call
// that changes something; an error of it takes the place of the call.
func OpenWithSteps(dir string, opts *Options, step func(call, path string) error) (*Store, error) {
	return open(dir, opts, step)
}

// ReadSegment reads a whole segment, whose longest line may have most bytes, and
// tells how many warnings it gave.
func ReadSegment(r io.Reader, most int64) (records []localpass.Record, warnings int, err error) {
	lines := logline.NewReader(r, 0, most, func(f logline.Fault) {
		if !f.Cut {
			warnings++
		}
	})
	for {
		entry, err := lines.Next()
		if err == io.EOF {
			return records, warnings, nil
		}
		if err != nil {
			return records, warnings, err
		}
		records = append(records, record("s", entry))
	}
}

// ParseJournal tells how many operations a journal holds.
func ParseJournal(b []byte) (int, error) {
	j, err := parseJournal(b)
	if err != nil {
		return 0, err
	}
	return len(j.ops), nil
}

// Waiting tells how many calls of Append wait for the next write of a log.
func Waiting(s *Store, log string) int {
	a := s.appender(log)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.next == nil {
		return 0
	}
	return len(a.next.entries)
}
