package openai

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/localpass/localpass/toolspec"
)

// mostName is how long the name of a tool may be on the wire; letters, digits, _
// and - are allowed.
const mostName = 64

// names translates the names of tools: those of other protocols may have a dot, or
// be longer.
type names struct {
	back map[string]string // from the wire; nil while no name differs
}

// newNames prepares for the tools that are offered.
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

// wire is the name to send. A name that is changed ends in a digest of itself, so
// that two stay two.
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

// own is the name that came, as the caller knows it.
func (n *names) own(wire string) string {
	if name, ok := n.back[wire]; ok {
		return name
	}
	return wire
}
