package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/localpass/localpass/examples/clichat/internal/render"
	"github.com/localpass/localpass/internal/asking"
	"github.com/localpass/localpass/internal/termtext"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/mcphub/risk"
)

// approveServers lists the tools that wait for approval, of one server or of all, and
// approves those that the user names, as they were listed. What a tool is, or what changed
// in it, is shown on request.
func (u *ui) approveServers(ctx context.Context, id string, tools []string) error {
	var ids []string
	for _, s := range u.servers.conns.Statuses() {
		if id == "" || s.ID == id {
			ids = append(ids, s.ID)
		}
	}
	if len(ids) == 0 && id != "" {
		return fmt.Errorf("there is no server %q", termtext.Line(id))
	}
	for _, one := range ids {
		if err := u.servers.connect(ctx, one); err != nil {
			if id != "" {
				return err
			}
			u.print("%s is not connected: %v", one, err)
		}
	}
	var waiting []mcphub.MemberStatus
	for _, m := range u.servers.composition.Members() {
		if slices.Contains(ids, m.Server) && (len(tools) == 0 || slices.Contains(tools, m.Tool)) && m.Current != nil && (m.State == mcphub.MemberNew || m.State == mcphub.MemberChanged || m.State == mcphub.MemberBlocked) {
			waiting = append(waiting, m)
		}
	}
	if len(waiting) == 0 {
		u.print("there is nothing to approve")
		return nil
	}
	for i, m := range waiting {
		state := "new"
		if m.State == mcphub.MemberChanged {
			state = "changed"
		}
		row := fmt.Sprintf("%2d  %s  %s  %s  %s  %s", i+1, m.Server, termtext.Escape(m.Tool), state, m.Risk.Proposal.Level, termtext.Line(firstLine(m.Current.Description)))
		u.screen.Print(render.Fit(row, u.screen.Columns(), u.theme.Sign("…", "...")))
	}
	for {
		text, err := face{u}.Line(ctx, "approve which? all, numbers, show N, or nothing: ", false)
		if errors.Is(err, asking.ErrInterrupted) || err == nil && text == "" {
			return nil
		}
		if err != nil {
			return err
		}
		if what, ok := strings.CutPrefix(text, "show "); ok {
			if n, err := chosen(what, len(waiting)); err != nil {
				u.failed(err)
			} else {
				u.showTools(waiting, n)
			}
			continue
		}
		n, err := chosen(text, len(waiting))
		if err != nil {
			u.failed(err)
			continue
		}
		for _, i := range n {
			m := waiting[i]
			if err := u.confirmLevel(ctx, &m); err != nil {
				return err
			}
			if err := u.servers.composition.Approve(ctx, m.Server, m.Tool, m.Current.Fingerprint); err != nil {
				return err
			}
		}
		break
	}
	for _, one := range ids {
		u.print("%s", u.servers.standing(one))
	}
	return nil
}

// confirmLevel confirms the proposed level of a tool, unless one is confirmed: who approves a
// tool has reviewed it and its server.
func (u *ui) confirmLevel(ctx context.Context, m *mcphub.MemberStatus) error {
	server, err := u.servers.conns.Server(m.Server)
	if err != nil || m.Risk.Confirmed != nil {
		return err
	}
	return u.servers.levels.Confirm(ctx, risk.UpstreamOf(server), m.Current, m.Risk.Proposal.Level, me())
}

// chosen returns the indexes that a text names, such as "1 3", "1,3" or "all".
func chosen(text string, most int) ([]int, error) {
	var out []int
	for _, word := range splitList(text) {
		n, err := strconv.Atoi(word)
		switch {
		case word == "all":
			for i := range most {
				out = append(out, i)
			}
		case err != nil || n < 1 || n > most:
			return nil, fmt.Errorf("%q is no number of the list: write all, or numbers such as 1 3", word)
		default:
			out = append(out, n-1)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// showTools shows the definitions of tools, or what changed in them since they were
// approved.
func (u *ui) showTools(waiting []mcphub.MemberStatus, n []int) {
	for _, i := range n {
		m := waiting[i]
		now := strings.Split(termtext.EscapeLines(indented(m.Current.Raw)), "\n")
		rows := now
		if m.State == mcphub.MemberChanged && m.Definition != nil {
			rows = changedLines(strings.Split(termtext.EscapeLines(indented(m.Definition)), "\n"), now)
		}
		for _, row := range rows {
			u.screen.Print(render.Wrap(row, u.screen.Columns())...)
		}
	}
}

// maxCompared is the maximum number of pairs of lines that are compared.
const maxCompared = 4_000_000

// changedLines returns the lines of both texts, marked as in a diff: "- " for lines that
// are gone, "+ " for new ones.
func changedLines(before, now []string) (out []string) {
	if len(before)*len(now) > maxCompared {
		before, now = before[:min(len(before), 1000)], now[:min(len(now), 1000)]
		defer func() { out = append(out, "… the rest is too long to compare") }()
	}
	common := make([][]int, len(before)+1) // the most lines in common of the rests from i and j on
	for i := range common {
		common[i] = make([]int, len(now)+1)
	}
	for i := len(before) - 1; i >= 0; i-- {
		for j := len(now) - 1; j >= 0; j-- {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); before[i] == now[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(before) || j < len(now) {
		switch {
		case i < len(before) && j < len(now) && before[i] == now[j]:
			out, i, j = append(out, "  "+now[j]), i+1, j+1
		case j == len(now) || i < len(before) && common[i+1][j] >= common[i][j+1]:
			out, i = append(out, "- "+before[i]), i+1
		default:
			out, j = append(out, "+ "+now[j]), j+1
		}
	}
	return out
}
