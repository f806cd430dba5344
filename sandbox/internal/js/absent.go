package js

import "github.com/localpass/localpass/toolspec"

// absence describes a name that code may expect and this engine lacks: why it is missing,
// and what to use instead.
type absence struct {
	reason  string
	message string
	remedy  string
}

const (
	noTimers = "use setTimeout, or await the work itself"
	noHost   = "the code runs without a host language; write it in JavaScript"
	plain    = "write it in plain JavaScript"
)

// absentGlobal says why a free name is missing. A name that is in none of its lists is
// reported as undeclared.
func absentGlobal(name string) (absence, bool) {
	switch name {
	case "Java", "JavaImporter", "Packages", "Polyglot":
		return absence{toolspec.ReasonHostInterop, name + " is not available: code cannot reach the host", noHost}, true
	case "eval":
		return absence{ReasonUnsupportedGlobal, "eval is off: code cannot be made from text", plain}, true
	case "fetch":
		return absence{ReasonNotGranted, "fetch is not granted to this tool", "set sandboxOverrides.networkMode and hostsAllow to what it needs"}, true
	case "setImmediate", "clearImmediate", "requestAnimationFrame":
		return absence{ReasonUnsupportedGlobal, name + " is not available", noTimers}, true
	case "Temporal":
		return absence{ReasonUnsupportedGlobal, name + " is not available", "use Date and Intl.DateTimeFormat"}, true
	case "process", "require", "module", "exports", "Buffer", "global", "__dirname", "__filename", "importScripts":
		return absence{ReasonUnsupportedGlobal, name + " is not available: this is not Node.js", plain}, true
	case "window", "document", "navigator", "self", "localStorage", "sessionStorage", "XMLHttpRequest", "WebSocket",
		"EventSource", "Worker", "DOMParser", "alert":
		return absence{ReasonUnsupportedGlobal, name + " is not available: this is not a browser", plain}, true
	case "WeakRef", "FinalizationRegistry", "SharedArrayBuffer", "Atomics", "WebAssembly", "performance",
		"Blob", "File", "FormData", "Headers", "Request", "Response", "AbortController", "AbortSignal", "MessageChannel":
		return absence{ReasonUnsupportedGlobal, name + " is not available", plain}, true
	}
	return absence{}, false
}

// absentMember says why a member of an existing global is missing.
func absentMember(base, member string) (absence, bool) {
	missing := false
	switch base {
	case "safety":
		switch member {
		case "fs":
			return absence{ReasonNotGranted, "safety.fs is not granted to this tool", "set sandboxOverrides.fileRead or fileWrite"}, true
		case "parser":
		default:
			return absence{ReasonUnsupportedGlobal, "safety." + member + " is not available", "safety has fs and parser"}, true
		}
	case "Intl":
		switch member {
		case "Collator", "DisplayNames", "DurationFormat", "ListFormat", "Locale", "PluralRules", "RelativeTimeFormat", "Segmenter", "supportedValuesOf":
			missing = true
		}
	}
	if !missing {
		return absence{}, false
	}
	return absence{ReasonUnsupportedGlobal, base + "." + member + " is not available", plain}, true
}

// presentGlobal reports whether a free name exists in every run: a global of the engine
// or one that the sandbox adds.
func presentGlobal(name string) bool {
	switch name {
	case "Object", "Function", "Array", "String", "Number", "BigInt", "RegExp", "Date", "Boolean", "Proxy", "Reflect",
		"Error", "AggregateError", "TypeError", "ReferenceError", "SyntaxError", "RangeError", "EvalError", "URIError",
		"Math", "JSON", "Symbol", "WeakSet", "WeakMap", "Map", "Set", "Promise", "globalThis", "NaN", "undefined", "Infinity",
		"isNaN", "parseInt", "parseFloat", "isFinite", "decodeURI", "decodeURIComponent", "encodeURI", "encodeURIComponent",
		"escape", "unescape", "ArrayBuffer", "DataView", "Uint8Array", "Uint8ClampedArray", "Int8Array", "Uint16Array",
		"Int16Array", "Uint32Array", "Int32Array", "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array",
		"console", "localpass", "safety", "Intl", "crypto", "arguments", "URL", "URLSearchParams", "TextEncoder", "TextDecoder", "atob", "btoa",
		"structuredClone", "queueMicrotask", "setTimeout", "setInterval", "clearTimeout", "clearInterval", "Iterator",
		// the global object inherits these, like every object
		"toString", "valueOf", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "constructor":
		return true
	}
	return false
}
