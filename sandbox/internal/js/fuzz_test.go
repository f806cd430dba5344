package js_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/js"
	"github.com/localpass/localpass/sandbox/typescript"
	"github.com/localpass/localpass/toolspec"
)

// FuzzValues sends JSON in and expects the same JSON back, and random code
// against the walker to end in an outcome.
func FuzzValues(f *testing.F) {
	for _, seed := range []string{`null`, `{"a":[1,2.5,-0,1e400,"\ud800é"],"__proto__":1,"1":2}`, `"\u0000\ud83d\ude00"`, `[[[[]]]]`, `{"a":{"b":"\\"}}`, `123456789012345678901234567890`} {
		f.Add([]byte(seed))
	}
	p := compile(f, `return x`, false)
	viaParse := compile(f, `return JSON.parse(text)`, false)
	f.Fuzz(func(t *testing.T, data []byte) {
		out := p.Run(context.Background(), &js.Input{Globals: []toolspec.Global{{Name: "x", Value: data}}})
		if !json.Valid(data) {
			require.NotNil(t, out.Err, "%q", data)
			return
		}
		if out.Err != nil {
			assert.Contains(t, []string{toolspec.ReasonArguments, toolspec.ReasonResultTooLarge}, out.Err.Reason)
			return
		}
		assert.True(t, json.Valid(out.Result))
		text, err := json.Marshal(string(data))
		require.NoError(t, err)
		if !bytes.Contains(data, []byte(`\u`)) && utf8.Valid(data) { // goja's own parse loses halves of surrogate pairs
			other := viaParse.Run(context.Background(), &js.Input{Globals: []toolspec.Global{{Name: "text", Value: text}}})
			if other.Err != nil { // goja's own parse refuses numbers beyond a double
				assert.Contains(t, other.Err.Message, "unmarshal number")
				return
			}
			assert.Equal(t, string(other.Result), string(out.Result))
		}
	})
}

// FuzzResults runs code made of whatever the fuzzer finds: every run ends in an
// outcome, and a result is valid JSON.
func FuzzResults(f *testing.F) {
	for _, seed := range []string{"{a: 1}", "[1, new Date(), new Map([[1, 2]])]", "new Proxy([], {})", "{toJSON() { return this }}", "Object.create(null)", "[..." + `"abc"` + "]", "new Set([[]])", "10n ** 10n", "{get a() { throw 1 }}", "new (class { toJSON = 1 })()"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		lim := limits()
		lim.SourceBytes, lim.CallDepth = 200, 100
		p, problems := js.Compile(js.Source{Translator: typescript.Translator(), Code: "return (" + expression + "\n)", Count: true}, lim)
		if p == nil {
			require.NotEmpty(t, problems)
			return
		}
		if strings.ContainsAny(expression, "*<") || strings.Contains(expression, "rray") || len(expression) > 150 {
			return // long native calls are the worker's part
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		out := p.Run(ctx, &js.Input{Statements: 500, Guarded: true})
		if out.Err == nil {
			assert.True(t, json.Valid(out.Result), "%s", out.Result)
		} else {
			assert.NotEmpty(t, out.Err.Kind)
			assert.NotEqual(t, toolspec.ReasonPanic, out.Err.Reason, "%v", out.Err)
		}
	})
}
