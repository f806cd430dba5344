package advisor

import (
	"context"

	"github.com/localpass/localpass/chat"
)

// ToolLoop runs the tools that the model asks for, at [OrderToolLoop], with a manager
// of one's own. Inner advisors are then called once a round, and see each model call;
// without this one the client runs the tools itself, and all advisors are outside of
// the tool loop.
func ToolLoop(manager chat.ToolCallingManager) (LoopOwner, error) {
	if manager == nil {
		own, err := chat.NewToolCallingManager(nil)
		if err != nil {
			return nil, err
		}
		manager = own
	}
	return &toolLoop{manager}, nil
}

type toolLoop struct{ manager chat.ToolCallingManager }

var _ LoopOwner = (*toolLoop)(nil)

func (*toolLoop) Name() string { return "tools" }

func (*toolLoop) Order() int { return OrderToolLoop }

func (*toolLoop) OwnsToolLoop() {}

func (a *toolLoop) Advise(ctx context.Context, req *chat.Request, next chat.Handler) chat.Stream {
	return chat.NewToolLoop(next, a.manager).Handle(ctx, chat.OwnLoop(req))
}
