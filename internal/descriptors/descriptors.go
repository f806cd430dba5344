// Package descriptors keeps open files from programs that this one starts. What
// Go opens is not inherited; what this program inherited itself, or a C library
// opened, is: a file that the shell held open, or the socket of a supervisor.
//
// Call [Keep] before every start of a program. Files that are passed on purpose,
// as standard input, output and error or in exec.Cmd.ExtraFiles, still are.
package descriptors

// first is the first descriptor that is none of the standard ones.
const first = 3
