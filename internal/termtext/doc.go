// Package termtext decides which parts of a text reach a terminal. A text from a tool, a
// model, a server or a file must not move the cursor, change colours or hide characters,
// because it could then draw a line that the program did not print.
//
// A program prints through a [Writer]. [Escape] is for a value on which a user bases a
// decision: it writes every invisible character as an escape. [Strip] is for a streamed
// answer: it removes escape sequences, so that the text stays readable.
package termtext
