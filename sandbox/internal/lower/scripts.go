package lower

import (
	_ "embed"
	"strings"
	"sync"
)

// scriptText lists the four-letter codes of scripts of ISO 15924, which patterns may use,
// with Go's names of the scripts.
//
//go:embed scripts.txt
var scriptText string

var scriptNames = sync.OnceValue(func() map[string]string {
	names := make(map[string]string)
	for line := range strings.Lines(scriptText) {
		code, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		names[code] = name
	}
	return names
})

// scriptName returns the long name of a script if name is its code, otherwise name.
func scriptName(name string) string {
	if long, ok := scriptNames()[name]; ok {
		return long
	}
	return name
}
