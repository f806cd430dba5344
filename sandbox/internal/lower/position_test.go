package lower_test

import (
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/lower"
	"github.com/localpass/localpass/sandbox/typescript"
)

// at gives the place of a mark in code, in lines and characters from 1.
func at(t *testing.T, code, mark string) (line, column int) {
	t.Helper()
	i := strings.Index(code, mark)
	require.GreaterOrEqual(t, i, 0, "%q in %q", mark, code)
	before := code[:i]
	return 1 + strings.Count(before, "\n"), 1 + len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))
}

// Marks are found at the same place by way of the map.
func TestPositions(t *testing.T) {
	for _, c := range []struct {
		name, code string
		opts       lower.Options
		marks      []string
	}{
		{"translated", "const a = 1;\nfor await (const x of y) {\n  mark1(x);\n}\n\n  return mark2(a)", lower.Options{Translator: typescript.Translator()}, []string{"mark1", "mark2", "a = 1"}},
		{"behind wide characters", "const s = '😀é'; mark1();\n'😀'; for await (const x of y) { z('日本😀', mark2) }", lower.Options{Translator: typescript.Translator()}, []string{"mark1", "mark2"}},
		{"types", "interface A {\n  x: number\n}\ntype B = A;\nconst b: B = mark1 as B; mark2<string>(b)", lower.Options{Translator: typescript.Translator(), TypeScript: true}, []string{"mark1", "mark2"}},
		{"directives", "'use strict';\nfor await (const x of y);\nmark1()", lower.Options{Translator: typescript.Translator()}, []string{"mark1"}},
		{"async generators", "async function* g() {\n  yield mark1;\n  await mark2;\n}\nclass A extends B {\n  async *m() { super.mark3; }\n}\nmark4", lower.Options{Translator: typescript.Translator()}, []string{"mark1", "mark2", "mark3", "mark4"}},
		{"patterns", "mark0; const a = /\\p{Lu}/u; mark1;\n  b(mark2, /[\\p{Ll}--z]/v, mark3, 'é', /\\p{N}/u); mark4\nmark5", lower.Options{Translator: typescript.Translator()}, []string{"mark0", "mark1", "mark2", "mark3", "mark4", "mark5"}},
		{"both", "for await (const x of mark1) {}\nconst a = /\\p{Lu}/u.test(mark2), b = /\\p{Ll}/u.test(mark3);\nmark4", lower.Options{Translator: typescript.Translator()}, []string{"mark1", "mark2", "mark3", "mark4"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := body(t, c.code, c.opts)
			require.True(t, r.Changed)
			for _, mark := range c.marks {
				wantLine, wantColumn := at(t, c.code, mark)
				line, column := r.Map.Author(at(t, r.Code, mark))
				assert.Equal(t, [2]int{wantLine, wantColumn}, [2]int{line, column}, "%s in %s", mark, r.Code)
			}
		})
	}
}

// A place inside a rewritten pattern is the pattern's; one in a helper is none.
func TestPositionsOfWhatIsNotTheAuthors(t *testing.T) {
	r := body(t, "const re = /\\p{Lu}+/u; return re", lower.Options{Translator: typescript.Translator()})
	line, column := r.Map.Author(1, 200)
	assert.Equal(t, [2]int{1, 12}, [2]int{line, column})
	line, column = r.Map.Author(1, len(r.Code))
	assert.Equal(t, [2]int{1, 32}, [2]int{line, column})

	r = body(t, "for await (const x of y);", lower.Options{Translator: typescript.Translator()})
	for _, place := range [][2]int{{1, 1}, {2, 30}, {0, 1}, {1, 0}, {-1, -1}} {
		line, column = r.Map.Author(place[0], place[1])
		assert.Equal(t, [2]int{0, 0}, [2]int{line, column}, place)
	}
	line, _ = r.Map.Author(1000, 1)
	assert.Equal(t, 1, line, "behind the end")
	r = body(t, " ", lower.Options{Translator: typescript.Translator(), TypeScript: true})
	line, column = r.Map.Author(1, 1)
	assert.Equal(t, [2]int{1, 2}, [2]int{line, column}, "the end of the code")
}

// What the engine says of an error leads back to the author's line.
func TestPositionOfAnError(t *testing.T) {
	code := "const list: number[] = [1];\nenum E { A }\nfor await (const x of list) {\n  const y: any = null;\n  y.foo();\n}"
	r := body(t, code, lower.Options{Translator: typescript.Translator(), TypeScript: true})
	vm := goja.New()
	v, err := vm.RunScript("code", "(async function () {\n"+r.Code+"\n})()")
	require.NoError(t, err)
	stack := v.Export().(*goja.Promise).Result().ToObject(vm).Get("stack").String()
	var line, column int
	for _, field := range strings.FieldsFunc(stack, func(r rune) bool { return r == '(' || r == ' ' || r == '\n' }) {
		if rest, ok := strings.CutPrefix(field, "code:"); ok {
			_, err := sscan(rest, &line, &column)
			require.NoError(t, err, stack)
			break
		}
	}
	line, column = r.Map.Author(line-1, column)
	assert.Equal(t, 5, line, stack)
	assert.InDelta(t, 3, column, 2)
}
