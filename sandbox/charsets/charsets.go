// Package charsets decodes the texts that tools fetch in charsets other than UTF-8, UTF-16
// and windows-1252: the further charsets of the web, such as those of China, Japan and
// Korea. It is apart because it links their tables, 0.6 MB of a program.
//
//	box, err := sandbox.New(&sandbox.Options{Network: &sandbox.NetworkOptions{Charsets: charsets.Decode}})
//
// Without it, code that reads the text of such a response gets an error of reason
// "unknown-charset".
package charsets

import "golang.org/x/text/encoding/htmlindex"

// Decode decodes a text in the charset of a label (Encoding Standard, section 4.2) to
// UTF-8. What is invalid becomes U+FFFD. ok is false for an unknown label.
func Decode(label string, body []byte) (text []byte, ok bool) {
	charset, err := htmlindex.Get(label)
	if err != nil {
		return nil, false
	}
	text, err = charset.NewDecoder().Bytes(body)
	return text, err == nil
}
