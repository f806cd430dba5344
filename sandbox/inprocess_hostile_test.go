//go:build !race && linux

package sandbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/testrun"
	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/sandbox/typescript"
	"github.com/localpass/localpass/toolspec"
)

const (
	inProcessLimit = 100 * time.Millisecond // of each hostile run
	endsWithin     = 300 * time.Millisecond // of processor time after its answer, for work to have ended
	outerKill      = 8 * time.Second        // of the program that it happens in
	victimSpace    = 1536 << 20             // that the program may grow by
	victimVariable = "SANDBOX_TEST_VICTIM"
)

// victim is what the program that a script harms is told.
type victim struct {
	Script, Site, Dir string
	Slow              time.Duration // by what all of the times are longer
}

// harm is what that program says of it.
type harm struct {
	End, Message    string
	Took, Next      time.Duration // of the run, and of the plain call after it
	Closed          time.Duration
	Grew            int64
	Left, Untouched bool // the run goes on; the globals are as they were
}

// TestInProcessHostile runs hostile scripts, a sample or each of them with
// LOCALPASS_FULL, in the in-process tier of a program of its own. What holds in the isolated tier has to hold there too,
// except for what inProcessExceptions lists.
func TestInProcessHostile(t *testing.T) {
	address := hostileSite(t)
	exceptions := inProcessExceptions()
	names := map[string]bool{}
	for _, h := range hostileScripts() {
		require.False(t, names[h.name], "two scripts are named %q", h.name)
		names[h.name] = true
	}
	for _, h := range testrun.Every(32, hostileScripts(), 16) {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel() // as many as there are processors: few enough to be on time
			var got *harm
			var broken []string
			e, listed := exceptions[h.name]
			for try := range measured {
				var output string
				slow := time.Duration(1) << try
				got, output = suffer(t, victim{h.name, address, hostileWorkspace(t, h), slow})
				if got == nil {
					t.Log(output)
				} else {
					t.Logf("%v, then %v; grew by %d MB; left behind: %v; %s %s", got.Took.Round(time.Millisecond), got.Next.Round(time.Microsecond), got.Grew>>20, got.Left, got.End, got.Message)
				}
				broken = inProcessBroken(h, got, slow)
				if !slices.ContainsFunc(broken, func(b string) bool { return !slices.Contains(e.class.breaks, b) }) {
					break
				}
			}
			if listed && !e.either {
				assert.NotEmpty(t, broken, "it stands among the exceptions, but all holds")
			}
			for _, b := range broken {
				assert.True(t, listed && slices.Contains(e.class.breaks, b), "%s does not hold in process; excused: %q", b, e.class.reason)
			}
		})
	}
	for name := range exceptions {
		assert.True(t, names[name], "no script is named %q", name)
	}
}

// What has to hold.
const (
	holdsAlive     = "that the program lives"
	holdsKind      = "the kind of failure"
	holdsTime      = "the time"
	holdsNext      = "the plain call after"
	holdsMemory    = "the growth"
	holdsEnd       = "the end of the run itself"
	holdsClose     = "the time of Close"
	holdsUntouched = "that no state is carried over"
)

// inProcessBroken lists what does not hold on a machine that is slow by a factor.
func inProcessBroken(h hostile, got *harm, slow time.Duration) (broken []string) {
	if got == nil {
		return []string{holdsAlive}
	}
	kinds := strings.Fields(h.kinds)
	if slices.Contains(kinds, memory0) {
		kinds = append(kinds, time0) // with more room, the time may be up first
	}
	for what, holds := range map[string]bool{
		holdsKind:      slices.Contains(kinds, got.End),
		holdsTime:      got.Took <= slow*(inProcessLimit+lateBy),
		holdsNext:      got.Next <= slow*nextCall,
		holdsMemory:    got.Grew < growth,
		holdsEnd:       !got.Left,
		holdsClose:     got.Closed <= slow*lateBy,
		holdsUntouched: got.Untouched,
	} {
		if !holds {
			broken = append(broken, what)
		}
	}
	return broken
}

// suffer starts the program, in a process group of its own, and ends the group
// whatever it does. It returns nil when the program did not live to tell.
func suffer(t *testing.T, v victim) (*harm, string) {
	t.Helper()
	told, err := json.Marshal(v)
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer read.Close()
	var output strings.Builder
	killAfter := v.Slow * outerKill
	cmd := exec.Command(self, "-test.run=^TestInProcessVictim$", "-test.timeout="+killAfter.String())
	cmd.Env = append(os.Environ(), victimVariable+"="+string(told))
	cmd.ExtraFiles = []*os.File{write}
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	kill := time.AfterFunc(killAfter, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer kill.Stop()
	write.Close()
	said, err := io.ReadAll(read)
	require.NoError(t, err)
	_ = cmd.Wait() // how it ended is told by what it said
	text := output.String()
	if len(said) == 0 {
		return nil, text[:min(len(text), 500)]
	}
	got := new(harm)
	require.NoError(t, json.Unmarshal(said, got))
	return got, text
}

// TestInProcessVictim is the program that one script is to harm. It can take
// much memory, but not that of the machine.
func TestInProcessVictim(t *testing.T) {
	told := os.Getenv(victimVariable)
	if told == "" {
		t.Skip("is started by TestInProcessHostile")
	}
	var v victim
	require.NoError(t, json.Unmarshal([]byte(told), &v))
	scripts := hostileScripts()
	i := slices.IndexFunc(scripts, func(h hostile) bool { return h.name == v.Script })
	require.GreaterOrEqual(t, i, 0)
	size := uint64(status(os.Getpid(), "VmSize")) + victimSpace
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: size, Max: size}))

	s, err := sandbox.New(&sandbox.Options{Tier: toolspec.TierInProcess, Engine: typescript.Engine(), Workers: 2, Network: &sandbox.NetworkOptions{OperatorHosts: []string{v.Site}}})
	require.NoError(t, err)
	plainCall(t, s)
	untouched := fingerprint(t, s)
	require.NoError(t, os.WriteFile("/proc/self/clear_refs", []byte("5"), 0))
	before := status(os.Getpid(), "VmRSS")

	start := time.Now()
	out, err := s.Run(context.Background(), hostileRequest(scripts[i], v.Site, v.Dir, v.Slow*inProcessLimit))
	got := harm{Took: time.Since(start)}
	require.NoError(t, err)
	got.End = endOf(out)
	if out.Err != nil {
		got.Message = out.Err.Error()
		got.Message = got.Message[:min(len(got.Message), 200)]
	}
	got.Next = plainCall(t, s)
	for answered := processorTime(t); s.LeftBehind() > 0 && processorTime(t)-answered < v.Slow*endsWithin; {
		plainCall(t, s) // the program goes on, and takes half of the time
	}
	got.Left = s.LeftBehind() > 0
	got.Grew = status(os.Getpid(), "VmHWM") - before
	got.Untouched = fingerprint(t, s) == untouched
	start = time.Now()
	require.NoError(t, s.Close())
	got.Closed = time.Since(start)
	data, err := json.Marshal(got)
	require.NoError(t, err)
	_, err = fmt.Fprintf(os.NewFile(3, "report"), "%s", data)
	require.NoError(t, err)
}

// processorTime is what this program has used of the processors, whatever else
// they do.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// class is why something does not hold in process, and what it may be.
type class struct {
	reason string
	breaks []string
}

// exception is a script for which not all holds in process. either says that it
// depends on the machine whether all does: on how fast it is, or on how much
// memory there is.
type exception struct {
	class  class
	either bool
}

// inProcessExceptions is the list of what does not hold in process; the section
// on tiers of the package's documentation has its classes. Nothing else may
// fail, and what is listed must.
func inProcessExceptions() map[string]exception {
	native := class{"one call into the engine, its patterns or its translator cannot be interrupted: the caller has its answer in time, but the work goes on to its own end",
		[]string{holdsEnd}}
	memory := class{"nothing bounds memory: one call, or fast code, takes what the machine gives, and the program may end of it",
		[]string{holdsAlive, holdsKind, holdsTime, holdsNext, holdsMemory, holdsEnd, holdsClose}}
	always, either := false, true
	return map[string]exception{
		// Backtracking.
		"backtracking regexp":                   {native, always},
		"backtracking in replace":               {native, always},
		"backtracking in split":                 {native, always},
		"pattern built with nested quantifiers": {native, always},

		// Recursion from native to native, which the depth of calls does not count.
		"recursion through replace":                {native, either},
		"recursion through sort":                   {native, either},
		"recursion through toJSON":                 {native, either},
		"recursion through toString":               {native, either},
		"clone of a getter that clones":            {native, either},
		"async generator that delegates to itself": {native, either},
		"proxy whose prototype is itself":          {memory, either},

		// Loops inside one call.
		"shared graph in stringify":   {native, always},
		"indexOf over absurd length":  {native, always},
		"generic over absurd length":  {memory, always},
		"join of itself many times":   {memory, always},
		"join of holes":               {memory, always},
		"template of an absurd array": {memory, always},
		"sparse array copied":         {memory, either},
		"deep flat":                   {memory, either},

		// One call that makes something huge.
		"one huge string":                   {memory, either},
		"huge fill":                         {memory, either},
		"padding":                           {memory, always},
		"apply with absurd length":          {memory, always},
		"one typed array":                   {memory, always},
		"typed array of a looping function": {memory, always},
		"spread of an absurd array":         {memory, always},
		"replace that multiplies":           {memory, either},
		"BigInt power":                      {memory, always},
		"BigInt shift":                      {memory, always},
		"BigInt printed":                    {memory, either},
		"deep JSON text":                    {memory, either},
		"JSON bomb":                         {memory, either},
		"pattern nested deep":               {memory, either},

		"BigInt product":             {memory, either},
		onFiles + "one huge write":   {memory, either},
		onNetwork + "a huge request": {memory, either},

		// Growth by many calls, as fast as the machine is.
		"doubling a string":                         {memory, either},
		"typed arrays":                              {memory, either},
		"long bind chain":                           {memory, either},
		"long proxy chain":                          {memory, either},
		"clone of a huge graph":                     {memory, either},
		"parameters that grow under their iterator": {memory, either},
		"pages kept for ever":                       {memory, either},
		"huge log":                                  {memory, either},
		"CSV with a huge cell":                      {memory, either},

		// Requests that last until the end of the run.

		// Before the code runs.
		"many names":                 {native, either},
		"for await nested deep":      {native, either},
		"translation of many errors": {native, always},
	}
}
