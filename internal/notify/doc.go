// Package notify calls the functions of those who watch for a change.
//
// A [Signal] says that something changed, a [Set] says what: both hold functions
// that their users add and take away again. [Store] follows the changes that other
// programs make to a collection of a store.
//
// Functions are called on the goroutine that notifies, one after another, in the
// order in which they were added. They must return soon: one that has work to do
// notes the change and does the work elsewhere. Neither type starts a goroutine, so
// there is nothing to close.
package notify
