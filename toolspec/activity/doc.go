// Package activity is the vocabulary of what a run of a tool did: what it printed
// ([ConsoleLine]), reached ([Access]), tried one by one ([Attempt]) and was refused
// ([Denial]), which files it worked on ([Workspace]), and what it cost ([Usage]).
// A sandbox reports it; audit records, traces and test reports read it.
package activity
