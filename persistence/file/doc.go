// Package file is the engine of localpass.Persistence that keeps its documents
// as readable files in a directory, shared by any number of programs on one
// machine. It has every upgrade: Watcher, Batcher, Log and LogSegments.
//
//	store, err := file.Open(filepath.Join(home, "data"), nil)
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//
// # Layout
//
//	<dir>/<collection>/<key>.json                one document: key, version, updated, data
//	<dir>/<collection>/<key>.json.corrupt-<time> a damaged document, set aside
//	<dir>/<collection>/.lock                     the lock of the collection
//	<dir>/_logs/<log>/<time>-<random>.log        one segment of a log, one JSON line per record
//	<dir>/_batch/journal                         a batch that is being written
//
// Names are written so that no two collide on a disk that ignores case: an
// upper-case letter is + and the lower-case one, any byte but a-z 0-9 . _ - is
// % and two hex digits, and a long name is cut and ends with its SHA-256. No
// collection begins with an underscore, so _logs and _batch are free. Files are
// made with mode 0600, directories with 0700.
//
// A document may be edited by hand while no program writes it. Its version then
// stays what the file says, so a change that writers must notice needs a
// version that is larger by one.
//
// # What holds
//
// A write is a temporary file that is flushed, renamed over the old one, and
// made to last by a flush of the directory: after a crash at any point the old
// or the new document is there. A batch is written to the journal first. As soon as
// the journal is written, every Get gives the new documents, from
// the journal until they are in their places; the next process that writes, or
// opens the store, finishes a journal that a crash left behind. So a reader that met one
// document of a batch never meets an older state of another one. A listing is
// not a snapshot: it reads one document after the other.
//
// Writers of one collection take turns, within a process and between processes,
// through a lock that lasts for one write; nothing is locked in between, and
// readers lock nothing. Waiting for a lock ends with the context.
//
// A log is written by each store into segments of its own, so appends of
// several programs do not wait for each other; calls of Append that meet within
// a program share one write. It is flushed to the disk within Options.LogFlush, as
// system logs do: a flush takes longer than all else that a small call of a tool
// does. The writer of a segment holds a lock on its file, which ends with the process:
// so another program can tell a segment that was left behind, which it may remove, from
// one that is in use. A position orders within one segment and the segments by their
// names: what a second program appends to a segment that began earlier lies before a
// position in a later one, and a reader that continues from there does not see it.
//
// A file that can't be read as what it should be is renamed and reported to
// Options.Logger, and the rest continues to work: Get of it gives an error that matches
// both [ErrCorrupt] and localpass.ErrNotFound, List leaves it out, and its key is free.
// A file that was written within the last 100 ms may be half written by an editor: it is
// renamed only once it has rested for that long.
// What is no regular file, such as a pipe, is left alone and not waited for. A document
// has at most 256 MiB as a file. In a directory that can't be written to, reading
// works, damaged files stay where they are, and writes give localpass.ErrReadOnly.
//
// # Cost
//
// On two cores of a virtual machine with an SSD behind ext4 a flush takes about
// 0.2 ms. A Put of a small document takes 0.5 ms, an Append of a record a few µs,
// or 0.2 ms where it waits for the flush. To measure:
//
//	go test -run '^$' -bench . ./persistence/file
package file
