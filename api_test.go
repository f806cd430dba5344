package localpass_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// declaresClose matches the line that declares a method Close, of a type or of an interface.
var declaresClose = regexp.MustCompile(`^(func \(.*\) |\t)Close\(`)

var update = flag.Bool("update", false, "rewrite the golden files")

// Every change of the exported API shows as a change of a golden file, where a
// reviewer sees it. "go test -run TestAPI . -update" accepts it.
func TestAPI(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles", "./...").Output()
	require.NoError(t, err)
	seen := map[string]bool{}
	for list := json.NewDecoder(bytes.NewReader(out)); list.More(); {
		var p struct {
			ImportPath, Dir string
			GoFiles         []string
		}
		require.NoError(t, list.Decode(&p))
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, "github.com/localpass/localpass"), "/")
		if len(p.GoFiles) == 0 || strings.HasPrefix(name, "examples/") || strings.Contains("/"+name+"/", "/internal/") {
			continue
		}
		if name == "" {
			name = "localpass"
		}
		golden := strings.ReplaceAll(name, "/", "_") + ".txt"
		seen[golden] = true
		t.Run(name, func(t *testing.T) {
			got := exported(t, p.ImportPath, p.Dir, p.GoFiles)
			file := filepath.Join("testdata", "api", golden)
			if *update {
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
			}
			for line := range strings.Lines(got) { // one shape: whatever needs time bounds it itself
				assert.False(t, declaresClose.MatchString(line) && !strings.HasSuffix(line, "Close() error\n"), "write Close() error: %s", line)
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, string(want), got, "the exported API changed: if that is meant, go test -run TestAPI . -update")
		})
	}
	require.NotEmpty(t, seen)
	files, err := os.ReadDir(filepath.Join("testdata", "api"))
	require.NoError(t, err)
	for _, f := range files {
		assert.True(t, seen[f.Name()], "testdata/api/%s belongs to no package: delete it", f.Name())
	}
}

// exported returns what "go doc -all" prints of a package: a process for each of them takes
// ten times as long.
func exported(t *testing.T, path, dir string, names []string) string {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, file)
	}
	p, err := doc.NewFromFiles(fset, files, path)
	require.NoError(t, err)
	d := apiText{t: t, fset: fset, p: p}
	fmt.Fprintf(&d.out, "package %s // import %q\n\n", p.Name, path)
	d.text(p.Doc, "")
	d.section("CONSTANTS", p.Consts, nil, nil)
	d.section("VARIABLES", p.Vars, nil, nil)
	d.section("FUNCTIONS", nil, p.Funcs, nil)
	d.section("TYPES", nil, nil, p.Types)
	return unexported.Replace(d.out.String())
}

// unexported says as "go doc" does that a declaration is not shown whole.
var unexported = strings.NewReplacer("// contains filtered or unexported fields", "// Has unexported fields.",
	"// contains filtered or unexported methods", "// Has unexported methods.")

// apiText writes the documentation of a package.
type apiText struct {
	t    *testing.T
	fset *token.FileSet
	p    *doc.Package
	out  bytes.Buffer
}

func (d *apiText) section(title string, values []*doc.Value, funcs []*doc.Func, types []*doc.Type) {
	if len(values)+len(funcs)+len(types) == 0 {
		return
	}
	fmt.Fprintf(&d.out, "\n%s\n\n", title)
	d.values(values)
	d.funcs(funcs)
	for _, typ := range types {
		d.declare(typ.Decl, typ.Doc)
		d.values(typ.Consts)
		d.values(typ.Vars)
		d.funcs(typ.Funcs)
		d.funcs(typ.Methods)
	}
}

func (d *apiText) values(values []*doc.Value) {
	for _, v := range values {
		d.declare(v.Decl, v.Doc)
	}
}

func (d *apiText) funcs(funcs []*doc.Func) {
	for _, f := range funcs {
		d.declare(f.Decl, f.Doc)
	}
}

func (d *apiText) declare(decl ast.Decl, text string) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		decl.Doc, decl.Body = nil, nil
	case *ast.GenDecl:
		decl.Doc = nil
	}
	require.NoError(d.t, format.Node(&d.out, d.fset, decl))
	d.out.WriteByte('\n')
	d.text(text, "    ")
	d.out.WriteByte('\n')
}

func (d *apiText) text(text, indent string) {
	printer := d.p.Printer()
	printer.TextPrefix, printer.TextCodePrefix = indent, indent+"    "
	printer.TextWidth = 80 - len(indent)
	d.out.Write(printer.Text(d.p.Parser().Parse(text)))
}
