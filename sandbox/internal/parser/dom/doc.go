// Package dom implements the HTML documents of the sandbox's html parser: parsing within
// limits, text as jsoup returns it, markup, link addresses, and CSS selectors with the
// extensions of jsoup.
//
// The tree is that of golang.org/x/net/html. This package adds what is needed to parse
// untrusted pages: a check before parsing that refuses text that would become far more
// nodes than it has tags, a reader that ends a parse when the run ends, and tree walks
// that can be stopped. It also matches selectors, in one pass over the tree: the usual
// matchers backtrack and take quadratic time on a malicious page.
//
// [Text] returns the text of a page without building a tree if the page allows that,
// which is several times faster; the result is the same.
//
// Nothing here is safe for concurrent use.
package dom
