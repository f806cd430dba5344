//go:build !unix

package prompt

// watchSize: the size is looked at with each line instead.
func watchSize() (<-chan struct{}, func()) { return nil, func() {} }

// suspend does nothing: there is no job control.
func suspend() error { return nil }
