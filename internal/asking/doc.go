// Package asking asks the user at the terminal whether a call may run. It defines the
// possible answers, what must have been shown before an answer is accepted, and what the
// user has to type for a risky tool.
//
// [Ask] asks the questions through a [Face], which draws them and reads keys in its own
// way: approval/terminal reads lines from the controlling terminal, the terminal chat
// reads single keys below its output. A [Card] is a question as rows of text. Text from
// outside the program is shown to the right of a bar, with every character escaped that
// could hide or overwrite other text.
package asking
