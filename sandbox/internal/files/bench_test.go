package files_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/sandbox/internal/files"
	"github.com/localpass/localpass/sandbox/internal/hostcall"
	"github.com/localpass/localpass/toolspec"
)

// BenchmarkInstall is what every runtime pays that has files; compare with
// Bare.
func BenchmarkInstall(b *testing.B) {
	program := goja.MustCompile("tool", "(function () { return 1 })()", true)
	opts := &files.Options{Read: true, Write: true}
	for name, install := range map[string]bool{"Bare": false, "Installed": true} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				vm := goja.New()
				safety := vm.NewObject()
				if install {
					if err := files.Install(vm, safety, opts); err != nil {
						b.Fatal(err)
					}
				}
				if _, err := vm.RunProgram(program); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkService is what a run pays whose code touches no file.
func BenchmarkService(b *testing.B) {
	scope := files.Scope{Workspace: b.TempDir(), Conversation: "c-1", Read: true, Write: true}
	b.ReportAllocs()
	for b.Loop() {
		s, err := files.New(scope)
		if err != nil {
			b.Fatal(err)
		}
		_ = s.Close()
	}
}

func BenchmarkReadText(b *testing.B) {
	dir := b.TempDir()
	text := strings.Repeat("0123456789abcdef", 64)
	for _, name := range []string{"a.txt", filepath.Join("a", "b", "c", "d.txt")} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	s, err := files.New(files.Scope{Workspace: dir, Read: true})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	vm := goja.New()
	if err := files.Install(vm, vm.GlobalObject(), &files.Options{Read: true, Call: func(r hostcall.Request) (hostcall.Reply, *toolspec.CallError) {
		return s.Serve(context.Background(), r)
	}}); err != nil {
		b.Fatal(err)
	}
	for name, code := range map[string]string{"1KB": "fs.readText('a.txt')", "1KBDeep": "fs.readText('a/b/c/d.txt')"} {
		program := goja.MustCompile("tool", code, true)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := vm.RunProgram(program); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkGlob(b *testing.B) {
	match, err := files.Glob("*.{go,txt}")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		match("some_long_file_name.txt")
	}
}
