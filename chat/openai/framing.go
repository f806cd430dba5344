package openai

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/localpass/localpass/chat/internal/wire"
)

// mostLine is the maximum length of one line of a stream; a whole answer in one chunk
// still fits.
const mostLine = 16 << 20

// frames converts a stream to a form that the library reads correctly: one line for each
// piece of data, and nothing else. Comments, blank lines, event names and the like are
// dropped, since the library mistakes them for parts of an error. An error is passed on
// as ordinary data, since the library drops its code and type. A last line without a line
// feed gets one, since the library would lose it.
type frames struct {
	body    io.ReadCloser
	in      *bufio.Reader
	x       *exchange
	line    []byte // the unread part of buf
	buf     []byte
	keep    []byte // the beginning of a line that did not fit into the buffer of in
	err     error
	oneJSON bool // the answer is one JSON text, since the server does not stream
}

func newFrames(resp *http.Response, x *exchange) *frames {
	f := &frames{body: resp.Body, in: bufio.NewReaderSize(resp.Body, 16<<10), x: x}
	if kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err == nil && kind == "application/json" {
		f.oneJSON = true
	}
	return f
}

// Close ends the exchange.
func (f *frames) Close() error { return f.body.Close() }

// Read returns lines, each as soon as it arrives.
func (f *frames) Read(p []byte) (int, error) {
	for len(f.line) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		if f.oneJSON {
			f.whole()
			continue
		}
		f.next()
	}
	n := copy(p, f.line)
	f.line = f.line[n:]
	return n, nil
}

// whole converts an answer that is not streamed to a stream of one chunk.
func (f *frames) whole() {
	text, err := io.ReadAll(io.LimitReader(f.in, mostLine+1))
	switch {
	case err != nil:
		f.err = err
		return
	case len(text) > mostLine:
		f.err = wire.ErrTooLong
		return
	}
	f.err = io.EOF
	text = bytes.TrimSpace(text)
	if bytes.HasPrefix(text, []byte("data:")) { // a stream with the wrong content type
		f.oneJSON, f.err = false, nil
		f.in = bufio.NewReader(bytes.NewReader(append(text, '\n')))
		return
	}
	for i, c := range text {
		if c == '\n' || c == '\r' { // between values; in strings they are escaped
			text[i] = ' '
		}
	}
	f.data(text)
}

// next reads one line, and keeps it if it is data.
func (f *frames) next() {
	line, err := f.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		f.keep = append(f.keep, line...)
		if len(f.keep) > mostLine {
			f.err = wire.ErrTooLong
		}
		return
	}
	if len(f.keep) > 0 {
		f.keep = append(f.keep, line...)
		line, f.keep = f.keep, nil
	}
	if err != nil {
		f.err = err
		if !errors.Is(err, io.EOF) {
			return // the transport cut the line off
		}
	}
	line = bytes.TrimSpace(line)
	switch {
	case bytes.HasPrefix(line, dataName):
		f.data(bytes.TrimSpace(line[len(dataName):]))
	case bytes.HasPrefix(line, errorName): // llama.cpp
		f.data(bytes.TrimSpace(line[len(errorName):]))
	case bytes.HasPrefix(line, dataError): // an error of a proxy, without event framing
		f.data(line)
	}
}

var (
	dataName  = []byte("data:")
	errorName = []byte("error:")
	doneText  = []byte("[DONE]")
	dataError = []byte(`{"error":`)
)

// data keeps one piece of data for Read.
func (f *frames) data(text []byte) {
	switch {
	case len(text) == 0:
		return
	case bytes.Equal(text, doneText):
		f.x.done = true
	}
	// A space after the brace prevents the library from handling an error itself.
	line := append(f.buf[:0], "data: "...)
	if bytes.HasPrefix(text, dataError) {
		line = append(line, "{ "...)
		text = text[1:]
	}
	line = append(line, text...)
	f.buf = append(line, '\n')
	f.line = f.buf
}
