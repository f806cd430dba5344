// Package translate is the contract between the sandbox and a translator, which turns
// TypeScript and newer JavaScript into JavaScript that the engine takes. Package
// sandbox/typescript has one; it is apart from both so that a program that wants none
// does not link it.
package translate

// Translator takes types and newer syntax out of a program and keeps everything else as
// it is. It reads nothing but its argument, is safe for concurrent use and does not panic.
// The sandbox bounds the size and the nesting of what it gives a translator.
type Translator interface {
	Translate(in Request) Result
}

// Request is a program to translate.
type Request struct {
	Code       string
	TypeScript bool
	// KeepAsync and KeepPrivate say that async functions and private members of classes
	// stay as they are: the engine has both.
	KeepAsync, KeepPrivate bool
}

// Result is the translated program, or the errors in it.
type Result struct {
	Code   string
	Map    []byte // a source map of version 3, from Code to the request's
	Errors []Message
}

// Message says what is wrong at a place of the request's code.
type Message struct {
	Text     string
	Line     int    // from 1; 0: no place is known
	Column   int    // in bytes, from 0
	LineText string // the line
}
