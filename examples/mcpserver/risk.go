package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/localpass/localpass/internal/termtext"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/risk"
	"github.com/localpass/localpass/mcphub/scan"
	"github.com/localpass/localpass/mcphub/servers"
	"github.com/localpass/localpass/toolspec"
)

// riskLine is a line of "risk -json": a server, or a tool of it.
type riskLine struct {
	Server string `json:"server"`
	Tool   string `json:"tool,omitempty"`
	// Level is that of the server as it is. That of a tool is unknown until a person has
	// confirmed it, and then Proposed and Least are what can be confirmed.
	Level     toolspec.Level     `json:"level"`
	Proposed  toolspec.Level     `json:"proposed,omitzero"`
	Least     toolspec.Level     `json:"least,omitzero"`
	Confirmed *risk.Confirmation `json:"confirmed,omitempty"`
	Endpoint  *client.Endpoint   `json:"endpoint,omitempty"`
	Host      risk.HostClass     `json:"host,omitempty"`
	Floor     string             `json:"floor,omitempty"`
	Total     int                `json:"total"`
	risk.Explanation
	Verdict  scan.Verdict   `json:"verdict,omitempty"`
	Findings []risk.Finding `json:"findings,omitempty"`
}

// riskCommand prints the risk levels of servers and their tools, and why they are what they
// are. Nothing of a file is started.
func riskCommand(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) error {
	fs, common := flags("mcpserver risk", stderr)
	asJSON := fs.Bool("json", false, "print one JSON object for each server and each tool")
	if err := common.some(fs, args, 0, "name a server of the home, a URL, or a file with the result of tools/list or with servers"); err != nil {
		return err
	}
	for _, arg := range fs.Args() {
		lines, err := riskOf(ctx, common, arg, stderr)
		if err != nil {
			return fmt.Errorf("%s: %w", termtext.Escape(arg), err)
		}
		for i := range lines {
			if !*asJSON {
				lines[i].print(stdout)
			} else if err := json.NewEncoder(stdout).Encode(&lines[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// riskOf assesses the servers that an argument names.
func riskOf(ctx context.Context, common *common, arg string, stderr io.Writer) ([]riskLine, error) {
	if strings.HasPrefix(arg, "http://") || strings.HasPrefix(arg, "https://") {
		t, err := transport(common.Config, "", client.HTTPConfig{URL: arg})
		if err != nil {
			return nil, err
		}
		info, tools, err := offeredBy(ctx, t)
		if err != nil {
			return nil, err
		}
		return unconfirmed(info.Server.Name, t.Describe(), tools), nil
	}
	if _, err := os.Stat(arg); err != nil {
		return riskInHome(ctx, common, arg, stderr)
	}
	data, err := readLimited(arg)
	if err != nil {
		return nil, err
	}
	if list, ok := toolsList(data); ok { // how its server is reached is not known
		tools := make([]*servers.OfferedTool, len(list))
		for i, raw := range list {
			if tools[i], err = servers.ParseTool(raw); err != nil {
				return nil, fmt.Errorf("tool %d: %w", i+1, err)
			}
		}
		return unconfirmed(arg, client.Endpoint{Kind: client.TransportStdio}, tools), nil
	}
	file, err := servers.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("this is neither the result of tools/list nor a file with servers: %w", err)
	}
	var lines []riskLine
	for i := range file.Servers {
		r := &file.Servers[i].Record
		t, err := transport(common.Config, r.Kind, r.Connection)
		if err != nil {
			return nil, fmt.Errorf("server %q: %w", r.ID, err)
		}
		lines = append(lines, unconfirmed(r.ID, t.Describe(), nil)...)
	}
	return lines, nil
}

// riskInHome assesses a server of the home, which is connected if it was never asked what it
// offers.
func riskInHome(ctx context.Context, common *common, id string, stderr io.Writer) (lines []riskLine, err error) {
	err = inHome(ctx, common, stderr, func(conns *servers.Connections, _ *mcphub.Composition) error {
		levels, err := risk.NewLevels(ctx, conns.Store(), nil)
		if err != nil {
			return err
		}
		defer levels.Close()
		server, err := conns.Server(id)
		if err != nil {
			return err
		}
		if server.Offered() == nil {
			if err := conns.Connect(ctx, id); err != nil {
				return err
			}
		}
		lines = riskLines(levels, risk.UpstreamOf(server))
		return nil
	})
	return lines, err
}

// unconfirmed assesses a server of which no level is confirmed.
func unconfirmed(name string, e client.Endpoint, tools []*servers.OfferedTool) []riskLine {
	return riskLines(new(risk.Levels), risk.Upstream{Server: name, Endpoint: e, Offered: &servers.Snapshot{Tools: tools}})
}

func riskLines(levels *risk.Levels, u risk.Upstream) []riskLine {
	s := levels.Server(u)
	lines := []riskLine{{Server: u.Server, Level: s.Level, Endpoint: &u.Endpoint, Host: s.Host, Floor: s.Floor, Total: s.Total, Explanation: s.Explanation}}
	if u.Offered == nil {
		return lines
	}
	for _, t := range u.Offered.Tools {
		r := levels.Of(u, t)
		p := &r.Proposal
		lines = append(lines, riskLine{Server: u.Server, Tool: t.Name, Level: r.Level, Proposed: p.Level, Least: p.Least, Confirmed: r.Confirmed,
			Floor: p.Floor, Total: p.Total, Explanation: p.Explanation, Verdict: p.Verdict, Findings: p.Findings})
	}
	return lines
}

func (l *riskLine) print(w io.Writer) {
	switch {
	case l.Tool == "":
		printLine(w, "%s  %s  %s", termtext.Escape(l.Server), l.Level.Label(), termtext.Escape(l.Endpoint.String()))
	case l.Confirmed != nil:
		printLine(w, "%s/%s  %s, confirmed by %s on %s", termtext.Escape(l.Server), termtext.Escape(l.Tool), l.Level.Label(), termtext.Escape(l.Confirmed.By.Subject), l.Confirmed.At.Format("2006-01-02"))
	default:
		printLine(w, "%s/%s  %s proposed, at least %s; not confirmed, so it counts as L5", termtext.Escape(l.Server), termtext.Escape(l.Tool), l.Proposed.Label(), l.Least)
	}
	printWhy(w, &l.Explanation)
	for _, f := range l.Findings {
		printLine(w, "  scan     %s: %s", l.Verdict, termtext.Escape(f.Rule+": "+f.Detail))
	}
}

// printWhy prints why a level is what it is, and what would lower it.
func printWhy(w io.Writer, e *risk.Explanation) {
	for _, reason := range e.Reasons {
		printLine(w, "  why      %s", termtext.Escape(reason))
	}
	if e.Change != nil {
		printLine(w, "  lower    %s if %s", e.Change.Level, e.Change.Do)
	}
}
