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

// PageLimit reads the query member limit, from 1 to most; if it is missing, the result is
// fallback. The error is an [InvalidArgument].
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

// EncodeCursor encodes the place where a page ended, a struct of strings and numbers, as
// the member cursor of the next request.
func EncodeCursor(place any) string {
	raw, err := json.Marshal(place)
	if err != nil {
		panic("httpapi: the place of a page cannot be marshalled: " + err.Error()) // a mistake in the caller's type
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// DecodeCursor decodes a cursor into the struct that place points to. If there is no
// cursor, place is unchanged. The error is an [InvalidArgument].
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

// BadCursor returns the problem for a cursor that does not come from the list.
func BadCursor() error {
	return InvalidArgument.New("the cursor is not one that this list returned: begin without one")
}
