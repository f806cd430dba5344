package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/toolspec"
)

func main() {
	sandbox.Main()
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	spec, err := toolspec.ParseSpec(text)
	if err != nil {
		log.Fatal(err)
	}
	box, err := sandbox.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer box.Close()
	fmt.Println(box.Run(context.Background(), &toolspec.RunRequest{Spec: spec}))
}
