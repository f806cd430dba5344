package platform

import (
	"encoding/binary"
	"encoding/hex"
	"io"
	"reflect"

	"github.com/dop251/goja"
)

// maxRandom is the maximum number of bytes that getRandomValues fills in one call: the
// quota of the Web Cryptography API, section 10.1.1.
const maxRandom = 65536

func (p *host) newCrypto() goja.Value {
	o := p.vm.NewObject()
	p.check(o.Set("getRandomValues", p.freeze(p.function("getRandomValues", 1, p.getRandomValues))))
	p.check(o.Set("randomUUID", p.freeze(p.function("randomUUID", 0, p.randomUUID))))
	p.lazyMember(o, "subtle", p.newSubtle)
	p.tag(o, "Crypto")
	return p.freeze(o)
}

// randomUUID implements crypto.randomUUID, which returns a version 4 UUID (RFC 9562).
func (p *host) randomUUID(goja.FunctionCall) goja.Value {
	var b [16]byte
	p.random(b[:])
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	var text [36]byte
	hex.Encode(text[0:], b[:4])
	hex.Encode(text[9:], b[4:6])
	hex.Encode(text[14:], b[6:8])
	hex.Encode(text[19:], b[8:10])
	hex.Encode(text[24:], b[10:])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return p.vm.ToValue(string(text[:]))
}

// getRandomValues implements crypto.getRandomValues, which fills the elements of an
// integer array and returns the array.
func (p *host) getRandomValues(call goja.FunctionCall) goja.Value {
	arg := call.Argument(0)
	o, ok := arg.(*goja.Object)
	if !ok || !integerArray(o.ExportType()) {
		panic(p.refusal("crypto", "not-array", "crypto.getRandomValues takes a typed array of integers, such as new Uint8Array(16)"))
	}
	array := o.Export() // the memory of the array, not a copy
	n := binary.Size(array)
	if n > maxRandom {
		panic(p.refusal("crypto", "array-too-large", "crypto.getRandomValues fills at most 65536 bytes; ask several times for more"))
	}
	if n > 0 {
		b := make([]byte, n)
		p.random(b)
		if _, err := binary.Decode(b, binary.NativeEndian, array); err != nil {
			panic(p.failure(&Failure{kindHost, "crypto", "array", "crypto.getRandomValues: " + err.Error()}))
		}
	}
	return arg
}

// integerArray reports whether t is a Go type to which goja exports a typed array of
// integers. Checking the type runs no script; exporting a plain array would.
func integerArray(t reflect.Type) bool {
	if t == nil || t.Kind() != reflect.Slice {
		return false
	}
	switch t.Elem().Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return true
	}
	return false
}

// random fills b with bytes from the source of randomness.
func (p *host) random(b []byte) {
	if _, err := io.ReadFull(p.Random, b); err != nil {
		panic(p.failure(&Failure{kindHost, "crypto", "no-randomness", "crypto: the host has no random bytes left"}))
	}
}
