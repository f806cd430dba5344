package platform_test

import (
	"fmt"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/sandbox/internal/platform"
)

func ExampleInstall() {
	vm := goja.New()
	platform.Install(vm, nil)
	v, err := vm.RunString(`
		new Intl.DateTimeFormat('en-GB', {timeZone: 'Europe/London', dateStyle: 'long', timeStyle: 'short'})
			.format(Date.UTC(2024, 5, 1, 12, 0))`)
	fmt.Println(v, err)
	// Output: 1 June 2024 at 13:00 <nil>
}
