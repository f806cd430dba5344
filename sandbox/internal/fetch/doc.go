// Package fetch implements the global function fetch for tool code: [Install] adds it to a runtime, and
// [Service] performs its requests in the host program, through an egress guard.
//
//	const answer = await fetch("https://api.example.com/v1/rates", {headers: {accept: "application/json"}})
//	return answer.json().rates
//
// fetch returns a promise. The three methods of a response that read its body - text, json and
// arrayBuffer - return values and not promises, and can be called repeatedly; awaiting their result also
// works. init accepts method, headers (an object, or a list of pairs), body (a string, an array of bytes,
// a typed array, an ArrayBuffer, a URLSearchParams), and startIndex and maxLength, which select a window
// of the body, in bytes. All other options of browsers are ignored.
//
// Differences from a browser: an HTTP response of any status resolves; there are no cookies, no cache and
// no classes Headers, Request and Response; bodyUsed is always false; a request header Accept-Encoding is
// dropped, since bodies are delivered decompressed. text decodes with the charset of the Content-Type, by
// default UTF-8; for charsets other than those of package charset the program needs a [Decode].
//
// A failure is an Error with name "SafetyError" and kind, helper and reason. The reasons are those of
// package egress, and invalid-json.
//
// # Operations
//
// The operation "fetch" performs a request: Args is {url, method, headers, startIndex, maxLength,
// upload}, where headers is a list of pairs, and Data is the body. The Value of the reply is {id, status,
// url, redirected, contentType, headers, truncated, nextStartIndex, size}, and its Data is the first part
// of the window. "fetch.body" with {id, offset} returns a further part as Data. "fetch.text" with {id}
// returns {id, size} of the body as UTF-8, and its first part as Data. "fetch.upload" without Args appends
// its Data to the body of the next "fetch" that sets upload; with Args {"reset":true} it begins a new body.
package fetch
