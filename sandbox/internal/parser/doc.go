// Package parser implements safety.parser for code in the sandbox: csv, xml, yaml and
// html (Safe Tool Specification sheet, section 7).
//
//	safety.parser.csv(text, {header = false, delimiter = ","})
//	safety.parser.xml(text)
//	safety.parser.yaml(text)
//	safety.parser.html(text, baseUri)
//
// The parsers only compute: they make no calls to the host program. [Install] defines one
// accessor on an object; the parsers are built when the accessor is first read.
//
// # Results
//
// csv, xml and yaml return plain objects, arrays and strings of the runtime. Every key
// becomes an own property of the object, including "__proto__".
//
// csv keeps quoted line endings and all characters, and skips blank lines. If a header
// contains a name twice, the last column wins. A byte order mark is dropped.
//
// xml returns {tag, attrs, text, children} for each element. A DOCTYPE is refused, so the
// only entities are the five that XML predefines.
//
// yaml supports the types of YAML 1.1 that are in common use: yes, no, on and off are
// booleans, 0777 and 0o777 are octal, 1_000 is a number, << merges maps; but 12:30 is a
// string and not 750. A date is a string: a date without a time stays as written, a date
// with a time gets the form of Date.prototype.toISOString. Keys are strings, as written.
// An alias is the same object as its anchor. The only accepted tags are those of these
// types (!!str, !!int, !!float, !!bool, !!null, !!timestamp, !!binary, which becomes
// base64, !!seq, !!map).
//
// # Documents
//
// html returns an object with the methods of jsoup (section 7.4 of the sheet), which
// behave as in jsoup except for these differences: markup is written without the line
// breaks and the indentation that jsoup adds; text is separated after every block
// element, even where jsoup does not because a comment or the end of an inline element
// follows; a set of elements is a read-only array. A page is parsed when a method first
// needs its tree; only then does a page beyond the limits fail. text() of a page and of
// its body need no tree.
//
// # Failures
//
// Failures are Errors with name "SafetyError", a kind, the helper ("safety.parser.csv"
// and so on) and a reason. INVALID_INPUT: "missing-input", "invalid-argument",
// "invalid-selector", "index-out-of-range". HELPER_RUNTIME: "parse-failed" for text that
// cannot be parsed or exceeds a limit, "output-too-large", "no-parent", "stopped".
package parser
