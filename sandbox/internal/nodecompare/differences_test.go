package nodecompare_test

// difference is what a script gives here, on purpose other than in Node, or
// because the engine knows no better.
type difference struct{ ours, why string }

// differences lists every one, by the name of the script. The package comment
// of platform tells users of them.
var differences = map[string]difference{
	// The platform.
	"url-path-caret":           {`"http://a/%5E"`, "the URL Standard since 2023; Node 20 leaves the caret"},
	"url-opaque-space":         {`["foo:a b", "foo:a b%20?c"]`, "the URL Standard since 2025; Node 20 drops the space"},
	"url-opaque-base-fragment": {`"TypeError"`, "the URL Standard; Node 20 takes the base's path for a folder"},
	"digest-type":              {`"[object Uint8Array]"`, "crypto.subtle gives a Uint8Array: code that expects an array gets one (specification section 8.2)"},
	"timeout-type":             {`"number"`, "a timer is a number, as in browsers; Node gives an object"},
	"num-currency-scientific":  {`"$1.235E6"`, "ECMA-402: the digits of the currency are for the standard notation; Node 20 takes them always"},
	"decode-latin1":            {`["windows-1252", "€ä™", "windows-1252", "windows-1252"]`, "the Encoding Standard; Node 20 decodes windows-1252 as if it were Latin-1"},
	"lang-date-to-string": {
		`["Thu Jan 01 1970 00:00:00 GMT+0000 (UTC)", "Thu Jan 01 1970", "00:00:00 GMT+0000 (UTC)", "Invalid Date"]`,
		"the engine abbreviates the time zone",
	},
	// The engine.
	"lang-stack-overflow": {"ended by the call depth", "too many nested calls end the run; code cannot catch that"},
	"re-flags":            {`[true, true, true, true, true, false, false, "gi", "a\\u002fb"]`, "the engine escapes a slash in the source of a regular expression in another way"},
	"csv-by-hand": {
		`[["a", "b"], ["1", "x", " y\""], ["2", "z"]]`,
		"a defect of the engine: a search that goes on in a text misses an alternative that begins with a quote beside one that begins with a negated class",
	},
	"re-named-dup":    {"undefined", "the engine takes a group name twice"},
	"re-case-unicode": {`[true, true, "ABC", true]`, "the engine folds the case of all of Unicode without the flag u"},
}
