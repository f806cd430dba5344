package main

import (
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/catalog"
	"github.com/localpass/localpass/toolspec/specfile"
)

// load reads the specs at the paths and, if bundled is set, the bundled ones.
func load(paths []string, bundled bool, opts *toolspec.ParseOptions) ([]toolspec.Document, error) {
	documents, err := specfile.Load(paths, opts)
	if err != nil || !bundled {
		return documents, err
	}
	own, err := catalog.Documents()
	return append(documents, own...), err
}
