// Package fetch is the global fetch of tool code: [Install] puts it into a
// runtime, [Service] performs its requests in the program around that runtime,
// through an egress guard.
//
//	const answer = await fetch("https://api.example.com/v1/rates", {headers: {accept: "application/json"}})
//	return answer.json().rates
//
// fetch returns a promise. The three readers of a response - text, json and
// arrayBuffer - return values, as often as they are called; awaiting a value
// works too. init takes method, headers (an object, or a list of pairs), body (a
// string, an array of bytes, a typed array, an ArrayBuffer, a URLSearchParams)
// and the window maxLength and startIndex, in bytes. Everything else that a
// browser takes is ignored.
//
// Differences from a browser: an HTTP response of any status resolves; there are
// no cookies, no cache and no Headers, Request and Response classes; bodyUsed is
// always false; a header Accept-Encoding is left out, since bodies arrive
// decompressed. text decodes by the charset of the Content-Type, UTF-8 without
// one.
//
// A failure is an Error with name "SafetyError" and kind, helper and reason:
// those of package egress, and invalid-json.
//
// # What is said
//
// "fetch" asks for a request: Args is {url, method, headers, startIndex,
// maxLength, upload}, headers a list of pairs, and Data the body. Its Value is
// {id, status, url, redirected, contentType, headers, truncated, nextStartIndex,
// size} and its Data the first part of the window. "fetch.body" with {id,
// offset} gives a further part as Data. "fetch.upload" with no Args adds its
// Data to the body of the next "fetch" that says upload; Args {"reset":true}
// starts again.
package fetch
