package observeapi_test

import (
	"fmt"
	"net/http/httptest"

	"github.com/localpass/localpass/observe"
	"github.com/localpass/localpass/observe/observeapi"
)

func Example() {
	traces, err := observe.New(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer traces.Close()
	api, err := observeapi.New(traces, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer api.Close()
	server := httptest.NewServer(api) // http.ListenAndServe("127.0.0.1:8080", api) in a program
	defer server.Close()
	res, err := server.Client().Get(server.URL + "/api/observe/traces?win=30m")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Body.Close()
	fmt.Println(res.Status)
	// Output: 200 OK
}
