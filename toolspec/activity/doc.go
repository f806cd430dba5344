// Package activity defines the types that describe what a run of a tool did: the lines it
// printed ([ConsoleLine]), what it accessed ([Access]), each single attempt ([Attempt]),
// what was refused ([Denial]), which files it worked on ([Workspace]) and what it
// consumed ([Usage]). A sandbox reports these values; audit records, traces and test
// reports read them.
package activity
