package sandbox

import (
	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/toolspec/activity"
	"time"

	"github.com/localpass/localpass/sandbox/egress"
	"github.com/localpass/localpass/sandbox/internal/files"
	"github.com/localpass/localpass/sandbox/internal/hostcall"
	"github.com/localpass/localpass/toolspec"
)

// maxAttempts is how many allowed and how many refused attempts of one run are reported
// one by one; the limits are separate, so that a flood of one kind does not hide the
// other.
const maxAttempts = 100

// maxDetail is how many characters of a reason are kept.
const maxDetail = 300

// attempts lists what a run tried, one by one.
type attempts struct {
	list    []activity.Attempt
	refused int
	cut     int
}

// full reports whether no further attempt can be kept.
func (a *attempts) full(refused bool) bool {
	if refused {
		return a.refused >= maxAttempts
	}
	return len(a.list)-a.refused >= maxAttempts
}

func (a *attempts) add(one activity.Attempt) {
	if a.full(one.Refused) {
		a.cut++
		return
	}
	if one.Refused {
		a.refused++
	}
	a.list = append(a.list, one)
}

// denial returns the denial of a service's last operation, nil if it was not refused. The
// existence check of a file outside the scope is answered with no, but counts as a
// refusal too.
func (h *host) denial(service hostcall.Service, failed *toolspec.CallError) *activity.Denial {
	if s, ok := service.(*files.Service); ok {
		return s.Refusal()
	}
	if failed == nil || failed.Kind != toolspec.KindSecurity {
		return nil
	}
	if !h.attempts.full(true) { // the list is copied
		if all := service.Denials(); len(all) > 0 && all[len(all)-1].Reason == failed.Reason {
			return &all[len(all)-1]
		}
	}
	return &activity.Denial{Component: failed.Component, Reason: failed.Reason, Detail: failed.Message}
}

// note records one request of the code, and its outcome.
func (h *host) note(what activity.Access, began time.Time, denied *activity.Denial, failed *toolspec.CallError) {
	one := activity.Attempt{
		Component: what.Component, Op: what.Op, Target: what.Target, Status: what.Status, Bytes: what.Bytes,
		Start: began.Sub(h.began), Duration: time.Since(began),
	}
	switch {
	case denied != nil:
		one.Refused, one.Reason, one.Detail = true, denied.Reason, h.req.Redactor.String(denied.Detail)
	case failed != nil:
		one.Reason, one.Detail = failed.Reason, h.req.Redactor.String(failed.Message)
		if one.Reason == "" {
			one.Reason = "failed"
		}
	}
	if one.Reason != "" {
		one.Bytes = 0 // the data to write was not written
	}
	one.Detail = clip.To(one.Detail, maxDetail)
	one.By = h.layer(&one, failed)
	h.attempts.add(one)
}

// layer returns the layer that decided about an attempt.
func (h *host) layer(one *activity.Attempt, failed *toolspec.CallError) activity.Layer {
	switch one.Reason {
	case ReasonUnavailable, ReasonNotGranted, files.ReasonNotDestructive: // package files uses the same name for the second reason
		return activity.LayerPosture
	case egress.ReasonUnsupportedScheme, egress.ReasonNetworkBlocked, egress.ReasonHostNotAllowed, egress.ReasonHostDenied,
		egress.ReasonMethodNotAllowed, egress.ReasonPathNotAllowed:
		return activity.LayerRules
	case egress.ReasonLiteralPrivate, egress.ReasonResolvedPrivate, egress.ReasonDNSFailed, egress.ReasonDNSEmpty:
		return activity.LayerAddress
	case egress.ReasonTooManyRedirects, egress.ReasonRedirectDowngrade:
		return activity.LayerRedirect
	case egress.ReasonSecretHost, egress.ReasonSecretInsecure, egress.ReasonSecretMissing, egress.ReasonUnknownSecret, egress.ReasonSecretPlace:
		return activity.LayerSecrets
	case egress.ReasonBodyTooLarge:
		return activity.LayerLimits
	}
	if failed != nil {
		switch failed.Kind {
		case toolspec.KindInvalidInput:
			return activity.LayerArguments
		case toolspec.KindResourceLimit:
			return activity.LayerLimits
		}
	}
	switch {
	case one.Component == "fs":
		return activity.LayerWorkspace
	case len(h.req.Replay) > 0:
		return activity.LayerRecorded
	}
	return activity.LayerAddress
}
