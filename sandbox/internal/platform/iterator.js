// Iterator helpers (ECMA-262 2025, section 27.1). The function gets the prototype of all
// iterators, and returns the helpers and the Iterator constructor. It runs when one of them is
// first used.
(function (proto) {
	'use strict'
	const { create, defineProperty, getPrototypeOf, hasOwn } = Object
	const { trunc } = Math
	const apply = Reflect.apply
	const iterator = Symbol.iterator, toStringTag = Symbol.toStringTag

	const isObject = (v) => typeof v === 'object' && v !== null || typeof v === 'function'
	const receiver = (v) => { if (!isObject(v)) throw new TypeError('Iterator helper called on a value that is no object'); return v }
	const callable = (f) => { if (typeof f !== 'function') throw new TypeError(`${typeof f} is not a function`); return f }

	// An iterator with its method next, which is looked up only once.
	const open = (it) => ({ it, next: it.next })
	const step = (from) => {
		const result = apply(from.next, from.it, [])
		if (!isObject(result)) throw new TypeError('Iterator result is not an object')
		return result
	}
	const close = (it) => {
		const f = it.return
		if (f === undefined || f === null) return
		const result = apply(f, it, [])
		if (!isObject(result)) throw new TypeError('Iterator result is not an object')
	}
	// closing runs f. If f throws, it closes the iterator and throws the error of f.
	const closing = (it, f) => {
		try { return f() } catch (e) {
			try { close(it) } catch (ignored) { }
			throw e
		}
	}
	const checked = (it, f) => closing(it, () => callable(f))
	const limit = (it, n) => closing(it, () => {
		const number = +n
		if (number !== number) throw new RangeError(`${String(n)} must be positive`)
		const whole = trunc(number)
		if (whole < 0) throw new RangeError(`${String(n)} must be positive`)
		return whole
	})

	class Same { constructor(object) { return object } }
	// The state of an iterator that a helper returned.
	class Helper extends Same {
		#next; #close; #state = 'start'
		constructor(object, next, close) { super(object); this.#next = next; this.#close = close }
		static make(next, close) {
			const object = create(helperProto)
			new Helper(object, next, close)
			return object
		}
		static next(object) {
			if (object.#state === 'running') throw new TypeError('Generator is already running')
			if (object.#state === 'done') return { value: undefined, done: true }
			object.#state = 'running'
			let result, ended = true
			try {
				result = object.#next()
				ended = result === undefined
			} finally {
				object.#state = ended ? 'done' : 'open'
			}
			return ended ? { value: undefined, done: true } : { value: result.value, done: false }
		}
		static close(object) {
			if (object.#state === 'running') throw new TypeError('Generator is already running')
			if (object.#state !== 'done') {
				object.#state = 'running'
				try { object.#close() } finally { object.#state = 'done' }
			}
			return { value: undefined, done: true }
		}
	}
	const define = (object, name, value) => defineProperty(object, name, { value, writable: true, enumerable: false, configurable: true })
	const methods = (object, list) => {
		for (const name in list) define(object, name, list[name])
		return object
	}
	const helperProto = methods(create(proto), {
		next() { return Helper.next(receiver(this)) },
		return() { return Helper.close(receiver(this)) },
	})
	defineProperty(helperProto, toStringTag, { value: 'Iterator Helper', configurable: true })

	// flattenable returns the iterator of a value for flatMap and Iterator.from.
	const flattenable = (v, strings) => {
		if (!isObject(v) && !(strings && typeof v === 'string')) throw new TypeError(`${String(v)} is not an object`)
		const method = v[iterator]
		const it = method === undefined || method === null ? v : apply(callable(method), v, [])
		if (!isObject(it)) throw new TypeError(`${String(it)} is not an object`)
		return open(it)
	}
	const helpers = {
		map(f) {
			const it = receiver(this)
			checked(it, f)
			const from = open(it)
			let i = 0
			return Helper.make(() => {
				const result = step(from)
				if (result.done) return undefined
				const value = result.value
				return { value: closing(it, () => f(value, i++)) }
			}, () => close(it))
		},
		filter(f) {
			const it = receiver(this)
			checked(it, f)
			const from = open(it)
			let i = 0
			return Helper.make(() => {
				for (;;) {
					const result = step(from)
					if (result.done) return undefined
					const value = result.value
					if (closing(it, () => f(value, i++))) return { value }
				}
			}, () => close(it))
		},
		take(n) {
			const it = receiver(this)
			let left = limit(it, n)
			const from = open(it)
			return Helper.make(() => {
				if (left === 0) { close(it); return undefined }
				left--
				const result = step(from)
				return result.done ? undefined : { value: result.value }
			}, () => close(it))
		},
		drop(n) {
			const it = receiver(this)
			let left = limit(it, n)
			const from = open(it)
			return Helper.make(() => {
				for (; left > 0; left--) if (step(from).done) return undefined
				const result = step(from)
				return result.done ? undefined : { value: result.value }
			}, () => close(it))
		},
		flatMap(f) {
			const it = receiver(this)
			checked(it, f)
			const from = open(it)
			let i = 0, inner
			return Helper.make(() => {
				for (;;) {
					if (inner === undefined) {
						const result = step(from)
						if (result.done) return undefined
						const value = result.value
						inner = closing(it, () => flattenable(f(value, i++), false))
					}
					const result = closing(it, () => { const r = step(inner); return r.done ? undefined : { value: r.value } })
					if (result !== undefined) return result
					inner = undefined
				}
			}, () => {
				if (inner !== undefined) closing(it, () => close(inner.it))
				close(it)
			})
		},
		reduce(f, ...initial) {
			const it = receiver(this)
			checked(it, f)
			const from = open(it)
			let i = 0, result, all
			if (initial.length > 0) all = initial[0]
			else {
				result = step(from)
				if (result.done) throw new TypeError('Reduce of a done iterator with no initial value')
				all = result.value
				i = 1
			}
			while (!(result = step(from)).done) {
				const value = result.value
				all = closing(it, () => f(all, value, i++))
			}
			return all
		},
		toArray() {
			const from = open(receiver(this)), out = []
			let result
			for (let i = 0; !(result = step(from)).done; i++) {
				defineProperty(out, i, { value: result.value, writable: true, enumerable: true, configurable: true })
			}
			return out
		},
		forEach(f) {
			const it = receiver(this)
			checked(it, f)
			const from = open(it)
			let i = 0, result
			while (!(result = step(from)).done) {
				const value = result.value
				closing(it, () => f(value, i++))
			}
		},
		some(f) {
			const it = receiver(this)
			checked(it, f)
			const from = open(it)
			let i = 0, result
			while (!(result = step(from)).done) {
				const value = result.value
				if (closing(it, () => f(value, i++))) { close(it); return true }
			}
			return false
		},
		every(f) {
			const it = receiver(this)
			checked(it, f)
			const from = open(it)
			let i = 0, result
			while (!(result = step(from)).done) {
				const value = result.value
				if (!closing(it, () => f(value, i++))) { close(it); return false }
			}
			return true
		},
		find(f) {
			const it = receiver(this)
			checked(it, f)
			const from = open(it)
			let i = 0, result
			while (!(result = step(from)).done) {
				const value = result.value
				if (closing(it, () => f(value, i++))) { close(it); return value }
			}
			return undefined
		},
	}

	function Iterator() {
		if (new.target === undefined) throw new TypeError('Constructor Iterator requires \'new\'')
		if (new.target === Iterator) throw new TypeError('Abstract class Iterator not directly constructable')
	}
	defineProperty(Iterator, 'prototype', { value: proto, writable: false, enumerable: false, configurable: false })

	// An iterator that does not inherit from Iterator.prototype is wrapped.
	class Wrap extends Same {
		#from
		constructor(object, from) { super(object); this.#from = from }
		static next(object) { const from = object.#from; return apply(from.next, from.it, []) }
		static close(object) {
			const { it } = object.#from, f = it.return
			return f === undefined || f === null ? { value: undefined, done: true } : apply(f, it, [])
		}
	}
	const wrapProto = methods(create(proto), {
		next() { return Wrap.next(receiver(this)) },
		return() { return Wrap.close(receiver(this)) },
	})
	define(Iterator, 'from', function from(v) {
		const opened = flattenable(v, true)
		for (let o = opened.it; o !== null; o = getPrototypeOf(o)) if (o === proto) return opened.it
		const object = create(wrapProto)
		new Wrap(object, opened)
		return object
	})
	// constructor and Symbol.toStringTag of the prototype are accessors: assigning them to another
	// iterator defines a property of that iterator.
	const weird = (key, value) => defineProperty(proto, key, {
		get() { return value },
		set(v) {
			if (receiver(this) === proto) throw new TypeError('Cannot assign to this property of Iterator.prototype')
			if (hasOwn(this, key)) this[key] = v
			else defineProperty(this, key, { value: v, writable: true, enumerable: true, configurable: true })
		},
		enumerable: false, configurable: true,
	})
	weird('constructor', Iterator)
	weird(toStringTag, 'Iterator')
	return { helpers, Iterator }
})
