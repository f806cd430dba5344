package client

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec/secret"
)

// Conn carries whole messages between this side and one server, in both directions and in
// order. A custom transport has to implement it.
//
//   - Read returns the next message, in a slice that the caller then owns, and io.EOF
//     when the server has ended normally. It is called from one goroutine.
//   - Write sends one message. It is called from one goroutine, and does not
//     keep the slice.
//   - Close makes running and later calls of both return, and waits for the connection's
//     background work. It is called once.
//
// If a message exceeds the limit of a Conn, Read fails with [ErrTooLarge].
type Conn interface {
	Read() ([]byte, error)
	Write(message []byte) error
	Close() error
}

// ConnectOptions are the options of [Connect].
type ConnectOptions struct {
	// Redactor masks the secrets of the connection in errors. Optional.
	Redactor *secret.Redactor
	// Legacy says that the connection cannot carry 2026-07-28.
	Legacy bool
	// Remember belongs to the transport, which passes the same value for each session.
	// nil: each session probes again.
	Remember *Remembered
}

// Connect negotiates a protocol version over conn and returns the session. The session
// owns conn: it is closed when Connect fails and when the session ends. ctx and dial are
// the arguments of a [Transport]'s Dial.
func Connect(ctx context.Context, conn Conn, e Endpoint, dial *DialOptions, opts *ConnectOptions) (Session, error) {
	if opts == nil {
		opts = &ConnectOptions{}
	}
	s, err := connectDuplex(ctx, conn, e, dial.withDefaults(), opts.Redactor, cmp.Or(opts.Remember, &Remembered{}), !opts.Legacy)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// connectDuplex opens a session on top of a Conn.
func connectDuplex(ctx context.Context, conn Conn, e Endpoint, opts *DialOptions, mask *secret.Redactor, remember *Remembered, modern bool) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, opts.Timeout)
	defer cancel()
	s := newSession(e, opts, mask, remember)
	d := &duplex{s: s, conn: conn, queue: make(chan *outgoing, writeQueue), wrote: make(chan struct{})}
	s.link = d
	d.loops.Go(d.read)
	d.loops.Go(d.write)
	if err := s.negotiate(ctx, modern); err != nil {
		if c, ok := conn.(*child); ok {
			c.hurry.Store(true)
		}
		_ = s.Close()
		return nil, err
	}
	return s, nil
}

const (
	// writeQueue is how many messages may wait to be written.
	writeQueue = 64
	// writeStall is how long a server may stop reading before it is given up.
	writeStall = 30 * time.Second
)

// duplex is the link over a Conn: one goroutine reads and one writes.
type duplex struct {
	s     *session
	conn  Conn
	queue chan *outgoing
	wrote chan struct{} // closed when no more is written
	loops sync.WaitGroup
}

// outgoing is a message that is to be sent. A sender that gives it up before it is taken
// can be sure that it was not sent.
type outgoing struct {
	frame []byte
	state atomic.Uint32 // 0 waiting, 1 taken, 2 given up
	alone bool          // no caller waits for it: it is sent even while the session closes
}

func (o *outgoing) claim() bool  { return o.state.CompareAndSwap(0, 1) }
func (o *outgoing) giveUp() bool { return o.state.CompareAndSwap(0, 2) }

func (d *duplex) read() {
	for {
		data, err := d.conn.Read()
		if err == nil && int64(len(data)) > d.s.opts.MaxMessage {
			err = fmt.Errorf("%w: the server sent %d bytes, and the limit is %d", ErrTooLarge, len(data), d.s.opts.MaxMessage)
		}
		if err == nil {
			err = d.s.readMessage(data, nil)
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = errors.New("the server ended the connection")
			}
			d.s.lose(err)
			return
		}
	}
}

func (d *duplex) write() {
	defer close(d.wrote)
	for {
		select {
		case o := <-d.queue:
			if !o.claim() {
				continue
			}
			stall := time.AfterFunc(writeStall, func() {
				d.s.lose(fmt.Errorf("the server took no message for %v", writeStall))
			})
			err := d.conn.Write(o.frame)
			stall.Stop()
			if err != nil {
				d.s.lose(err)
				return
			}
		case <-d.s.done:
			if errors.Is(d.s.Err(), ErrSessionClosed) {
				d.farewell()
			}
			return
		}
	}
}

// farewell cancels the requests in progress, so that a server that finishes its work
// before it exits has none left.
func (d *duplex) farewell() {
	for waiting := true; waiting; {
		select {
		case o := <-d.queue:
			if o.alone && d.conn.Write(o.frame) != nil {
				return
			}
		default:
			waiting = false
		}
	}
	d.s.mu.Lock()
	cut := d.s.cut
	d.s.mu.Unlock()
	for _, id := range cut {
		frame := cancelledFrame(id, d.s.modern, d.s.meta)
		d.s.sends(rpc.MethodCancelled, 0, frame, nil)
		if d.conn.Write(frame) != nil {
			return
		}
	}
}

// enqueue queues a message that no caller waits for, and reports whether there was room.
func (d *duplex) enqueue(frame []byte) bool {
	select {
	case d.queue <- &outgoing{frame: frame, alone: true}:
		return true
	default:
		return false
	}
}

// send queues a message and returns it, so that it can be given up.
func (d *duplex) send(ctx context.Context, frame []byte) (*outgoing, error) {
	o := &outgoing{frame: frame}
	select {
	case <-d.s.done:
		return nil, d.s.Err()
	default:
	}
	select {
	case d.queue <- o:
		return o, nil
	case <-d.s.done:
		return nil, d.s.Err()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (d *duplex) request(ctx context.Context, rq *request) (*rpc.Message, error) {
	o, err := d.send(ctx, rq.frame)
	if err != nil {
		return nil, err
	}
	rq.sent.Store(true)
	select {
	case m := <-rq.wait.answer:
		return m, nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-d.s.done:
		err = d.s.Err()
	}
	select {
	case m := <-rq.wait.answer: // the answer came first
		return m, nil
	default:
	}
	rq.sent.Store(!o.giveUp())
	return nil, err
}

func (d *duplex) post(ctx context.Context, _ string, frame []byte) error {
	_, err := d.send(ctx, frame)
	return err
}

// listen does nothing: notifications of the server arrive anyway.
func (d *duplex) listen(ctx context.Context, ready func()) error {
	ready()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-d.s.done:
		return d.s.Err()
	}
}

func (d *duplex) agreed(string) {}

func (d *duplex) label() string { return "" }

// detail returns what the server wrote outside of the protocol.
func (d *duplex) detail() string {
	if c, ok := d.conn.(interface{ detail() string }); ok {
		return c.detail()
	}
	return ""
}

func (d *duplex) close(bool) {
	parting := time.NewTimer(200 * time.Millisecond)
	defer parting.Stop()
	select {
	case <-d.wrote:
	case <-parting.C: // the server does not read
	}
	_ = d.conn.Close() // the error cannot be reported
	d.loops.Wait()
}

// lineReader reads lines from a stream, each into a new slice.
type lineReader struct {
	r     *bufio.Reader
	limit int64
}

func newLineReader(r io.Reader, limit int64) *lineReader {
	return &lineReader{bufio.NewReaderSize(r, 16<<10), limit}
}

// next returns the next non-blank line without its line break. Trailing data without a
// line break was cut off by a crash and does not count as a line.
func (l *lineReader) next() ([]byte, error) {
	for {
		var line []byte
		for {
			part, err := l.r.ReadSlice('\n')
			if int64(len(line)+len(part)) > l.limit+1 {
				return nil, fmt.Errorf("%w: a line of more than %d bytes", ErrTooLarge, l.limit)
			}
			line = append(line, part...)
			if err == nil {
				break
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				return nil, err
			}
		}
		if line = bytes.TrimRight(line, "\r\n"); len(bytes.TrimSpace(line)) > 0 {
			return line, nil
		}
	}
}

// StreamConn returns a [Conn] over a byte stream such as a socket or a pair of pipes,
// with one message per line, as on stdio. Closing it closes the stream. limit bounds a
// line in bytes; 0 means 4 MiB.
func StreamConn(stream io.ReadWriteCloser, limit int64) Conn {
	return &streamConn{stream, newLineReader(stream, cmp.Or(max(limit, 0), defaultMaxMessage))}
}

type streamConn struct {
	io.ReadWriteCloser
	lines *lineReader
}

func (c *streamConn) Read() ([]byte, error) { return c.lines.next() }

func (c *streamConn) Write(message []byte) error {
	_, err := c.ReadWriteCloser.Write(append(message[:len(message):len(message)], '\n'))
	return err
}
