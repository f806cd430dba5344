package sandbox

import (
	"runtime"
	"slices"
	"strings"

	"github.com/localpass/localpass/internal/worker"
	"github.com/localpass/localpass/toolspec"
)

// Description says what a sandbox guarantees on this machine, against whom, and what it
// does not guarantee.
type Description struct {
	// Runtime is what runs the code, with its tier.
	Runtime toolspec.Runtime `json:"runtime"`
	// System is the operating system and processor, such as "linux/amd64".
	System string `json:"system"`
	// Workers is the maximum number of concurrent runs.
	Workers int `json:"workers"`
	// Layers are the layers of confinement that a worker reported at its start:
	// "landlock-6", "seccomp", … Empty for the in-process tier.
	Layers []string `json:"layers"`
	// Limits are the numbers in force.
	Limits Limits `json:"limits"`
	// Guarantees lists what holds on this machine, Weaker what does not hold or holds
	// only in part.
	Guarantees []Guarantee `json:"guarantees"`
	Weaker     []string    `json:"weaker"`
}

// Guarantee is one guarantee, in prose.
type Guarantee struct {
	Holds   string `json:"holds"`
	Against string `json:"against"` // whom it holds against
	Test    string `json:"test"`    // the tests that prove it, with their packages below sandbox, or worker
}

// Describe returns what this sandbox guarantees on this machine.
func (s *Sandbox) Describe() Description {
	d := Description{
		Runtime: s.runtime, System: runtime.GOOS + "/" + runtime.GOARCH, Workers: s.opts.Workers,
		Layers: slices.Clone(s.tier.layers()), Limits: s.limits,
		Guarantees: []Guarantee{
			{"Each run starts from nothing: no state of an earlier one is visible.", "hostile code", "js.TestRunsShareNothing"},
			{"Code gets no environment and no way to make code from text.", "hostile code", "js.TestTextNeverBecomesCode, js.TestHostNamesDoNotLeak"},
			{"Code reaches the network only where its posture and the operator let it, on the address that is dialled.", "hostile code, hostile name servers, hostile redirects", "egress.TestSSRF"},
			{"Code reaches files only below its workspace and what the operator lets it read.", "hostile code, and other programs that swap links meanwhile", "files.TestNoWayOut, files.TestRaceWithLink"},
			{"A run ends for its caller at its time limit.", "hostile code", "sandbox.TestHostile, sandbox.TestInProcess"},
		},
	}
	if s.opts.Tier == toolspec.TierInProcess {
		d.Weaker = append(d.Weaker,
			"Code runs inside this program: memory is not bounded, and code written to do harm can end the program. Use this tier for code that the operator wrote.",
			"A run inside one long native call goes on after its caller was answered.")
		return d
	}
	d.Guarantees = append(d.Guarantees,
		Guarantee{"Code runs in a process of its own, which is killed shortly after the limit whatever the code does: it cannot end or block this program.", "hostile code", "sandbox.TestHostile, sandbox.TestHostileMixed, sandbox.TestHostileConcurrent"},
		Guarantee{"A worker has no authority, and this program trusts nothing that it sends.", "hostile code that has taken a worker over", "sandbox.TestIsolatedWorkerMisbehaves, sandbox.FuzzMessages, worker.TestWorkerHasNothing"},
		Guarantee{"No worker outlives this program.", "a crash of this program", "sandbox.TestIsolatedParentDies"})
	d.Weaker = weaker(d.Layers)
	return d
}

// weaker returns what the missing layers would have added.
func weaker(layers []string) []string {
	var out []string
	missing := func(layer, consequence string) {
		if !slices.ContainsFunc(layers, func(l string) bool { return l == layer || strings.HasPrefix(l, layer+"-") }) {
			out = append(out, "No "+layer+": "+consequence)
		}
	}
	missing(worker.LayerAddressSpace, "the memory of a worker is bounded by a watchdog that looks every 2 ms, which one large request can outrun before it ends the worker.")
	missing(worker.LayerLandlock, "a worker keeps its user's right to files and sockets. The engine has no call that uses them; a flaw in it would find them.")
	missing(worker.LayerSeccomp, "a worker may make any system call. The engine makes none; a flaw in it could.")
	missing(worker.LayerParentDeath, "when this program is killed, a worker ends at the end of its input, or within 2 ms of looking while it runs code.")
	return out
}
