package files_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/sandbox/internal/files"
)

// populate fills the workspace for the tables.
func populate(w *world) {
	w.write("ws/a.txt", "one\ntwo\nthree\n")
	w.write("ws/b.txt", "b")
	w.write("ws/crlf.txt", "one\r\ntwo\rthree\n\nlast")
	w.write("ws/empty.txt", "")
	w.write("ws/latin.txt", "caf\xe9\n")
	w.write("ws/table.tsv", "a\tb\tc\nd\te\n\nf\tg\th\ti\n")
	w.write("ws/numbers.txt", "10\n9\nx\n-1\n 2.5 \n9\n1e2\nNaN\n")
	w.write("ws/words.txt", "pear\nApple\nfig\napple\nFig\nfig\n\U0001F600\n\uFF5E\n")
	w.write("ws/dir/x.go", "package x\n// TODO one\n")
	w.write("ws/dir/y.txt", "todo two\n")
	w.write("ws/dir/sub/z.go", "package z\n// TODO three\n")
	w.write("ws/space.txt", "a  b c\n  lead\nnone\n")
}

func TestRead(t *testing.T) {
	w := newWorld(t)
	populate(w)
	require.NoError(t, os.Chtimes(filepath.Join(w.ws, "b.txt"), unixMilli(1700000000123), unixMilli(1700000000123)))
	for expr, want := range map[string]string{
		`fs.workspace()`: `"WS"`,
		`fs.readRoots()`: `["WS"]`,

		`fs.readText('a.txt')`:                 `"one\ntwo\nthree\n"`,
		`fs.readText('./dir/../b.txt')`:        `"b"`,
		`fs.readText(WS + '/b.txt')`:           `"b"`,
		`fs.readText('empty.txt')`:             `""`,
		`fs.readText('latin.txt')`:             `HELPER_RUNTIME io`,
		`fs.readText('nothing')`:               `HELPER_RUNTIME io`,
		`fs.readText('a.txt/b')`:               `HELPER_RUNTIME io`,
		`fs.readText('dir')`:                   `HELPER_RUNTIME io`,
		`fs.readText('.')`:                     `HELPER_RUNTIME io`,
		`fs.readText()`:                        `INVALID_INPUT path-required`,
		`fs.readText(null)`:                    `INVALID_INPUT path-required`,
		`fs.readText('')`:                      `INVALID_INPUT path-required`,
		`fs.readText({})`:                      `INVALID_INPUT invalid-path`,
		`fs.readText(10n)`:                     `INVALID_INPUT invalid-path`,
		`fs.readText(Symbol())`:                `INVALID_INPUT invalid-path`,
		`fs.readText('a\0b')`:                  `INVALID_INPUT invalid-path`,
		`fs.readText('n'.repeat(256))`:         `INVALID_INPUT invalid-path`,
		`fs.readText('n/'.repeat(3000))`:       `INVALID_INPUT invalid-path`,
		`fs.readText('n/'.repeat(101))`:        `RESOURCE_LIMIT too-deep`,
		`fs.readText(OUT + '/secret.txt')`:     `SECURITY path-escapes-base`,
		`fs.readText('../outside/secret.txt')`: `SECURITY path-escapes-base`,

		`Array.from(fs.readBytes('latin.txt'))`:       `[99,97,102,233,10]`,
		`fs.readBytes('b.txt') instanceof Uint8Array`: `true`,
		`fs.readBytes('empty.txt').length`:            `0`,
		`fs.readBytes('nothing')`:                     `HELPER_RUNTIME io`,

		`fs.list('dir')`:           `["dir/sub","dir/x.go","dir/y.txt"]`,
		`fs.list(WS + '/dir/sub')`: `["dir/sub/z.go"]`,
		`fs.list().length`:         `10`,
		`fs.list(null)[0]`:         `"a.txt"`,
		`fs.list('nothing')`:       `[]`,
		`fs.list('a.txt/b')`:       `[]`,
		`fs.list('a.txt')`:         `INVALID_INPUT not-a-directory`,
		`fs.list('')`:              `INVALID_INPUT path-required`,
		`fs.list('..')`:            `SECURITY path-escapes-base`,

		`fs.exists('a.txt')`:   `true`,
		`fs.exists('.')`:       `true`,
		`fs.exists('dir')`:     `true`,
		`fs.exists('no')`:      `false`,
		`fs.exists('a.txt/b')`: `false`,
		`fs.exists('no/no')`:   `false`,
		`fs.exists(OUT)`:       `false`,
		`fs.exists('../..')`:   `false`,
		`fs.exists()`:          `INVALID_INPUT path-required`,

		`fs.stat('b.txt')`:         `{"size":1,"mtime":1700000000123,"directory":false}`,
		`fs.stat('dir').directory`: `true`,
		`fs.stat('dir').size`:      `0`,
		`fs.stat('no')`:            `HELPER_RUNTIME io`,
		`fs.stat(OUT)`:             `SECURITY path-escapes-base`,

		`fs.lineCount('a.txt')`:     `3`,
		`fs.lineCount('crlf.txt')`:  `5`,
		`fs.lineCount('empty.txt')`: `0`,
		`fs.lineCount('b.txt')`:     `1`,
		`fs.lineCount('latin.txt')`: `HELPER_RUNTIME io`,

		`fs.slice('crlf.txt')`:              `["one","two","three","","last"]`,
		`fs.slice('a.txt', 1)`:              `["two","three"]`,
		`fs.slice('a.txt', 1, 2)`:           `["two"]`,
		`fs.slice('a.txt', -1)`:             `["three"]`,
		`fs.slice('a.txt', undefined, -1)`:  `["one","two"]`,
		`fs.slice('a.txt', null, null)`:     `["one","two","three"]`,
		`fs.slice('a.txt', -99, 99)`:        `["one","two","three"]`,
		`fs.slice('a.txt', 2, 1)`:           `[]`,
		`fs.slice('a.txt', 1.9, Infinity)`:  `["two","three"]`,
		`fs.slice('a.txt', NaN, -Infinity)`: `[]`,
		`fs.slice('a.txt', {})`:             `INVALID_INPUT invalid-range`,
		`fs.slice('a.txt', 'x')`:            `INVALID_INPUT invalid-range`,
		`fs.slice('no')`:                    `HELPER_RUNTIME io`,

		`fs.cut('table.tsv', {fields: [1, 3]})`:                               `["a\tc","d\t","\t","f\th"]`,
		`fs.cut('table.tsv', {fields: [2]})`:                                  `["b","e","","g"]`,
		`fs.cut('table.tsv', {fields: [3, 1, 1]})`:                            `["c\ta\ta","\td\td","\t\t","h\tf\tf"]`,
		`fs.cut('table.tsv', {fields: [0, -1, 9e9]})`:                         `["\t\t","\t\t","\t\t","\t\t"]`,
		`fs.cut('table.tsv', {fields: [1], delimiter: 'e'})`:                  `["a\tb\tc","d\t","","f\tg\th\ti"]`,
		`fs.cut('space.txt', {fields: [1, 2], delimiter: ' +', regex: true})`: `["a\tb","\tlead","none\t"]`,
		`fs.cut('space.txt', {fields: [3], delimiter: 'x*', regex: true})`:    `[" ","l","n"]`,
		`fs.cut('space.txt', {fields: [-1], delimiter: ' ', regex: true})`:    `["","",""]`,
		`fs.cut('table.tsv')`:                                                 `INVALID_INPUT fields-required`,
		`fs.cut('table.tsv', {})`:                                             `INVALID_INPUT fields-required`,
		`fs.cut('table.tsv', {fields: null})`:                                 `INVALID_INPUT fields-required`,
		`fs.cut('table.tsv', {fields: 1})`:                                    `INVALID_INPUT fields-not-array`,
		`fs.cut('table.tsv', {fields: {length: 1}})`:                          `INVALID_INPUT fields-not-array`,
		`fs.cut('table.tsv', {fields: new Set([1])})`:                         `INVALID_INPUT fields-not-array`,
		`fs.cut('table.tsv', {fields: ['1']})`:                                `INVALID_INPUT fields-not-array`,
		`fs.cut('table.tsv', {fields: [1, , 2]})`:                             `INVALID_INPUT fields-not-array`,
		`fs.cut('table.tsv', {fields: []})`:                                   `INVALID_INPUT cut-fields-required`,
		`fs.cut('table.tsv', {fields: Array(1001).fill(1)})`:                  `INVALID_INPUT cut-too-many-fields`,
		`fs.cut('table.tsv', {fields: [1], delimiter: ''})`:                   `INVALID_INPUT cut-invalid-delimiter`,
		`fs.cut('table.tsv', {fields: [1], delimiter: {}})`:                   `INVALID_INPUT cut-invalid-delimiter`,
		`fs.cut('table.tsv', {fields: [1], delimiter: '(', regex: true})`:     `INVALID_INPUT cut-invalid-delimiter`,
		`fs.cut('table.tsv', 1)`:                                              `INVALID_INPUT invalid-options`,
		`fs.cut('no', {fields: [1]})`:                                         `HELPER_RUNTIME io`,

		`fs.sort('words.txt')`: "[\"Apple\",\"Fig\",\"apple\",\"fig\",\"fig\",\"pear\",\"\U0001F600\",\"\uFF5E\"]",
		`fs.sort('words.txt', {reverse: true, unique: true}).slice(2)`:         `["pear","fig","apple","Fig","Apple"]`,
		`fs.sort('words.txt', {caseInsensitive: true}).slice(0, 6)`:            `["Apple","apple","fig","Fig","fig","pear"]`,
		`fs.sort('numbers.txt', {numeric: true})`:                              `["-1"," 2.5 ","9","9","10","1e2","x","NaN"]`,
		`fs.sort('numbers.txt', {numeric: true, reverse: true, unique: true})`: `["x","NaN","1e2","10","9"," 2.5 ","-1"]`,
		`fs.sort('empty.txt', null)`:                                           `[]`,
		`fs.sort('a.txt', 'x')`:                                                `INVALID_INPUT invalid-options`,
		`fs.sort('no')`:                                                        `HELPER_RUNTIME io`,
	} {
		assert.Equal(t, want, w.eval(expr), expr)
	}
}

func TestSearch(t *testing.T) {
	w := newWorld(t)
	populate(w)
	w.link("../../outside", "ws/dir/out")
	for expr, want := range map[string]string{
		`fs.grep('t', 'a.txt')`:                             `["two","three"]`,
		`fs.grep('^T', 'a.txt', {caseInsensitive: true})`:   `["two","three"]`,
		`fs.grep('t', 'a.txt', {numbered: true})`:           `["2:two","3:three"]`,
		`fs.grep('t', 'a.txt', {limit: 1})`:                 `["two"]`,
		`fs.grep('t', 'a.txt', {limit: -1})`:                `["two","three"]`,
		`fs.grep('.', 'a.txt', {limit: 1e300}).length`:      `3`,
		`fs.grep('zzz', 'a.txt')`:                           `[]`,
		`fs.grep('(?=x)', 'a.txt')`:                         `INVALID_INPUT grep-invalid-pattern`,
		`fs.grep('(a)\\1', 'a.txt')`:                        `INVALID_INPUT grep-invalid-pattern`,
		`fs.grep('a)(b', 'a.txt', {caseInsensitive: true})`: `INVALID_INPUT grep-invalid-pattern`,
		`fs.grep('((a{100}){100}){100}', 'a.txt')`:          `INVALID_INPUT grep-invalid-pattern`,
		`fs.grep('(a{200}){200}', 'a.txt')`:                 `INVALID_INPUT grep-invalid-pattern`,
		`fs.grep('x'.repeat(1001), 'a.txt')`:                `INVALID_INPUT grep-invalid-pattern`,
		`fs.grep('x'.repeat(5000), 'a.txt')`:                `INVALID_INPUT grep-pattern-required`,
		`fs.grep('', 'a.txt')`:                              `INVALID_INPUT grep-pattern-required`,
		`fs.grep(null, 'a.txt')`:                            `INVALID_INPUT grep-pattern-required`,
		`fs.grep('t')`:                                      `INVALID_INPUT missing-args`,
		`fs.grep('t', 'a.txt', {limit: 'x'})`:               `INVALID_INPUT invalid-options`,
		`fs.grep('t', null)`:                                `INVALID_INPUT path-required`,
		`fs.grep('t', 'no')`:                                `HELPER_RUNTIME io`,

		`fs.find('dir')`:         `["dir/out","dir/sub","dir/sub/z.go","dir/x.go","dir/y.txt"]`,
		`fs.find('dir', '*.go')`: `["dir/sub/z.go","dir/x.go"]`,
		`fs.find('dir', '*.{go,txt}', {type: 'file', maxDepth: 1})`: `["dir/x.go","dir/y.txt"]`,
		`fs.find('dir', undefined, {type: 'dir'})`:                  `["dir/sub"]`,
		`fs.find('dir', '*', {maxDepth: 0}).length`:                 `5`,
		`fs.find(undefined, '[xy].*')`:                              `["dir/x.go","dir/y.txt"]`,
		`fs.find('.', 'dir/*')`:                                     `[]`,
		`fs.find('dir', '[')`:                                       `INVALID_INPUT find-invalid-glob`,
		`fs.find('dir', '')`:                                        `INVALID_INPUT find-invalid-glob`,
		`fs.find('dir', '*', {type: 'link'})`:                       `INVALID_INPUT find-invalid-type`,
		`fs.find('a.txt')`:                                          `INVALID_INPUT find-not-a-directory`,
		`fs.find('no')`:                                             `INVALID_INPUT find-not-a-directory`,
		`fs.find('a.txt/b')`:                                        `INVALID_INPUT find-not-a-directory`,
		`fs.find('..')`:                                             `SECURITY path-escapes-base`,
		`fs.find('dir/out')`:                                        `SECURITY path-escapes-base`,

		`fs.searchInFiles('dir', '*', 'TODO')`:                              `[{"file":"dir/sub/z.go","line":2,"text":"// TODO three"},{"file":"dir/x.go","line":2,"text":"// TODO one"}]`,
		`fs.searchInFiles('dir', '*.txt', 'TODO', {caseInsensitive: true})`: `[{"file":"dir/y.txt","line":1,"text":"todo two"}]`,
		`fs.searchInFiles('dir', '*', 'o', {limit: 1}).length`:              `1`,
		`fs.searchInFiles('dir', '*', 'TODO', {maxDepth: 1}).length`:        `1`,
		`fs.searchInFiles('.', '*', 'caf')`:                                 `[]`,
		`fs.searchInFiles('.', '*', '` + secret + `')`:                      `[]`,
		`fs.searchInFiles('dir', '*', '')`:                                  `INVALID_INPUT search-pattern-required`,
		`fs.searchInFiles('dir')`:                                           `INVALID_INPUT search-pattern-required`,
		`fs.searchInFiles('a.txt', '*', 'x')`:                               `INVALID_INPUT search-not-a-directory`,
		`fs.searchInFiles('dir', '{', 'x')`:                                 `INVALID_INPUT search-invalid-glob`,
		`fs.searchInFiles('dir', '*', '(')`:                                 `INVALID_INPUT search-invalid-pattern`,
	} {
		assert.Equal(t, want, w.eval(expr), expr)
	}
}

func TestWrite(t *testing.T) {
	for _, c := range []struct{ expr, want, file, content string }{
		{`fs.writeText('new.txt', 'hi')`, `"WS/new.txt"`, "ws/new.txt", "hi"},
		{`fs.writeText('a.txt', 'hi')`, `"WS/a.txt"`, "ws/a.txt", "hi"},
		{`fs.writeText('a.txt')`, `"WS/a.txt"`, "ws/a.txt", ""},
		{`fs.writeText('a.txt', 42)`, `"WS/a.txt"`, "ws/a.txt", "42"},
		{`fs.writeText('p/q/r.txt', 'deep')`, `"WS/p/q/r.txt"`, "ws/p/q/r.txt", "deep"},
		{`fs.writeText(WS + '/é.txt', 'ü\ud800')`, `"WS/é.txt"`, "ws/é.txt", "ü\uFFFD"},
		{`fs.writeText('a.txt', {})`, `INVALID_INPUT content-not-text`, "ws/b.txt", "b"},
		{`fs.writeText('', 'x')`, `INVALID_INPUT path-required`, "ws/b.txt", "b"},
		{`fs.writeText('dir', 'x')`, `HELPER_RUNTIME io`, "ws/dir/y.txt", "todo two\n"},
		{`fs.writeText('.', 'x')`, `HELPER_RUNTIME io`, "ws/b.txt", "b"},
		{`fs.writeText('b.txt/x', 'x')`, `HELPER_RUNTIME io`, "ws/b.txt", "b"},
		{`fs.writeText('../x', 'x')`, `SECURITY write-outside-workspace`, "x", "<none>"},
		{`fs.writeText(OUT + '/secret.txt', 'x')`, `SECURITY write-outside-workspace`, "x", "<none>"},
		{`fs.writeText('../ws2/x', 'x')`, `SECURITY write-outside-workspace`, "ws2/x", "<none>"},

		{`fs.writeBytes('n.bin', new Uint8Array([0, 255]))`, `"WS/n.bin"`, "ws/n.bin", "\x00\xff"},
		{`fs.writeBytes('n.bin', new Uint8Array([1, 2, 3]).buffer)`, `"WS/n.bin"`, "ws/n.bin", "\x01\x02\x03"},
		{`fs.writeBytes('n.bin', new Uint8Array([1, 2, 3]).subarray(1))`, `"WS/n.bin"`, "ws/n.bin", "\x02\x03"},
		{`fs.writeBytes('n.bin', 'x')`, `INVALID_INPUT content-not-bytes`, "ws/n.bin", "<none>"},
		{`fs.writeBytes('n.bin', [1])`, `INVALID_INPUT content-not-bytes`, "ws/n.bin", "<none>"},
		{`fs.writeBytes('n.bin', new Int16Array(1))`, `INVALID_INPUT content-not-bytes`, "ws/n.bin", "<none>"},
		{`fs.writeBytes('n.bin')`, `INVALID_INPUT content-not-bytes`, "ws/n.bin", "<none>"},

		{`fs.appendText('b.txt', '+c')`, `"WS/b.txt"`, "ws/b.txt", "b+c"},
		{`fs.appendText('p/log', 'x')`, `"WS/p/log"`, "ws/p/log", "x"},
		{`fs.appendText('b.txt')`, `"WS/b.txt"`, "ws/b.txt", "b"},
		{`fs.appendText('dir', 'x')`, `HELPER_RUNTIME io`, "ws/b.txt", "b"},
		{`fs.appendText('../x', 'x')`, `SECURITY write-outside-workspace`, "x", "<none>"},

		{`fs.editText('a.txt', 'two', '2')`, `{"path":"WS/a.txt","replacements":1}`, "ws/a.txt", "one\n2\nthree\n"},
		{`fs.editText('a.txt', '\n', '', true)`, `{"path":"WS/a.txt","replacements":3}`, "ws/a.txt", "onetwothree"},
		{`fs.editText('a.txt', 'two\n', null)`, `{"path":"WS/a.txt","replacements":1}`, "ws/a.txt", "one\nthree\n"},
		{`fs.editText('latin.txt', 'caf', 'x')`, `{"path":"WS/latin.txt","replacements":1}`, "ws/latin.txt", "x\xe9\n"},
		{`fs.editText('a.txt', '\n', '')`, `INVALID_INPUT edit-ambiguous`, "ws/a.txt", "one\ntwo\nthree\n"},
		{`fs.editText('a.txt', 'four', '')`, `INVALID_INPUT edit-no-match`, "ws/a.txt", "one\ntwo\nthree\n"},
		{`fs.editText('a.txt', '', 'x')`, `INVALID_INPUT edit-old-required`, "ws/a.txt", "one\ntwo\nthree\n"},
		{`fs.editText('a.txt', null, 'x')`, `INVALID_INPUT edit-old-required`, "ws/a.txt", "one\ntwo\nthree\n"},
		{`fs.editText('a.txt', 'x')`, `INVALID_INPUT missing-args`, "ws/a.txt", "one\ntwo\nthree\n"},
		{`fs.editText('no', 'x', 'y')`, `INVALID_INPUT edit-file-missing`, "ws/no", "<none>"},
		{`fs.editText('dir', 'x', 'y')`, `HELPER_RUNTIME io`, "ws/b.txt", "b"},
		{`fs.editText('../outside/secret.txt', 'CANARY', 'x')`, `SECURITY write-outside-workspace`, "ws/b.txt", "b"},

		{`fs.copy('a.txt', 'c/d.txt')`, `"WS/c/d.txt"`, "ws/c/d.txt", "one\ntwo\nthree\n"},
		{`fs.copy('a.txt', 'b.txt')`, `"WS/b.txt"`, "ws/b.txt", "one\ntwo\nthree\n"},
		{`fs.copy('b.txt', 'b.txt')`, `"WS/b.txt"`, "ws/b.txt", "b"},
		{`fs.copy('dir', 'd2')`, `INVALID_INPUT copy-source-not-file`, "ws/d2", "<none>"},
		{`fs.copy('no', 'd2')`, `INVALID_INPUT copy-source-not-file`, "ws/d2", "<none>"},
		{`fs.copy('b.txt/no', 'd2')`, `INVALID_INPUT copy-source-not-file`, "ws/d2", "<none>"},
		{`fs.copy('b.txt', 'dir')`, `HELPER_RUNTIME io`, "ws/b.txt", "b"},
		{`fs.copy('b.txt')`, `INVALID_INPUT path-required`, "ws/b.txt", "b"},
		{`fs.copy(OUT + '/secret.txt', 'd2')`, `SECURITY path-escapes-base`, "ws/d2", "<none>"},
		{`fs.copy('b.txt', OUT + '/d2')`, `SECURITY write-outside-workspace`, "ws/d2", "<none>"},

		{`fs.move('b.txt', 'm/n.txt')`, `"WS/m/n.txt"`, "ws/m/n.txt", "b"},
		{`fs.move('b.txt', 'm.txt') && fs.exists('b.txt')`, `false`, "ws/m.txt", "b"},
		{`fs.move('b.txt', 'a.txt')`, `"WS/a.txt"`, "ws/a.txt", "b"},
		{`fs.move('b.txt', './b.txt')`, `"WS/b.txt"`, "ws/b.txt", "b"},
		{`fs.move('dir', 'd2')`, `"WS/d2"`, "ws/d2/sub/z.go", "package z\n// TODO three\n"},
		{`fs.move('dir', 'dir/sub/d2')`, `HELPER_RUNTIME io`, "ws/dir/y.txt", "todo two\n"},
		{`fs.move('b.txt', 'dir')`, `HELPER_RUNTIME io`, "ws/b.txt", "b"},
		{`fs.move('b.txt', '.')`, `HELPER_RUNTIME io`, "ws/b.txt", "b"},
		{`fs.move('b.txt', 'a.txt/x')`, `HELPER_RUNTIME io`, "ws/b.txt", "b"},
		{`fs.move('no', 'x')`, `INVALID_INPUT move-source-missing`, "ws/x", "<none>"},
		{`fs.move('b.txt/no', 'x')`, `INVALID_INPUT move-source-missing`, "ws/x", "<none>"},
		{`fs.move('.', 'x')`, `SECURITY write-outside-workspace`, "ws/b.txt", "b"},
		{`fs.move('b.txt', '../x')`, `SECURITY write-outside-workspace`, "x", "<none>"},
		{`fs.move(OUT + '/secret.txt', 'x')`, `SECURITY write-outside-workspace`, "ws/x", "<none>"},

		{`fs.delete('b.txt')`, `true`, "ws/b.txt", "<none>"},
		{`fs.delete('no')`, `false`, "ws/b.txt", "b"},
		{`fs.delete('no/no')`, `false`, "ws/b.txt", "b"},
		{`fs.delete('b.txt/no')`, `false`, "ws/b.txt", "b"},
		{`fs.delete('dir')`, `INVALID_INPUT delete-is-directory`, "ws/b.txt", "b"},
		{`fs.delete('.')`, `INVALID_INPUT delete-is-directory`, "ws/b.txt", "b"},
		{`fs.delete(OUT + '/secret.txt')`, `SECURITY write-outside-workspace`, "ws/b.txt", "b"},

		{`fs.deleteDir('dir')`, `5`, "ws/dir/y.txt", "<none>"},
		{`fs.deleteDir('dir') + ':' + fs.exists('dir')`, `"5:false"`, "ws/b.txt", "b"},
		{`fs.deleteDir('no')`, `0`, "ws/b.txt", "b"},
		{`fs.deleteDir('b.txt')`, `INVALID_INPUT deletedir-not-a-directory`, "ws/b.txt", "b"},
		{`fs.deleteDir('b.txt/x')`, `INVALID_INPUT deletedir-not-a-directory`, "ws/b.txt", "b"},
		{`fs.deleteDir('.')`, `SECURITY deletedir-workspace-root`, "ws/b.txt", "b"},
		{`fs.deleteDir('dir/..')`, `SECURITY deletedir-workspace-root`, "ws/b.txt", "b"},
		{`fs.deleteDir(WS)`, `SECURITY deletedir-workspace-root`, "ws/b.txt", "b"},
		{`fs.deleteDir('..')`, `SECURITY write-outside-workspace`, "ws/b.txt", "b"},
	} {
		w := newWorld(t)
		populate(w)
		got := w.eval(c.expr)
		assert.Equal(t, c.want, got, c.expr)
		assert.Equal(t, c.content, w.file(c.file), c.expr)
		assert.Empty(t, leftOvers(w), c.expr)
		if strings.HasPrefix(got, "SECURITY") {
			assert.Len(t, w.service.Denials(), 1, c.expr)
		}
	}
}

// leftOvers are temporary files in the workspace.
func leftOvers(w *world) []string {
	found, _ := filepath.Glob(filepath.Join(w.ws, ".localpass-*"))
	return found
}

// The mode of a file survives that it is replaced.
func TestWriteKeepsMode(t *testing.T) {
	w := newWorld(t)
	w.write("ws/run.sh", "old")
	require.NoError(t, os.Chmod(filepath.Join(w.ws, "run.sh"), 0o750))
	before, err := os.Stat(filepath.Join(w.ws, "run.sh"))
	require.NoError(t, err)
	assert.Equal(t, `"WS/run.sh"`, w.eval(`fs.writeText('run.sh', 'new')`))
	after, err := os.Stat(filepath.Join(w.ws, "run.sh"))
	require.NoError(t, err)
	assert.Equal(t, before.Mode(), after.Mode())
}

// A workspace is made by the first write; until then it is empty.
func TestMissingWorkspace(t *testing.T) {
	w := newWorld(t, func(w *world, s *files.Scope) { s.Workspace = filepath.Join(w.dir, "not", "yet"); w.ws = s.Workspace })
	for expr, want := range map[string]string{
		`fs.list()`:                       `[]`,
		`fs.find()`:                       `[]`,
		`fs.searchInFiles('.', '*', 'x')`: `[]`,
		`fs.exists('.')`:                  `false`,
		`fs.exists('x')`:                  `false`,
		`fs.readText('x')`:                `HELPER_RUNTIME io`,
		`fs.stat('.')`:                    `HELPER_RUNTIME io`,
		`fs.delete('x')`:                  `false`,
		`fs.deleteDir('x')`:               `0`,
		`fs.deleteDir('.')`:               `SECURITY deletedir-workspace-root`,
		`fs.move('x', 'y')`:               `INVALID_INPUT move-source-missing`,
		`fs.copy('x', 'y')`:               `INVALID_INPUT copy-source-not-file`,
		`fs.writeText('.', 'y')`:          `HELPER_RUNTIME io`,
		`fs.workspace()`:                  `"WS"`,
	} {
		assert.Equal(t, want, w.eval(expr), expr)
	}
	assert.Equal(t, "<none>", w.file("not"))
	assert.Equal(t, `"WS/a/b"`, w.eval(`fs.appendText('a/b', 'x')`))
	assert.Equal(t, "x", w.file("not/yet/a/b"))
	assert.Equal(t, `["a","a/b"]`, w.eval(`fs.find()`))
}
