// Package prompt is the line editor of a chat on a terminal, with messages of several
// lines, paste that never sends the message, history with search, a completion menu, and
// characters of any width.
//
// golang.org/x/term provides raw mode and the terminal size. The editor is our own,
// because the one of x/term supports only one line, assumes that every character is one
// column wide, and does not distinguish Ctrl-C from Ctrl-D.
//
// charm.land/bubbletea/v2 2.1.1 with bubbles/v2 2.2.1 was tried without an alternate
// screen, in a tmux of 80 columns, with these results:
//
//   - When the terminal becomes narrower, the renderer moves up by the number of rows
//     that it wrote, not by the number that they occupy now: the first rows of a message
//     appear twice, and of an answer of 500 words that streamed in during the resize, 9
//     words were duplicated. The renderer writes on a timer, so a program cannot tell it
//     where the cursor is.
//   - Printing 200 lines above the view leaves 170 blank rows in the scrollback.
//   - The text area of bubbles holds 10,000 lines: half of a pasted text of 20,000 lines
//     (969 KB) was dropped without a message. Each key took 0.5 s in a text of 430 KB,
//     and 1.6 s in a line of 1 MiB; in this package the paste of 1 MiB and ten keys take
//     0.2 s in total. Backspace removes an accent without its letter.
//
// History, search and the menu would still have been our own code. Only the decoding of
// keys would have been gained, for 2.8 MB.
//
// The package must be used from one goroutine, the one that owns the screen. Another
// goroutine reads the terminal, but only while a caller waits for keys; at other times a
// child process has the terminal for itself.
package prompt
