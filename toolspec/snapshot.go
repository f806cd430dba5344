package toolspec

import (
	"strconv"

	"github.com/localpass/localpass/internal/canon/scan"
	"github.com/localpass/localpass/toolspec/internal/rawjson"
)

// snapshot is the content of a "toolSafety" block from the host that wrote it. It is
// compared and reported, never enforced.
type snapshot struct {
	version, runtime, minVersion, ecma string
	javaInterop                        bool
	helpers                            []string
	mode                               NetworkMode
	hosts                              []string
	fileRead, fileWrite                bool
	capabilities                       bool // the block has capabilities
}

// snapshotKind is the closed shape of the block (specification section 4.3).
func snapshotKind(pointer string) scan.Kind {
	switch pointer {
	case "toolSafety.version", "toolSafety.runtime.id", "toolSafety.runtime.minVersion", "toolSafety.runtime.ecmaVersion",
		"toolSafety.category.source", "toolSafety.category.id", "toolSafety.capabilities.network.mode":
		return scan.String
	case "toolSafety.runtime", "toolSafety.category", "toolSafety.capabilities", "toolSafety.capabilities.network":
		return scan.Object
	case "toolSafety.runtime.javaInterop", "toolSafety.runtime.console", "toolSafety.capabilities.fileRead", "toolSafety.capabilities.fileWrite":
		return scan.Bool
	case "toolSafety.runtime.helpers", "toolSafety.capabilities.network.hosts":
		return scan.Array
	}
	return scan.Invalid
}

// snapshot checks the shape of a "toolSafety" block.
func (d *decoder) snapshot(at field) {
	for _, f := range d.fields(at.value, at.pointer) {
		switch kind := snapshotKind(f.pointer); kind {
		case scan.Invalid:
			d.note("toolSafety", f.pointer, SeverityWarning, "unknown-member", "remove it", "%s", unknownMember("toolSafety"))
		case scan.Array:
			d.strings(f)
		default:
			if d.is(f, kind, "leave toolSafety out: each host records its own") && kind == scan.Object {
				d.snapshot(f)
			}
		}
	}
}

// recorded reads the block as far as possible.
func (s *Spec) recorded() snapshot {
	var r snapshot
	top := rawjson.Members(s.ToolSafety)
	r.version = textOf(top, "version")
	if raw, ok := rawjson.Lookup(top, "runtime"); ok {
		rt := rawjson.Members(raw)
		r.runtime, r.minVersion, r.ecma = textOf(rt, "id"), textOf(rt, "minVersion"), textOf(rt, "ecmaVersion")
		r.javaInterop = boolOf(rt, "javaInterop")
		r.helpers = stringsOf(rt, "helpers")
	}
	if raw, ok := rawjson.Lookup(top, "capabilities"); ok {
		r.capabilities = true
		caps := rawjson.Members(raw)
		r.fileRead, r.fileWrite = boolOf(caps, "fileRead"), boolOf(caps, "fileWrite")
		if raw, ok := rawjson.Lookup(caps, "network"); ok {
			network := rawjson.Members(raw)
			r.mode, r.hosts = NetworkMode(textOf(network, "mode")), stringsOf(network, "hosts")
		}
	}
	return r
}

func textOf(members []rawjson.Member, name string) string {
	if raw, ok := rawjson.Lookup(members, name); ok && scan.KindOf(raw) == scan.String {
		return scan.Unquote(raw)
	}
	return ""
}

func boolOf(members []rawjson.Member, name string) bool {
	raw, _ := rawjson.Lookup(members, name)
	return string(raw) == "true"
}

func stringsOf(members []rawjson.Member, name string) []string {
	raw, _ := rawjson.Lookup(members, name)
	var out []string
	for _, e := range rawjson.Elements(raw) {
		if scan.KindOf(e) == scan.String {
			out = append(out, scan.Unquote(e))
		}
	}
	return out
}

// isHelper matches ^[a-z][a-z0-9.-]*/v[0-9]+(#[a-z0-9-]+)?$.
func isHelper(id string) bool {
	i := 0
	for i < len(id) && (lower(id[i]) || i > 0 && (decimal(id[i]) || id[i] == '.' || id[i] == '-')) {
		i++
	}
	if i == 0 || i+2 >= len(id) || id[i] != '/' || id[i+1] != 'v' || !decimal(id[i+2]) {
		return false
	}
	for i += 2; i < len(id) && decimal(id[i]); {
		i++
	}
	if i == len(id) {
		return true
	}
	if id[i] != '#' || i+1 == len(id) {
		return false
	}
	for i++; i < len(id); i++ {
		if !lower(id[i]) && !decimal(id[i]) && id[i] != '-' {
			return false
		}
	}
	return true
}

func lower(c byte) bool   { return c >= 'a' && c <= 'z' }
func decimal(c byte) bool { return c >= '0' && c <= '9' }

// majorMinor reads a version such as "1.0"; ok is false when it is not a version.
func majorMinor(version string) (major, minor int, ok bool) {
	for i := range len(version) {
		if version[i] != '.' {
			continue
		}
		var err1, err2 error
		major, err1 = strconv.Atoi(version[:i])
		minor, err2 = strconv.Atoi(version[i+1:])
		return major, minor, err1 == nil && err2 == nil && major >= 0 && minor >= 0
	}
	return 0, 0, false
}
