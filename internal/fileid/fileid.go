// Package fileid distinguishes states of a file without reading it.
package fileid

import "io/fs"

// State is what a change of a file shows in. An edit that keeps size and time
// shows in the rest, where the system has it: a file that was replaced is another
// inode, and the time of the last change of the inode cannot be set by hand. Two
// states are compared with ==.
type State struct {
	size, modified int64
	mode           fs.FileMode
	device, inode  uint64
	changed        int64 // of the inode, in nanoseconds; of the creation on Windows
}

// Of is the state of the file that info describes.
func Of(info fs.FileInfo) State {
	s := State{size: info.Size(), modified: info.ModTime().UnixNano(), mode: info.Mode()}
	s.device, s.inode, s.changed = system(info)
	return s
}
