package worker

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A frame has 4 bytes of length, 1 byte of kind, 8 bytes of request id, and a payload.
// The length counts everything after itself; numbers are big-endian.
const (
	frameHead   = 4 + 1 + 8
	keepBuffer  = 64 << 10 // larger buffers are dropped after use
	readBuffer  = 16 << 10
	kindHello   = 1 // worker to parent: ready
	kindInit    = 2 // parent to worker: limits and the caller's setup
	KindUser    = 16
	maxInitSize = 64 << 10
)

// ErrFrame reports bytes that are no frame, or a frame that is too long. Nothing more can
// be read from this connection.
var ErrFrame = errors.New("worker: not a valid frame")

// Frame is one message. Kinds below [KindUser] belong to this package.
type Frame struct {
	Kind    byte
	ID      uint64
	Payload []byte
}

// Conn sends and receives frames. One goroutine may send while another
// receives.
type Conn struct {
	r   *bufio.Reader
	w   io.Writer
	max int
	in  []byte
	out []byte
}

// NewConn returns a connection over a pair of byte streams. Payloads longer
// than max are neither sent nor received.
func NewConn(r io.Reader, w io.Writer, max int) *Conn {
	return &Conn{r: bufio.NewReaderSize(r, readBuffer), w: w, max: max}
}

// Send writes one frame with one call of Write. payload is copied.
func (c *Conn) Send(kind byte, id uint64, payload []byte) error {
	if len(payload) > c.max {
		return fmt.Errorf("worker: a frame of %d bytes is over the limit of %d: %w", len(payload), c.max, ErrFrame)
	}
	out := binary.BigEndian.AppendUint32(c.out[:0], uint32(frameHead-4+len(payload)))
	out = append(out, kind)
	out = binary.BigEndian.AppendUint64(out, id)
	out = append(out, payload...)
	if cap(out) <= keepBuffer {
		c.out = out
	}
	if _, err := c.w.Write(out); err != nil {
		return fmt.Errorf("worker: send: %w", err)
	}
	return nil
}

// Receive reads one frame. Its payload is valid until the next call. An error matches
// io.EOF when the other side closed between two frames, and ErrFrame when it sent an
// invalid frame.
func (c *Conn) Receive() (Frame, error) {
	var head [frameHead]byte
	if _, err := io.ReadFull(c.r, head[:]); err != nil {
		if err == io.ErrUnexpectedEOF {
			err = ErrFrame
		}
		return Frame{}, fmt.Errorf("worker: receive: %w", err)
	}
	size := int64(binary.BigEndian.Uint32(head[:4])) - (frameHead - 4)
	if size < 0 || size > int64(c.max) {
		return Frame{}, fmt.Errorf("worker: receive: a frame of %d bytes: %w", size, ErrFrame)
	}
	f := Frame{Kind: head[4], ID: binary.BigEndian.Uint64(head[5:])}
	var err error
	if f.Payload, err = c.payload(int(size)); err != nil {
		return Frame{}, fmt.Errorf("worker: receive: %w", err)
	}
	return f, nil
}

// payload reads size bytes. It allocates memory as the bytes arrive, and does not trust
// the length.
func (c *Conn) payload(size int) ([]byte, error) {
	buf := c.in[:0]
	for len(buf) < size {
		step := min(size-len(buf), keepBuffer)
		if cap(buf)-len(buf) < step {
			buf = append(make([]byte, 0, max(2*cap(buf), len(buf)+step)), buf...)
		}
		n := len(buf)
		buf = buf[:n+step]
		if _, err := io.ReadFull(c.r, buf[n:]); err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
				err = ErrFrame
			}
			return nil, err
		}
	}
	if cap(buf) <= keepBuffer {
		c.in = buf
	}
	return buf, nil
}
