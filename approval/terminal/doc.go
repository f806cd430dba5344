// Package terminal asks the user at the terminal whether a tool call may run.
//
// [New] makes an approval.Approver for approval.Options.Approvers. It opens the
// controlling terminal of the process and does not use standard input and output, which
// may carry a protocol or data. It is safe against malicious content of a call: control
// and invisible characters are escaped, keys typed before a question is displayed do not
// count, and a pasted text of several lines is no answer.
//
// This package sets raw mode itself, not with golang.org/x/term 0.47.0: after its
// MakeRaw, a read waits for a key without end, so a question could not end at its
// deadline, and line feeds that other programs write meanwhile are no longer translated.
package terminal
