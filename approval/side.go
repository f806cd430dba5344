package approval

import "context"

// SideFrom is the side of [WithSide], and [SideServer] where none is set.
func SideFrom(ctx context.Context) Side {
	if side := sideFrom(ctx); side != "" {
		return side
	}
	return SideServer
}
