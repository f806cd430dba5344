// Package dom is what the html parser of the sandbox works on: an HTML document
// parsed under bounds, its text the way jsoup gives it, its markup, its
// addresses, and CSS selectors with jsoup's extensions.
//
// The tree itself is that of golang.org/x/net/html. This package adds what a
// page from anywhere needs around it: a check of the text before parsing that
// refuses what would multiply into far more nodes than it has tags, a reader
// that ends a parse when the run ends, and walks that can be stopped. Selectors
// are matched here too, in one pass over the tree: the usual matchers go back
// and forth and take quadratic time on a page made for it.
//
// [Text] gives the text of a page without building a tree where the page allows
// it, several times faster; the result is the same.
//
// Nothing here is safe for concurrent use.
package dom
