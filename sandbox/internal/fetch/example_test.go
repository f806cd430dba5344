package fetch_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/dop251/goja"

	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/sandbox/internal/fetch"
	"github.com/localpass/localpass/sandbox/internal/hostcall"
	"github.com/localpass/localpass/toolspec"
)

func ExampleInstall() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"rate":1.1}`) }))
	defer server.Close()
	address := strings.TrimPrefix(server.URL, "http://")
	guard, err := egress.New(egress.Policy{Mode: toolspec.NetworkStrict, OperatorHosts: []string{address}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer guard.Close()
	call, err := guard.NewCall(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	service := fetch.NewService(call, nil)
	defer service.Close()

	vm := goja.New()
	err = fetch.Install(vm, fetch.Options{Call: func(req hostcall.Request) (hostcall.Reply, *toolspec.CallError) {
		return service.Serve(context.Background(), req)
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	vm.Set("address", server.URL)
	v, err := vm.RunString(`(async () => (await fetch(address)).json().rate)()`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Export().(*goja.Promise).Result())
	// Output: 1.1
}
