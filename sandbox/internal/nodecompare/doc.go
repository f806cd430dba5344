// Package nodecompare contains only tests. They run small scripts in the engine of the
// sandbox and in Node and compare the results, which covers the platform and the
// language. Intended differences from Node are listed in a table in the test, with their
// reasons.
package nodecompare
