// Package specdiff compares two versions of a tool's spec: what the new one may do that
// the old one may not, what it is, and its code line by line. It is what a person reviews
// before a new version is published.
//
//	diff := specdiff.Diff(published, draft, host)
//	for _, row := range diff.Rows {
//		fmt.Println(row.Direction, row.Text) // wider  It may now reach api.example.com.
//	}
//
// Nothing is run, and no value of a secret is shown. Texts are safe to print at a
// terminal: what cannot be seen is escaped.
package specdiff
