package studioapi

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/localpass/localpass/toolspec"
)

// settle returns the changes that settle a finding, the first is the one to prefer. A
// finding that only its author can settle, such as an error of syntax, has none.
func (f *fixer) settle(p toolspec.Problem) []Fix {
	at, ok := placeOf(p.Pointer)
	if !ok {
		return nil
	}
	remove := func(label string) []Fix { return f.add(nil, label, at.remove) }
	set := func(label string, value any) []Fix {
		return f.add(nil, label, func(doc map[string]any) { at.set(doc, value) })
	}
	switch p.Reason {
	case "name-not-slug":
		if name := wordFrom(f.spec.Name); name != "" {
			return set("Name it "+name, name)
		}
	case "tags-too-many":
		return set("Keep the first two tags", f.spec.Tags[:min(2, len(f.spec.Tags))])
	case "code-empty":
		return set("Begin with a result", f.firstCode())
	case "code-type":
		return set("Write Javascript", toolspec.CodeTypeJavascript)
	case "approval-mode":
		return set("Ask before each call", string(toolspec.ApprovalRequired))
	case "network-mode":
		return set("Block the network", string(toolspec.NetworkBlocked))
	case "nothing-asserted":
		return f.add(nil, "Add a test case", f.addCase)
	case "host-pattern", "host-rule":
		return f.host(at)
	case "hosts-empty", "hosts-unused":
		return f.hosts()
	case "host-unused":
		return remove("Do not allow this host")
	case "ceiling", "capability-unused", "destructive-unused":
		return f.less(at)
	case "capability-not-granted", "destructive-not-granted":
		return f.more(p.Message)
	case "class-lists-inert", "class-overlap":
		return f.add(nil, "Remove the class lists", removeClasses)
	case "version-unsupported", "version-newer", "runtime-unknown", "helper-id":
		return f.add(nil, "Remove what another host recorded", place{"toolSafety"}.remove)
	case "unknown-member", "member-misspelt", "allow-empty", "unknown-limit", "limits", "language", "timestamp", "output-schema", "fixtures", "test-argument":
		return remove("Remove it")
	}
	switch {
	case strings.HasPrefix(p.Pointer, "params["):
		return f.param(p, at)
	case strings.HasPrefix(p.Pointer, "staticVariables["):
		return f.variable(p, at)
	case p.Reason == "test-case" && len(at) == 2:
		return f.add(nil, "Expect the failure only", append(at[:2:2], "want").remove)
	}
	return nil
}

// param settles what is wrong with a parameter.
func (f *fixer) param(p toolspec.Problem, at place) []Fix {
	i, _ := at[1].(int)
	if i >= len(f.spec.Params) {
		return nil
	}
	param := f.spec.Params[i]
	whole := at[:2]
	drop := func() []Fix { return f.add(nil, "Remove the parameter", whole.remove) }
	put := func(member, label string, value any) []Fix {
		return f.add(nil, label, func(doc map[string]any) { append(whole[:2:2], member).set(doc, value) })
	}
	switch p.Reason {
	case "test-value-missing", "test-value":
		value := exampleOf(param)
		return put("testValue", "Test with "+value, value)
	case "param-type":
		kind := toolspec.ParamType(strings.ToUpper(string(param.Type)))
		if !slices.Contains(paramTypes, kind) {
			kind = toolspec.TypeString
		}
		return put("type", "Make it "+string(kind), string(kind))
	case "param-name", "param-reserved":
		if name := wordFrom(param.Name); name != "" && name != param.Name {
			return append(put("name", "Name it "+name, name), drop()...)
		}
		return drop()
	case "param-repeated", "param-shadowed", "arguments-ignored":
		return drop()
	}
	return nil
}

var paramTypes = []toolspec.ParamType{toolspec.TypeString, toolspec.TypeInteger, toolspec.TypeNumber, toolspec.TypeBoolean, toolspec.TypeObject, toolspec.TypeArray}

// variable settles what is wrong with a static variable.
func (f *fixer) variable(p toolspec.Problem, at place) []Fix {
	switch p.Reason {
	case "placeholder":
		i, _ := at[1].(int)
		if i >= len(f.spec.StaticVariables) {
			return nil
		}
		v := f.spec.StaticVariables[i]
		value := placeholder.ReplaceAllStringFunc(v.Value, strings.ToUpper)
		return f.add(nil, "Write "+value, func(doc map[string]any) { at[:2].set(doc, map[string]any{v.Name: value}) })
	case "variable-unused", "static-variable-name":
		return f.add(nil, "Remove the variable", at[:2].remove)
	}
	return nil
}

var placeholder = regexp.MustCompile(`\$\{[A-Za-z0-9_]+\}`)

// overrides returns the overrides of a document, which it gets if it has none.
func overrides(doc map[string]any) map[string]any {
	o, ok := doc["sandboxOverrides"].(map[string]any)
	if !ok {
		o = map[string]any{}
		doc["sandboxOverrides"] = o
	}
	return o
}

// host settles an entry of hostsAllow that names no host.
func (f *fixer) host(at place) []Fix {
	pattern, _ := at.get(f.was).(string)
	var out []Fix
	if host := hostIn(pattern); host != "" && host != pattern {
		out = f.add(out, "Write "+host, func(doc map[string]any) { at.set(doc, host) })
	}
	return f.add(out, "Remove the host", at.remove)
}

// hosts settles an allow-list without hosts, and hosts without an allow-list.
func (f *fixer) hosts() []Fix {
	own := f.spec.Overrides.HostsAllow
	if len(own) > 0 {
		out := f.add(nil, "Allow these hosts only", func(doc map[string]any) { overrides(doc)["networkMode"] = "allowlist" })
		return f.add(out, "Remove the hosts", func(doc map[string]any) { delete(overrides(doc), "hostsAllow") })
	}
	return f.add(f.allow(hostsInCode(f.spec.Code)), "Block the network", blockNetwork)
}

func blockNetwork(doc map[string]any) {
	overrides(doc)["networkMode"] = string(toolspec.NetworkBlocked)
	delete(overrides(doc), "hostsAllow")
}

// allow returns a fix that lets the tool reach the hosts besides those that it declares.
func (f *fixer) allow(hosts []string) []Fix {
	var more []string
	for _, h := range hosts {
		if !slices.Contains(f.spec.Overrides.HostsAllow, h) && !slices.Contains(more, h) {
			more = append(more, h)
		}
	}
	if len(more) == 0 {
		return nil
	}
	return f.add(nil, "Allow "+strings.Join(more, ", "), func(doc map[string]any) {
		o := overrides(doc)
		o["networkMode"] = string(toolspec.NetworkAllowlist)
		o["hostsAllow"] = slices.Concat(f.spec.Overrides.HostsAllow, more)
	})
}

// less gives up what the code does not use, or what this host does not permit.
func (f *fixer) less(at place) []Fix {
	member, _ := at[len(at)-1].(string)
	switch member {
	case "networkMode":
		return f.add(nil, "Block the network", blockNetwork)
	case "fileRead":
		return f.add(nil, "Do not read files", func(doc map[string]any) { at.set(doc, false) })
	case "fileWrite":
		return f.add(nil, "Do not write files", func(doc map[string]any) { at.set(doc, false) })
	case "destructive":
		return f.add(nil, "Do not declare that it deletes", func(doc map[string]any) { at.set(doc, false) })
	}
	return f.add(nil, "Remove it", at.remove)
}

// more grants what a message says is missing.
func (f *fixer) more(message string) []Fix {
	switch {
	case strings.Contains(message, "safety.fs"):
		return f.files()
	case strings.Contains(message, "fetch"):
		if hosts := hostsInCode(f.spec.Code); len(hosts) > 0 {
			return f.allow(hosts)
		}
		return f.add(nil, "Allow any public host", func(doc map[string]any) { overrides(doc)["networkMode"] = string(toolspec.NetworkStrict) })
	}
	return nil
}

var (
	fileUse   = regexp.MustCompile(`safety\s*\.\s*fs\s*\.\s*(\w+)`)
	fileReads = []string{"readText", "readBytes", "list", "exists", "stat", "grep", "lineCount", "slice", "cut", "sort", "find", "searchInFiles", "workspace", "readRoots"}
)

// files grants the access to files that the code uses by name: what is in doubt is not
// granted, except that a use of unknown purpose counts as reading.
func (f *fixer) files() []Fix {
	var read, write, remove bool
	for _, m := range fileUse.FindAllStringSubmatch(f.spec.Code, -1) {
		switch name := m[1]; {
		case slices.Contains(fileReads, name):
			read = true
		case name == "copy":
			read, write = true, true
		case name == "move", name == "delete", name == "deleteDir":
			write, remove = true, true
		default:
			write = true
		}
	}
	if !read && !write {
		read = true
	}
	label := "Allow it to read files"
	switch {
	case remove:
		label = "Allow it to write and delete files"
	case read && write:
		label = "Allow it to read and write files"
	case write:
		label = "Allow it to write files"
	}
	return f.add(nil, label, func(doc map[string]any) {
		o := overrides(doc)
		for name, on := range map[string]bool{"fileRead": read, "fileWrite": write, "destructive": remove} {
			if on {
				o[name] = true
			}
		}
	})
}

func removeClasses(doc map[string]any) {
	for _, name := range []string{"addAllowClasses", "addDenyClasses", "removeAllowClasses", "removeDenyClasses"} {
		delete(overrides(doc), name)
	}
}

// addCase adds a case with the test values, whose result its author fills in.
func (f *fixer) addCase(doc map[string]any) {
	args, problems := f.spec.TestArguments()
	if problems.Err() != nil {
		args = json.RawMessage("{}")
	}
	cases, _ := doc["x-tests"].([]any)
	doc["x-tests"] = append(cases, map[string]any{"name": "the test values", "args": args, "want": map[string]any{}})
}

// firstCode is code that returns what it is given.
func (f *fixer) firstCode() string {
	names := make([]string, len(f.spec.Params))
	for i, p := range f.spec.Params {
		names[i] = p.Name
	}
	if len(names) == 0 {
		return "return { ok: true };\n"
	}
	return "return { " + strings.Join(names, ", ") + " };\n"
}

var suchAs = regexp.MustCompile(`(?:such as|e\.g\.|for example) ["'` + "`" + `]?([^\s"'` + "`" + `,;]+)`)

// exampleOf is a value that a test of the parameter can begin with: the example of its
// description, if that fits.
func exampleOf(p toolspec.Param) string {
	if m := suchAs.FindStringSubmatch(p.Description); m != nil && p.Type == toolspec.TypeString {
		return strings.TrimSuffix(m[1], ".")
	}
	switch p.Type {
	case toolspec.TypeInteger, toolspec.TypeNumber:
		return "1"
	case toolspec.TypeBoolean:
		return "true"
	case toolspec.TypeObject:
		return "{}"
	case toolspec.TypeArray:
		return "[]"
	}
	return "example"
}

var notWord = regexp.MustCompile(`[^A-Za-z0-9]+`)

// wordFrom makes an identifier of a text: my new tool becomes myNewTool. Empty if the
// text has no letters for it.
func wordFrom(text string) string {
	var b strings.Builder
	for _, part := range notWord.Split(text, -1) {
		if part == "" {
			continue
		}
		if b.Len() == 0 {
			part = strings.TrimLeft(part, "0123456789")
			if part != "" {
				b.WriteString(strings.ToLower(part[:1]) + part[1:])
			}
			continue
		}
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()[:min(b.Len(), 64)]
}

var address = regexp.MustCompile(`(?i)https?://([a-z0-9.-]+(?::\d+)?)`)

// hostsInCode returns the hosts of the addresses that the code writes out, each once.
func hostsInCode(code string) []string {
	var out []string
	for _, m := range address.FindAllStringSubmatch(code, -1) {
		if host := strings.ToLower(strings.TrimSuffix(m[1], ".")); !slices.Contains(out, host) {
			out = append(out, host)
		}
	}
	return out
}

// hostIn returns the host of an address that was written as a host rule, or empty.
func hostIn(rule string) string {
	if hosts := hostsInCode(rule); len(hosts) > 0 {
		return hosts[0]
	}
	host, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(rule)), "/")
	if !strings.Contains(host, ".") || strings.ContainsAny(host, " \\@?#") {
		return ""
	}
	return host
}
