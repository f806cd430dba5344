// Package specfile reads specs from files and folders, and writes specs as one text that
// can be shared.
//
// [Load] reads paths, [LoadFS] reads an embedded folder and [Export] writes. Package
// toolspec defines what a text may contain and how its problems are reported: see
// [toolspec.Parse].
package specfile
