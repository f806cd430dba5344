// Package parser gives code in the sandbox safety.parser: csv, xml, yaml and
// html (Safe Tool Specification sheet, section 7).
//
//	safety.parser.csv(text, {header = false, delimiter = ","})
//	safety.parser.xml(text)
//	safety.parser.yaml(text)
//	safety.parser.html(text, baseUri)
//
// It only computes: nothing is asked of the program around the code. [Install]
// puts one accessor on an object and builds nothing until it is read.
//
// # Results
//
// csv, xml and yaml give plain objects, arrays and strings of the runtime. A
// key is always a property of the object itself, also "__proto__".
//
// csv keeps quoted line ends and every character; blank lines are skipped. Of
// equal names in a header the last one wins. A byte order mark is dropped.
//
// xml gives {tag, attrs, text, children} for each element. A DOCTYPE is
// refused, so there are no entities but the five of XML itself.
//
// yaml knows the types of YAML 1.1 as far as they are in use: yes, no, on and
// off are booleans, 0777 and 0o777 are octal, 1_000 is a number, << merges; but
// 12:30 is a string and not 750, and a date is a string: as written, or for a
// date with a time that of Date.prototype.toISOString. Keys are strings, as
// written. An alias is the same object as its anchor. Tags are refused, but for
// those of these types (!!str, !!int, !!float, !!bool, !!null, !!timestamp,
// !!binary, which gives base64, !!seq, !!map).
//
// # Documents
//
// html gives an object with jsoup's methods (sections 7.4 of the sheet); what
// each does is jsoup's, with these differences: markup is written without the
// line breaks and the indentation that jsoup adds; text is separated after
// every block element, also where jsoup sees none because a comment or the end
// of an inline element follows; a set of elements is a read-only array. A page
// is parsed when something is asked that takes its tree: then a page past the
// limits fails. text() of a page and of its body take none.
//
// # Failures
//
// Failures are Errors with name "SafetyError", a kind, the helper
// ("safety.parser.csv" and so on) and a reason. INVALID_INPUT:
// "missing-input", "invalid-argument", "invalid-selector",
// "index-out-of-range". HELPER_RUNTIME: "parse-failed" for what cannot be
// parsed or is past a limit, "output-too-large", "no-parent", "stopped".
package parser
