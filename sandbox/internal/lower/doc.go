// Package lower converts code to a form that the engine supports: the body of an async function in newer
// JavaScript or in TypeScript becomes the body of an async function in the JavaScript that goja compiles.
//
//   - TypeScript: types are removed; enums, parameter properties and similar constructs become JavaScript. Types
//     are not checked.
//   - for await, async generators, using and await using, decorators, accessor fields, #name in object, and some
//     forms that the parser of the engine rejects are translated to plain code.
//   - Property escapes such as \p{L} in regular expressions, and the flag v, become explicit ranges.
//
// [Lower] scans the code first and returns code that needs no change, which is almost all code, as it is. Syntax
// that it cannot support becomes a problem with line and column; nothing is silently treated as something else.
// [Result].Map converts places in the new code back to places in the author's code.
//
// # Bounds
//
// esbuild does the translation (package sandbox/typescript, passed in Options). It is Go code that cannot be
// interrupted: it has no deadline, recurses as deep as the code nests, and takes quadratic time if it reports
// many errors. [Limits] refuses code that would exhaust the stack or double the work with each level of nesting.
// Within the default limit of 64 KiB, the worst code found takes about four seconds and 80 MB. Run the
// translation in a worker that can be killed.
//
// # Libraries
//
// Tried for property escapes: regexpu-core in the engine. Its 0.7 MB would make the program that runs a spec larger
// than 20 MB, and a worker would load it for 95 ms and take 35 to 90 ms for each \p{L}.
//
// # What differs from the language
//
//   - The objects of an async generator do not inherit from a prototype of that generator, and the generator
//     functions are plain functions.
//   - RegExp.prototype.source shows the rewritten pattern; flags shows u for v.
//   - Unicode properties are those of the Unicode version of Go's package unicode; the emoji properties are of a
//     newer version.
//   - Helper functions are declared in the scope of the body, with names that the code does not use.
//   - The engine or the platform must define Symbol.asyncIterator, Symbol.dispose and Symbol.asyncDispose. If
//     they are absent, the helpers use Symbol.for("Symbol.asyncIterator") and so on, so the platform should
//     define them with these values.
package lower
