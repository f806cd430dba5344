// Package attachapi serves the documents of conversations over HTTP: upload, states,
// promotion and removal.
//
//	api, err := attachapi.New(func(r *http.Request, conversation string) (*attachment.Attachments, error) {
//		return docs, mayRead(r, conversation)
//	}, nil)
//	http.Handle("/api/conversations/", api)
//
// Its routes are below those of conversations, so that a program may serve its table beside
// that of chatapi. Preparing a document takes a while: a client reads the list again until no
// state is to come.
package attachapi
