// Package splitter divides texts into chunks for retrieval: by tokens, by sentences, by the
// structure of Markdown, and small chunks with a larger context around them.
//
// Every chunk is a slice of its text and knows where it begins and ends, so that an answer
// can cite it.
//
// Linking it costs every start of a program about 0.7 ms of processor time: goldmark and
// its extensions compile the expressions for links when they are initialized.
package splitter
