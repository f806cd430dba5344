package rag

import "context"

// Notice reports that a search succeeded in another way than it was asked for.
type Notice struct {
	Code NoticeCode
	// Err is the reason.
	Err error
}

// NoticeCode says what is different.
type NoticeCode string

// NoticeByWords reports a search by words alone, because the query could not be embedded.
const NoticeByWords NoticeCode = "by-words"

type noticeKey struct{}

// WithNotices returns a context for searches. They call notify for each notice, possibly from
// several goroutines, before they return.
func WithNotices(ctx context.Context, notify func(Notice)) context.Context {
	return context.WithValue(ctx, noticeKey{}, notify)
}

// Notify passes a notice to the function of [WithNotices], if there is one.
func Notify(ctx context.Context, n Notice) {
	if notify, ok := ctx.Value(noticeKey{}).(func(Notice)); ok {
		notify(n)
	}
}
