// Package splitter divides texts into chunks for retrieval: by tokens, by sentences, by the
// structure of Markdown, and small chunks with a larger context around them.
//
// Every chunk is a slice of its text and knows where it begins and ends, so that an answer
// can cite it.
package splitter
