package client

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// serverEvent is one event of an event stream (Server-Sent Events).
type serverEvent struct {
	name  string // empty means "message"
	data  []byte // nil if the event has none
	id    string
	hasID bool
	retry time.Duration // 0 if the event sets none
}

// eventReader reads the events of a stream according to the HTML standard: lines end with
// CR, LF or both, a byte order mark at the beginning is skipped, and an event that is cut
// off by the end of the stream does not count.
type eventReader struct {
	r     *bufio.Reader
	limit int64 // for one event, in bytes
	begun bool
	cr    bool // the last line ended with CR: a following LF belongs to it
}

func newEventReader(r io.Reader, limit int64) *eventReader {
	return &eventReader{r: bufio.NewReaderSize(r, 4<<10), limit: limit}
}

// next returns the next event that has data, an id or a retry time.
func (e *eventReader) next() (ev serverEvent, err error) {
	var size int64
	var some bool
	for {
		line, err := e.line(e.limit - size)
		if err != nil {
			return serverEvent{}, err
		}
		size += int64(len(line)) + 1
		if len(line) == 0 {
			if some {
				return ev, nil
			}
			ev, size = serverEvent{}, 0 // an event with none of these is ignored
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "": // a comment, used as a keep-alive
			size -= int64(len(line)) + 1
		case "data":
			if ev.data != nil {
				ev.data = append(ev.data, '\n')
			} else {
				ev.data = make([]byte, 0, len(value))
			}
			ev.data = append(ev.data, value...)
			some = true
		case "event":
			ev.name = string(value)
		case "id":
			if bytes.IndexByte(value, 0) < 0 {
				ev.id, ev.hasID, some = string(value), true, true
			}
		case "retry":
			if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
				ev.retry, some = time.Duration(ms)*time.Millisecond, true
			}
		}
	}
}

// line returns the next line without its end. It is valid until the next call.
func (e *eventReader) line(limit int64) ([]byte, error) {
	if !e.begun {
		e.begun = true
		if first, err := e.r.Peek(1); err == nil && first[0] == 0xEF { // not more than needed, since the rest may arrive later
			if mark, err := e.r.Peek(3); err == nil && string(mark) == "\uFEFF" {
				_, _ = e.r.Discard(3)
			}
		}
	}
	var whole []byte // a line longer than the buffer
	for {
		if e.r.Buffered() == 0 {
			if _, err := e.r.Peek(1); err != nil {
				return nil, err // an unfinished line does not count
			}
		}
		have, _ := e.r.Peek(e.r.Buffered())
		if e.cr {
			e.cr = false
			if have[0] == '\n' {
				_, _ = e.r.Discard(1)
				continue
			}
		}
		i := bytes.IndexAny(have, "\r\n")
		part := have
		if i >= 0 {
			part = have[:i]
		}
		if int64(len(whole)+len(part)) > limit {
			return nil, fmt.Errorf("%w: an event of more than %d bytes", ErrTooLarge, e.limit)
		}
		if i < 0 {
			whole = append(whole, part...)
			_, _ = e.r.Discard(len(have))
			continue
		}
		e.cr = have[i] == '\r'
		if whole != nil {
			whole = append(whole, part...)
			_, _ = e.r.Discard(i + 1)
			return whole, nil
		}
		// Discard leaves the bytes in place until the next read.
		_, _ = e.r.Discard(i + 1)
		return part, nil
	}
}

// errStreamBroke reports that an event stream ended before the answer.
var errStreamBroke = errors.New("the event stream ended before the answer")
