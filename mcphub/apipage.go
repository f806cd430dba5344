package mcphub

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/localpass/localpass/internal/httpapi"
)

const (
	defaultAPIPage = 50
	maxAPIPage     = 200
)

// apiPlace is where a page ended.
type apiPlace struct {
	List  string `json:"l"`
	After string `json:"a"`
}

// pageOf cuts a page out of a list that is ordered by key; list names it, so that a
// cursor of another is refused.
func pageOf[T any](q url.Values, list string, items []T, key func(T) string) (page []T, next string, err error) {
	limit := defaultAPIPage
	if text := q.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > maxAPIPage {
			return nil, "", httpapi.InvalidArgument.New("limit is 1 to %d", maxAPIPage)
		}
	}
	if text := q.Get("cursor"); text != "" {
		var at apiPlace
		raw, err := base64.RawURLEncoding.DecodeString(text)
		if err == nil {
			err = httpapi.DecodeBytes(raw, &at)
		}
		if err != nil || at.List != list {
			return nil, "", httpapi.InvalidArgument.New("the cursor is none that this list gave: begin without one")
		}
		i, found := slices.BinarySearchFunc(items, at.After, func(item T, after string) int { return strings.Compare(key(item), after) })
		if found {
			i++
		}
		items = items[i:]
	}
	page = slices.Clone(items[:min(limit, len(items))])
	if len(items) > limit {
		raw, _ := json.Marshal(apiPlace{list, key(page[limit-1])}) // strings always marshal
		next = base64.RawURLEncoding.EncodeToString(raw)
	}
	if page == nil {
		page = []T{} // a list in JSON
	}
	return page, next, nil
}
