package toolspec

import "slices"

// The functions of safety.fs (specification section 6.4), by the grant that they need.
// copy also reads; functions that only look for files need either grant.
func readsFiles() []string {
	return []string{"readText", "readBytes", "list", "exists", "stat", "grep", "lineCount", "slice", "cut", "sort", "find", "searchInFiles",
		"copy", "workspace", "readRoots"}
}

func writesFiles() []string {
	return []string{"writeText", "writeBytes", "appendText", "editText", "copy", "move", "delete", "deleteDir"}
}

func destroysFiles() []string { return []string{"move", "delete", "deleteDir"} }

// fileCapabilities warns about grants that no function in the code needs.
func (v *validator) fileCapabilities(s *Spec, use *uses) {
	o := &s.Overrides
	read, write, destructive := or(o.FileRead, false), or(o.FileWrite, false), or(o.Destructive, false)
	if !read && !write && !destructive || use.unclear {
		return
	}
	const at, reason, remedy = "sandboxOverrides.", "capability-unused", "leave it out"
	if !use.reads("safety") {
		for _, grant := range []struct {
			granted bool
			field   string
		}{{read, "fileRead"}, {write, "fileWrite"}} {
			if grant.granted {
				v.warn(at+grant.field, reason, remedy, "the code never uses safety.fs")
			}
		}
		if destructive && !use.reads("fetch") {
			v.warn(at+"destructive", reason, remedy, "the code never moves or deletes anything")
		}
		return
	}
	names := fileFunctions(s.Code)
	uses := func(list []string) bool {
		return slices.ContainsFunc(list, func(name string) bool { return names[name] })
	}
	if read && !uses(readsFiles()) {
		v.warn(at+"fileRead", reason, remedy, "the code never reads a file")
	}
	if write && !uses(writesFiles()) {
		v.warn(at+"fileWrite", reason, remedy, "the code never writes a file")
	}
	switch {
	case !destructive || use.reads("fetch"): // the code can also destroy something over the network
	case !uses(destroysFiles()):
		v.warn(at+"destructive", reason, remedy, "the code never moves or deletes anything")
	case !write:
		v.warn(at+"destructive", reason, "grant fileWrite too, or leave it out", "permits nothing without fileWrite")
	}
}

// fileFunctions returns the functions of safety.fs that the code names. If the object
// itself is used as a value, every name and string in the code counts.
func fileFunctions(code string) map[string]bool {
	list := slices.Collect(tokens(code))
	text := func(i int) string {
		if i < 0 || i >= len(list) || list[i].kind == tokenText {
			return ""
		}
		return list[i].text
	}
	dot := func(i int) bool { return text(i) == "." || text(i) == "?." }
	free := func(i int) bool { return list[i].kind == tokenName && !list[i].member && !list[i].key }

	// const fs = safety.fs
	aliases, defined := make(map[string]bool), make(map[int]bool)
	for i := range list {
		if text(i) == "safety" && free(i) && dot(i+1) && text(i+2) == "fs" && !dot(i+3) && text(i+3) != "[" && text(i-1) == "=" && i >= 2 && free(i-2) {
			aliases[text(i-2)] = true
			defined[i], defined[i-2] = true, true
		}
	}
	named := make(map[string]bool)
	for i := range list {
		at := i + 1 // the token after the object
		switch {
		case defined[i] || list[i].kind != tokenName || !free(i):
			continue
		case text(i) == "safety" && dot(at) && text(at+1) == "fs":
			at += 2
		case text(i) == "safety" && dot(at):
			continue // safety.parser
		case text(i) != "safety" && !aliases[text(i)]:
			continue
		}
		if !dot(at) || at+1 >= len(list) || list[at+1].kind != tokenName {
			return everyName(list)
		}
		named[text(at+1)] = true
	}
	return named
}

func everyName(list []token) map[string]bool {
	named := make(map[string]bool)
	for _, t := range list {
		if t.kind == tokenName || t.kind == tokenText {
			named[t.text] = true
		}
	}
	return named
}
