// Package render shows the output of a model on a terminal: it renders Markdown as it
// streams in, with headings, lists, code, quotes, links and tables, and removes
// everything that the terminal would interpret as a control sequence.
//
// [Markdown] renders text onto a [Screen], after internal/termtext has stripped control
// sequences. It never changes the rows that are final, and rewrites only the last,
// unfinished line.
//
// charm.land/glamour/v2 2.0.1 was tried for complete blocks. It removes text that looks
// like HTML: "Vec<T>" is shown as "Vec", and a comment is not shown at all, so a user
// reads a different answer from the one the model gave. A model can write text that takes
// glamour very long to render, and rendering cannot be cancelled: 500 quote marks (1,001
// bytes) took 4.2 s and 1,000 nested bullets (2 KB) more than 6 s, while this package
// needs less than 1 ms for 8 KB of them. Glamour adds 9.9 MB to an empty program, and 19
// ms to every start.
package render
