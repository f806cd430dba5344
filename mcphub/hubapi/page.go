package hubapi

import (
	"net/url"
	"slices"
	"strings"

	"github.com/localpass/localpass/internal/httpapi"
)

// place is the position at which a page ended.
type place struct {
	List  string `json:"l"`
	After string `json:"a"`
}

// pageOf returns a page of a list that is ordered by key. list names the list, so that a
// cursor of another list is rejected.
func pageOf[T any](q url.Values, list string, items []T, key func(T) string) (page []T, next string, err error) {
	limit, err := httpapi.PageLimit(q, httpapi.DefaultPage, httpapi.MaxPage)
	if err != nil {
		return nil, "", err
	}
	if cursor := q.Get("cursor"); cursor != "" {
		var at place
		if err := httpapi.DecodeCursor(cursor, &at); err != nil {
			return nil, "", err
		}
		if at.List != list {
			return nil, "", httpapi.BadCursor()
		}
		i, found := slices.BinarySearchFunc(items, at.After, func(item T, after string) int { return strings.Compare(key(item), after) })
		if found {
			i++
		}
		items = items[i:]
	}
	page = slices.Clone(items[:min(limit, len(items))])
	if len(items) > limit {
		next = httpapi.EncodeCursor(place{list, key(page[limit-1])})
	}
	if page == nil {
		page = []T{} // an empty list in JSON, not null
	}
	return page, next, nil
}
