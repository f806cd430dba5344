// Package files implements safety.fs of the Safe Tool Specification (section 6): the file
// functions for code in a sandbox, and the guard that checks their use.
//
// It has two parts. [Install] adds the object fs to a script engine; this part has no
// file access itself and turns each call into a [hostcall.Request]. A [Service] runs in
// the host program and performs the requests of one run. It checks everything again,
// since a request may come from a compromised worker: the JavaScript part is a
// convenience, the Service is the guard.
//
// For every operation, the Service guarantees:
//
//   - Nothing outside the workspace is written, and nothing outside the workspace and the
//     read roots is read or even inspected. Paths are walked name by name, one directory
//     after another, through handles ([os.Root]), and symbolic links are resolved by this
//     package; what is opened is compared with what was inspected. So neither a link, a
//     "..", another spelling of a name nor a directory that is replaced during an
//     operation leads outside.
//   - If the run belongs to a conversation, the workspaces of other conversations are
//     neither read nor written, even if a read root contains them.
//   - Devices, pipes and sockets are not opened, and files with several hard links are
//     not written.
//   - writeText, writeBytes, editText and copy replace a file atomically: after a crash
//     it has either the old content or the new one. appendText appends with one write. A
//     crash may leave a temporary file behind, whose name begins with ".localpass-" and
//     ends in ".tmp"; the first write of a later run removes it once it is an hour old.
//   - [Limits] limits bytes, entries, lines and patterns, and every loop ends soon after
//     its context is done. Patterns and globs are matched in linear time.
//
// It does not guarantee the following. Different conversation ids can share a workspace
// (see [WorkspaceFor]). A read root that the operator configures grants everything in it,
// including file systems mounted below it. On a file system that does not respond, a
// system call can take longer than the run.
//
// # Operations
//
// The name of an operation is "fs." and the name of the function. Its arguments are a
// JSON object; text and bytes to write are sent in Request.Data, and what does not fit
// into one request is sent ahead with fs.stage. Small results are JSON in Reply.Value;
// texts, bytes and lists are in Reply.Data, with {"bytes":n, "count":n} as the value, and
// what does not fit into one reply is fetched with fs.next.
package files
