package postgres

import "context"

// OpenWithSteps is Open with a function that is called before each statement of a write.
func OpenWithSteps(ctx context.Context, address string, opts *Options, step func()) (*Store, error) {
	return open(ctx, address, opts, step)
}
