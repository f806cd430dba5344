package worker_test

import (
	"bytes"
	"fmt"

	"github.com/localpass/localpass/internal/worker"
)

func ExampleConn() {
	var pipe bytes.Buffer
	c := worker.NewConn(&pipe, &pipe, 1<<10)
	if err := c.Send(worker.KindUser, 1, []byte("do this")); err != nil {
		fmt.Println(err)
	}
	f, err := c.Receive()
	fmt.Println(f.ID, string(f.Payload), err)
	// Output: 1 do this <nil>
}
