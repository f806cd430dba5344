// Package reader extracts the text of files: plain text in any encoding, Markdown, HTML,
// CSV, JSON, JSON Lines, DOCX, PPTX, ODT, ODP, ODS and EPUB, by content and not by name.
//
//	r := reader.New(nil)
//	extract, err := r.Read(ctx, rag.File{Name: "guide.docx", Data: data})
//
// What has structure becomes Markdown, whose headings and tables a splitter can follow;
// pages, slides, sheets and rows become parts of the extract. PDF, sheets and e-mail are in
// packages of their own, since their libraries are large: see [Options].Formats. Package
// isolated reads all formats in processes without rights, which is the way for files that
// others made.
//
// Every file is read under [Limits], and under limits of its format: an archive has at most
// 2,000 files, which unpack to at most 64 MiB each, 200 MiB together and 100 times their
// size; XML is at most 256 elements deep, JSON 100 and HTML 512.
//
// HTML is converted by html-to-markdown after what a person cannot see was removed. The
// formats in archives are read by code of ours on archive/zip and encoding/xml: of 22 files
// in DOCX nguyenthenguyen/docx leaves out the notes and fumiama/go-docx refuses three.
package reader
