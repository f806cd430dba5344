//go:build !unix

package prompt

// watchSize does nothing: the size is read with each line instead.
func watchSize() (<-chan struct{}, func()) { return nil, func() {} }

// suspend does nothing: there is no job control.
func suspend() error { return nil }
