package file

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const (
	suffix     = ".json"
	tempPrefix = ".tmp-"

	// maxName keeps a name below the 255 bytes that file systems allow, including its
	// suffix and the time that is added when the file is set aside.
	maxName = 120
	// cutName is how many bytes of a longer name are kept in front of its hash.
	cutName = 40
	// hashMark begins the hash. No encoding contains it: after % come two hex
	// digits.
	hashMark = "%%"
)

// encodeName encodes any non-empty string as a file name. Different strings get different
// names even on file systems that ignore case, and no name is one that a system reserves.
func encodeName(s string) string {
	const hexDigits = "0123456789abcdef"
	var b strings.Builder
	b.Grow(len(s) + 8)
	reserved := isReserved(s)
	for i := 0; i < len(s) && b.Len() <= maxName; i++ {
		c := s[i]
		edge := i == 0 || i == len(s)-1
		switch {
		case i == 0 && (reserved || c == '-'), c == '.' && edge:
			// Avoids hidden names, "..", names that look like a flag, and the trailing
			// dots that Windows drops.
			b.Write([]byte{'%', hexDigits[c>>4], hexDigits[c&15]})
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '.', c == '_', c == '-':
			b.WriteByte(c)
		case 'A' <= c && c <= 'Z':
			b.Write([]byte{'+', c + 'a' - 'A'})
		default:
			b.Write([]byte{'%', hexDigits[c>>4], hexDigits[c&15]})
		}
	}
	if b.Len() <= maxName {
		return b.String()
	}
	sum := sha256.Sum256([]byte(s))
	return cutEncoded(b.String()) + hashMark + hex.EncodeToString(sum[:])
}

// cutEncoded shortens an encoded name to about cutName bytes without cutting an
// escape in two.
func cutEncoded(name string) string {
	i := 0
	for i < cutName {
		switch name[i] {
		case '+':
			i += 2
		case '%':
			i += 3
		default:
			i++
		}
	}
	return name[:i]
}

// decodeName returns the string that a name encodes. It returns false for a name that
// encodeName never makes, and for one that ends in a hash.
func decodeName(name string) (string, bool) {
	b := make([]byte, 0, len(name))
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '+' && i+1 < len(name):
			i++
			b = append(b, name[i]-('a'-'A'))
		case c == '%' && i+2 < len(name):
			v, err := hex.DecodeString(name[i+1 : i+3])
			if err != nil {
				return "", false
			}
			b = append(b, v[0])
			i += 2
		default:
			b = append(b, c)
		}
	}
	s := string(b)
	// Encoding again rejects every other spelling of the same string.
	return s, s != "" && encodeName(s) == name
}

// isHashed reports whether a name was cut and ends in a hash.
func isHashed(name string) bool {
	i := strings.LastIndex(name, hashMark)
	return i >= 0 && len(name)-i-len(hashMark) == hex.EncodedLen(sha256.Size)
}

// fileKey returns the key of the document in a file of a collection. If hashed is true,
// the key must be read from the file. ok is false for a file that is no document.
func fileKey(file string) (key string, hashed, ok bool) {
	name, ok := strings.CutSuffix(file, suffix)
	if !ok || name == "" || name[0] == '.' {
		return "", false, false
	}
	if isHashed(name) {
		return "", true, true
	}
	key, ok = decodeName(name)
	return key, false, ok
}

// isReserved reports whether Windows reserves a name for a device, with or without an
// extension. It only checks lower case, since an upper-case letter is encoded with a
// leading +.
func isReserved(s string) bool {
	base, _, _ := strings.Cut(s, ".")
	switch base {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(base) == 4 && (strings.HasPrefix(base, "com") || strings.HasPrefix(base, "lpt")) && '0' <= base[3] && base[3] <= '9'
}
