// Package platform gives a goja runtime the globals that tools expect beside
// the language and that need a host: Intl.DateTimeFormat and crypto.
//
//	vm := goja.New()
//	platform.Install(vm, nil)
//
// [Install] puts two accessors on the global object and builds nothing: a tool
// that uses neither pays about two microseconds (BenchmarkInstall). The first
// use of a global builds it and puts it in the accessor's place. What is built
// is made of plain JavaScript objects and frozen; no Go value is visible to a
// script.
//
// # Intl.DateTimeFormat
//
// Locales en-US, en-GB, en-CA and en, others fall back to en or en-US. Options
// timeZone, weekday, year, month, day, hour, minute, second,
// fractionalSecondDigits, hour12, hourCycle, timeZoneName (short, long,
// shortOffset, longOffset), dateStyle and timeStyle; methods format,
// formatToParts and resolvedOptions. Text and errors are Node 20's (ICU 78),
// proved by testdata/golden.json, except where that would be in the way:
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
//
// # crypto
//
// crypto.randomUUID() and crypto.getRandomValues(array). Any integer array is
// filled in whole elements, at most 65,536 bytes a call. Refusals are Errors
// with name "SafetyError", kind "INVALID_INPUT", helper "crypto" and a reason:
// "not-array" or "array-too-large".
package platform
