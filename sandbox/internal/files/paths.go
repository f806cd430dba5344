package files

import (
	"crypto/sha256"
	"encoding/hex"
	"github.com/localpass/localpass/internal/clip"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"
)

// checkPath refuses what can be detected from the text of a path alone.
func (s *Service) checkPath(path string) error {
	if path == "" {
		return invalid(ReasonPathRequired, "a path is required")
	}
	problem := ""
	switch {
	case len(path) > s.limits.PathBytes:
		problem = "it is too long"
	case strings.IndexByte(path, 0) >= 0:
		problem = "it contains a NUL"
	case !utf8.ValidString(path):
		problem = "it is not UTF-8 text"
	case s.longName(path):
		problem = "a name in it is too long"
	case runtime.GOOS == "windows":
		problem = windowsProblem(path)
	}
	if problem != "" {
		return invalid(ReasonInvalidPath, "%s is not a path that can be used: %s", clip.Quote(path, 200), problem)
	}
	return nil
}

func (s *Service) longName(path string) bool {
	for name := range strings.FieldsFuncSeq(path, func(r rune) bool { return r < utf8.RuneSelf && isSeparator(byte(r)) }) {
		if len(name) > s.limits.NameBytes {
			return true
		}
	}
	return false
}

func isSeparator(c byte) bool { return c == '/' || c == filepath.Separator }

// windowsProblem says why a path may mean something else than a plain file on
// Windows: a device, an alternate stream, another machine, a name that the
// system changes; empty when it does not. It is a function of the text alone.
func windowsProblem(path string) string {
	path = strings.ReplaceAll(path, "/", `\`)
	if strings.HasPrefix(path, `\`) {
		// \\server\share, \\?\…, \\.\… and \??\…; and \x, which depends on the
		// current drive.
		return "it begins with a separator"
	}
	rest := path
	if len(path) >= 2 && path[1] == ':' && isLetter(path[0]) {
		rest = path[2:]
		if !strings.HasPrefix(rest, `\`) {
			return "it is relative to the current directory of a drive"
		}
		if strings.HasPrefix(rest, `\\`) {
			return "it has an empty name"
		}
	}
	for name := range strings.SplitSeq(rest, `\`) {
		if problem := windowsName(name); problem != "" {
			return problem
		}
	}
	return ""
}

func windowsName(name string) string {
	if name == "" || name == "." || name == ".." {
		return ""
	}
	for _, r := range name {
		switch {
		case r == ':':
			return "it names an alternate stream"
		case r < 0x20 || strings.ContainsRune(`<>"|?*`, r):
			return "it contains a character that names cannot have"
		}
	}
	if last := name[len(name)-1]; last == '.' || last == ' ' {
		return "a name ends in a dot or a space"
	}
	if windowsReserved(name) {
		return "a name in it belongs to a device"
	}
	return ""
}

// windowsReserved reports the names of devices, which they keep with any
// extension.
func windowsReserved(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	stem = strings.ToUpper(strings.TrimRight(stem, " "))
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$":
		return true
	}
	for _, port := range [...]string{"COM", "LPT"} {
		if rest, ok := strings.CutPrefix(stem, port); ok && utf8.RuneCountInString(rest) == 1 {
			return strings.ContainsAny(rest, "0123456789¹²³")
		}
	}
	return false
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// below reports whether path is dir or lies in it, and how it is called from
// there: "." for dir itself. Both are absolute and clean.
func below(dir, path string) (rel string, ok bool) {
	if path == dir {
		return ".", true
	}
	if dir == "" {
		return "", false
	}
	if !isSeparator(dir[len(dir)-1]) { // "/" and `C:\` end in one
		dir += string(filepath.Separator)
	}
	rel, ok = strings.CutPrefix(path, dir)
	return rel, ok
}

// names splits a clean relative path; "." has none.
func names(rel string) []string {
	if rel == "." || rel == "" {
		return nil
	}
	return strings.Split(rel, string(filepath.Separator))
}

// maxSegment is the longest name of a conversation's workspace. Longer ids are
// cut, with a digest in place of the rest.
const maxSegment = 128

// segment is the name of a conversation's workspace (section 6.2): the id with
// each character that file systems may not take replaced; empty when the id is
// no name.
func segment(conversation string) string {
	var b strings.Builder
	for _, r := range conversation {
		switch {
		case r >= '0' && r <= '9', r < utf8.RuneSelf && isLetter(byte(r)), r == '.', r == '_', r == '-':
			b.WriteByte(byte(r))
		default:
			b.WriteByte('_')
		}
	}
	name := b.String()
	switch {
	case name == "." || name == "..":
		return ""
	case len(name) > maxSegment:
		sum := sha256.Sum256([]byte(conversation))
		return name[:maxSegment-33] + "-" + hex.EncodeToString(sum[:16])
	}
	return name
}
