package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/localpass/localpass/examples/internal/config"
	"github.com/localpass/localpass/examples/internal/home"
	"github.com/localpass/localpass/internal/termtext"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/scan"
	"github.com/localpass/localpass/mcphub/servers"
)

// errBlocked reports that a scan blocked something. The findings have been printed.
var errBlocked = errors.New("something is blocked")

// maxScanFile is the maximum size of a file that is scanned, in bytes.
const maxScanFile = 64 << 20

// offeredTimeout is the time in which a server has to be connected and listed.
const offeredTimeout = 60 * time.Second

// scanned is a line of "scan -json".
type scanned struct {
	File string `json:"file"`
	scan.Report
}

// scanner holds the flags of "scan".
type scanner struct {
	common      *common
	asJSON      bool
	sarif       bool
	start, yes  bool
	answers     *bufio.Scanner
	out, errs   io.Writer
	found       []scanned
	unreachable []error
}

// scanCommand judges what servers say of their tools: saved lists, configurations, or servers
// at a URL. A configuration is read and nothing of it is started, unless -start says so.
func scanCommand(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	fs, common := flags("mcpserver scan", stderr)
	s := &scanner{common: common, out: stdout, errs: stderr, answers: bufio.NewScanner(stdin)}
	fs.BoolVar(&s.asJSON, "json", false, "print one JSON object for each tool")
	fs.BoolVar(&s.sarif, "sarif", false, "print one SARIF 2.1.0 log, for code scanning")
	fs.BoolVar(&s.start, "start", false, "start the programs that a configuration names, after showing each command line")
	fs.BoolVar(&s.yes, "yes", false, "with -start: do not ask")
	if err := common.some(fs, args, 0, "name a file with the result of tools/list, a servers file, a configuration of another client, or a URL"); err != nil {
		return err
	}
	wrong := ""
	switch {
	case s.asJSON && s.sarif:
		wrong = "choose one of -json and -sarif"
	case s.yes && !s.start:
		wrong = "-yes is for -start"
	}
	if wrong != "" {
		fmt.Fprintf(stderr, "mcpserver: %s\n\n", wrong)
		fs.Usage()
		return errUsage
	}
	for _, arg := range fs.Args() {
		if err := s.scan(ctx, arg); err != nil {
			return err
		}
	}
	if err := s.print(); err != nil {
		return err
	}
	blocked := false
	for i := range s.found {
		blocked = blocked || s.found[i].Verdict == scan.Block
	}
	if blocked {
		return errBlocked
	}
	return errors.Join(s.unreachable...)
}

// scan scans one file or URL.
func (s *scanner) scan(ctx context.Context, arg string) error {
	if strings.HasPrefix(arg, "http://") || strings.HasPrefix(arg, "https://") {
		t, err := transport(s.common.Config, "", client.HTTPConfig{URL: arg})
		if err != nil {
			return fmt.Errorf("%s: %w", arg, err)
		}
		server, err := listed(ctx, t)
		if err != nil {
			return fmt.Errorf("%s: %w", arg, err)
		}
		s.judge(arg, server)
		return nil
	}
	data, err := readLimited(arg)
	if err != nil {
		return err
	}
	if tools, ok := toolsList(data); ok {
		s.judge(arg, scan.Server{Tools: tools})
		return nil
	}
	file, err := servers.Parse(data)
	if err != nil {
		return fmt.Errorf("%s is neither the result of tools/list nor a configuration with servers: %w", arg, err)
	}
	var together []scan.Server
	for i := range file.Servers {
		e := &file.Servers[i]
		launch := launchOf(&e.Record)
		if s.start && launch.Command != "" {
			server, err := s.started(ctx, &e.Record, &launch)
			if err == nil {
				together = append(together, server)
				continue
			}
			if !errors.Is(err, errNotAgreed) {
				s.unreachable = append(s.unreachable, fmt.Errorf("%s: server %q: %w", arg, e.Record.ID, err))
			}
		}
		s.found = append(s.found, scanned{arg, new(scan.Scanner).Launch(launch)})
	}
	s.judge(arg, together...)
	return nil
}

func (s *scanner) judge(file string, servers ...scan.Server) {
	for _, r := range new(scan.Scanner).Scan(servers...) {
		s.found = append(s.found, scanned{file, r})
	}
}

// errNotAgreed reports that a program was not started because the person did not agree.
var errNotAgreed = errors.New("not agreed")

// started starts a server of a configuration, if the person agrees, and reads what it offers.
func (s *scanner) started(ctx context.Context, r *servers.Record, l *scan.Launch) (scan.Server, error) {
	t, err := transport(s.common.Config, r.Kind, r.Connection)
	if err != nil {
		return scan.Server{}, err
	}
	if !s.agreed(l, t.Describe().Required) {
		return scan.Server{}, errNotAgreed
	}
	server, err := listed(ctx, t)
	server.Name = r.ID
	return server, err
}

// agreed shows the command line and the names of the secrets that the program gets, and asks
// whether to start it.
func (s *scanner) agreed(l *scan.Launch, secrets []string) bool {
	fmt.Fprintln(s.errs, "mcpserver: starts:", termtext.Escape(fmt.Sprintf("%q", append([]string{l.Command}, l.Args...))))
	if len(secrets) > 0 {
		fmt.Fprintln(s.errs, "mcpserver: it gets the values of:", termtext.Escape(strings.Join(secrets, ", ")))
	}
	if s.yes {
		return true
	}
	fmt.Fprint(s.errs, "Start it? [y/N] ")
	return s.answers.Scan() && strings.EqualFold(strings.TrimSpace(s.answers.Text()), "y")
}

// transport returns how to reach a server. Placeholders are resolved when it is dialled.
func transport(c *config.Config, kind client.TransportKind, connection any) (client.Transport, error) {
	data, err := json.Marshal(connection)
	if err != nil {
		return nil, err
	}
	kinds := client.NewRegistry(&client.RegistryOptions{Lookup: home.WithoutModelKeys(home.Lookup(c))})
	return kinds.Transport(kind, data)
}

// offeredBy connects to a server, and returns how it introduces itself and its tools.
func offeredBy(ctx context.Context, t client.Transport) (*client.SessionInfo, []*servers.OfferedTool, error) {
	ctx, cancel := context.WithTimeout(ctx, offeredTimeout)
	defer cancel()
	session, err := t.Dial(ctx, &client.DialOptions{Client: client.Identity{Name: "localpass"}})
	if err != nil {
		return nil, nil, err
	}
	defer session.Close()
	tools, err := servers.ListTools(ctx, session)
	return session.Info(), tools, err
}

// listed returns what a server offers, for a scan.
func listed(ctx context.Context, t client.Transport) (scan.Server, error) {
	info, tools, err := offeredBy(ctx, t)
	if err != nil {
		return scan.Server{}, err
	}
	server := scan.Server{Name: info.Server.Name, Instructions: info.Instructions}
	for _, tool := range tools {
		server.Tools = append(server.Tools, tool.Raw)
	}
	return server, nil
}

// toolsList returns the tools of a tools/list result, whole or as a response of JSON-RPC.
func toolsList(data []byte) ([]json.RawMessage, bool) {
	var list struct {
		Tools  []json.RawMessage `json:"tools"`
		Result *struct {
			Tools []json.RawMessage `json:"tools"`
		} `json:"result"`
	}
	if json.Unmarshal(data, &list) != nil {
		return nil, false
	}
	if list.Result != nil {
		return list.Result.Tools, list.Result.Tools != nil
	}
	return list.Tools, list.Tools != nil
}

func launchOf(r *servers.Record) scan.Launch {
	var c struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		URL     string            `json:"url"`
		Env     map[string]string `json:"env"`
		Headers map[string]string `json:"headers"`
	}
	_ = json.Unmarshal(r.Connection, &c) // members of other kinds are not judged
	return scan.Launch{Name: r.ID, Command: c.Command, Args: c.Args, URL: c.URL, Env: c.Env, Headers: c.Headers}
}

func readLimited(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxScanFile+1))
	if err == nil && len(data) > maxScanFile {
		err = fmt.Errorf("%s has more than %d MiB", name, maxScanFile>>20)
	}
	return data, err
}

// print writes what was found.
func (s *scanner) print() error {
	switch {
	case s.sarif:
		return printSARIF(s.out, s.found)
	case s.asJSON:
		e := json.NewEncoder(s.out)
		e.SetEscapeHTML(false)
		for i := range s.found {
			if s.found[i].Findings == nil {
				s.found[i].Findings = []scan.Finding{}
			}
			if err := e.Encode(&s.found[i]); err != nil {
				return err
			}
		}
		return nil
	}
	counts := map[scan.Verdict]int{}
	for i := range s.found {
		f := &s.found[i]
		counts[f.Verdict]++
		if f.Verdict == scan.Clean {
			continue
		}
		name := f.Tool
		if f.Server != "" {
			name = strings.TrimSuffix(f.Server+"/"+f.Tool, "/")
		}
		printLine(s.out, "%-6s  %s  (%s)", f.Verdict, name, f.File)
		for _, found := range f.Findings {
			printLine(s.out, "        %s %s %s", found.Severity, found.Rule, found.Where)
			if found.Text != "" {
				printLine(s.out, "          found  %s", found.Text)
			}
			printLine(s.out, "          why    %s", found.Why)
			printLine(s.out, "          do     %s", found.Do)
		}
	}
	printLine(s.out, "%d clean, %d to review, %d blocked", counts[scan.Clean], counts[scan.Review], counts[scan.Block])
	return nil
}
