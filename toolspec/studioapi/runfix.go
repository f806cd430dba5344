package studioapi

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/localpass/localpass/toolspec"
)

// longest is the longest time limit that a fix proposes.
const longest = 30 * time.Second

// afterRun returns the changes that let a failed run go further.
func (f *fixer) afterRun(cases []CaseResult) []Fix {
	if f == nil {
		return []Fix{}
	}
	out := []Fix{}
	i := slices.IndexFunc(cases, func(c CaseResult) bool { return !c.OK && c.Error != nil })
	if i < 0 {
		return out
	}
	failed := cases[i].Error
	said := failed.Component + " " + failed.Message
	missing := strings.HasSuffix(failed.Reason, "-not-granted")
	for _, host := range refusedHosts(cases) {
		out = append(out, f.allow([]string{host})...)
	}
	switch {
	case len(out) > 0:
	case missing && strings.Contains(said, "fs"):
		out = append(out, f.files()...)
	case failed.Kind == toolspec.KindSecurity && missing && strings.Contains(said, "fetch"):
		out = append(out, f.allow(hostsInCode(f.spec.Code))...)
	}
	if own := f.spec.Limits.Timeout; failed.Kind == toolspec.KindTimeout && own > 0 && own < longest {
		next := min(longest, 2*own)
		out = f.add(out, fmt.Sprintf("Give it %s s", strconv.FormatFloat(next.Seconds(), 'g', 4, 64)), func(doc map[string]any) {
			if limits, ok := doc["x-limits"].(map[string]any); ok {
				limits["timeoutMs"] = next.Milliseconds()
			}
		})
	}
	return out
}

// refusedHosts returns the hosts that were refused because the tool does not declare them.
func refusedHosts(cases []CaseResult) []string {
	var out []string
	for _, c := range cases {
		for _, a := range c.Attempts {
			if a.Component != "fetch" || !a.Refused || a.Reason != "host-not-in-allowlist" && a.Reason != "network-blocked" {
				continue
			}
			u, err := url.Parse(a.Target)
			if err != nil || u.Host == "" || slices.Contains(out, u.Host) {
				continue
			}
			out = append(out, u.Host)
		}
	}
	return out
}
