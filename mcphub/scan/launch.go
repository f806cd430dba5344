package scan

import (
	"maps"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Launch is how a client starts or reaches a server, as its configuration says it. The values
// of environment variables are not needed, only whether they stand in the file.
type Launch struct {
	Name    string
	Command string
	Args    []string
	URL     string
	// Env are the environment variables that the entry sets. A value that is no placeholder
	// is written as it is in the file.
	Env map[string]string
	// Headers are the headers that the entry sets, likewise.
	Headers map[string]string
}

// The rules about how a server is started.
const (
	ruleNotListed = "not-listed"
	ruleUnpinned  = "unpinned-package"
	ruleShell     = "shell-command"
	rulePlainText = "secret-in-file"
	ruleInsecure  = "insecure-address"
)

var launchRules = []Rule{
	{ruleNotListed, "What the server offers was not seen, as it was not started.", "Scan it again with -start, or scan a saved tools/list."},
	{ruleUnpinned, "It runs the newest version of a package, whatever that is by then.", "Name the version: package@1.2.3."},
	{ruleShell, "It starts a shell with a command line, which can do anything.", "Name the program and its arguments."},
	{rulePlainText, "A secret seems to stand in the file as it is.", "Write ${NAME} in its place, and set NAME in the environment or the vault."},
	{ruleInsecure, "It is reached over HTTP without encryption, on another machine.", "Use https."},
}

var (
	secretName  = regexp.MustCompile(`(?i)(?:key|token|secret|passw|credential|authorization|cookie)`)
	placeholder = regexp.MustCompile(`\$\{[A-Za-z_][A-Za-z0-9_]*\}`)
)

var shells = map[string]bool{"sh": true, "bash": true, "zsh": true, "fish": true, "cmd": true, "powershell": true, "pwsh": true}

// Launch judges how a server is started or reached, without doing it. Since nothing is known
// of its tools, the verdict is at best [Review], with the rule "not-listed".
func (s *Scanner) Launch(l Launch) Report {
	r := Report{Server: l.Name, Verdict: Review}
	put := func(rule string, severity Severity, where, found string) {
		f := newFinding(rule, severity, where, excerpt(found))
		for _, known := range launchRules {
			if known.ID == rule {
				f.Why, f.Do = known.Why, known.Do
			}
		}
		r.Findings = append(r.Findings, f)
	}
	put(ruleNotListed, Medium, "", "")
	program := programOf(l.Command)
	if shells[program] && len(l.Args) > 0 && (strings.HasPrefix(l.Args[0], "-c") || strings.HasPrefix(strings.ToLower(l.Args[0]), "/c") || strings.HasPrefix(strings.ToLower(l.Args[0]), "-command")) {
		put(ruleShell, High, "args", program+" "+l.Args[0])
	} else if found, why := Unpinned(l.Command, l.Args); why != "" {
		put(ruleUnpinned, Medium, "args", found)
	}
	shown := make([]string, len(l.Args)) // without what seems to be a secret
	for i, arg := range l.Args {
		shown[i] = arg
		name, value, hasValue := strings.Cut(arg, "=")
		switch {
		case !strings.HasPrefix(arg, "-") && i > 0 && strings.HasPrefix(l.Args[i-1], "-") && !strings.Contains(l.Args[i-1], "=") && secretName.MatchString(l.Args[i-1]) && !placeholder.MatchString(arg):
			put(rulePlainText, Medium, "args", l.Args[i-1])
			shown[i] = hidden
		case hasValue && secretName.MatchString(name) && value != "" && !placeholder.MatchString(value):
			put(rulePlainText, Medium, "args", name)
			shown[i] = name + "=" + hidden
		}
	}
	for _, pair := range []struct {
		where  string
		values map[string]string
	}{{"env", l.Env}, {"headers", l.Headers}} {
		for _, name := range slices.Sorted(maps.Keys(pair.values)) {
			if value := pair.values[name]; secretName.MatchString(name) && value != "" && !placeholder.MatchString(value) {
				put(rulePlainText, Medium, pair.where+"."+name, name)
			}
		}
	}
	address, secrets := publicURL(l.URL)
	for _, name := range secrets {
		put(rulePlainText, Medium, "url", name)
	}
	if strings.HasPrefix(strings.ToLower(address), "http:") && !loopback(address) {
		put(ruleInsecure, High, "url", address)
	}
	c := &context{}
	line := strings.TrimSpace(l.Command + " " + strings.Join(shown, " "))
	texts := []text{{where: "command", text: line, name: true}, {where: "url", text: address, name: true}}
	judged := c.report(l.Name, "", texts, r.Findings)
	if judged.Verdict == Clean {
		judged.Verdict = Review
	}
	return judged
}

// hidden stands for a value that is not shown.
const hidden = "***"

// publicURL returns an address without user information, query and fragment, and what of
// these seems to be a secret that stands there as it is.
func publicURL(address string) (public string, secrets []string) {
	u, err := url.Parse(address)
	if err != nil {
		return "", nil // such as one with a placeholder for its host
	}
	if password, ok := u.User.Password(); ok && !placeholder.MatchString(password) {
		secrets = append(secrets, "password")
	}
	query := u.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if secretName.MatchString(name) && !placeholder.MatchString(query.Get(name)) {
			secrets = append(secrets, name)
		}
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String(), secrets
}

func loopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := u.Hostname()
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return ip.IsLoopback()
	}
	return false
}
