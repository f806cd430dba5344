package platform_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What newer editions of the language have and Node 20 has not all.
func TestLanguageAdditions(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"Object.groupBy", "return Object.groupBy([1, 2, 3], (x, i) => x % 2 ? 'odd' : 'even' + i)", `{"odd":[1,3],"even1":[2]}`},
		{"Object.groupBy prototype", "return Object.getPrototypeOf(Object.groupBy([], x => x))", `null`},
		{"Object.groupBy keys", "var s = Symbol('s'); var g = Object.groupBy([1, 2, 3, 4], x => [s, null, '__proto__', { toString() { return 'o' } }][x - 1]); return [g[s], Object.keys(g)]", `[[1],["null","__proto__","o"]]`},
		{"Object.groupBy text", "return Object.groupBy('aba', x => x)", `{"a":["a","a"],"b":["b"]}`},
		{"Object.groupBy errors", "return [() => Object.groupBy(null, x => x), () => Object.groupBy([1]), () => Object.groupBy([1], () => { throw new RangeError() }), () => Object.groupBy([1], () => ({ toString() { return {} }, valueOf() { return {} } }))].map(f => { try { f(); return 'ok' } catch (e) { return e.name } })", `["TypeError","TypeError","RangeError","TypeError"]`},
		{"Map.groupBy", "var k = {}; var m = Map.groupBy([1, 2, 3, 4], x => x > 2 ? k : -0); return [m.get(k), m.get(0), Object.is([...m.keys()][0], 0), m instanceof Map]", `[[3,4],[1,2],true,true]`},
		{"Promise.withResolvers", "var { promise, resolve, reject } = Promise.withResolvers(); resolve(5); return [await promise, typeof reject]", `[5,"function"]`},
		{"Promise.withResolvers of a subclass", "class P extends Promise {} return P.withResolvers().promise instanceof P", `true`},
		{"Promise.withResolvers of nothing", "try { Promise.withResolvers.call(5) } catch (e) { return e.name }", `"TypeError"`},
		{"Promise.withResolvers of a bad class", "return [function (f) { f(1, 2) }, function (f) {}, function (f) { f(() => 1, () => 1); f(() => 1, () => 1) }, function (f) { f(() => 1) }].map(C => { try { Promise.withResolvers.call(C); return 'ok' } catch (e) { return e.name } })", `["TypeError","TypeError","TypeError","TypeError"]`},
		{"Promise.try", "return [await Promise.try((a, b) => a + b, 1, 2), await Promise.try(() => { throw new RangeError('x') }).catch(e => e.name), await Promise.try(5).catch(e => e.name)]", `[3,"RangeError","TypeError"]`},
		{"RegExp.escape", `return [RegExp.escape('a.b*c'), RegExp.escape('1-2 [x]/\n'), RegExp.escape('foo'), RegExp.escape('ü_\u2028\ud800'), RegExp.escape('')]`, `["\\x61\\.b\\*c","\\x31\\x2d2\\x20\\[x\\]\\/\\n","\\x66oo","ü_\\u2028\\ud800",""]`},
		{"RegExp.escape works", "var s = '^a.b{2}|$1 \\t\\\\x-é😀'; return new RegExp('^' + RegExp.escape(s) + '$').test(s)", `true`},
		{"RegExp.escape takes a text", "try { RegExp.escape(5) } catch (e) { return e.name }", `"TypeError"`},
		{"isWellFormed of nothing", "try { String.prototype.isWellFormed.call(null) } catch (e) { return e.name }", `"TypeError"`},
		{"from of all typed arrays", "return [Int8Array, Uint16Array, Float32Array, Uint8ClampedArray].map(C => Array.from(C.from('12')))", `[[1,2],[1,2],[1,2],[1,2]]`},
		{"from of BigInts", "return BigInt64Array.from('12', BigInt).join()", `"1,2"`},
		{"like the language's own", "return ['groupBy', 'fromEntries'].map(n => { var d = Object.getOwnPropertyDescriptor(Object, n); return [d.writable, d.enumerable, d.configurable] })", `[[true,false,true],[true,false,true]]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, mustAwait(t, nil, c.body))
		})
	}
}
