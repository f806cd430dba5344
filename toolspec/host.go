package toolspec

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Host is the configuration of the program that runs tools: what every tool may do, and
// what no tool may ask for. nil and the zero value mean the shipped baseline: no network,
// no files. This package never changes a Host; do not change one that is in use.
type Host struct {
	// Baseline is what a spec without overrides gets.
	Baseline Baseline
	// Profiles are named changes of the baseline.
	Profiles map[string]Profile
	// Profile names the profile in force; empty: none.
	Profile string
	// Ceiling is the most that a spec may ask for. nil: no bound; then only the author's
	// overrides and the operator's decision to publish limit a spec.
	Ceiling *Ceiling
	// Helpers lists the helper versions that the runtime has, such as "safety.fs/v1". A
	// spec that names any other cannot be published. nil: the helpers of the
	// specification.
	Helpers []string
	// Version is the runtime's semantic version. It is compared with the minVersion of
	// specs that this runtime recorded. Empty: no comparison.
	Version string
}

// Baseline is what a host allows every tool (specification section 4.2). Its zero value
// is the shipped baseline.
type Baseline struct {
	// AllowNetwork lets every tool use the network, in NetworkMode, without declaring it.
	AllowNetwork bool
	// NetworkMode is the mode of tools that name none, if the network is allowed. Empty:
	// strict.
	NetworkMode NetworkMode
	// AllowedHosts are added to every allowlist.
	AllowedHosts []string
	// FileRead and FileWrite let tools read and write in their workspace.
	FileRead, FileWrite bool
	// FSBasePath is the workspace. Empty: the runner's own.
	FSBasePath string
	// AllowClasses and DenyClasses are used only to score the level of foreign specs;
	// they grant nothing here. nil: the shipped lists.
	AllowClasses, DenyClasses []string
	// Limits bound each run. A Timeout of 0 is 30 s; Statements of 0 are not
	// counted. A spec cannot raise them.
	Limits Limits
}

// Profile is a named change of the baseline (specification section 4.2). Its
// zero value changes nothing.
type Profile struct {
	// Extends names the profile that is applied before this one.
	Extends string
	// AllowClasses and DenyClasses are added to the baseline's.
	AllowClasses, DenyClasses []string
	// NetworkMode replaces the baseline's mode. It does not by itself allow
	// the network.
	NetworkMode NetworkMode
	// Hosts are added to the allowed hosts.
	Hosts []string
	// FileMode is "off", "read", "read+write" (or "readwrite"); empty changes
	// nothing.
	FileMode string
	// Level is the operator's label, without effect.
	Level string
	// Statements replaces the statement limit; 0 changes nothing.
	Statements int64
	// Timeout replaces the time limit, rounded down to whole seconds, at least one; 0
	// changes nothing.
	Timeout time.Duration
	// JavaInterop, NativeAccess and CreateThread are not supported: true is a
	// configuration error.
	JavaInterop, NativeAccess, CreateThread bool
}

// Ceiling is the most that a host grants to a spec. Its zero value permits only pure
// computation.
type Ceiling struct {
	// NetworkMode is the widest mode, in the order blocked, allowlist, strict,
	// open. Empty: blocked.
	NetworkMode NetworkMode
	// Hosts are patterns that must cover every host of an allowlist; the modes strict and
	// open are then refused, unless "*" is one of the patterns. Empty: any host that the
	// mode permits.
	Hosts []string
	// FileRead and FileWrite permit reading and writing.
	FileRead, FileWrite bool
	// MaxLevel is the highest inherent level. LevelUnknown: any.
	MaxLevel Level
}

// The values of the shipped baseline.
const (
	// defaultTimeout is the time limit of one run (specification section 9).
	defaultTimeout = 30 * time.Second
	// maxProfileSteps is how long a chain of "extends" may be.
	maxProfileSteps = 8
)

// shippedAllow are the 5 entries of the shipped allow list, sorted.
func shippedAllow() []string {
	return []string{"java.lang.*", "java.math.*", "java.text.*", "java.time.*", "java.util.*"}
}

// shippedDeny are the 12 entries of the shipped deny list, sorted.
func shippedDeny() []string {
	return []string{"java.lang.Class", "java.lang.ClassLoader", "java.lang.Process", "java.lang.ProcessBuilder", "java.lang.Runtime",
		"java.lang.System", "java.lang.Thread", "java.lang.ThreadGroup", "java.lang.invoke.*", "java.lang.reflect.*",
		"java.util.ServiceLoader", "java.util.spi.*"}
}

// baseline returns the host's baseline with the profile applied and all defaults set.
func (h *Host) baseline() (Baseline, error) {
	var b Baseline
	if h != nil {
		b = h.Baseline
	}
	b.AllowClasses, b.DenyClasses = slices.Clone(b.AllowClasses), slices.Clone(b.DenyClasses)
	b.AllowedHosts = slices.Clone(b.AllowedHosts)
	if b.AllowClasses == nil {
		b.AllowClasses = shippedAllow()
	}
	if b.DenyClasses == nil {
		b.DenyClasses = shippedDeny()
	}
	if b.Limits.Timeout <= 0 {
		b.Limits.Timeout = defaultTimeout
	}
	b.Limits.Statements = max(b.Limits.Statements, 0)
	if b.NetworkMode != NetworkInherit && !b.NetworkMode.known() {
		return b, fmt.Errorf("the host's baseline has the network mode %q; use %s", b.NetworkMode, modeNames)
	}
	if h == nil || h.Profile == "" {
		return b, nil
	}
	chain, err := h.chain()
	if err != nil {
		return b, err
	}
	for _, name := range slices.Backward(chain) { // the outermost base profile first
		if err := b.apply(h.Profiles[name]); err != nil {
			return b, fmt.Errorf("the host's profile %q %w", name, err)
		}
	}
	return b, nil
}

// chain returns the profile in force and the profiles that it extends.
func (h *Host) chain() ([]string, error) {
	var chain []string
	for name := h.Profile; name != ""; {
		p, ok := h.Profiles[name]
		switch {
		case !ok && len(chain) == 0:
			return nil, fmt.Errorf("the host has no profile %q; define it, or name another", name)
		case !ok:
			return nil, fmt.Errorf("the host's profile %q extends %q, which is not defined; define it", chain[len(chain)-1], name)
		case slices.Contains(chain, name):
			return nil, fmt.Errorf("the host's profile %q extends itself by way of %q; break the circle", name, chain[len(chain)-1])
		case len(chain) > maxProfileSteps:
			return nil, fmt.Errorf("the host's profile %q extends more than %d others; shorten the chain", h.Profile, maxProfileSteps)
		}
		chain = append(chain, name)
		name = p.Extends
	}
	return chain, nil
}

func (b *Baseline) apply(p Profile) error {
	switch {
	case p.JavaInterop || p.NativeAccess || p.CreateThread:
		return errors.New("asks for interop, native access or threads, which do not exist here; remove that")
	case p.NetworkMode != NetworkInherit && !p.NetworkMode.known():
		return fmt.Errorf("has the network mode %q; use %s", p.NetworkMode, modeNames)
	}
	switch p.FileMode {
	case "":
	case "off":
		b.FileRead, b.FileWrite = false, false
	case "read":
		b.FileRead, b.FileWrite = true, false
	case "read+write", "readwrite":
		b.FileRead, b.FileWrite = true, true
	default:
		return fmt.Errorf("has the file mode %q; use off, read or read+write", p.FileMode)
	}
	b.AllowClasses = append(b.AllowClasses, p.AllowClasses...)
	b.DenyClasses = append(b.DenyClasses, p.DenyClasses...)
	b.AllowedHosts = append(b.AllowedHosts, p.Hosts...)
	if p.NetworkMode != NetworkInherit {
		b.NetworkMode = p.NetworkMode
	}
	if p.Statements > 0 {
		b.Limits.Statements = p.Statements
	}
	if p.Timeout > 0 {
		b.Limits.Timeout = max(p.Timeout.Truncate(time.Second), time.Second)
	}
	return nil
}
