// Package catalog holds specs that come with localpass: small tools that people
// use every day, that compute and nothing else. None touches the network, a file
// or the environment (risk level L0), and each has test cases that say what must
// come out, so that it earns its Local Pass on the host that runs it.
//
//	cronNext          the next runs of a cron expression, zone-aware
//	csvSummary        what is in a CSV text, column by column
//	dateMath          a date plus or minus time, right across DST and month ends
//	diffText          the unified diff of two texts
//	hash              SHA-256, SHA-1, SHA-512, MD5 and CRC-32 of a text
//	jsonPathQuery     values picked out of JSON with JSONPath (RFC 9535)
//	markdownTable     rows laid out as a Markdown table
//	passwordStrength  how hard a password is to guess
//	regexExtract      the matches of a regular expression
//	stats             mean, median, spread and percentiles of numbers
//	unitConvert       lengths, weights, temperatures, data sizes and more
//	uuid              UUIDs of version 4, 5 and 7, and what is in one
//
// [Specs] gives them ready to hand to a studio, [FS] as files for whoever loads
// a folder of specs. A catalogue spec is no more trusted than any other: it is a
// draft, and serves nothing before it has passed on the host.
//
// The code of each spec is kept twice: in specs/NAME.json, which is what counts,
// and in code/NAME.js, which is for reading and editing. After a change run
//
//	go test ./toolspec/catalog -update
//
// A test fails while the two differ. Parameters that are not given are
// undefined; beside the language the code uses Intl.DateTimeFormat and crypto.
package catalog
