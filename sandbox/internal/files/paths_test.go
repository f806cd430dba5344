package files_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/sandbox/internal/files"
)

func TestWindowsPaths(t *testing.T) {
	for _, good := range []string{
		"a", "a.txt", "a/b", `a\b`, `C:\ws\a`, "c:/ws/a", ".", "..", `..\a`, `a\.\b`, "CONSOLE", "com", "COM10", "COMX", "lpt", "aux2", "nul_", "a.con",
		"COM¹²", ".gitignore", "é", "a b", "C:\\", `a\\b`, "Com.d/x",
	} {
		assert.Empty(t, files.WindowsProblem(good), good)
	}
	for _, bad := range []string{
		"CON", "con", "Con.txt", "prn", "aux.", "AUX", "NUL", "nul.tar.gz", "NUL ", "NUL .txt", "COM1", "com9.log", "LPT0", "COM¹", "lpt³.txt", "CONIN$", "conout$", "clock$",
		`a\nul`, "a/COM1/b", `C:\ws\con`,
		"a:b", "a.txt:stream", "a.txt::$DATA", `dir:$I30:$INDEX_ALLOCATION\x`, `C:\a:b`, "C:a", "c:", "c:..\\x", ":", "1:", "é:x",
		`\\server\share\x`, "//server/share", `\\?\C:\x`, `\\.\PhysicalDrive0`, `\??\C:\x`, "/x", `\x`, `/\x`, `C:\\server`,
		"a.", "a ", "a./b", "a /b", "...", "a<b", "a>b", `a"b`, "a|b", "a?b", "a*b", "a\x1fb", "a\nb", "a\tb",
	} {
		assert.NotEmpty(t, files.WindowsProblem(bad), "%q", bad)
	}
}

// FuzzPaths holds the rules for names against what they are there to prevent.
func FuzzPaths(f *testing.F) {
	for _, seed := range []string{"a/b", `C:\x`, "con.txt", "..", "a:b", `\\?\x`, "COM¹", "x.", "é", "\x00", "NUL .", "/x", `a\..\b`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		name := files.Segment(path)
		if name == "." || name == ".." || len(name) > 128 || strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") != "" {
			t.Fatalf("the workspace of %q is called %q", path, name)
		}
		if files.WindowsProblem(path) != "" {
			return
		}
		for i, part := range strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' }) {
			drive := i == 0 && len(part) == 2 && part[1] == ':'
			if !drive && strings.ContainsAny(part, ":<>\"|?*") || part != "." && part != ".." && strings.TrimRight(part, ". ") != part {
				t.Fatalf("%q was let through for %q", path, part)
			}
			if device.MatchString(part) {
				t.Fatalf("%q was let through for the device %q", path, part)
			}
		}
		if strings.HasPrefix(path, "/") || strings.HasPrefix(path, `\`) {
			t.Fatalf("%q was let through", path)
		}
	})
}

var device = regexp.MustCompile(`^(?i:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\..*)?$`)
