// Package terminal asks the person at the terminal whether a call of a tool may
// run.
//
// [New] makes an approval.Approver for approval.Options.Approvers. It opens the
// controlling terminal of the process and leaves standard input and output alone,
// which may carry a protocol or data. It is safe against what a call can hold:
// control and invisible characters are escaped, keys typed before a question is
// displayed do not count, and a pasted text of several lines is no answer.
//
// Raw mode is set here, not by golang.org/x/term 0.47.0: its MakeRaw waits for a
// key without end, so that a question could not end at its deadline, and turns off
// the line ends of what other programs write meanwhile.
package terminal
