// Package nodecompare runs small scripts in the engine of the sandbox and in
// Node, and compares what they give: the platform and the language below it.
// It has tests only. What is on purpose not as in Node stands in one table of
// the test, with its reason.
package nodecompare
