package httpapi

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strconv"
)

// The sizes of a page of a list.
const (
	DefaultPage = 50
	MaxPage     = 200
)

// PageLimit reads the member limit of a query, 1 to most; without one it is fallback. The
// error is an [InvalidArgument].
func PageLimit(q url.Values, fallback, most int) (int, error) {
	text := q.Get("limit")
	if text == "" {
		return fallback, nil
	}
	limit, err := strconv.Atoi(text)
	if err != nil || limit < 1 || limit > most {
		return 0, InvalidArgument.New("limit is 1 to %d", most)
	}
	return limit, nil
}

// EncodeCursor writes the place where a page ended, a struct of strings and numbers, as
// the member cursor of the next request.
func EncodeCursor(place any) string {
	raw, err := json.Marshal(place)
	if err != nil {
		panic("httpapi: the place of a page cannot be marshalled: " + err.Error()) // a mistake of the caller's type
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// DecodeCursor reads a cursor into the place that place points to, which stays as it is
// when there is none. The error is an [InvalidArgument].
func DecodeCursor(cursor string, place any) error {
	if cursor == "" {
		return nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = DecodeBytes(raw, place)
	}
	if err != nil {
		return BadCursor()
	}
	return nil
}

// BadCursor is the problem of a cursor that the list did not give.
func BadCursor() error {
	return InvalidArgument.New("the cursor is not one that this list returned: begin without one")
}
