package platform_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What ECMA-262 says of iterator helpers; Node 20 has none to compare with.
func TestIteratorHelpers(t *testing.T) {
	const source = "function* n() { let i = 0; try { for (;;) yield i++ } finally { log.push('closed') } } var log = [];"
	for _, c := range []struct{ name, body, want string }{
		{"chain", "return n().filter(x => x % 2).map(x => x * 10).drop(1).take(3).toArray()", `[30,50,70]`},
		{"take closes", "n().take(2).toArray(); return log", `["closed"]`},
		{"take nothing", "return [n().take(0).toArray(), log]", `[[],[]]`},
		{"index", "return ['a', 'b'].values().map((x, i) => x + i).toArray()", `["a0","b1"]`},
		{"flatMap", "return [1, 2].values().flatMap(x => [x, x]).toArray()", `[1,1,2,2]`},
		{"flatMap takes no text", "try { ['ab'].values().flatMap(x => x).toArray() } catch (e) { return e.name }", `"TypeError"`},
		{"reduce", "return [[1, 2, 3].values().reduce((a, b) => a + b), [1, 2].values().reduce((a, b) => a + b, 10), [].values().reduce((a, b) => 0, undefined) === undefined]", `[6,13,true]`},
		{"reduce of nothing", "try { [].values().reduce((a, b) => a) } catch (e) { return e.name }", `"TypeError"`},
		{"some", "return [n().some(x => x > 3), log]", `[true,["closed"]]`},
		{"every", "return [n().every(x => x < 3), log]", `[false,["closed"]]`},
		{"find", "return [n().find(x => x > 6), log, [1].values().find(x => x > 1) === undefined]", `[7,["closed"],true]`},
		{"forEach", "var s = 0; new Set([1, 2]).values().forEach((x, i) => { s += x * (i + 1) }); return s", `5`},
		{"generators and maps", "return [new Map([[1, 2]]).entries().map(([k, v]) => k + v).toArray(), 'aXb'.matchAll(/[a-z]/g).map(m => m[0]).toArray()]", `[[3],["a","b"]]`},
		{"a throwing callback closes", "try { n().map(() => { throw new Error('mine') }).next() } catch (e) { return [e.message, log] }", `["mine",["closed"]]`},
		{"bad arguments", "return [() => n().map(1), () => n().take(-1), () => n().take(NaN), () => n().drop('x'), () => Iterator.prototype.map.call(1, x => x)].map(f => { try { f(); return 'ok' } catch (e) { return e.name } })",
			`["TypeError","RangeError","RangeError","RangeError","TypeError"]`},
		{"lazy", "var seen = 0; var it = n().map(x => { seen++; return x }); it.next(); return seen", `1`},
		{"return", "var it = n().map(x => x); it.next(); return [it.return(), it.next(), log]", `[{"done":true},{"done":true},["closed"]]`},
		{"running", "var it; it = n().map(() => { try { it.next() } catch (e) { return e.name } }); return it.next().value", `"TypeError"`},
		{"from", "return [Iterator.from([1, 2]).toArray(), Iterator.from({ next() { return this.i++ > 1 ? { done: true } : { value: this.i, done: false } }, i: 0 }).map(x => x * 2).toArray(), Iterator.from('ab').toArray()]", `[[1,2],[2,4],["a","b"]]`},
		{"from wraps", "var w = Iterator.from({ next() { return { value: 1, done: false } }, return() { log.push('r'); return {} } }); w.return(); return [w instanceof Iterator, log]", `[true,["r"]]`},
		{"from refuses", "try { Iterator.from(5) } catch (e) { return e.name }", `"TypeError"`},
		{"abstract", "return [() => new Iterator(), () => Iterator()].map(f => { try { f() } catch (e) { return e.name } })", `["TypeError","TypeError"]`},
		{"extends", "class It extends Iterator { next() { return { done: this.i > 1, value: this.i++ } } i = 0 } return [new It().toArray(), new It() instanceof Iterator]", `[[0,1],true]`},
		{"prototype", "return [Iterator.prototype === Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())), Iterator.prototype[Symbol.toStringTag], Iterator.prototype.constructor === Iterator, Iterator.prototype.map.name, Iterator.prototype.reduce.length, Iterator.prototype.toArray.length]", `[true,"Iterator",true,"map",1,0]`},
		{"tag can be set on an instance", "var o = Object.create(Iterator.prototype); o[Symbol.toStringTag] = 'Mine'; o.constructor = 7; return [o[Symbol.toStringTag], o.constructor, (() => { try { Iterator.prototype.constructor = 1 } catch (e) { return e.name } })()]", `["Mine",7,"TypeError"]`},
		{"helper tag", "return Object.prototype.toString.call(n().map(x => x))", `"[object Iterator Helper]"`},
		{"patched arrays change nothing", "Array.prototype.push = null; Array.prototype[Symbol.iterator] = null; return Iterator.from({ i: 0, next() { return { done: this.i > 1, value: this.i++ } } }).map(x => x + 1).toArray()", `[1,2]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, mustRun(t, nil, source+c.body))
		})
	}
}

func TestFromAsync(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"iterable", "return Array.fromAsync([1, Promise.resolve(2)])", `[1,2]`},
		{"generator", "return Array.fromAsync((function* () { yield Promise.resolve('a'); yield 'b' })())", `["a","b"]`},
		{"map", "return Array.fromAsync([1, 2], async (x, i) => x * 10 + i)", `[10,21]`},
		{"array-like", "return Array.fromAsync({ length: 2, 0: Promise.resolve(7), 1: 8 })", `[7,8]`},
		{"constructor", "class L extends Array {} return (await Array.fromAsync.call(L, [1])) instanceof L", `true`},
		{"rejection", "try { await Array.fromAsync([Promise.reject(new RangeError('x'))]) } catch (e) { return e.name }", `"RangeError"`},
		{"bad", "return Promise.all([null, [1, 2]].map((v, i) => Array.fromAsync(v, i ? 5 : undefined).catch(e => e.name)))", `["TypeError","TypeError"]`},
		{"closes", "var log = []; try { await Array.fromAsync({ [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }), return() { log.push('closed'); return {} } }) }, () => { throw 1 }) } catch (e) { return log }", `["closed"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, mustAwait(t, nil, c.body))
		})
	}
}
