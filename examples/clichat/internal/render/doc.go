// Package render puts what a model says on a terminal: Markdown as it streams in,
// with headings, lists, code, quotes, links and tables, and nothing that the
// terminal would take for an order.
//
// [Markdown] renders text that internal/termtext has stripped onto a [Screen], which
// keeps what is final and rewrites only the last, unfinished line.
//
// charm.land/glamour/v2 2.0.1 was tried for blocks that are complete. It takes what
// looks like HTML out of the text: "Vec<T>" is shown as "Vec", a comment not at all,
// so that a person reads another answer than the model gave. What a model may choose
// to write takes it long, and it cannot be stopped: 500 quote marks (1,001 bytes) 4.2
// s, 1,000 nested bullets (2 KB) more than 6 s, where this package takes less than 1
// ms for 8 KB of them. It adds 9.9 MB to an empty program, and 19 ms to every start.
package render
