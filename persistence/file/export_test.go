package file

import (
	"io"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/logline"
)

// Unexported names that the tests use.
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

// OpenWithSteps is Open with a function that is called before each system call that
// changes something. If it returns an error, the call fails with it.
func OpenWithSteps(dir string, opts *Options, step func(call, path string) error) (*Store, error) {
	return open(dir, opts, step)
}

// ReadSegment reads a whole segment with lines of at most the given length, and returns
// its records and the number of warnings.
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

// ParseJournal returns the number of operations in a journal.
func ParseJournal(b []byte) (int, error) {
	j, err := parseJournal(b)
	if err != nil {
		return 0, err
	}
	return len(j.ops), nil
}

// Waiting returns how many calls of Append wait for the next write of a log.
func Waiting(s *Store, log string) int {
	a := s.appender(log)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.next == nil {
		return 0
	}
	return len(a.next.entries)
}
