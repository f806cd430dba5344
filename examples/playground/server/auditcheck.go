package server

import (
	"context"
	"net/http"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/mcphub/audit"
)

// AuditCheck is the result of a check of the audit log.
type AuditCheck struct {
	Verified bool     `json:"verified" doc:"Every record is what the one after it says it was, and none is known to be missing."`
	Records  int      `json:"records"`
	Problems []string `json:"problems" doc:"What is wrong, at most 20 findings."`
	Further  int      `json:"further,omitempty" doc:"How many findings are left out."`
	Empty    []string `json:"empty,omitempty" doc:"Empty files: a program was killed before it wrote, or they were emptied. Which of the two cannot be known."`
}

// shownProblems is the maximum number of findings shown, enough to see that something is
// wrong; the command line lists all.
const shownProblems = 20

// checkAudit verifies the hash chain of the audit log. It reads the whole log.
func (a *approvals) checkAudit(w http.ResponseWriter, r *http.Request) error {
	report, err := a.verifyAudit(r.Context())
	if err != nil {
		return err
	}
	out := AuditCheck{Verified: len(report.Problems) == 0, Records: report.Records, Problems: []string{}, Empty: report.Empty}
	for _, p := range report.Problems {
		if len(out.Problems) == shownProblems {
			break
		}
		text := p.Reason + ": " + p.Message
		if p.File != "" {
			text += " (" + p.File + ")"
		}
		out.Problems = append(out.Problems, text)
	}
	out.Further = len(report.Problems) - len(out.Problems) + report.ProblemsCut
	return httpapi.Reply(w, http.StatusOK, out)
}

// verifyAudit verifies the audit log, and compares it with the approval requests in the
// store. Each request is recorded before it is asked, so for each request there must be a
// record; when retention removes that record, it adds another one.
func (a *approvals) verifyAudit(ctx context.Context) (*audit.Report, error) {
	report, err := a.audit.Verify(ctx)
	if err != nil || report.Records > 0 || len(report.Problems) > 0 {
		return report, err
	}
	for _, err := range a.gate.Broker().List(ctx, approval.ListOptions{Limit: 1}) {
		if err != nil {
			return nil, err
		}
		report.Problems = append(report.Problems, audit.Problem{Reason: "missing",
			Message: "the record is gone: the questions and answers that it tells of are there, and it holds not one entry"})
	}
	return report, nil
}
