// Package access limits what a caller can reach in a store that several of them share.
//
// [Restrict] adds a filter to every search, which the caller cannot take away: the two are
// combined with AND. [Labels] is such a filter, for documents that carry the labels of those
// who may read them. [Scope] divides one store into stores of which none can see, replace
// or delete the documents of another.
//
//	search, err := access.Restrict(retriever, func(ctx context.Context) (rag.Filter, error) {
//		return access.Labels(groupsOf(ctx)...), nil
//	})
//
// Without an answer to who is asking, there is none to the search: an error of the function
// and a filter that is zero are errors of the search.
package access
