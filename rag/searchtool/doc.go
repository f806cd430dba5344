// Package searchtool makes a search in documents a tool that a model can call.
//
//	tool, err := searchtool.New(lib, &searchtool.Options{Filter: rag.Equal(library.KeyFolder, dir)})
//	passed, err := studio.Certify(ctx, tool, searchtool.Cases(), nil)
//	err = hub.Add(passed)
//
// What the tool searches is the program's decision: a caller has a question and a number of
// passages, and nothing by which it could widen the scope. Each passage comes with its file,
// its place in it, and what its text matches of the rules that find attempts to manipulate a
// model.
package searchtool
