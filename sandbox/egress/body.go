package egress

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// body is the body of a response. It counts decompressed bytes as they are read, and
// fails at the limit.
type body struct {
	io.ReadCloser
	call   *Call
	ctx    context.Context // context of the request, for its errors
	parent context.Context
	cancel context.CancelFunc
	req    *http.Request
	left   int64 // bytes left for this response
	err    error // error that every further Read returns
}

func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	if int64(len(p)) > b.left+1 { // reading one byte more than allowed distinguishes the end from the limit
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if int64(n) > b.left {
		n = int(b.left)
		return n, b.fail(denied(ReasonBodyTooLarge, fmt.Sprintf("the response has more than %d bytes", b.call.limits.Body)))
	}
	b.left -= int64(n)
	if over := b.call.spend(int64(n)); over != nil {
		return 0, b.fail(over)
	}
	switch {
	case err == io.EOF:
		b.err = io.EOF
		b.release()
		return n, io.EOF
	case err != nil:
		return n, b.fail(b.call.failure(b.parent, b.ctx, b.req, err))
	}
	return n, nil
}

// fail ends the body and cancels its request.
func (b *body) fail(err *Error) error {
	b.err = b.call.refused(b.parent, err)
	b.release()
	b.ReadCloser.Close()
	return b.err
}

func (b *body) Close() error {
	err := b.ReadCloser.Close()
	b.release()
	return err
}

func (b *body) release() {
	b.cancel()
	if b.call.guard.closed.Load() {
		b.call.guard.transport.CloseIdleConnections()
	}
}

// sending is the body of a request. It fails if it is longer than the limit.
type sending struct {
	io.ReadCloser
	left int64
}

func (s *sending) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	if s.left -= int64(n); s.left < 0 {
		return 0, tooMuchToSend()
	}
	return n, err
}

func tooMuchToSend() *Error {
	return exhausted(ReasonRequestBody, "the body of the request is too large")
}
