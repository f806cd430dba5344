package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/logline"
)

// VerifyFiles verifies copied audit logs: it needs no store, no key and nothing from the
// programs that wrote them. A path names a file, or a folder with such files: a folder
// whose name ends in .log, or a home. nil options accept only complete logs.
//
// An error says that something could not be read; the report lists what is wrong with the
// log. The package comment says what this proves.
func VerifyFiles(ctx context.Context, paths []string, opts *VerifyOptions) (*Report, error) {
	sources, err := fileSources(paths)
	if err != nil {
		return nil, err
	}
	return verify(ctx, sources, opts, nil)
}

// Entry is one entry of an audit log: a call, or an approval request or decision about a
// call. One of the two fields is set.
type Entry struct {
	Call     *Record
	Approval *approval.AuditRecord
}

// FileEntries yields the entries of such files, segment by segment. It leaves out what it
// cannot read: verify the files to find such places. Iteration stops at the first error,
// which is yielded with a zero entry.
func FileEntries(ctx context.Context, paths []string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		sources, err := fileSources(paths)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		for _, s := range sources {
			for line, err := range s.lines(ctx) {
				if err != nil {
					yield(Entry{}, err)
					return
				}
				if line.data == nil {
					continue
				}
				if e, ok := readEntry(line.data); ok && !yield(e, nil) {
					return
				}
			}
		}
	}
}

func readEntry(data []byte) (Entry, bool) {
	if r, ok, err := readCall(data); ok && err == nil {
		return Entry{Call: &r}, true
	}
	if meta, _, why := readMeta(data); why == "" && meta.Approval != nil {
		var r approval.AuditRecord
		return Entry{Approval: &r}, json.Unmarshal(meta.Approval, &r) == nil
	}
	return Entry{}, false
}

const (
	segmentSuffix = ".log"
	// maxLine is far more than a record needs.
	maxLine = 16 << 20
)

// homeAudit returns the directory in which persistence/file stores the audit log of a
// home.
func homeAudit(home string) string { return filepath.Join(home, "_logs", logName) }

// fileSources finds the files that the paths name, in the order in which they were
// started.
func fileSources(paths []string) ([]logSource, error) {
	if len(paths) == 0 {
		return nil, errors.New("audit: name at least one file or folder with an audit log")
	}
	var files []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("audit: the audit log cannot be read: %w", err)
		}
		if !info.IsDir() {
			files = append(files, path)
			continue
		}
		found, err := segmentsIn(path)
		if err == nil && len(found) == 0 {
			found, err = segmentsIn(homeAudit(path))
		}
		if err != nil {
			return nil, fmt.Errorf("audit: the audit log cannot be read: %w", err)
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("audit: there is no audit log in %s: the first call begins one; otherwise name a home, a folder with files that end in %s, or such files", path, segmentSuffix)
		}
		files = append(files, found...)
	}
	slices.SortFunc(files, func(a, b string) int {
		return cmp.Or(strings.Compare(filepath.Base(a), filepath.Base(b)), strings.Compare(a, b))
	})
	files = slices.CompactFunc(files, func(a, b string) bool { return filepath.Clean(a) == filepath.Clean(b) })
	sources := make([]logSource, len(files))
	for i, file := range files {
		sources[i] = logSource{name: file, lines: func(ctx context.Context) iter.Seq2[sourceLine, error] { return fileLines(ctx, file) },
			bare: func(context.Context) (int64, bool, error) { return 0, false, nil }}
	}
	return sources, nil
}

func segmentsIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var files []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), segmentSuffix) && !e.IsDir() {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files, err
}

// fileLines yields the lines of a file, and reports errors at their position.
func fileLines(ctx context.Context, path string) iter.Seq2[sourceLine, error] {
	return func(yield func(sourceLine, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(sourceLine{}, fmt.Errorf("audit: the audit log cannot be read: %w", err))
			return
		}
		defer f.Close()
		readLines(ctx, f, path, yield)
	}
}

func readLines(ctx context.Context, r io.Reader, path string, yield func(sourceLine, error) bool) {
	var faults []logline.Fault
	lines := logline.NewReader(r, 0, maxLine, func(f logline.Fault) { faults = append(faults, f) })
	for {
		if err := ctx.Err(); err != nil {
			yield(sourceLine{}, fmt.Errorf("audit: reading %s: %w", path, err))
			return
		}
		entry, err := lines.Next()
		for _, f := range faults {
			if !yield(sourceLine{number: f.Line, fault: &f}, nil) {
				return
			}
		}
		faults = faults[:0]
		switch {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			yield(sourceLine{}, fmt.Errorf("audit: the audit log cannot be read: %w", err))
			return
		}
		if !yield(sourceLine{number: entry.Line, data: entry.Data}, nil) {
			return
		}
	}
}
