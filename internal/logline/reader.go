package logline

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"time"
)

// Entry is one good line, as a reader gives it out.
type Entry struct {
	Time time.Time
	Data []byte // a copy
	Line int    // counts from 1
	End  int64  // the offset behind it
}

// Fault is something that a reader has left out.
type Fault struct {
	Line   int   // the first line that is left out, or the one behind the gap
	Offset int64 // where it begins
	Size   int64 // how much is left out; 0 for lines that are not there
	Why    error
	// Cut says that it is the end of the file: what a crash in the middle of a
	// write leaves there.
	Cut bool
	// Gone says that lines are not there that belong to others.
	Gone bool
}

// Reader reads the lines of a file and distinguishes a truncated tail, which a
// crash leaves, from damage in the middle. Lines that belong together are given
// out when the last of them is read: of those that a crash has cut off, none.
type Reader struct {
	r      *bufio.Reader
	most   int64 // the longest line that is read
	notice func(Fault)
	offset int64 // of the next line
	line   int   // number of the line that was read last
	long   []byte
	queue  []Entry
	head   int   // what of the queue was given out
	ready  int   // how many entries from head on belong to a whole group
	more   int   // how many lines must follow to make the rest whole
	first  Entry // where the rest begins: Line, and End as the offset
	damage *Fault
}

// NewReader reads from r, whose first byte is that of a line, at this offset in
// its file. Lines longer than most bytes are damage. notice receives each
// fault and may be nil.
func NewReader(r io.Reader, offset, most int64, notice func(Fault)) *Reader {
	if notice == nil {
		notice = func(Fault) {}
	}
	return &Reader{r: bufio.NewReaderSize(r, 32<<10), offset: offset, most: most, notice: notice}
}

// Next is the next entry, or io.EOF.
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
	// A good line: what is bad before it is no tail.
	waiting := len(r.queue) - r.head
	missing := waiting > 0 && content.More != r.more-1
	switch {
	case r.damage != nil:
		r.notice(*r.damage)
	case missing:
		r.notice(Fault{Line: r.line, Offset: begin, Why: errors.New("lines are missing"), Gone: true})
	}
	if r.damage != nil || missing {
		r.ready, waiting = waiting, 0 // what is left of the group before
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

// end is the end of the file. Entries that wait for others of their group are a
// tail that was cut off, together with what is bad behind them.
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

// readLine reads up to a line break, which it leaves out. size counts all bytes;
// whole is false for a line that has no end or is too long. The line is good
// until the next call.
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
