package files_test

import (
	"context"
	"fmt"
	"os"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/sandbox/internal/files"
	"github.com/localpass/localpass/sandbox/internal/hostcall"
	"github.com/localpass/localpass/toolspec"
)

func Example() {
	base, err := os.MkdirTemp("", "files")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(base)

	// The half with authority: one per run, where the files are.
	service, err := files.New(files.Scope{Workspace: base, Conversation: "c/1", Read: true, Write: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer service.Close()

	// The half without: in the engine, wherever that is.
	vm := goja.New()
	safety := vm.NewObject()
	err = files.Install(vm, safety, &files.Options{Read: true, Write: true, Call: func(req hostcall.Request) (hostcall.Reply, *toolspec.CallError) {
		return service.Serve(context.Background(), req)
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = vm.Set("safety", safety)
	v, err := vm.RunString(`
		safety.fs.writeText("notes/todo.txt", "milk\nbread\nbutter\n");
		let text = safety.fs.grep("^b", "notes/todo.txt").join() + " in " + safety.fs.find();
		try { safety.fs.readText("../c_2/notes.txt") } catch (e) { text += "; " + e.kind + " " + e.reason }
		text`)
	fmt.Println(v, err)
	// Output: bread,butter in notes,notes/todo.txt; SECURITY path-escapes-base <nil>
}
