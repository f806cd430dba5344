package main

import (
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/localpass/localpass/mcphub/scan"
)

// The parts of SARIF 2.1.0 (OASIS) that a scan fills.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
		Help             sarifText `json:"help"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
		} `json:"physicalLocation"`
		Logical []sarifLogical `json:"logicalLocations"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
	}
)

// printSARIF writes all findings as one log.
func printSARIF(w io.Writer, found []scanned) error {
	run := sarifRun{Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "localpass", Rules: []sarifRule{}}
	for _, r := range scan.Rules() {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{r.ID, sarifText{r.Why}, sarifText{r.Do}})
	}
	levels := map[scan.Severity]string{scan.Critical: "error", scan.High: "warning", scan.Medium: "note"}
	for i := range found {
		for _, f := range found[i].Findings {
			var at sarifLocation
			at.Physical.Artifact.URI = artifactURI(found[i].File)
			at.Logical = []sarifLogical{{found[i].Server + "/" + found[i].Tool + "/" + f.Where}}
			text := f.Why
			if f.Text != "" {
				text += " Found: " + f.Text
			}
			run.Results = append(run.Results, sarifResult{f.Rule, levels[f.Severity], sarifText{text}, []sarifLocation{at}})
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

// artifactURI returns a URI of what was scanned: a URL as it is, a file relative to the
// directory of the start, or absolute.
func artifactURI(file string) string {
	if strings.HasPrefix(file, "http://") || strings.HasPrefix(file, "https://") {
		return file
	}
	path := filepath.ToSlash(file)
	if !filepath.IsAbs(file) {
		return (&url.URL{Path: path}).String()
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
