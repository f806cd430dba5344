// Package depcheck keeps the floors of the house: a test names what its package
// must not link, and why.
package depcheck

import (
	"os/exec"
	"strings"
	"testing"
)

// Rules says what a package may not link, directly or through another.
type Rules struct {
	// Forbid maps an import path to the reason. A path that ends in "/..."
	// covers everything below it.
	Forbid map[string]string
	// Ours lists the packages of this module that may be linked, by their path
	// below the module; nil allows any.
	Ours []string
}

// Module is the path of this module.
const Module = "github.com/localpass/localpass"

// Check lists everything that the package pkg (a path below the module, "." for
// its root) links and fails t for each import that the rules forbid.
func Check(t *testing.T, pkg string, rules Rules) {
	t.Helper()
	path := Module
	if pkg != "." {
		path += "/" + pkg
	}
	out, err := exec.Command("go", "list", "-deps", path).CombinedOutput()
	if err != nil {
		t.Fatalf("go list -deps %s: %v\n%s", path, err, out)
	}
	deps := strings.Fields(string(out))
	if len(deps) < 2 {
		t.Fatalf("go list -deps %s named %d packages; the check would prove nothing", path, len(deps))
	}
	allowed := map[string]bool{path: true}
	for _, p := range rules.Ours {
		if p == "." {
			allowed[Module] = true
			continue
		}
		allowed[Module+"/"+p] = true
	}
	for _, dep := range deps {
		for forbidden, why := range rules.Forbid {
			if matches(forbidden, dep) {
				t.Errorf("%s links %s: %s", path, dep, why)
			}
		}
		if rules.Ours != nil && (dep == Module || strings.HasPrefix(dep, Module+"/")) && !allowed[dep] {
			t.Errorf("%s links %s, which stands on a floor it may not use", path, dep)
		}
	}
}

func matches(pattern, path string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == prefix || strings.HasPrefix(path, prefix+"/")
	}
	return pattern == path
}
