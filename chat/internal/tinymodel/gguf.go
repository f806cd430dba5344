package tinymodel

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
)

// The parts of the GGUF format (version 3) that are used here. Numbers are little
// endian; the data of tensors is aligned.
const (
	ggufVersion   = 3
	ggufAlignment = 32

	typeUint32  = 4
	typeInt32   = 5
	typeFloat32 = 6
	typeBool    = 7
	typeString  = 8
	typeArray   = 9

	tensorF32 = 0
	tensorF16 = 1
)

// tensor is a matrix; its first size is that of the dimension whose elements are adjacent
// in memory.
type tensor struct {
	name  string
	sizes []int
	kind  uint32 // tensorF32 or tensorF16
	data  []byte
}

// gguf collects the content of a file.
type gguf struct {
	keys    bytes.Buffer
	count   uint64
	tensors []tensor
}

func (g *gguf) string(w *bytes.Buffer, s string) {
	_ = binary.Write(w, binary.LittleEndian, uint64(len(s))) // writing to a buffer cannot fail
	w.WriteString(s)
}

// set adds a key with a value of one of the types that the format supports.
func (g *gguf) set(key string, value any) {
	g.count++
	g.string(&g.keys, key)
	g.value(value, true)
}

func (g *gguf) number(v any) { _ = binary.Write(&g.keys, binary.LittleEndian, v) }

func (g *gguf) value(value any, typed bool) {
	kind := func(n uint32) {
		if typed {
			g.number(n)
		}
	}
	list := func(element uint32, n int) {
		kind(typeArray)
		g.number(element)
		g.number(uint64(n))
	}
	switch v := value.(type) {
	case uint32:
		kind(typeUint32)
		g.number(v)
	case int32:
		kind(typeInt32)
		g.number(v)
	case float32:
		kind(typeFloat32)
		g.number(v)
	case bool:
		kind(typeBool)
		g.number(v)
	case string:
		kind(typeString)
		g.string(&g.keys, v)
	case []string:
		list(typeString, len(v))
		for _, e := range v {
			g.value(e, false)
		}
	case []float32:
		list(typeFloat32, len(v))
		g.number(v)
	case []int32:
		list(typeInt32, len(v))
		g.number(v)
	default:
		panic(fmt.Sprintf("tinymodel: no value of a GGUF file: %T", value)) // a bug in this package
	}
}

// halves adds a tensor of 16-bit numbers; at sets those that are not zero.
func (g *gguf) halves(name string, sizes []int, at func(set func(column, row int, v uint16))) {
	data := make([]byte, 2*sizes[0]*sizes[1])
	if at != nil {
		at(func(column, row int, v uint16) { binary.LittleEndian.PutUint16(data[2*(row*sizes[0]+column):], v) })
	}
	g.tensors = append(g.tensors, tensor{name, sizes, tensorF16, data})
}

// floats adds a tensor of 32-bit numbers that are all the same.
func (g *gguf) floats(name string, value float32, sizes ...int) {
	n := 1
	for _, size := range sizes {
		n *= size
	}
	data := make([]byte, 4*n)
	for i := range n {
		binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(value))
	}
	g.tensors = append(g.tensors, tensor{name, sizes, tensorF32, data})
}

// bytes returns the file.
func (g *gguf) bytes() []byte {
	var out bytes.Buffer
	put := func(v any) { _ = binary.Write(&out, binary.LittleEndian, v) }
	out.WriteString("GGUF")
	put(uint32(ggufVersion))
	put(uint64(len(g.tensors)))
	put(g.count)
	out.Write(g.keys.Bytes())
	offset := 0
	for _, t := range g.tensors {
		g.string(&out, t.name)
		put(uint32(len(t.sizes)))
		for _, n := range t.sizes {
			put(uint64(n))
		}
		put(t.kind)
		put(uint64(offset))
		offset += aligned(len(t.data))
	}
	out.Write(make([]byte, aligned(out.Len())-out.Len()))
	for _, t := range g.tensors {
		out.Write(t.data)
		out.Write(make([]byte, aligned(len(t.data))-len(t.data)))
	}
	return out.Bytes()
}

func aligned(n int) int { return (n + ggufAlignment - 1) / ggufAlignment * ggufAlignment }
