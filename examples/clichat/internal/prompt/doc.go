// Package prompt is the line editor of a chat on a terminal: messages of several
// lines, paste that never sends by itself, history with search, completion by a
// menu, characters of any width.
//
// golang.org/x/term gives raw mode and the size. The editor is our own, because that
// of x/term knows one line, takes each character for one column, and gives Ctrl-C and
// Ctrl-D as the same.
//
// charm.land/bubbletea/v2 2.1.1 with bubbles/v2 2.2.1 was tried without an
// alternate screen, in a tmux of 80 columns:
//
//   - When the terminal becomes narrower, the renderer goes up by the rows that it
//     wrote, not by those that they take now: the first rows of a message stand there
//     twice, and of an answer of 500 words that streamed in meanwhile 9 were doubled.
//     It writes on a timer, so a program cannot tell it where the cursor is.
//   - Printing 200 lines above the view leaves 170 blank rows among what has scrolled
//     away.
//   - The text area of bubbles keeps 10,000 lines: of a paste of 20,000 lines (969 KB)
//     half was gone without a word. Each key in a text of 430 KB took 0.5 s, in a line
//     of 1 MiB 1.6 s; here the paste of 1 MiB and ten keys take 0.2 s. Backspace takes
//     an accent off its letter.
//
// History, search and the menu would have stayed ours. What was left to take over is
// the decoding of keys, for 2.8 MB.
//
// All of it is for one goroutine, the one that owns the screen. The terminal is
// read on another one, and only while a caller waits for keys: in between, a program
// that is started has the terminal for itself.
package prompt
