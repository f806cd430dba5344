// Command playground is a web page for the whole library, on 127.0.0.1:8282: write
// a tool, let it pass its tests, publish it over MCP, and inspect other MCP servers.
// "playground -help" lists every flag.
package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/localpass/localpass/examples/internal/boot"
	"github.com/localpass/localpass/examples/playground/server"
	"github.com/localpass/localpass/internal/descriptors"
	"github.com/localpass/localpass/internal/termtext"
	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/sandbox/typescript"
)

func main() {
	sandbox.Main(typescript.Engine()) // a worker process of the sandbox never comes back from here
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the program: 0 is success, 1 a failure, 2 a wrong command line.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out, errs := termtext.NewWriter(stdout), termtext.NewWriter(stderr)
	defer func() { _ = errors.Join(out.Flush(), errs.Flush()) }()
	var err error
	if len(args) > 0 && args[0] == "health" {
		err = health(ctx, args[1:], out)
	} else {
		err = serve(ctx, args, out, errs)
	}
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		return 2
	}
	fmt.Fprintln(errs, "playground:", strings.ReplaceAll(err.Error(), "\n", "\n  "))
	return 1
}

func serve(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	c, err := parse(args, stderr)
	if err != nil {
		return err
	}
	if c.version {
		fmt.Fprintln(stdout, "playground", boot.Version())
		return nil
	}
	listener, err := listen(c) // before any work, so that a port in use is known at once
	if err != nil {
		return err
	}
	told := "" // a token that was made here
	if c.token != "" && c.mcpToken == "" {
		c.mcpToken = rand.Text()
		told = c.mcpToken
	}
	c.addr = listener.Addr().String() // the same port when it begins anew
	for first := true; ; first = false {
		again, err := c.once(ctx, listener, told, first, stdout, stderr)
		if err != nil || !again {
			return err
		}
		if listener, err = listen(c); err != nil {
			return err
		}
	}
}

// once serves until ctx ends or the page asked for the program to begin anew:
// again then.
func (c *config) once(ctx context.Context, listener net.Listener, told string, first bool, stdout, stderr io.Writer) (again bool, err error) {
	defer listener.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var anew atomic.Bool
	s, err := server.New(ctx, &server.Options{
		Home: c.home, Workspace: c.workspace, AllowPaths: c.dirs, AllowHosts: c.hosts, ToolTimeout: c.timeout, ApprovalTimeout: c.approvalTimeout,
		Profile: c.profile, Model: c.model, BaseURL: c.baseURL, DemoPace: c.demoPace,
		Token: c.token, MCPToken: c.mcpToken, AllowedHosts: namesOf(c, listener), Secure: c.tlsCert != "", PublicURL: c.publicURL, Version: boot.Version(),
		Settings: c.shown(listener.Addr().String()), Logger: slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Restart: func() { anew.Store(true); stop() },
	})
	if err != nil {
		return false, err
	}
	defer func() {
		err = errors.Join(err, s.Close())
		again = anew.Load()
	}()
	if first {
		c.greet(ctx, s, listener, told, stdout, stderr)
	} else {
		fmt.Fprintln(stdout, "restart   done, as the page asked")
	}
	return false, s.Serve(ctx, listener)
}

// greet tells where everything is, and how to end it.
func (c *config) greet(ctx context.Context, s *server.Server, listener net.Listener, told string, stdout, stderr io.Writer) {
	page := "http://" + listener.Addr().String()
	if c.tlsCert != "" {
		page = "https://" + listener.Addr().String()
	}
	page = cmp.Or(c.publicURL, page)
	model := s.Model()
	fmt.Fprintf(stdout, "page      %s\ntools     %s/mcp\nmodel     %s (%s)\nstate     %s\nstop      Ctrl-C\n", page, page, strings.TrimSuffix(model.Provider+"/"+model.Name, "/"), model.Why, s.Home())
	if c.token != "" {
		fmt.Fprintf(stdout, "login     %s/login\n", page)
	}
	if told != "" {
		fmt.Fprintf(stdout, "MCP token %s (a new one at each start; give -mcp-token for one that stays)\n", told)
	}
	if c.open {
		if err := openBrowser(ctx, page); err != nil {
			fmt.Fprintln(stderr, "playground: no browser could be opened:", err)
		}
	}
}

// listen opens the port, and refuses one that others can reach without a token or
// without TLS.
func listen(c *config) (net.Listener, error) {
	host, port, err := net.SplitHostPort(c.addr)
	if err != nil {
		return nil, fmt.Errorf(`-addr %q: %w; write host and port, such as "127.0.0.1:8282"`, c.addr, err)
	}
	l, err := net.Listen("tcp", net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port))
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; free the port or choose another with -addr", c.addr, err)
	}
	if !l.Addr().(*net.TCPAddr).IP.IsLoopback() {
		switch {
		case c.token == "":
			err = fmt.Errorf("others than this machine can reach %s: give a -token, or listen on 127.0.0.1", c.addr)
		case c.tlsCert == "" && !c.insecure:
			err = fmt.Errorf("others than this machine can reach %s, and could read the token on its way: give -tls-cert and -tls-key, or -insecure", c.addr)
		}
	}
	if err == nil && c.tlsCert != "" {
		var pair tls.Certificate
		if pair, err = tls.LoadX509KeyPair(c.tlsCert, c.tlsKey); err == nil {
			return tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}), nil
		}
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// namesOf are the names by which the server may be addressed: those that were
// given, and the address that it listens on.
func namesOf(c *config, l net.Listener) []string {
	names := append([]string{}, c.names...)
	if ip := l.Addr().(*net.TCPAddr).IP; !ip.IsLoopback() && !ip.IsUnspecified() {
		names = append(names, ip.String())
	}
	return names
}

// openBrowser opens the page the way the system does.
func openBrowser(ctx context.Context, page string) error {
	command, args := "xdg-open", []string{page}
	switch runtime.GOOS {
	case "darwin":
		command = "open"
	case "windows":
		command, args = "rundll32", []string{"url.dll,FileProtocolHandler", page}
	}
	cmd := exec.CommandContext(ctx, command, args...)
	if err := descriptors.Keep(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // it ends by itself, or with ctx
	return nil
}
