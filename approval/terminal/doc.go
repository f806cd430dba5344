// Package terminal asks the person at the terminal whether a call of a tool may
// run.
//
// [New] makes an approval.Approver for approval.Options.Approvers. It opens the
// controlling terminal of the process and leaves standard input and output alone,
// which may carry a protocol or data. It is safe against what a call can hold:
// control and invisible characters are escaped, keys typed before a question
// stands do not count, and a pasted text of several lines is no answer.
package terminal
