// Package jsnames reports which names the code of a tool can use for its own values:
// which names are JavaScript identifiers, and which identifiers are already taken.
package jsnames

import "unicode"

// IsIdentifier reports whether a name is a JavaScript identifier, reserved or
// not.
func IsIdentifier(name string) bool {
	for i, r := range name {
		start := r == '_' || r == '$' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) || unicode.Is(unicode.Other_ID_Start, r)
		if start || i > 0 && (unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc, unicode.Other_ID_Continue) || r == '\u200c' || r == '\u200d') {
			continue
		}
		return false
	}
	return name != ""
}

// IsReserved reports whether a name cannot be bound as a global: a reserved word of
// ECMAScript 2024, including those of strict code, or a global that is read-only or
// refers to the function itself.
func IsReserved(name string) bool {
	switch name {
	case "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else",
		"enum", "export", "extends", "false", "finally", "for", "function", "if", "import", "in", "instanceof", "new",
		"null", "return", "super", "switch", "this", "throw", "true", "try", "typeof", "var", "void", "while", "with", "yield",
		"let", "static", "implements", "interface", "package", "private", "protected", "public",
		"undefined", "NaN", "Infinity", "globalThis", "eval", "arguments":
		return true
	}
	return false
}

// IsInjected reports whether the sandbox provides a global with this name (specification
// sections 2.1 and 8.2, and the stub of 16.1).
func IsInjected(name string) bool {
	switch name {
	case "fetch", "safety", "URL", "URLSearchParams", "console", "crypto", "atob", "btoa",
		"TextEncoder", "TextDecoder", "Intl", "Java", "Packages", "Polyglot":
		return true
	}
	return false
}

// IsBuiltin reports whether JavaScript itself has a global with this name.
func IsBuiltin(name string) bool {
	switch name {
	case "Object", "Function", "Array", "String", "Number", "Boolean", "Symbol", "BigInt", "Math", "JSON", "Date", "RegExp",
		"Map", "Set", "WeakMap", "WeakSet", "WeakRef", "Promise", "Proxy", "Reflect", "Error", "AggregateError", "EvalError",
		"RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError", "ArrayBuffer", "SharedArrayBuffer", "Atomics",
		"DataView", "Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array",
		"Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array", "Iterator", "Temporal",
		"parseInt", "parseFloat", "isNaN", "isFinite", "encodeURI", "encodeURIComponent", "decodeURI", "decodeURIComponent",
		"escape", "unescape":
		return true
	}
	return false
}
