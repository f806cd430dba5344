package eval

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/localpass/localpass/rag"
)

// GoDocs makes two sets of the comments on exported functions, methods and types in the
// sources of Go: src is the folder src of an installation, and packages are paths below it,
// all of them if there is none. A question is the first sentence of a comment, without the
// name of what it is about; what answers it is the rest of that comment, from which the
// sentence is removed. In the [Set] each rest is a document. In the [SpanSet] each package
// is one Markdown text with a heading for each comment. The Set also has 30 questions that
// have nothing to do with software.
//
// Comments whose first sentence is that of another one are left out, since both would
// answer it, and so are those with less than 6 words of question or 25 of answer.
func GoDocs(src string, packages ...string) (*Set, *SpanSet, error) {
	if len(packages) == 0 {
		var err error
		if packages, err = standardPackages(src); err != nil {
			return nil, nil, fmt.Errorf("eval: %w", err)
		}
	}
	var all []goDoc
	times := map[string]int{}
	for _, name := range packages {
		docs, err := packageDocs(src, name)
		if err != nil {
			return nil, nil, fmt.Errorf("eval: %w", err)
		}
		for _, d := range docs {
			times[d.question]++
		}
		all = append(all, docs...)
	}
	set := &Set{Name: "Go's comments", Questions: unanswerable()}
	spans := &SpanSet{Name: "Go's comments by package"}
	var text strings.Builder
	for i, d := range all {
		if i == 0 || all[i-1].folder != d.folder {
			text.Reset()
			fmt.Fprintf(&text, "# Package %s\n\n", d.folder)
		}
		fmt.Fprintf(&text, "## %s\n\n", d.name)
		start := text.Len()
		text.WriteString(d.answer)
		end := text.Len()
		text.WriteString("\n\n")
		if times[d.question] == 1 {
			id := d.folder + "." + d.name
			set.Documents = append(set.Documents, rag.Document{ID: id, Text: d.answer, Metadata: map[string]any{rag.KeySource: d.folder}})
			set.Questions = append(set.Questions, Question{ID: id, Text: d.question, Relevant: map[string]int{id: 1}})
			spans.Questions = append(spans.Questions, SpanQuestion{Text: d.question, TextID: d.folder, Spans: []Span{{start, end}}})
		}
		if i+1 == len(all) || all[i+1].folder != d.folder {
			spans.Texts = append(spans.Texts, Text{d.folder, text.String()})
		}
	}
	if err := set.Check(); err != nil {
		return nil, nil, err
	}
	return set, spans, spans.Check()
}

// goDoc is a comment in two parts.
type goDoc struct{ folder, name, question, answer string }

// standardPackages returns the packages that programs may import.
func standardPackages(src string) ([]string, error) {
	var list []string
	err := filepath.WalkDir(src, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		switch d.Name() {
		case "cmd", "internal", "vendor", "testdata":
			return filepath.SkipDir
		}
		if rel, _ := filepath.Rel(src, path); rel != "." {
			list = append(list, filepath.ToSlash(rel))
		}
		return nil
	})
	return list, err
}

// packageDocs returns the usable comments of a package, in the order of its files.
func packageDocs(src, name string) ([]goDoc, error) {
	files, err := os.ReadDir(filepath.Join(src, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	var docs []goDoc
	seen := map[string]bool{} // by name: other systems have their own files
	add := func(what string, comment *ast.CommentGroup) {
		d, ok := divide(comment.Text(), what)
		if ok && !seen[what] {
			seen[what] = true
			d.folder, d.name = name, what
			docs = append(docs, d)
		}
	}
	for _, f := range files {
		if f.IsDir() || !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(src, filepath.FromSlash(name), f.Name()), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if what := decl.Name.Name; decl.Recv == nil && ast.IsExported(what) {
					add(what, decl.Doc)
				} else if of := receiver(decl); ast.IsExported(of) && ast.IsExported(what) {
					add(of+"."+what, decl.Doc)
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					if t, ok := spec.(*ast.TypeSpec); ok && t.Name.IsExported() {
						add(t.Name.Name, commentOf(t, decl))
					}
				}
			}
		}
	}
	return docs, nil
}

// commentOf returns the comment on a type, or on the declaration that holds it alone.
func commentOf(t *ast.TypeSpec, decl *ast.GenDecl) *ast.CommentGroup {
	if t.Doc != nil {
		return t.Doc
	}
	return decl.Doc
}

// receiver returns the name of the type of a method; empty: it is a function.
func receiver(decl *ast.FuncDecl) string {
	if decl.Recv == nil {
		return ""
	}
	of := decl.Recv.List[0].Type
	for {
		switch t := of.(type) {
		case *ast.StarExpr:
			of = t.X
		case *ast.IndexExpr:
			of = t.X
		case *ast.IndexListExpr:
			of = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

// sentence is the end of the first sentence of a comment.
var sentence = regexp.MustCompile(`[^.]{3}[.:]\s`)

// divide makes a question and its answer of the comment on a name.
func divide(comment, name string) (goDoc, bool) {
	at := sentence.FindStringIndex(comment)
	if at == nil || strings.Contains(comment, "Deprecated:") {
		return goDoc{}, false
	}
	short := name[strings.LastIndexByte(name, '.')+1:]
	words := slices.DeleteFunc(strings.Fields(comment[:at[1]]), func(w string) bool { return strings.Trim(w, "[].,:()*") == short })
	answer := strings.TrimSpace(comment[at[1]:])
	return goDoc{question: strings.Join(words, " "), answer: answer}, len(words) >= 6 && len(strings.Fields(answer)) >= 25
}
