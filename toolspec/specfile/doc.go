// Package specfile reads the specs of files and folders, and writes specs as one text
// for others.
//
// [Load] reads paths, [LoadFS] an embedded folder, [Export] writes. What a text may
// contain, and how its problems are reported, is the part of package toolspec: see
// [toolspec.Parse].
package specfile
