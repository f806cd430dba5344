// This program serves the tool shout over MCP at http://127.0.0.1:8282/mcp. The
// tool runs its own tests first: no pass, no run.
//
//	go mod init example.com/shout
//	go get github.com/localpass/localpass@latest
//	go mod tidy
//	go run .
package main

import (
	"context"
	"log"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/persistence/file"
	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/sandbox/charsets"
	"github.com/localpass/localpass/sandbox/typescript"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// document is the tool. A ${NAME} in it is read from the environment.
const document = `{
  "name": "shout",
  "description": "Writes a text in capitals, for signs and headlines.",
  "category": "TEXT",
  "tags": [
    "util"
  ],
  "codeType": "Javascript",
  "params": [
    {
      "name": "text",
      "description": "The text, such as hello.",
      "type": "STRING",
      "required": true,
      "testValue": "quiet"
    }
  ],
  "code": "console.log('got', text);\nreturn {out: text.toUpperCase()};",
  "x-tests": [
    {
      "name": "hello",
      "args": {
        "text": "hello"
      },
      "want": {
        "out": "HELLO"
      }
    },
    {
      "args": {
        "text": "x"
      },
      "want": {
        "out": "X"
      }
    }
  ],
  "toolId": "00000000-0000-4000-8000-000000000000",
  "draft": false
}`

func main() {
	sandbox.Main(typescript.Engine()) // first: this program is also the worker that runs the code
	ctx := context.Background()
	box, err := sandbox.New(&sandbox.Options{
		Engine:  typescript.Engine(),
		Network: &sandbox.NetworkOptions{Charsets: charsets.Decode},
	})
	check(err)
	defer box.Close()
	store, err := file.Open("state", nil) // passes, approvals and the record of calls
	check(err)
	defer store.Close()
	st, err := studio.New(ctx, box, store, nil)
	check(err)

	spec, err := toolspec.ParseSpec([]byte(document))
	check(err)
	_, _, err = st.TestAndPublish(ctx, spec, nil)
	check(err)

	hub, err := mcphub.New(&mcphub.Options{Store: store})
	check(err)
	defer hub.Close()
	check(hub.Attach(st))
	log.Println("shout", "at http://127.0.0.1:8282/mcp")
	check(hub.ListenAndServe(ctx, "127.0.0.1:8282"))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
