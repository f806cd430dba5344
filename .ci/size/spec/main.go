package main

import (
	"fmt"
	"log"
	"os"

	"github.com/localpass/localpass/toolspec"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	spec, err := toolspec.ParseSpec(text)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(spec.Resolve(nil))
}
