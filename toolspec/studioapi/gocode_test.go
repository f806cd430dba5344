package studioapi_test

import (
	"encoding/json"
	"flag"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var updatePrograms = flag.Bool("update-programs", false, "write the programs of testdata anew")

// programs are tools of which a program was written, by the folder that holds it.
var programs = map[string]string{
	"plain": shout,
	"asks": `{"toolId": "t1", "name": "note", "description": "Writes a note that holds a ` + "`" + `.", "codeType": "Javascript", "code": "return 1;",
	  "sandboxOverrides": {"fileRead": true, "fileWrite": true, "fsBasePath": "/srv/notes"}, "humanInTheLoop": {"mode": "REQUIRED"}}`,
}

// A program that serves a tool compiles against this library.
func TestGoCode(t *testing.T) {
	w := newWorld(t, nil, nil)
	for folder, document := range programs {
		id := w.OK(201, "POST", "/api/tools", document).Text("id")
		code := w.OK(200, "GET", "/api/tools/"+id+"/go", "").Text("code")
		code = strings.ReplaceAll(code, id, "00000000-0000-4000-8000-000000000000")
		at := filepath.Join("testdata", "programs", folder, "main.go")
		if *updatePrograms {
			require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o755))
			require.NoError(t, os.WriteFile(at, []byte(code), 0o644))
		}
		want, err := os.ReadFile(at)
		require.NoError(t, err)
		assert.Equal(t, string(want), code, "write it anew with -update-programs")
		out, err := exec.CommandContext(t.Context(), "go", "vet", "./"+filepath.ToSlash(filepath.Dir(at))).CombinedOutput()
		assert.NoError(t, err, "%s", out)
	}
	w.Fails(404, "not_found", "GET", "/api/tools/nothing/go", "")
}

// Whatever a tool is called or holds, the program is Go, and holds no credential.
func TestGoCodeHostile(t *testing.T) {
	w := newWorld(t, nil, nil)
	names := 0
	for _, name := range []string{"a\nb", "*/ func init() {}", "`+x+`", "\u202egnp", `"quoted"`, ""} {
		body, err := json.Marshal(map[string]any{"name": name, "code": "return '\u2028`';", "codeType": "Javascript",
			"staticVariables": []any{map[string]string{"apiKey": "sk-" + strings.Repeat("a1B2", 10)}}})
		require.NoError(t, err)
		id := w.Do("POST", "/api/tools", string(body))
		if id.Status != 201 {
			continue
		}
		names++
		code := w.OK(200, "GET", "/api/tools/"+id.Text("id")+"/go", "").Text("code")
		file, err := parser.ParseFile(token.NewFileSet(), "main.go", code, 0)
		require.NoError(t, err, code)
		assert.Len(t, file.Decls, 4, "an import, the document and two functions: %s", code)
		assert.NotContains(t, code, "a1B2a1B2")
	}
	assert.Greater(t, names, 3)
}
