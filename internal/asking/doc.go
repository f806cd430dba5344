// Package asking is how a program asks the person at its terminal whether a call
// may run: which answers there are, what must have been shown before one counts,
// and what has to be typed for a risky tool.
//
// [Ask] puts the questions through a [Face], which draws and reads keys in its own
// way: approval/terminal line by line at the controlling terminal, the terminal
// chat by single keys below what it shows. A [Card] is a question in rows of text.
// What others wrote is shown behind the bar at its left, with every character escaped
// that could hide or repaint something.
package asking
