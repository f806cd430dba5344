// Package platform gives a goja runtime what tools expect beside the language:
// globals of the Web and of Intl that need a host, and the parts of newer
// editions of the language that the engine has not.
//
//	vm := goja.New()
//	p := platform.Install(vm, &platform.Options{Features: platform.FeaturesIn(code)})
//
// # What it costs
//
// [Install] puts an accessor on the global object for each global, and builds
// nothing: the first use of a global builds it and puts it in the accessor's
// place. What extends the objects of the language is a native function each,
// and touching a prototype makes the engine build it. So an owner says what to
// install: [FeaturesIn] finds the [Features] that code can use by the words of
// its text, once, when it compiles the code. Code that uses none pays nothing,
// and one that uses a global about a microsecond (BenchmarkFeature); the zero
// Features, everything, costs some forty (BenchmarkInstall).
//
// What is built is made of plain JavaScript objects. The classes are frozen;
// what a script does to the language under them can hurt only the script. The
// state of an object is in Go, attached by a private member that a script
// neither sees nor forges. The refusals of the host are Errors with name
// "SafetyError", kind, helper and reason; [Platform.Failure] distinguishes a
// genuine one from what a script threw itself. [Limits] bounds single calls.
//
// # Globals
//
//   - URL and URLSearchParams by the WHATWG URL Standard, with live setters. The
//     parser is our own: nlnwa/whatwg-url 0.6.2 takes time in the square of the
//     length (19 s for a path of 256 KiB of "a/", 68 s for as many "a@"), and a call
//     into Go cannot be stopped.
//   - TextEncoder; TextDecoder for UTF-8, UTF-16 and windows-1252 (Latin-1).
//   - atob and btoa. Reasons "missing-input", "invalid-base64", "non-latin-1".
//   - crypto.randomUUID() and crypto.getRandomValues(array): any integer array
//     is filled in whole elements, at most 65,536 bytes a call. Reasons
//     "not-array" and "array-too-large".
//   - crypto.subtle: digest, importKey, sign and verify for HMAC, with SHA-256,
//     SHA-384 and SHA-512. Data is a text, a buffer, a typed array or an array
//     of bytes; a result is a promise of a Uint8Array. Reasons "missing-args",
//     "invalid-algorithm", "unsupported-algorithm", "unsupported-format",
//     "unsupported-hash", "unsupported-arg-type" and "invalid-key".
//   - structuredClone, queueMicrotask, and timers: see [Timers] for what drives
//     them.
//   - Iterator with its helpers.
//   - Intl: DateTimeFormat, NumberFormat, getCanonicalLocales. Code that names
//     another member of Intl is refused before it runs, with a problem that says so.
//
// # On the objects of the language
//
// toLocaleString of numbers, BigInts and dates, toLocaleDateString and
// toLocaleTimeString; from of the typed arrays takes texts; Object.groupBy,
// Map.groupBy, Promise.withResolvers, Promise.try, Array.fromAsync,
// RegExp.escape, isWellFormed and toWellFormed of texts, and the iterator
// helpers. Array.fromAsync awaits what it can iterate over; it iterates
// asynchronously only where there is a Symbol.asyncIterator.
//
// # Not as in Node
//
// Package nodecompare runs scripts here and in Node and lists every one that
// differs. On purpose:
//
//   - crypto.subtle gives Uint8Arrays, and knows HMAC and hashes only.
//   - A timer is a number; the clock of timers is the owner's.
//   - Where no time zone is given it is UTC: a result must not depend on the
//     host.
//   - windows-1252 is decoded as the Encoding Standard says.
//   - A URL is what the URL Standard of 2025 says: a caret in a path is encoded,
//     the space that ends an opaque path stays, a reference that is more than a
//     fragment needs a base with a path. Node 20 also keeps the dots that end a
//     path behind an opaque host, and drops the query when the path becomes //x.
//
// And since the engine knows no better: too many nested calls end the run, the
// source of a regular expression has its slash escaped in another way, a group
// name may come twice, the flag i folds the case of all of Unicode, a Date
// shows its time zone by its abbreviation, and a search that continues in a
// text (the flags g and y) can miss a match of an alternative that begins with
// a character beside one that begins with a negated class.
//
// # Numbers
//
// Intl.NumberFormat and toLocaleString know en-US, en-GB, en-CA, en-AU and en;
// others fall back to en-US. Styles decimal, percent and currency, the notations
// standard, scientific and engineering, all of signDisplay, useGrouping,
// roundingMode, roundingPriority and trailingZeroDisplay, fraction and significant
// digits. A number is rounded as its shortest decimal text, as everywhere; texts and
// BigInts keep all of their digits. What they look like is asked of Node by
// testdata/numbers.mjs. Refused with a RangeError that says so: style unit, notation
// compact, other digits than 0 to 9, roundingIncrement.
//
// Names of currencies are known for twenty-two. Amounts in scientific notation have
// the digits of plain numbers, as ECMA-402 says; in Node 20 those of the currency.
//
// # Dates
//
// Intl.DateTimeFormat and the methods of dates know the locales en-US, en-GB,
// en-CA and en; others fall back to en or en-US. Options timeZone, weekday,
// year, month, day, hour, minute, second, fractionalSecondDigits, hour12,
// hourCycle, timeZoneName (short, long, shortOffset, longOffset), dateStyle and
// timeStyle. Text and errors are Node 20's (ICU 78), proved by
// testdata/golden.json, except where that would be in the way:
//
//   - Without a timeZone it is UTC: a result must not depend on the host.
//   - hour12: false means 00 to 23 and hour12: true means 12, 1 to 11, as
//     ECMA-402 now says. Node shows midnight as 24 in en-US, as 0 am in en-GB.
//   - A time zone keeps the name it was asked for, in its proper case; Node 20
//     replaces some by an older alias (Asia/Kolkata by Asia/Calcutta).
//   - Long names of zones are those of today, also for the past.
//   - Combinations that English has no pattern for (a weekday with a month but
//     no day, a year with a day but no month, an hour with seconds but no
//     minutes) come out in plain order; ICU writes "Tue (month: January)".
//   - Options era, dayPeriod, and the generic zone names are refused with a
//     RangeError that says so, as is a calendar other than gregory or digits
//     other than latn.
//
// Time zones are those of the IANA database, by exact name in any case. The
// database is linked into the program (time/tzdata), so a process that may not
// open a file knows them too; where the host has its own copy, that one is
// read.
package platform
