package platform

import (
	"reflect"

	"github.com/dop251/goja"
)

var (
	bytesType  = reflect.TypeFor[[]byte]()
	bufferType = reflect.TypeFor[goja.ArrayBuffer]()
	objectType = reflect.TypeFor[map[string]any]()
	arrayType  = reflect.TypeFor[[]any]() // the type of an exported array, but also of a Set
	mapType    = reflect.TypeFor[[][2]any]()
)

// uint8Array creates a Uint8Array with its own memory.
func (p *host) uint8Array(b []byte) *goja.Object {
	if b == nil {
		b = []byte{}
	}
	buffer := p.vm.ToValue(p.vm.NewArrayBuffer(b))
	array, err := p.vm.New(p.vm.Get("Uint8Array"), buffer)
	p.check(err)
	return array
}

// viewBytes returns the memory of an ArrayBuffer, or the part of it that a view shows; it
// is not a copy. It runs no code of the script.
func (p *host) viewBytes(v goja.Value) ([]byte, bool) {
	o, ok := v.(*goja.Object)
	if !ok {
		return nil, false
	}
	t := o.ExportType()
	if t == bufferType {
		return o.Export().(goja.ArrayBuffer).Bytes(), true
	}
	if !typedArray(t) && !p.dataView(o, t) {
		return nil, false
	}
	var b []byte
	if err := p.vm.ExportTo(o, &b); err != nil {
		return nil, false
	}
	return b, true
}

var dataViewProgram = program("Object.getOwnPropertyDescriptor(DataView.prototype, 'byteLength').get")

// dataView reports whether o is a DataView. It calls the getter of the size, which throws
// for any other object.
func (p *host) dataView(o *goja.Object, t reflect.Type) bool {
	if t != objectType {
		return false
	}
	getter, err := p.vm.RunProgram(dataViewProgram())
	if err != nil {
		return false
	}
	size, ok := goja.AssertFunction(getter)
	if !ok {
		return false
	}
	_, err = size(o)
	return err == nil
}

// typedArray reports whether t is a Go type to which goja exports a typed array.
func typedArray(t reflect.Type) bool {
	if integerArray(t) {
		return true
	}
	return t == reflect.TypeFor[[]float32]() || t == reflect.TypeFor[[]float64]()
}
