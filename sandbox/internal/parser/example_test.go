package parser_test

import (
	"fmt"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/sandbox/internal/parser"
)

func ExampleInstall() {
	vm := goja.New()
	safety := vm.NewObject()
	if err := parser.Install(vm, safety, nil); err != nil {
		fmt.Println(err)
		return
	}
	_ = vm.Set("safety", safety)
	v, err := vm.RunString(`
		const page = safety.parser.html('<ul><li><a href="/x">One</a><li><a href="y">Two</a></ul>', 'https://example.com/list/')
		page.select('li > a').map(a => a.text() + ': ' + a.absUrl('href')).join('\n')`)
	fmt.Println(v, err)
	// Output:
	// One: https://example.com/x
	// Two: https://example.com/list/y <nil>
}
