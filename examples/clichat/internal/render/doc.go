// Package render puts what a model says on a terminal: Markdown as it streams in,
// with headings, lists, code, quotes, links and tables, and nothing that the
// terminal would take for an order.
//
// [Strip] takes escape sequences and controls out of a text that comes in pieces.
// [Markdown] renders what is left onto a [Screen], which keeps what is final and
// rewrites only the last, unfinished line.
package render
