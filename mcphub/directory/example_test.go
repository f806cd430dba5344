package directory_test

import (
	"fmt"
	"log"

	"github.com/localpass/localpass/mcphub/directory"
)

// A server is found by words, and made a record of with the values that it needs.
func Example() {
	d, err := directory.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range d.Search(directory.Query{Text: "git repository", Limit: 1}) {
		_, err := e.Instantiate(nil)
		fmt.Println(err)
		record, err := e.Instantiate(&directory.Values{Set: map[string]string{"GIT_REPOSITORY": "/srv/code"}})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(record.ID, string(record.Connection))
	}
	// Output:
	// directory: git needs values for GIT_REPOSITORY (Folder of the repository)
	// git {"args":["mcp-server-git@2026.10.19","--repository","/srv/code"],"command":"uvx"}
}
