// Package lists treats sorted lists of strings as sets.
package lists

import "slices"

// Set sorts a list in place and drops duplicates.
func Set(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// Overlap returns the elements that are in both sets.
func Overlap(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(e string) bool { return !has(b, e) })
}

// Minus returns the elements of a that are not in b.
func Minus(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(e string) bool { return has(b, e) })
}

func has(set []string, e string) bool {
	_, in := slices.BinarySearch(set, e)
	return in
}
