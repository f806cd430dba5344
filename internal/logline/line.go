// Package logline reads and writes the lines of log files: one JSON object per line, with
// a checksum. It is separate from the store that writes them because a program that
// verifies a copy of such files has no store.
//
// A line is
//
//	{"crc":"e3069283","time":"2026-11-21T11:19:00.123456Z","more":2,"data":{…}}
//
// crc is the CRC-32C of the bytes after its comma, up to the end of the line. more is how
// many of the following lines belong to the same group as this one; 0 is left out.
package logline

import (
	"bytes"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"strconv"
	"time"
)

const (
	lineStart  = `{"crc":"`
	crcLen     = 8
	crcEnd     = `",`
	timeStart  = `"time":"`
	timeFormat = "2006-01-02T15:04:05.000000Z"
	timeEnd    = `",`
	moreStart  = `"more":`
	dataStart  = `"data":`
)

// castagnoli returns the table of CRC-32C. Package crc32 caches the table and uses
// hardware instructions for it.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// Append writes one line to buf. write appends the data; if it returns nil, it must have
// written one JSON value without line breaks.
func Append(buf *bytes.Buffer, now time.Time, more int, write func(buf *bytes.Buffer) error) error {
	from := buf.Len()
	buf.WriteString(lineStart + "00000000" + crcEnd + timeStart)
	buf.Write(now.AppendFormat(buf.AvailableBuffer(), timeFormat))
	buf.WriteString(timeEnd)
	if more > 0 {
		buf.WriteString(moreStart)
		buf.Write(strconv.AppendInt(buf.AvailableBuffer(), int64(more), 10))
		buf.WriteByte(',')
	}
	buf.WriteString(dataStart)
	if err := write(buf); err != nil {
		buf.Truncate(from)
		return err
	}
	buf.WriteByte('}')
	line := buf.Bytes()[from:]
	body := line[len(lineStart)+crcLen+len(crcEnd):]
	putCRC(line[len(lineStart):][:crcLen], crc32.Checksum(body, castagnoli()))
	buf.WriteByte('\n')
	return nil
}

func putCRC(to []byte, sum uint32) {
	hex.Encode(to, []byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)})
}

// Content is the content of a line. Data points into the line.
type Content struct {
	Time time.Time
	More int // how many following lines belong to the same group
	Data []byte
}

var errBadLine = errors.New("its checksum or its form is wrong")

// Parse reads a line that has no line break at its end.
func Parse(line []byte) (Content, error) {
	var c Content
	rest, ok := bytes.CutPrefix(line, []byte(lineStart))
	if !ok || len(rest) < crcLen+len(crcEnd) {
		return c, errBadLine
	}
	var want [crcLen]byte
	body := rest[crcLen+len(crcEnd):]
	putCRC(want[:], crc32.Checksum(body, castagnoli()))
	if string(rest[:crcLen]) != string(want[:]) || string(rest[crcLen:][:len(crcEnd)]) != crcEnd {
		return c, errBadLine
	}
	body, ok = bytes.CutPrefix(body, []byte(timeStart))
	if !ok || len(body) < len(timeFormat)+len(timeEnd) {
		return c, errBadLine
	}
	var err error
	if c.Time, err = time.Parse(timeFormat, string(body[:len(timeFormat)])); err != nil {
		return c, errBadLine
	}
	if body, ok = bytes.CutPrefix(body[len(timeFormat):], []byte(timeEnd)); !ok {
		return c, errBadLine
	}
	if more, ok := bytes.CutPrefix(body, []byte(moreStart)); ok {
		digits, after, _ := bytes.Cut(more, []byte(","))
		n, err := strconv.ParseUint(string(digits), 10, 31)
		if err != nil || n == 0 {
			return c, errBadLine
		}
		c.More, body = int(n), after
	}
	body, ok = bytes.CutPrefix(body, []byte(dataStart))
	if !ok || len(body) < 2 || body[len(body)-1] != '}' {
		return c, errBadLine
	}
	c.Data = body[:len(body)-1]
	return c, nil
}
