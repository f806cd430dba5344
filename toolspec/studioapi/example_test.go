package studioapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/toolspec/studio"
	"github.com/localpass/localpass/toolspec/studioapi"
)

// A script makes a tool, lets it earn its pass and publishes it. The program's
// main begins with sandbox.Main(); here the TestMain of the package does.
func Example() {
	box, err := sandbox.New(nil) // worker processes without authority
	check(err)
	defer box.Close()
	st, err := studio.New(context.Background(), box, memory.New(), nil)
	check(err)
	api, err := studioapi.New(st, nil)
	check(err)
	defer api.Close()
	server := httptest.NewServer(api)
	defer server.Close()

	tool := post(server.URL+"/api/tools", `{
	  "name": "double", "description": "Doubles a number, such as 21.", "codeType": "Javascript",
	  "params": [{"name": "n", "description": "The number, such as 21.", "type": "NUMBER", "required": true, "testValue": "4"}],
	  "code": "return {out: n * 2};",
	  "x-tests": [{"name": "the answer", "args": {"n": 21}, "want": {"out": 42}}]
	}`)
	path := fmt.Sprint(server.URL, "/api/tools/", tool["id"])
	fmt.Println(tool["name"], tool["level"], tool["state"])

	run := post(path+"/runs?wait=1", `{}`)
	receipt := run["receipt"].(map[string]any)
	fmt.Println("run:", run["state"], "in", receipt["cases"], "cases")

	published := post(path+"/publish", fmt.Sprintf(`{"receipt": %q}`, receipt["id"]))
	fmt.Println("now:", published["tool"].(map[string]any)["state"])
	fmt.Println("served:", st.Published()[0].Definition().Name)
	// Output:
	// double L0 draft
	// run: passed in 2 cases
	// now: live
	// served: double
}

// What a spec would be on this host, before anything is stored: what a page
// shows while somebody types.
func ExampleAPI_preview() {
	st, err := studio.New(context.Background(), box, memory.New(), nil)
	check(err)
	api, err := studioapi.New(st, nil)
	check(err)
	defer api.Close()
	server := httptest.NewServer(api)
	defer server.Close()

	preview := post(server.URL+"/api/tools/preview", `{
	  "name": "note", "description": "Writes a note into a file.", "codeType": "Javascript", "code": "safety.fs.writeText('note.txt', 'hi')",
	  "sandboxOverrides": {"fileWrite": true}, "humanInTheLoop": {"mode": "REQUIRED"}
	}`)
	fmt.Println(preview["level"], "shown as", preview["mitigated"])
	fmt.Println(preview["reasons"].([]any)[0])
	// Output:
	// L4 shown as L3
	// fileWrite: can change files in its workspace (L4)
}

func post(url, body string) map[string]any {
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	check(err)
	defer resp.Body.Close()
	var answer map[string]any
	check(json.NewDecoder(resp.Body).Decode(&answer))
	return answer
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
