// Package specdiff compares two versions of a tool's spec: what the new version may do
// that the old one may not, their content, and their code line by line. A person reviews
// the result before a new version is published.
//
//	diff := specdiff.Diff(published, draft, host)
//	for _, row := range diff.Rows {
//		fmt.Println(row.Direction, row.Text) // wider  It may now reach api.example.com.
//	}
//
// It runs no code and shows no secret values. The texts are safe to print on a terminal:
// invisible characters are escaped.
package specdiff
