package logline

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"time"
)

// Entry is one good line, as a reader returns it.
type Entry struct {
	Time time.Time
	Data []byte // a copy
	Line int    // counts from 1
	End  int64  // the offset after the line
}

// Fault describes lines that a reader has left out.
type Fault struct {
	Line   int   // the first line that is left out, or the line after the gap
	Offset int64 // where the left-out part begins
	Size   int64 // how many bytes are left out; 0 for missing lines
	Why    error
	// Cut says that the left-out part is the end of the file, as a crash in the middle of
	// a write leaves it.
	Cut bool
	// Gone says that lines of a group are missing.
	Gone bool
}

// Reader reads the lines of a file and distinguishes a truncated tail, which a crash
// leaves, from damage in the middle. The lines of a group are returned only when the last
// of them has been read: of a group that a crash has cut off, none is returned.
type Reader struct {
	r      *bufio.Reader
	most   int64 // the longest line that is accepted, in bytes
	notice func(Fault)
	offset int64 // offset of the next line
	line   int   // number of the line read last
	long   []byte
	queue  []Entry
	head   int   // index of the first queue entry that was not returned yet
	ready  int   // how many entries from head on belong to complete groups
	more   int   // how many lines must follow to complete the group after these
	first  Entry // where that group begins: Line, and End as the offset
	damage *Fault
}

// NewReader returns a reader of the lines in r, which must begin at the start of a line;
// offset is the place of that line in the file. Lines longer than most bytes count as
// damaged. notice, which may be nil, receives each fault.
func NewReader(r io.Reader, offset, most int64, notice func(Fault)) *Reader {
	if notice == nil {
		notice = func(Fault) {}
	}
	return &Reader{r: bufio.NewReaderSize(r, 32<<10), offset: offset, most: most, notice: notice}
}

// Next returns the next entry, or io.EOF.
func (r *Reader) Next() (Entry, error) {
	for r.ready == 0 {
		if err := r.read(); err != nil {
			return Entry{}, err
		}
	}
	entry := r.queue[r.head]
	r.queue[r.head].Data = nil
	r.head++
	r.ready--
	if r.head == len(r.queue) {
		r.queue, r.head = r.queue[:0], 0
	}
	return entry, nil
}

// read reads one line.
func (r *Reader) read() error {
	line, size, whole, err := r.readLine()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if size == 0 {
		return r.end()
	}
	begin := r.offset
	r.offset += size
	r.line++
	content, bad := Content{}, errBadLine
	if whole {
		content, bad = Parse(line)
	}
	if bad != nil {
		if r.damage == nil {
			r.damage = &Fault{Line: r.line, Offset: begin, Why: bad}
		}
		r.damage.Size += size
		r.damage.Cut = errors.Is(err, io.EOF)
		return nil
	}
	// This line is good, so a bad part before it is no cut-off tail.
	waiting := len(r.queue) - r.head
	missing := waiting > 0 && content.More != r.more-1
	switch {
	case r.damage != nil:
		r.notice(*r.damage)
	case missing:
		r.notice(Fault{Line: r.line, Offset: begin, Why: errors.New("lines are missing"), Gone: true})
	}
	if r.damage != nil || missing {
		r.ready, waiting = waiting, 0 // the rest of the previous group
	}
	r.damage = nil
	if waiting == 0 {
		r.first = Entry{Line: r.line, End: begin}
	}
	r.queue = append(r.queue, Entry{Time: content.Time, Data: bytes.Clone(content.Data), Line: r.line, End: r.offset})
	if r.more = content.More; r.more == 0 {
		r.ready = len(r.queue) - r.head
	}
	return nil
}

// end handles the end of the file. Entries that wait for others of their group, and any
// bad part after them, are a cut-off tail.
func (r *Reader) end() error {
	if len(r.queue) > r.head {
		at := r.first.End
		if r.damage != nil && !r.damage.Cut {
			r.notice(*r.damage)
		}
		r.notice(Fault{Line: r.first.Line, Offset: at, Size: r.offset - at, Cut: true,
			Why: errors.New("its writing did not come to its end")})
	} else if r.damage != nil {
		r.notice(*r.damage)
	}
	r.queue, r.head, r.damage = nil, 0, nil
	return io.EOF
}

// readLine reads a line and returns it without its line break. size counts all bytes;
// whole is false for a line that has no end or is too long. The line is valid until the
// next call.
func (r *Reader) readLine() (line []byte, size int64, whole bool, err error) {
	part, err := r.r.ReadSlice('\n')
	size = int64(len(part))
	if err == nil {
		return part[:len(part)-1], size, size <= r.most, nil
	}
	r.long = append(r.long[:0], part...)
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = r.r.ReadSlice('\n')
		if size += int64(len(part)); size <= r.most {
			r.long = append(r.long, part...)
		}
	}
	if err == nil && size <= r.most {
		return r.long[:len(r.long)-1], size, true, nil
	}
	return nil, size, false, err
}
