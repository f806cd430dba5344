// Package pipeline answers a question in stages that are data: what is done to the question
// before the search, how is searched, what becomes of what was found, and how it is given
// to a model.
//
//	compress -> rewrite -> translate -> several queries -> search -> re-rank -> cut -> prompt
//
// A [Pipeline] is a record that a person edits and a [Store] keeps. An [Executor] runs it,
// in a test and in a chat alike; [Executor.Retriever] makes a rag.Retriever of it. Stages
// that need a model are a function, [Options].Generate: without one, and where one fails,
// the question stays as it was and a warning says so. Only a search that fails is an error.
//
// Texts of documents, of the conversation and of models are inserted into prompts
// literally: braces in them have no meaning.
package pipeline
