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
//
// github.com/alecthomas/chroma/v2 2.27.0 was tried for the colours of code. It reads a text
// as a whole: the first line of a comment that is still streaming in is read as operators,
// and each further line would read the block again, which for 8 KB of a model's choice takes
// 0.4 s. It adds 3.7 MB to a program, and 6 ms to every start, which every worker of the
// sandbox pays too. Here code is read line by line, and colours are comments, strings,
// numbers and words.
package render
