// This program serves the tool note over MCP at http://127.0.0.1:8282/mcp. The
// tool runs its own tests first: no pass, no run.
//
//	go mod init example.com/note
//	go get github.com/localpass/localpass@latest
//	go mod tidy
//	go run .
package main

import (
	"context"
	"log"
	"os"
	"path/filepath"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/audit"
	"github.com/localpass/localpass/persistence/file"
	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/sandbox/charsets"
	"github.com/localpass/localpass/sandbox/typescript"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// document is the tool. A ${NAME} in it is read from the environment.
const document = `{
  "toolId": "00000000-0000-4000-8000-000000000000",
  "name": "note",
  "description": "Writes a note that holds a ` + "`" + `.",
  "codeType": "Javascript",
  "code": "return 1;",
  "sandboxOverrides": {
    "fileRead": true,
    "fileWrite": true,
    "fsBasePath": "/srv/notes"
  },
  "humanInTheLoop": {
    "mode": "REQUIRED"
  },
  "draft": false
}`

func main() {
	sandbox.Main(typescript.Engine()) // first: this program is also the worker that runs the code
	ctx := context.Background()
	workspace, err := filepath.Abs("workspace") // the files that it may touch
	check(err)
	check(os.MkdirAll(workspace, 0o700))
	box, err := sandbox.New(&sandbox.Options{
		Engine:  typescript.Engine(),
		Network: &sandbox.NetworkOptions{Charsets: charsets.Decode},
		Files:   &sandbox.FileOptions{Workspace: workspace, BasePaths: []string{"/srv/notes"}},
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
	_, _, err = st.TestAndPublish(ctx, spec, &studio.TestOptions{ByAuthor: true})
	check(err)

	// The client that calls asks its user before each call.
	records := audit.New(store, nil, nil)
	defer records.Close()
	gate, err := approval.NewGate(&approval.Options{Store: store, Audit: records, Approvers: []approval.Approver{approval.Elicitation(nil)}})
	check(err)
	defer gate.Close()
	hub, err := mcphub.New(&mcphub.Options{Store: store, Audit: records, Approval: gate})
	check(err)
	defer hub.Close()
	check(hub.Attach(st))
	log.Println("note", "at http://127.0.0.1:8282/mcp")
	check(hub.ListenAndServe(ctx, "127.0.0.1:8282"))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
