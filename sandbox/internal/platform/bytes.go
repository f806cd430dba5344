package platform

import (
	"reflect"

	"github.com/dop251/goja"
)

var (
	bytesType  = reflect.TypeFor[[]byte]()
	bufferType = reflect.TypeFor[goja.ArrayBuffer]()
	objectType = reflect.TypeFor[map[string]any]()
	arrayType  = reflect.TypeFor[[]any]() // also that of a Set
	mapType    = reflect.TypeFor[[][2]any]()
)

// uint8Array makes a Uint8Array with memory of its own.
func (p *host) uint8Array(b []byte) *goja.Object {
	if b == nil {
		b = []byte{}
	}
	buffer := p.vm.ToValue(p.vm.NewArrayBuffer(b))
	array, err := p.vm.New(p.vm.Get("Uint8Array"), buffer)
	p.check(err)
	return array
}

// viewBytes is the memory that an ArrayBuffer holds or a view of one shows, not
// a copy. No code of the script's runs.
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

var dataViewProgram = goja.MustCompile("platform", "Object.getOwnPropertyDescriptor(DataView.prototype, 'byteLength').get", true)

// dataView reports whether o is a DataView: the getter of its size throws for
// everything else.
func (p *host) dataView(o *goja.Object, t reflect.Type) bool {
	if t != objectType {
		return false
	}
	getter, err := p.vm.RunProgram(dataViewProgram)
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

// typedArray reports whether t is what goja exports a typed array as.
func typedArray(t reflect.Type) bool {
	if integerArray(t) {
		return true
	}
	return t == reflect.TypeFor[[]float32]() || t == reflect.TypeFor[[]float64]()
}
