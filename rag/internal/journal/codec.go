package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/localpass/localpass/rag"
)

// Values of metadata are encoded with a tag, so that an integer stays one.
const (
	tagString = 's'
	tagInt    = 'i'
	tagFloat  = 'f'
	tagTrue   = 't'
	tagFalse  = 'n'
	tagList   = 'l'
	tagMap    = 'm'
)

// AppendValue appends the encoding of a value of metadata, as rag.CloneMetadata returns
// it.
func AppendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return appendString(append(b, tagString), v)
	case int64:
		return binary.AppendVarint(append(b, tagInt), v)
	case float64:
		return binary.LittleEndian.AppendUint64(append(b, tagFloat), math.Float64bits(v))
	case bool:
		if v {
			return append(b, tagTrue)
		}
		return append(b, tagFalse)
	case []any:
		b = binary.AppendUvarint(append(b, tagList), uint64(len(v)))
		for _, e := range v {
			b = AppendValue(b, e)
		}
		return b
	case map[string]any:
		return appendMap(append(b, tagMap), v)
	}
	panic(fmt.Sprintf("journal: metadata of the type %T", v)) // CloneMetadata returns none
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendMap(b []byte, m map[string]any) []byte {
	b = binary.AppendUvarint(b, uint64(len(m)))
	for key, v := range m {
		b = AppendValue(appendString(b, key), v)
	}
	return b
}

func appendDocument(b []byte, d *rag.Document) []byte {
	b = appendString(appendString(b, d.ID), d.Text)
	b = appendMap(b, d.Metadata)
	b = binary.AppendUvarint(b, uint64(len(d.Vector)))
	for _, x := range d.Vector {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// DocumentSize returns about how many bytes a document takes in the file.
func DocumentSize(d *rag.Document) int {
	return len(d.ID) + len(d.Text) + 4*len(d.Vector) + mapSize(d.Metadata) + 6
}

func mapSize(m map[string]any) int {
	n := 1
	for key, v := range m {
		n += 1 + len(key) + valueSize(v)
	}
	return n
}

func valueSize(v any) int {
	switch v := v.(type) {
	case string:
		return 2 + len(v)
	case []any:
		n := 2
		for _, e := range v {
			n += valueSize(e)
		}
		return n
	case map[string]any:
		return 1 + mapSize(v)
	case bool:
		return 1
	}
	return 9
}

// encode returns the payload of a record.
func (c *Change) encode() []byte {
	b := make([]byte, 0, 4096)
	if c.Manifest != nil {
		b = appendString(append(b, kindManifest), string(c.Manifest))
	}
	b = binary.AppendUvarint(append(b, kindChange), uint64(len(c.Delete)))
	for _, id := range c.Delete {
		b = appendString(b, id)
	}
	b = binary.AppendUvarint(b, uint64(len(c.Put)))
	for i := range c.Put {
		b = appendDocument(b, &c.Put[i])
	}
	return b
}

const (
	kindManifest = 'M'
	kindChange   = 'C'
)

var errShort = errors.New("a record ends too early")

type decoder struct {
	b       []byte
	known   map[string]string // short strings of metadata, most of which repeat
	vectors []float32         // room for the vectors of the current record
	bad     bool
}

func (d *decoder) fail() {
	d.bad, d.b = true, nil
}

func (d *decoder) byte() byte {
	if len(d.b) == 0 {
		d.fail()
		return 0
	}
	c := d.b[0]
	d.b = d.b[1:]
	return c
}

// count reads a number of things that take at least size bytes each.
func (d *decoder) count(size int) int {
	n, w := binary.Uvarint(d.b)
	if w <= 0 || n > uint64((len(d.b)-w)/size) {
		d.fail()
		return 0
	}
	d.b = d.b[w:]
	return int(n)
}

func (d *decoder) string() string {
	n := d.count(1)
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s
}

// metadataString reads a key or a value, each short one into the same memory.
func (d *decoder) metadataString() string {
	const short, most = 64, 4096
	n := d.count(1)
	text := d.b[:n]
	d.b = d.b[n:]
	if n > short {
		return string(text)
	}
	s, ok := d.known[string(text)]
	if !ok {
		s = string(text)
		if d.known == nil || len(d.known) >= most {
			d.known = map[string]string{}
		}
		d.known[s] = s
	}
	return s
}

func (d *decoder) value(depth int) any {
	switch d.byte() {
	case tagString:
		return d.metadataString()
	case tagInt:
		v, w := binary.Varint(d.b)
		if w <= 0 {
			break
		}
		d.b = d.b[w:]
		return v
	case tagFloat:
		if len(d.b) < 8 {
			break
		}
		v := math.Float64frombits(binary.LittleEndian.Uint64(d.b))
		d.b = d.b[8:]
		return v
	case tagTrue:
		return true
	case tagFalse:
		return false
	case tagList:
		if depth == 0 {
			break
		}
		list := make([]any, d.count(1))
		for i := range list {
			list[i] = d.value(depth - 1)
		}
		return list
	case tagMap:
		if depth == 0 {
			break
		}
		if m := d.metadata(depth - 1); m != nil {
			return m
		}
		return map[string]any{}
	}
	d.fail()
	return nil
}

func (d *decoder) metadata(depth int) map[string]any {
	n := d.count(2)
	if n == 0 {
		return nil
	}
	m := make(map[string]any, n)
	for range n {
		key := d.metadataString()
		m[key] = d.value(depth)
	}
	return m
}

func (d *decoder) document() rag.Document {
	doc := rag.Document{ID: d.string(), Text: d.string(), Metadata: d.metadata(2)}
	n := d.count(4)
	if n == 0 {
		return doc
	}
	from := len(d.vectors)
	d.vectors = d.vectors[:from+n] // decode made room for all that the record can hold
	doc.Vector = d.vectors[from : from+n : from+n]
	source := d.b[:4*n]
	for i := range doc.Vector {
		doc.Vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(source[4*i:]))
	}
	d.b = d.b[4*n:]
	return doc
}

// decode reads the payload of a record. The vectors are overwritten by the next call.
func (d *decoder) decode(payload []byte) (Change, error) {
	var c Change
	d.b, d.vectors, d.bad = payload, slices.Grow(d.vectors[:0], len(payload)/4), false
	kind := d.byte()
	if kind == kindManifest {
		c.Manifest = []byte(d.string())
		kind = d.byte()
	}
	if kind != kindChange {
		return Change{}, errors.New("a record is of an unknown kind")
	}
	if n := d.count(1); n > 0 {
		c.Delete = make([]string, n)
		for i := range c.Delete {
			c.Delete[i] = d.string()
		}
	}
	if n := d.count(4); n > 0 {
		c.Put = make([]rag.Document, n)
		for i := range c.Put {
			c.Put[i] = d.document()
		}
	}
	if d.bad || len(d.b) > 0 {
		return Change{}, errShort
	}
	return c, nil
}
