// Package platform adds to a goja runtime what tools expect in addition to the core
// language: the Web globals and Intl, which a host must provide, and parts of newer
// ECMAScript editions that the engine lacks.
//
//	vm := goja.New()
//	p := platform.Install(vm, &platform.Options{Features: platform.FeaturesIn(code)})
//
// # Cost
//
// [Install] defines an accessor on the global object for each global, but does not build
// the global: its first use builds it and replaces the accessor with it. Each extension
// of a built-in object is a native function, and accessing a prototype makes the engine
// build the prototype. To save this cost, the program that owns the runtime chooses what
// to install: when it compiles code, it calls [FeaturesIn], which finds the [Features]
// that the code can use by the words of its text. Code that uses no feature costs
// nothing, and code that uses one global costs about a microsecond (BenchmarkFeature);
// the zero Features, which means everything, costs about forty (BenchmarkInstall).
//
// All globals are plain JavaScript objects. The classes are frozen; a script that changes
// the built-in objects of the language can harm only itself. The state of an object is
// held in Go and attached by a private member that a script can neither see nor forge.
// Failures of the host are Errors with name "SafetyError", kind, helper and reason;
// [Platform.Failure] distinguishes them from errors that the script created itself.
// [Limits] limits single calls.
//
// # Globals
//
//   - URL and URLSearchParams as in the WHATWG URL Standard, with live setters. The
//     parser is part of this package, since nlnwa/whatwg-url 0.6.2 takes quadratic time
//     (19 s for a path of 256 KiB of "a/", 68 s for 256 KiB of "a@") and a call into Go
//     cannot be interrupted.
//   - TextEncoder; TextDecoder for UTF-8, UTF-16 and windows-1252 (Latin-1).
//   - atob and btoa. Reasons "missing-input", "invalid-base64", "non-latin-1".
//   - crypto.randomUUID() and crypto.getRandomValues(array): getRandomValues accepts any
//     integer array of at most 65,536 bytes. Reasons "not-array" and "array-too-large".
//   - crypto.subtle: digest, importKey, sign and verify for HMAC, with SHA-256,
//     SHA-384 and SHA-512. Data is a text, a buffer, a typed array or an array
//     of bytes; a result is a promise of a Uint8Array. Reasons "missing-args",
//     "invalid-algorithm", "unsupported-algorithm", "unsupported-format",
//     "unsupported-hash", "unsupported-arg-type" and "invalid-key".
//   - structuredClone, queueMicrotask, and timers: see [Timers] for what drives
//     them.
//   - Iterator with its helpers.
//   - Intl: DateTimeFormat, NumberFormat, getCanonicalLocales. Code that uses another
//     member of Intl is refused before it runs, with a problem that says so.
//
// # Extensions of built-in objects
//
// toLocaleString of numbers, BigInts and dates, toLocaleDateString and
// toLocaleTimeString; TypedArray.from accepts strings; Object.groupBy, Map.groupBy,
// Promise.withResolvers, Promise.try, Array.fromAsync, RegExp.escape, isWellFormed and
// toWellFormed of strings, and the iterator helpers. Array.fromAsync awaits the elements
// of a synchronous iterable; it iterates asynchronously only over objects with a
// Symbol.asyncIterator.
//
// # Differences from Node
//
// Package nodecompare runs scripts in this engine and in Node and lists every difference.
// These differences are intended:
//
//   - crypto.subtle returns Uint8Arrays, and supports only HMAC and hashes.
//   - A timer is a number, and the owner of the runtime controls the clock of the timers.
//   - The default time zone is UTC, since a result must not depend on the host.
//   - windows-1252 is decoded as the Encoding Standard defines.
//   - URLs follow the URL Standard of 2025: a caret in a path is encoded, the space at
//     the end of an opaque path is kept, and a reference other than a fragment needs a
//     base with a path. Node 20 also keeps dots at the end of a path after an opaque
//     host, and drops the query if the path becomes //x.
//
// Limitations of the engine cause further differences: too many nested calls end the run;
// the source of a regular expression escapes slashes in another way; a regular expression
// may use a group name twice; its flag i folds the case of all of Unicode; a Date shows
// its time zone as an abbreviation; and a regular expression with the flag g or y, when
// it continues from an earlier match, can miss a match if one of its alternatives begins
// with a character and another with a negated class.
//
// # Numbers
//
// Intl.NumberFormat and toLocaleString support the locales en-US, en-GB, en-CA, en-AU and
// en; others fall back to en-US. Supported are the styles decimal, percent and currency,
// the notations standard, scientific and engineering, all values of signDisplay,
// useGrouping, roundingMode, roundingPriority and trailingZeroDisplay, and fraction and
// significant digits. A number is rounded from its shortest decimal text, as in other
// engines; strings and BigInts keep all of their digits. The formats were generated with
// Node by testdata/numbers.mjs. The style unit, the notation compact, digits other than 0
// to 9 and roundingIncrement are refused with a RangeError that says so.
//
// The names of twenty-two currencies are known. Amounts in scientific notation have the
// default digits of plain numbers, as ECMA-402 defines; in Node 20 they have those of the
// currency.
//
// # Dates
//
// Intl.DateTimeFormat and the methods of dates support the locales en-US, en-GB, en-CA
// and en; others fall back to en or en-US. Supported are the options timeZone, weekday,
// year, month, day, hour, minute, second, fractionalSecondDigits, hour12, hourCycle,
// timeZoneName (short, long, shortOffset, longOffset), dateStyle and timeStyle. Text and
// errors are those of Node 20 (ICU 78), verified with testdata/golden.json, with these
// intended differences:
//
//   - The default timeZone is UTC, since a result must not depend on the host.
//   - hour12: false means 00 to 23 and hour12: true means 12, 1 to 11, as ECMA-402 now
//     defines. Node shows midnight as 24 in en-US and as 0 am in en-GB.
//   - A time zone keeps the requested name, in its proper case; Node 20 replaces some
//     names by an older alias (Asia/Kolkata by Asia/Calcutta).
//   - The long names of time zones are those of today, even for dates in the past.
//   - Combinations for which English has no pattern (a weekday with a month but no day, a
//     year with a day but no month, an hour with seconds but no minutes) are written in
//     plain order; ICU writes "Tue (month: January)".
//   - The options era and dayPeriod and the generic zone names are refused with a
//     RangeError that says so, as are calendars other than gregory and digits other than
//     latn.
//
// Time zones are those of the IANA database, by full name in any case. The database is
// linked into the program (time/tzdata), so that a process that may not open files has it
// too; if the host has its own copy, that copy is used.
package platform
