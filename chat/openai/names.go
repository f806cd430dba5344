package openai

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/localpass/localpass/toolspec"
)

// mostName is the maximum length of the name of a tool on the wire; letters, digits, _
// and - are allowed.
const mostName = 64

// names translates the names of tools, since names from other protocols may contain dots
// or be longer.
type names struct {
	back map[string]string // original names by names on the wire; nil if no name differs
}

// newNames prepares the translation for the offered tools.
func newNames(tools []toolspec.Definition) *names {
	n := &names{}
	for i := range tools {
		name := tools[i].Name
		if w := n.wire(name); w != name {
			if n.back == nil {
				n.back = make(map[string]string)
			}
			n.back[w] = name
		}
	}
	return n
}

// wire returns the name to send. A changed name ends with a digest of the original, so
// that different names stay different.
func (n *names) wire(name string) string {
	ok := name != "" && len(name) <= mostName
	for i := 0; ok && i < len(name); i++ {
		ok = nameByte(name[i])
	}
	if ok {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	tail := "_" + hex.EncodeToString(sum[:4])
	b := make([]byte, 0, mostName)
	for i := 0; i < len(name) && len(b) < mostName-len(tail); i++ {
		c := name[i]
		if !nameByte(c) {
			c = '_'
		}
		b = append(b, c)
	}
	return string(b) + tail
}

func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// own returns the original name for a name from the wire.
func (n *names) own(wire string) string {
	if name, ok := n.back[wire]; ok {
		return name
	}
	return wire
}
