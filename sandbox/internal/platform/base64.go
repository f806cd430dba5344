package platform

import (
	"encoding/base64"
	"strings"

	"github.com/dop251/goja"
)

// newBtoa creates btoa, which encodes a text whose characters are bytes as base64.
func (p *host) newBtoa() goja.Value {
	return p.freeze(p.function("btoa", 1, func(call goja.FunctionCall) goja.Value {
		s := p.base64Input("btoa", call)
		raw := make([]byte, s.Length())
		for i := range raw {
			c := s.CharAt(i)
			if c > 0xff {
				panic(p.refusal("btoa", "non-latin-1", "btoa takes characters up to U+00FF; encode the text with TextEncoder first"))
			}
			raw[i] = byte(c)
		}
		return p.vm.ToValue(base64.StdEncoding.EncodeToString(raw))
	}))
}

// newAtob creates atob, the reverse of btoa.
func (p *host) newAtob() goja.Value {
	return p.freeze(p.function("atob", 1, func(call goja.FunctionCall) goja.Value {
		raw, ok := forgivingBase64(p.base64Input("atob", call).String())
		if !ok {
			panic(p.refusal("atob", "invalid-base64", "atob takes base64: letters, digits, + and /, padded with =; this is none"))
		}
		units := make([]uint16, len(raw))
		for i, c := range raw {
			units[i] = uint16(c)
		}
		return goja.StringFromUTF16(units)
	}))
}

func (p *host) base64Input(helper string, call goja.FunctionCall) goja.String {
	if len(call.Arguments) == 0 || goja.IsNull(call.Argument(0)) || goja.IsUndefined(call.Argument(0)) {
		panic(p.refusal(helper, "missing-input", helper+" takes a text"))
	}
	s := p.stringOf(call.Argument(0))
	p.bound(helper, s.Length())
	return s
}

// forgivingBase64 decodes base64 as the Infra Standard (section 8) defines: it ignores
// white space, missing padding and leftover bits.
func forgivingBase64(s string) ([]byte, bool) {
	if strings.ContainsAny(s, "\t\n\f\r ") {
		s = strings.NewReplacer("\t", "", "\n", "", "\f", "", "\r", "", " ", "").Replace(s)
	}
	if len(s)%4 == 0 {
		s = strings.TrimSuffix(strings.TrimSuffix(s, "="), "=")
	}
	if len(s)%4 == 1 || strings.ContainsAny(s, "=\r\n") {
		return nil, false
	}
	raw, err := base64.RawStdEncoding.DecodeString(s)
	return raw, err == nil
}
