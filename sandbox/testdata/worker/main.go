// Program worker is nothing but a worker: what Options.WorkerPath names.
package main

import (
	"fmt"
	"os"

	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/sandbox/typescript"
)

func main() {
	sandbox.Main(typescript.Engine())
	fmt.Fprintln(os.Stderr, "worker: this program runs code for another; it does nothing by itself")
	os.Exit(2)
}
