package malicious

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"text/tabwriter"
	"time"
)

// Main is the program maliciousserver: it serves one attack on stdin and stdout, or over HTTP,
// until the input or the context ends. It returns the exit code: 0, 1 after an error, 2 for
// wrong arguments.
//
//	-list            print the attacks, and end
//	-attack NAME     the attack
//	-protocol DATE   support only this version of the protocol; default: all
//	-http ADDRESS    serve HTTP at any path, and print the address as the first line
//	-log FILE        append a line for each listing and call; what is there counts as having
//	                 happened, so that a program that is started again goes on
//	-from N, -count N, -size N, -shadows NAME
//	                 as in [Options]
func Main(ctx context.Context, args []string, stdin io.ReadCloser, stdout io.Writer, stderr io.Writer) int {
	flags := flag.NewFlagSet("maliciousserver", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var opts Options
	list := flags.Bool("list", false, "print the attacks, and end")
	attack := flags.String("attack", "", "the attack")
	protocol := flags.String("protocol", "", "support only this `version` of the protocol")
	addr := flags.String("http", "", "serve HTTP at this `address`, and print it")
	log := flags.String("log", "", "append each listing and call to this `file`")
	flags.IntVar(&opts.From, "from", 0, "the listing from which on it attacks (default 2)")
	flags.IntVar(&opts.Count, "count", 0, "how many messages or tools there are in a flood (default 20000)")
	flags.IntVar(&opts.Size, "size", 0, "the size of a flooding result in bytes (default 16777216)")
	flags.StringVar(&opts.Shadows, "shadows", "", "the `name` of another server's tool (default send_mail)")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if *list {
		printAttacks(stdout)
		return 0
	}
	if *protocol != "" {
		opts.Versions = []string{*protocol}
	}
	switch {
	case flags.NArg() > 0:
		fmt.Fprintf(stderr, "maliciousserver: %q is no flag\n", flags.Arg(0))
		return 2
	case Attack(*attack).Describe() == "":
		fmt.Fprintf(stderr, "maliciousserver: there is no attack %q: -list prints all of them\n", *attack)
		return 2
	}
	if err := serve(ctx, Attack(*attack), &opts, *addr, *log, stdin, stdout); err != nil {
		fmt.Fprintln(stderr, "maliciousserver:", err)
		return 1
	}
	return 0
}

func printAttacks(w io.Writer) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, a := range attacks {
		fmt.Fprintf(table, "%s\t%s\n", a.attack, a.about)
	}
	_ = table.Flush() // there is nothing to be done if the output is closed
}

func serve(ctx context.Context, attack Attack, opts *Options, addr, log string, stdin io.ReadCloser, stdout io.Writer) error {
	if log != "" {
		var err error
		if opts.Before, err = ReadLog(log); err != nil {
			return err
		}
		file, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer file.Close()
		opts.OnLog = func(line string) { _, _ = fmt.Fprintln(file, line) } // a test then misses the line
	}
	s, err := New(attack, opts)
	if err != nil {
		return err
	}
	if addr == "" {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			s.ServeStream(ends{stdin, stdout})
		}()
		select {
		case <-ended:
		case <-ctx.Done(): // a read of the standard input cannot always be interrupted
			_ = stdin.Close()
		}
		return nil
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout, l.Addr())
	web := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { _ = web.Close() })()
	if err := web.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// ends joins the two directions of a stream.
type ends struct {
	io.ReadCloser
	io.Writer
}
