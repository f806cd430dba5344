package lower

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// emojiText has a line for each emoji property of Unicode 17.0 (emoji-data), for which Go
// has no tables: its names, and its ranges in hexadecimal.
//
//go:embed emoji.txt
var emojiText string

var emojiProperties = sync.OnceValue(func() map[string]set {
	properties := make(map[string]set)
	for line := range strings.Lines(emojiText) {
		fields := strings.Fields(line)
		var ranges set
		for _, text := range fields[1:] {
			first, last, found := strings.Cut(text, "-")
			if !found {
				last = first
			}
			lo, _ := strconv.ParseInt(first, 16, 32)
			hi, _ := strconv.ParseInt(last, 16, 32)
			ranges = append(ranges, span{rune(lo), rune(hi)})
		}
		for name := range strings.SplitSeq(fields[0], "/") {
			properties[name] = ranges
		}
	}
	return properties
})
