// Package descriptors prevents programs that this one starts from inheriting its open
// files. Files that Go opens are not inherited, but files that this program inherited
// itself or that a C library opened are: a file that the shell held open, or the socket
// of a supervisor.
//
// Call [Keep] before every start of a program. Files that are passed on purpose, as
// standard input, output and error or in exec.Cmd.ExtraFiles, are still passed.
package descriptors

// first is the first descriptor after the standard ones.
const first = 3
