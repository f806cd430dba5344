// Package lower turns code that the engine does not take into code that it
// does: the body of an async function in newer JavaScript or in TypeScript
// becomes the body of an async function in the JavaScript that goja compiles.
//
//   - TypeScript: types are stripped, enums, parameter properties and the like
//     become JavaScript. Types are not checked.
//   - for await, async generators, using and await using, decorators, accessor
//     fields, #name in object, and a few forms that the engine's parser stumbles
//     over become plain code.
//   - \p{…} in regular expressions, and the flag v, become explicit ranges.
//
// [Lower] scans the code first and leaves alone what needs nothing, which is
// almost all of it. What it cannot honour is a problem with line and column:
// nothing is silently taken for something else. [Result].Map leads from places
// in the new code back to the author's.
//
// # Bounds
//
// The translation is esbuild's (package sandbox/typescript, handed in), which is Go
// code that runs to its end: it knows no deadline, recurses as deep as the code nests, and takes time that grows
// with the square of the code where it reports many errors. [Limits] keep
// code from it that would exhaust the stack or double the work with each level.
// Within them the worst that was found for the default of 64 KiB takes about
// four seconds and 80 MB. Run it in a worker that can be ended.
//
// # What differs from the language
//
//   - Objects of async generators do not inherit from a prototype of their
//     own, and their functions are plain functions.
//   - RegExp.prototype.source shows the rewritten pattern; flags shows u for v.
//   - Unicode properties are those of the version in Go's package unicode;
//     the emoji properties are newer.
//   - Names of helper functions are in the body's scope; the translator picks
//     names that the code does not use.
//   - Symbol.asyncIterator, Symbol.dispose and Symbol.asyncDispose are the
//     engine's or the platform's to define. Where they are absent the helpers
//     take Symbol.for("Symbol.asyncIterator") and so on: defined as that, both
//     sides agree.
package lower
