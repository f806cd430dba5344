package mcphub

import (
	"context"

	"github.com/localpass/localpass/toolspec"
)

type sharedItem struct{}

func (i *sharedItem) get(ctx context.Context, h *Hub, x *exchange, call *toolspec.Call) (writer, error) {
	return nil, nil
}
func (i *sharedItem) complete(ctx context.Context, h *Hub, x *exchange, call *toolspec.Call) (writer, error) {
	return nil, nil
}
func (i *sharedItem) read(ctx context.Context, h *Hub, x *exchange, call *toolspec.Call, uri string) (writer, error) {
	return nil, nil
}
func (c *Composition) shared() ([]*feature, offers) { return nil, offers{} }
