// Package notify calls the functions of subscribers when something changes.
//
// A [Signal] says that something changed, a [Set] also says what: both hold functions
// that their users add and remove. [Store] follows the changes that other programs make
// to a collection of a store.
//
// Functions are called on the goroutine that notifies, one after another, in the order in
// which they were added. They must return soon: a function with work to do should record
// the change and do the work elsewhere. Neither type starts a goroutine, so there is
// nothing to close.
package notify
