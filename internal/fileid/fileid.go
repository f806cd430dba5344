// Package fileid detects changes of a file without reading it.
package fileid

import "io/fs"

// State holds the file attributes in which a change shows. If an edit keeps the size and
// the modification time, it shows in the other attributes on systems that have them: a
// replaced file has another inode, and a program cannot set the time of the last inode
// change. Compare two states with ==.
type State struct {
	size, modified int64
	mode           fs.FileMode
	device, inode  uint64
	changed        int64 // of the inode, in nanoseconds; of the creation on Windows
}

// Of returns the state of the file that info describes.
func Of(info fs.FileInfo) State {
	s := State{size: info.Size(), modified: info.ModTime().UnixNano(), mode: info.Mode()}
	s.device, s.inode, s.changed = system(info)
	return s
}
