package sandbox

import (
	"encoding/binary"
	"errors"
)

// errWire reports a message that does not decode.
var errWire = errors.New("sandbox: malformed message")

// encoder builds a message: numbers as varints, and strings with their length in front.
type encoder struct{ buf []byte }

func (e *encoder) uint(n uint64)  { e.buf = binary.AppendUvarint(e.buf, n) }
func (e *encoder) int(n int64)    { e.buf = binary.AppendVarint(e.buf, n) }
func (e *encoder) text(s string)  { e.uint(uint64(len(s))); e.buf = append(e.buf, s...) }
func (e *encoder) bytes(b []byte) { e.uint(uint64(len(b))); e.buf = append(e.buf, b...) }
func (e *encoder) raw(b []byte)   { e.buf = append(e.buf, b...) }
func (e *encoder) flag(set bool) {
	b := byte(0)
	if set {
		b = 1
	}
	e.buf = append(e.buf, b)
}

// decoder decodes a message. After the first error, every read returns zero values; done
// reports the error.
type decoder struct {
	buf    []byte
	failed bool
}

func (d *decoder) fail() { d.failed, d.buf = true, nil }

func (d *decoder) uint() uint64 {
	n, size := binary.Uvarint(d.buf)
	if size <= 0 {
		d.fail()
		return 0
	}
	d.buf = d.buf[size:]
	return n
}

func (d *decoder) int() int64 {
	n, size := binary.Varint(d.buf)
	if size <= 0 {
		d.fail()
		return 0
	}
	d.buf = d.buf[size:]
	return n
}

// bytes returns a part of the message itself, not a copy.
func (d *decoder) bytes() []byte {
	n := d.uint()
	if n > uint64(len(d.buf)) {
		d.fail()
		return nil
	}
	b := d.buf[:n:n]
	d.buf = d.buf[n:]
	return b
}

func (d *decoder) text() string { return string(d.bytes()) }

func (d *decoder) raw(n int) []byte {
	if n > len(d.buf) {
		d.fail()
		return make([]byte, n)
	}
	b := d.buf[:n]
	d.buf = d.buf[n:]
	return b
}

func (d *decoder) flag() bool {
	b := d.raw(1)[0]
	if b > 1 {
		d.fail()
	}
	return b == 1
}

// count takes a number of things that take at least one byte each.
func (d *decoder) count() int {
	n := d.uint()
	if n > uint64(len(d.buf)) {
		d.fail()
		return 0
	}
	return int(n)
}

// done reports whether the message was well-formed to its end.
func (d *decoder) done() error {
	if d.failed || len(d.buf) != 0 {
		return errWire
	}
	return nil
}
