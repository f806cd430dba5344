package approval

import "context"

type (
	clearanceKey struct{}
	sideKey      struct{}
)

// WithClearance returns a context in which an inner gate finds c and uses it instead of
// asking again. A nil clearance removes the existing one.
func WithClearance(ctx context.Context, c *Clearance) context.Context {
	return context.WithValue(ctx, clearanceKey{}, c)
}

func clearanceFrom(ctx context.Context) *Clearance {
	c, _ := ctx.Value(clearanceKey{}).(*Clearance)
	return c
}

// WithSide returns a context that says from which [Side] its calls come, for gates that
// are called without a side, such as the gate of the tool itself. Clients cannot set it
// over a transport: without it the side is [SideServer].
func WithSide(ctx context.Context, side Side) context.Context {
	return context.WithValue(ctx, sideKey{}, side)
}

func sideFrom(ctx context.Context) Side {
	side, _ := ctx.Value(sideKey{}).(Side)
	return side
}
