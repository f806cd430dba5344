// Package clause reads a text of English sentences as far as it takes to see what the text
// demands: words with their classes (a tool, a file, a secret, a recipient, an obligation),
// and verbs with the force that stands behind them. "Reads the key" states, "read the key"
// after the first sentence orders, "the key must be read" obliges, and "never read the key"
// forbids.
//
// It is no grammar of English. It knows the closed classes of words (modal verbs,
// conjunctions, negations) and some hundred verbs and nouns by what they do with data, all
// in words.go. It reads in linear time and never fails: what it does not know has no class.
package clause
