package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/localpass/localpass/internal/poison"
	"github.com/localpass/localpass/mcphub"
)

// serversApprove is the operator's yes: to tools of a server as it describes them
// at this moment.
func serversApprove(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	fs, common := flags("mcpserver servers approve", stderr)
	dry := fs.Bool("dry-run", false, "show what would be approved, and approve nothing")
	if err := some(fs, args, 0, "name a server and, if not all of its tools are meant, the tools"); err != nil {
		return err
	}
	id, names := fs.Arg(0), fs.Args()[1:]
	return inHome(ctx, common, stderr, func(conns *mcphub.Connections, composition *mcphub.Composition) error {
		if err := lookAgain(ctx, conns, composition, id); err != nil {
			return err
		}
		members, err := membersOf(composition, id, names)
		if err != nil {
			return err
		}
		count := 0
		for _, m := range members {
			switch {
			case m.State == mcphub.MemberServed || m.State == mcphub.MemberNameTaken && m.Current != nil && m.Approved == m.Current.Fingerprint:
				if len(names) > 0 {
					fmt.Fprintf(stdout, "%s is approved already\n", poison.Visible(m.String()))
				}
				continue
			case m.Current == nil:
				if len(names) > 0 {
					return fmt.Errorf("%s: %s", m.String(), "the server does not offer it now")
				}
				continue
			}
			if !*dry {
				if err := composition.Approve(ctx, m.Server, m.Tool, m.Current.Fingerprint); err != nil {
					return err
				}
			}
			count++
			showApproved(stdout, &m, *dry)
		}
		if count == 0 && len(names) == 0 {
			fmt.Fprintf(stdout, "%s: nothing to approve\n", id)
		}
		return nil
	})
}

// lookAgain connects a server and brings its members up to date.
func lookAgain(ctx context.Context, conns *mcphub.Connections, composition *mcphub.Composition, id string) error {
	if err := conns.Connect(ctx, id); err != nil {
		return err
	}
	r, err := conns.Get(id)
	if err != nil {
		return err
	}
	e, err := mcphub.EntryOf(r)
	if err != nil || e == nil {
		return err
	}
	return composition.ChooseTools(ctx, e)
}

// membersOf are the members of a server, or those of these names.
func membersOf(composition *mcphub.Composition, id string, names []string) ([]mcphub.MemberStatus, error) {
	var out []mcphub.MemberStatus
	found := map[string]bool{}
	for _, m := range composition.Members() {
		if m.Server == id && (len(names) == 0 || slices.Contains(names, m.Tool)) {
			found[m.Tool] = true
			out = append(out, m)
		}
	}
	for _, name := range names {
		if !found[name] {
			return nil, fmt.Errorf("%s/%s is not among the tools to serve: choose it in the file of servers", id, poison.Visible(name))
		}
	}
	return out, nil
}

// showApproved prints what the yes was for, and what it was before.
func showApproved(w io.Writer, m *mcphub.MemberStatus, dry bool) {
	done := "approved"
	if dry {
		done = "not approved yet"
	}
	fmt.Fprintf(w, "%s  %s, as %s\n", poison.Visible(m.String()), done, m.Name)
	if m.State == mcphub.MemberChanged && m.Definition != nil {
		fmt.Fprintf(w, "  before   %s\n", poison.Visible(string(compact(m.Definition))))
	}
	fmt.Fprintf(w, "  now      %s\n  content  %s\n", poison.Visible(string(compact(m.Current.Raw))), m.Current.Fingerprint)
}

func compact(raw json.RawMessage) []byte {
	var out bytes.Buffer
	if json.Compact(&out, raw) != nil {
		return raw
	}
	return out.Bytes()
}

// serversRevoke takes a yes back.
func serversRevoke(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	fs, common := flags("mcpserver servers revoke", stderr)
	if err := some(fs, args, 0, "name a server and, if not all of its tools are meant, the tools"); err != nil {
		return err
	}
	id, names := fs.Arg(0), fs.Args()[1:]
	return inHome(ctx, common, stderr, func(_ *mcphub.Connections, composition *mcphub.Composition) error {
		members, err := membersOf(composition, id, names)
		if err != nil {
			return err
		}
		for _, m := range members {
			if err := composition.Revoke(ctx, m.Server, m.Tool); err != nil {
				return err
			}
			fmt.Fprintf(stdout, "%s  withheld\n", poison.Visible(m.String()))
		}
		return nil
	})
}
