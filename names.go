package localpass

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/localpass/localpass/internal/clip"
)

// The maximum lengths of the names that a [Persistence] accepts, in bytes.
const (
	MaxCollection = 128
	MaxKey        = 1024
)

// CheckCollection returns an error unless name is valid as the name of a collection or of
// a log: 1 to [MaxCollection] characters of A-Z a-z 0-9 . _ and -, beginning with a
// letter or a digit. Every implementation of [Persistence] rejects other names.
func CheckCollection(name string) error {
	ok := name != "" && len(name) <= MaxCollection && alphanumeric(name[0])
	for i := 0; ok && i < len(name); i++ {
		ok = alphanumeric(name[i]) || strings.IndexByte("._-", name[i]) >= 0
	}
	if !ok {
		return fmt.Errorf("localpass: bad collection name %s: use 1 to %d characters of A-Z a-z 0-9 . _ and -, beginning with a letter or a digit",
			clip.Quote(name, 80), MaxCollection)
	}
	return nil
}

func alphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// CheckKey returns an error unless key is valid as the key of a document: valid UTF-8 of
// 1 to [MaxKey] bytes. Every implementation of [Persistence] rejects other keys.
func CheckKey(key string) error {
	var why string
	switch {
	case key == "":
		why = "it is empty"
	case len(key) > MaxKey:
		why = fmt.Sprintf("it has %d bytes; at most %d are allowed", len(key), MaxKey)
	case !utf8.ValidString(key):
		why = "it is not valid UTF-8"
	default:
		return nil
	}
	return fmt.Errorf("localpass: bad key %s: %s", clip.Quote(key, 80), why)
}
