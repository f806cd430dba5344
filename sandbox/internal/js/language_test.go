package js_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/js"
	"github.com/localpass/localpass/sandbox/typescript"
	"github.com/localpass/localpass/toolspec"
)

// What the engine lacks of the language, in code as it is written.
func TestNewerLanguage(t *testing.T) {
	for code, want := range map[string]string{
		`const out = []; for await (const x of [Promise.resolve(1), 2]) out.push(x); return out`:                                                                               `[1,2]`,
		`async function* g() { yield 1; yield 2 } const out = []; for await (const x of g()) out.push(x); return out`:                                                          `[1,2]`,
		`const o = {async *[Symbol.asyncIterator]() { yield 'a' }}; for await (const x of o) return x`:                                                                         `"a"`,
		`class A { #x = 1; static has(o) { return #x in o } } return [A.has(new A()), A.has({})]`:                                                                              `[true,false]`,
		`return [/\p{L}+/u.exec('1äöü2')[0], /^\P{Lu}$/u.test('A'), /[\p{L}--[a-z]]/v.test('a')]`:                                                                              `["äöü",false,false]`,
		`return [new RegExp('\\p{L}', 'u').test('ä'), RegExp('\\p{Nd}', 'u').test('x')]`:                                                                                       `[true,false]`,
		`const r = RegExp('a', 'g'); return [r instanceof RegExp, r.constructor === RegExp, /x/ instanceof RegExp, RegExp(r) === r, 'banana'.replace(r, 'o')]`:                 `[true,true,true,true,"bonono"]`,
		`class R extends RegExp { test(x) { return !super.test(x) } } return [new R('a').test('a'), new R('a') instanceof R]`:                                                  `[false,true]`,
		`return [...'a1b2'.matchAll(new RegExp('[a-z]', 'g'))].length`:                                                                                                         `2`,
		`try { new RegExp('\\p{Nonsense}', 'u') } catch (e) { return e.name }`:                                                                                                 `"SyntaxError"`,
		`return ['a10', 'a2', 'A1'].sort((a, b) => a.localeCompare(b, 'en', {numeric: true, sensitivity: 'base'}))`:                                                            `["A1","a2","a10"]`,
		`return ['Résumé'.localeCompare('resume', 'en', {sensitivity: 'base'}), 'a'.localeCompare('b'), 'ä'.localeCompare('z', 'sv') > 0, 'ä'.localeCompare('z', ['de']) < 0]`: `[0,-1,true,true]`,
		`try { 'a'.localeCompare('b', 'en', {sensitivity: 'x'}) } catch (e) { return e.name }`:                                                                                 `"RangeError"`,
		`try { new RegExp('(') } catch (e) { return e.name }`:                                                                                                                  `"SyntaxError"`,
	} {
		for _, count := range []bool{false, true} {
			program, problems := js.Compile(js.Source{Translator: typescript.Translator(), Code: code, Count: count}, limits())
			require.Empty(t, problems, code)
			out := program.Run(t.Context(), &js.Input{})
			require.Nil(t, out.Err, code)
			assert.JSONEq(t, want, string(out.Result), code)
		}
	}
}

func TestTypeScript(t *testing.T) {
	const code = "interface P { name: string }\nenum Size { S = 1, L }\nconst p: P = {name: who as string};\nreturn `${p.name} ${Size.L}` satisfies string"
	_, problems := js.Compile(js.Source{Translator: typescript.Translator(), Code: code}, limits())
	require.NotEmpty(t, problems, "it is no JavaScript")
	program, problems := js.Compile(js.Source{Translator: typescript.Translator(), Code: code, TypeScript: true}, limits())
	require.Empty(t, problems)
	out := program.Run(t.Context(), &js.Input{Globals: []toolspec.Global{{Name: "who", Value: []byte(`"x"`)}}})
	require.Nil(t, out.Err)
	assert.JSONEq(t, `"x 2"`, string(out.Result))
}

// Places are those of the author's code, whatever became of it.
func TestPlacesInTranslatedCode(t *testing.T) {
	const code = "const xs: number[] = [1];\nfor await (const x of xs) {\n  if (x > 0) throw new Error('here')\n}"
	program, problems := js.Compile(js.Source{Translator: typescript.Translator(), Code: code, TypeScript: true}, limits())
	require.Empty(t, problems)
	out := program.Run(t.Context(), &js.Input{})
	require.NotNil(t, out.Err)
	assert.Equal(t, 3, out.Err.Line, "%v", out.Err)

	_, problems = js.Compile(js.Source{Translator: typescript.Translator(), Code: "const a: number = 1;\nconst b = ;", TypeScript: true}, limits())
	require.NotEmpty(t, problems)
	assert.Equal(t, 2, problems[0].Line)

	program, problems = js.Compile(js.Source{Translator: typescript.Translator(), Code: "const a: number = 1;\nprocess.exit(a)", TypeScript: true}, limits())
	require.Empty(t, problems)
	problems = program.Problems(nil)
	require.Len(t, problems, 1)
	assert.Equal(t, [2]int{2, 1}, [2]int{problems[0].Line, problems[0].Column})
}
