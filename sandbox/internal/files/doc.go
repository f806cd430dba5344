// Package files is safety.fs of the Safe Tool Specification (section 6): what
// code in a sandbox may do with files, and the guard behind it.
//
// It has two halves. [Install] puts the object fs into a script engine; it
// holds no authority, and turns each call into a [hostcall.Request]. A [Service]
// runs in the program around the code and performs the requests of one run. It
// checks everything again, since a request may come from a worker that was taken
// over: the JS half is a convenience, the Service is the guard.
//
// What the Service guarantees of every operation:
//
//   - Nothing outside the workspace is written, and nothing outside the
//     workspace and the read roots is read or even inspected. Paths are walked
//     by name, one directory after another, through handles ([os.Root]), with
//     links resolved by hand; what is opened is compared with what was
//     inspected. So a link, a "..", another spelling of a name or a directory
//     that is swapped while an operation runs does not lead out.
//   - With a conversation, the workspaces of other conversations are neither
//     read nor written, also where a read root contains them.
//   - Devices, pipes and sockets are not opened, and files with several names
//     (hard links) are not written.
//   - writeText, writeBytes, editText and copy replace a file as a whole: a
//     crash leaves the old content or the new one. appendText adds with one
//     write. A crash may leave a file named .localpass-….tmp behind; it is
//     removed by the first write of a run when it is an hour old.
//   - [Limits] bound bytes, entries, lines and patterns, and every loop ends
//     soon after its context does. Patterns and globs are matched in linear
//     time.
//
// What it does not guarantee: two spellings of one conversation id can share a
// workspace (see [WorkspaceFor]), an operator who names a read root gives all of
// it, mounted file systems below it included, and on a file system that does not
// answer a system call can take longer than the run.
//
// # Operations
//
// An operation is named "fs." and the name of the function. Its arguments are a
// JSON object; texts and bytes to write travel in Request.Data, what does not
// fit into one request is sent ahead with fs.stage. Small answers are JSON in
// Reply.Value; texts, bytes and lists are in Reply.Data, with {"bytes":n,
// "count":n} as the value, and what does not fit is fetched with fs.next.
package files
