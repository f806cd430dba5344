// Package lexical ranks short texts by the words that they share with a query: BM25 over
// stemmed words. It matches words, not meaning. A text may have a name: a text whose name
// equals the query comes first, then texts whose names begin with it.
//
// The formula and its constants are those of Robertson and Zaragoza, "The
// Probabilistic Relevance Framework: BM25 and Beyond" (2009): idf·tf·(k1+1) /
// (tf + k1·(1−b+b·len/avg)) with k1 = 1.2, b = 0.75 and idf = ln(1 + (N−df+0.5) /
// (df+0.5)).
//
// Text is split into runs of letters and digits, and these at camelCase borders, where
// the unsplit name counts as well. Words are lower-cased; English words are stemmed
// (Porter2), and stop words are dropped. Runs of Chinese, Japanese and Korean are split
// into pairs of characters.
package lexical
