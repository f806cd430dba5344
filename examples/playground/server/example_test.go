package server_test

import (
	"context"
	"fmt"
	"net"
	"os"

	"github.com/localpass/localpass/examples/playground/server"
)

func Example() {
	home, err := os.MkdirTemp("", "playground")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(home)
	s, err := server.New(context.Background(), &server.Options{Home: home})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	stop() // Serve returns when ctx ends
	fmt.Println(s.Serve(ctx, l))
	// Output: <nil>
}
