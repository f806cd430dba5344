package platform

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"hash"
	"math"
	"strings"

	"github.com/dop251/goja"
)

// hmacKey is the state of a key.
type hmacKey struct {
	raw          []byte
	Hash         string
	sign, verify bool
}

// newHash looks up a hash by its name in any case. SHA-1 and MD5 are not supported.
func newHash(name string) (proper string, f func() hash.Hash) {
	switch strings.ToUpper(name) {
	case "SHA-256":
		return "SHA-256", sha256.New
	case "SHA-384":
		return "SHA-384", sha512.New384
	case "SHA-512":
		return "SHA-512", sha512.New
	}
	return "", nil
}

func (p *host) newSubtle() goja.Value {
	o := p.vm.NewObject()
	method := func(name string, arguments int, f func(call goja.FunctionCall) goja.Value) {
		fn := p.function(name, arguments, func(call goja.FunctionCall) goja.Value {
			return p.promise(func() goja.Value {
				if len(call.Arguments) < arguments {
					panic(p.subtleError("missing-args", name+" takes more arguments"))
				}
				return f(call)
			})
		})
		p.check(o.Set(name, p.freeze(fn)))
	}
	method("digest", 2, func(call goja.FunctionCall) goja.Value {
		_, f := newHash(p.algorithm(call.Argument(0)))
		if f == nil {
			panic(p.subtleError("unsupported-algorithm", "digest knows SHA-256, SHA-384 and SHA-512"))
		}
		h := f()
		h.Write(p.message(call.Argument(1)))
		return p.uint8Array(h.Sum(nil))
	})
	method("importKey", 3, p.importKey)
	method("sign", 3, func(call goja.FunctionCall) goja.Value {
		key := p.hmacKey(call)
		if !key.sign {
			panic(p.subtleError("invalid-key", "the key was not imported to sign with"))
		}
		return p.uint8Array(key.mac(p.message(call.Argument(2))))
	})
	method("verify", 4, func(call goja.FunctionCall) goja.Value {
		key := p.hmacKey(call)
		if !key.verify {
			panic(p.subtleError("invalid-key", "the key was not imported to verify with"))
		}
		return p.vm.ToValue(hmac.Equal(p.message(call.Argument(2)), key.mac(p.message(call.Argument(3)))))
	})
	p.tag(o, "SubtleCrypto")
	return p.freeze(o)
}

func (k *hmacKey) mac(message []byte) []byte {
	_, f := newHash(k.Hash)
	h := hmac.New(f, k.raw)
	h.Write(message)
	return h.Sum(nil)
}

func (p *host) subtleError(reason, message string) goja.Value {
	return p.refusal("crypto", reason, "crypto.subtle: "+message)
}

// promise calls f immediately and returns a promise that settles with what f returns or
// throws.
func (p *host) promise(f func() goja.Value) goja.Value {
	promise, resolve, reject := p.vm.NewPromise()
	var v goja.Value
	if thrown := p.vm.Try(func() { v = f() }); thrown != nil {
		p.check(reject(thrown.Value()))
	} else {
		p.check(resolve(v))
	}
	return p.vm.ToValue(promise)
}

// algorithm reads the name of an algorithm: a string, or the member "name" of an object.
func (p *host) algorithm(v goja.Value) string {
	if o, ok := v.(*goja.Object); ok {
		v = o.Get("name")
	}
	s, ok := v.(goja.String)
	if !ok || s.Length() == 0 || s.Length() > maxText {
		panic(p.subtleError("invalid-algorithm", "an algorithm is a name or an object with a name"))
	}
	return s.String()
}

// message reads the bytes of a string (as UTF-8), of a buffer or a view of one, or of an
// array of numbers from 0 to 255.
func (p *host) message(v goja.Value) []byte {
	if s, ok := v.(goja.String); ok {
		p.bound("crypto", s.Length())
		return []byte(s.String())
	}
	if b, ok := p.viewBytes(v); ok {
		p.bound("crypto", len(b))
		return b
	}
	o, ok := v.(*goja.Object)
	if !ok || o.ExportType() != arrayType || o.ClassName() != "Array" {
		panic(p.subtleError("unsupported-arg-type", "data is a text, a buffer, a typed array or an array of bytes"))
	}
	n := int(o.Get("length").ToInteger())
	p.bound("crypto", min(n, math.MaxInt32)*16)
	b := make([]byte, n)
	for i := range b {
		item := o.Get(p.vm.ToValue(i).String())
		if item == nil || !goja.IsNumber(item) || item.ToFloat() != float64(byte(item.ToInteger())) {
			panic(p.subtleError("unsupported-arg-type", "an array of data holds numbers from 0 to 255"))
		}
		b[i] = byte(item.ToInteger())
	}
	return b
}

func (p *host) importKey(call goja.FunctionCall) goja.Value {
	if format, ok := call.Argument(0).(goja.String); !ok || format.Length() != 3 || format.String() != "raw" {
		panic(p.subtleError("unsupported-format", `importKey takes keys in the format "raw"`))
	}
	if !strings.EqualFold(p.algorithm(call.Argument(2)), "HMAC") {
		panic(p.subtleError("unsupported-algorithm", "importKey makes keys for HMAC"))
	}
	key := &hmacKey{Hash: "SHA-256"}
	if o, ok := call.Argument(2).(*goja.Object); ok {
		if h := o.Get("hash"); h != nil && !goja.IsUndefined(h) {
			if key.Hash, _ = newHash(p.algorithm(h)); key.Hash == "" {
				panic(p.subtleError("unsupported-hash", "HMAC knows SHA-256, SHA-384 and SHA-512"))
			}
		}
	}
	key.raw = append([]byte(nil), p.message(call.Argument(1))...)
	if len(key.raw) == 0 {
		panic(p.subtleError("invalid-key", "a key has at least one byte"))
	}
	names := p.readUsages(key, call.Argument(4))
	if p.key == nil {
		p.key = p.class("CryptoKey", 0, false, func(goja.ConstructorCall) any {
			panic(p.typeError("Illegal constructor"))
		})
		p.key.done("CryptoKey")
	}
	o := p.key.create(key)
	hashed := p.vm.NewObject()
	p.check(hashed.Set("name", key.Hash))
	algorithm := p.vm.NewObject()
	p.check(algorithm.Set("name", "HMAC"))
	p.check(algorithm.Set("hash", p.freeze(hashed)))
	p.check(algorithm.Set("length", 8*len(key.raw)))
	for _, m := range [...]struct {
		name  string
		value goja.Value
	}{
		{"type", p.vm.ToValue("secret")}, {"extractable", p.vm.ToValue(call.Argument(3).ToBoolean())},
		{"algorithm", p.freeze(algorithm)}, {"usages", p.freeze(p.vm.NewArray(names...))},
	} {
		p.check(o.Set(m.name, m.value))
	}
	return p.freeze(o)
}

// readUsages reads the usages of a key; if none are given, the key is for all usages.
func (p *host) readUsages(key *hmacKey, v goja.Value) []any {
	o, ok := v.(*goja.Object)
	if !ok {
		key.sign, key.verify = true, true
		return []any{"sign", "verify"}
	}
	p.vm.ForOf(o, func(item goja.Value) bool {
		switch p.text(item) {
		case "sign":
			key.sign = true
		case "verify":
			key.verify = true
		default:
			panic(p.subtleError("invalid-key", `a key for HMAC is for "sign" and "verify"`))
		}
		return true
	})
	var names []any
	if key.sign {
		names = append(names, "sign")
	}
	if key.verify {
		names = append(names, "verify")
	}
	return names
}

// hmacKey checks the algorithm and the key in a call of sign or verify.
func (p *host) hmacKey(call goja.FunctionCall) *hmacKey {
	if !strings.EqualFold(p.algorithm(call.Argument(0)), "HMAC") {
		panic(p.subtleError("unsupported-algorithm", "sign and verify know HMAC"))
	}
	key, ok := p.state(call.Argument(1)).(*hmacKey)
	if !ok {
		panic(p.subtleError("invalid-key", "the key is none that importKey made"))
	}
	return key
}
