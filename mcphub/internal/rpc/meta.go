package rpc

import (
	"encoding/json"
	"strings"

	"github.com/localpass/localpass/toolspec"
)

// IsReservedMeta reports whether the protocol reserves a name in _meta: a name with a
// prefix whose second label is modelcontextprotocol or mcp, or that begins with mcp., and
// the progress token, which each hop sets itself.
func IsReservedMeta(name string) bool {
	if name == "progressToken" {
		return true
	}
	prefix, _, ok := strings.Cut(name, "/")
	if !ok {
		return strings.HasPrefix(name, "mcp.")
	}
	labels := strings.Split(strings.ToLower(prefix), ".")
	reserved := func(label string) bool { return label == "modelcontextprotocol" || label == "mcp" }
	return reserved(labels[0]) || len(labels) > 1 && reserved(labels[1])
}

// WithoutReserved copies a _meta without the members that the protocol reserves.
func WithoutReserved(meta map[string]json.RawMessage) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(meta))
	for name, value := range meta {
		if !IsReservedMeta(name) {
			out[name] = value
		}
	}
	return out
}

// ParseIcons parses the icons of a description that can be shown safely.
func ParseIcons(raw []byte) (icons []toolspec.Icon) {
	Elements(raw, func(one []byte) {
		all := Object(one)
		var icon toolspec.Icon
		icon.Src, _ = Text(all["src"])
		icon.MIMEType, _ = Text(all["mimeType"])
		icon.Theme, _ = Text(all["theme"])
		Elements(all["sizes"], func(size []byte) {
			if s, ok := Text(size); ok {
				icon.Sizes = append(icon.Sizes, s)
			}
		})
		if icon.Check() == nil {
			icons = append(icons, icon)
		}
	})
	return icons
}
