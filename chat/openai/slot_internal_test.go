package openai

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Arguments that arrive byte by byte are read only once.
func TestSlotReadsArgumentsOnce(t *testing.T) {
	const n = 400_000
	for name, c := range map[string]struct {
		begin, piece, end string
		complete          bool
	}{
		"braces in a text": {`{"a":"`, "}", `"}`, true},
		"escaped quotes":   {`{"a":"`, `\"}`, `"}`, true},
		"blanks behind":    {`{"a":1}`, " ", " ", true},
		"objects":          {`{}`, "{}", "{}", false},
		"stray ends":       {`{`, "}", "}", false},
		"a text":           {`"`, "x", `"`, false},
	} {
		start := time.Now()
		s := &slot{mode: argsAppend, args: []byte(c.begin)}
		for range n {
			s.args = append(s.args, c.piece...)
			_ = s.complete()
		}
		s.args = append(s.args, c.end...)
		assert.Equal(t, c.complete, s.complete(), name)
		assert.Less(t, time.Since(start), 2*time.Minute, name)
	}
	for text, complete := range map[string]bool{
		`{}`: true, ` {"a":[1,{"b":"]}"}]} `: true, `{"a":"\\"}`: true, `{"a":"\"}`: false, `{"a":1}}`: false, `[1]`: true, `"a"`: true, `12`: true,
	} {
		s := &slot{mode: argsAppend}
		for _, c := range []byte(text) {
			s.args = append(s.args, c)
			_ = s.complete()
		}
		assert.Equal(t, complete, s.complete(), text)
	}
}
