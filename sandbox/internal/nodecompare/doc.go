// Package nodecompare runs small scripts in the engine of the sandbox and in
// Node, and compares what they give: the platform and the language below it.
// It has tests only. Intended differences from Node are in one table of the
// test, with their reasons.
package nodecompare
