// Package reader extracts the text of files: plain text in any encoding, Markdown, HTML,
// CSV, JSON and JSON Lines, by content and not by name.
//
//	r := reader.New(nil)
//	extract, err := r.Read(ctx, rag.File{Name: "guide.html", Data: data})
//
// What has structure becomes Markdown, whose headings and tables a splitter can follow;
// pages, slides, sheets and rows become parts of the extract. PDF, sheets and e-mail are in
// packages of their own, since their libraries are large: see [Options].Formats. Package
// isolated reads all formats in processes without rights, which is the way for files that
// others made.
//
// Every file is read under [Limits]; JSON is at most 100 values deep, HTML 512.
package reader
