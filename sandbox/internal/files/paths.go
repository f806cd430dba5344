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

// checkPath refuses paths that can be recognized as invalid from their text alone.
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

// windowsProblem says why a path may refer to something other than a plain file on
// Windows: a device, an alternate stream, another machine, or a name that the system
// changes. It returns "" if there is no problem. It depends only on the text.
func windowsProblem(path string) string {
	path = strings.ReplaceAll(path, "/", `\`)
	if strings.HasPrefix(path, `\`) {
		// UNC paths such as \\server\share, the prefixes \\?\, \\.\ and \??\, and \x,
		// which depends on the current drive.
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

// windowsReserved reports whether name is that of a device, with or without an extension.
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

// below reports whether path is dir or is inside it, and returns its path relative to
// dir: "." for dir itself. Both must be absolute and clean.
func below(dir, path string) (rel string, ok bool) {
	if path == dir {
		return ".", true
	}
	if dir == "" {
		return "", false
	}
	if !isSeparator(dir[len(dir)-1]) { // "/" and `C:\` already end in a separator
		dir += string(filepath.Separator)
	}
	rel, ok = strings.CutPrefix(path, dir)
	return rel, ok
}

// names splits a clean relative path into its names; "." has none.
func names(rel string) []string {
	if rel == "." || rel == "" {
		return nil
	}
	return strings.Split(rel, string(filepath.Separator))
}

// maxSegment is the maximum length of the name of a conversation's workspace. In longer
// ids, a digest replaces the end.
const maxSegment = 128

// segment returns the directory name of a conversation's workspace (section 6.2): the id,
// with characters replaced that file systems may not accept. It returns "" if the id
// cannot be a name.
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
