// Array.fromAsync for async iterables, iterables and array-likes, in this order of preference.
// Each value is awaited.
(function () {
	'use strict'
	const iterator = Symbol.iterator, asyncIterator = Symbol.asyncIterator
	const { defineProperty } = Object
	const apply = Reflect.apply
	const put = (object, i, value) => defineProperty(object, i, { value, writable: true, enumerable: true, configurable: true })
	const isConstructor = (f) => {
		try { Reflect.construct(Object, [], f); return true } catch (e) { return false }
	}
	const read = async (C, items, f, that) => {
		if (f !== undefined && typeof f !== 'function') throw new TypeError(`${typeof f} is not a function`)
		const later = asyncIterator !== undefined ? items[asyncIterator] : undefined
		const method = later ?? items[iterator]
		const make = (size) => !isConstructor(C) ? [] : size === undefined ? new C() : new C(size)
		let out, i = 0
		if (method === undefined || method === null) {
			const from = Object(items), length = Math.min(Math.max(Math.trunc(Number(from.length)) || 0, 0), Number.MAX_SAFE_INTEGER)
			out = make(length)
			for (; i < length; i++) {
				let value = await from[i]
				if (f !== undefined) value = await apply(f, that, [value, i])
				put(out, i, value)
			}
		} else {
			out = make()
			const it = apply(method, items, [])
			const next = it.next
			for (;; i++) {
				let result = apply(next, it, [])
				if (later) result = await result
				if (typeof result !== 'object' || result === null) throw new TypeError('Iterator result is not an object')
				if (result.done) break
				try {
					let value = later ? result.value : await result.value
					if (f !== undefined) value = await apply(f, that, [value, i])
					put(out, i, value)
				} catch (e) {
					try { it.return?.() } catch (ignored) { }
					throw e
				}
			}
		}
		out.length = i
		return out
	}
	return { fromAsync(items, f = undefined, that = undefined) { return read(this, items, f, that) } }.fromAsync
})()
