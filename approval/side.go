package approval

import "context"

// SideFrom returns the side set by [WithSide], or [SideServer] if none is set.
func SideFrom(ctx context.Context) Side {
	if side := sideFrom(ctx); side != "" {
		return side
	}
	return SideServer
}
