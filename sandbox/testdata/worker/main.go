// Program worker is nothing but a worker: what Options.WorkerPath names.
package main

import (
	"fmt"
	"os"

	"github.com/localpass/localpass/sandbox"
)

func main() {
	sandbox.Main()
	fmt.Fprintln(os.Stderr, "worker: this program runs code for another; it does nothing by itself")
	os.Exit(2)
}
