// Package termtext decides, for the whole program, which parts of a text reach
// a terminal. A text that a tool, a model, a server or a file wrote must not
// move the cursor, change colours or hide characters, because it could then
// draw a line that the program did not print.
//
// [Writer] is what a program prints through. [Escape] is for a value that a
// person decides by: every character that cannot be seen is written as an
// escape. [Strip] is for an answer that streams in: it takes escape sequences
// out, so that the text reads well.
package termtext
