// Package prompt is the line editor of a chat on a terminal: messages of several
// lines, paste that never sends by itself, history with search, completion by a
// menu, characters of any width.
//
// golang.org/x/term gives raw mode and the size; the editor is its own, because
// that of x/term knows one line, takes each character for one column, and gives
// Ctrl-C and Ctrl-D as the same.
//
// All of it is for one goroutine, the one that owns the screen. The terminal is
// read on another one, and only while a caller waits for keys: in between, a program
// that is started has the terminal for itself.
package prompt
