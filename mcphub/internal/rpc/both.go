package rpc

// Both returns a function that calls a and then b, either of which may be nil; it returns
// nil if both are.
func Both[T any](a, b func(T)) func(T) {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(v T) {
		a(v)
		b(v)
	}
}
