package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/localpass/localpass/internal/descriptors"
	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec/secret"
)

// StdioConfig describes a program to start. Placeholders, ${NAME}, are replaced when it
// is started.
type StdioConfig struct {
	// Command is the program: a path, or a name to look up in PATH. No shell is used.
	Command string `json:"command"`
	// Args are its arguments.
	Args []string `json:"args,omitempty"`
	// Env is its environment, in addition to the few variables that every program needs:
	// PATH, HOME, and those for the user, the language and temporary files. No other
	// variable of this process is passed on.
	Env map[string]string `json:"env,omitempty"`
	// Inherit names the variables of this process that are passed on, in place of those few;
	// an empty list passes none on. nil: those few.
	Inherit []string `json:"inheritEnv,omitempty"`
	// Dir is its working directory. Empty: the directory of this process.
	Dir string `json:"cwd,omitempty"`
	// Required names further placeholders that must have a value although no field above
	// contains them.
	Required []string `json:"requiredEnv,omitempty"`
	// Sandbox limits the files and the network of the program. nil: it has the rights of this
	// process.
	Sandbox *StdioSandbox `json:"sandbox,omitempty"`
}

// StdioOptions are the options of [NewStdio]. The zero value works.
type StdioOptions struct {
	// Lookup finds the values of placeholders. If nil, no placeholder has a value.
	Lookup secret.Lookup
	// Prepare changes how the program is started, for example to run it in a container or
	// to limit it. It must not change the standard files.
	Prepare func(*exec.Cmd) error
	// CloseGrace is how long the program may take to end after its standard input has
	// ended. KillGrace is how long it may take after a signal to end (on systems with
	// signals) before it is killed. Defaults: 2 s and 3 s.
	CloseGrace, KillGrace time.Duration
}

const (
	defaultCloseGrace = 2 * time.Second
	defaultKillGrace  = 3 * time.Second
	hurriedGrace      = 250 * time.Millisecond
	exitGrace         = time.Second // for the system to report how a program with closed pipes exited
	stderrKept        = 64 << 10
	noiseKept         = 64 << 10
)

// safeEnv lists the variables of this process that a program inherits.
var safeEnv = [...]string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR",
	// Windows:
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "PROGRAMFILES", "PROGRAMDATA", "APPDATA", "LOCALAPPDATA",
	"USERPROFILE", "USERNAME", "HOMEDRIVE", "HOMEPATH", "TEMP", "TMP", "PROCESSOR_ARCHITECTURE"}

// NewStdio returns a transport that starts a program for each session and exchanges
// messages over its standard input and output, one per line.
//
// The program is started without a shell, in its own process group. At the end of the
// session its input is closed, then it gets a signal, then it is killed; the transport
// always waits for its end. The last 64 KiB of its standard error are kept, and their end
// is quoted in errors. Text on its standard output before the first message, such as a
// banner, is tolerated; later it ends the session.
func NewStdio(cfg StdioConfig, opts *StdioOptions) (Transport, error) {
	if opts == nil {
		opts = &StdioOptions{}
	}
	t := &stdioTransport{cfg: cfg, opts: *opts}
	t.cfg.Args, t.cfg.Env, t.cfg.Required = slices.Clone(cfg.Args), maps.Clone(cfg.Env), slices.Clone(cfg.Required)
	t.cfg.Sandbox, t.cfg.Inherit = cfg.Sandbox.clone(), slices.Clone(cfg.Inherit)
	t.opts.CloseGrace = cmp.Or(max(opts.CloseGrace, 0), defaultCloseGrace)
	t.opts.KillGrace = cmp.Or(max(opts.KillGrace, 0), defaultKillGrace)
	if strings.TrimSpace(cfg.Command) == "" {
		return nil, errors.New(`client: stdio: no command: name the program to start, such as "npx"`)
	}
	for _, name := range cfg.Inherit {
		if name == "" || strings.ContainsAny(name, "=\x00\r\n") {
			return nil, fmt.Errorf("client: stdio: %q cannot be the name of an environment variable", name)
		}
	}
	texts := append([]string{cfg.Command, cfg.Dir}, cfg.Args...)
	for name, value := range cfg.Env {
		if name == "" || strings.ContainsAny(name, "=\x00\r\n") {
			return nil, fmt.Errorf("client: stdio: %q cannot be the name of an environment variable", name)
		}
		texts = append(texts, value)
	}
	if cfg.Sandbox != nil {
		texts = slices.Concat(texts, cfg.Sandbox.Read, cfg.Sandbox.Write)
	}
	if err := checkRequired(cfg.Required); err != nil {
		return nil, err
	}
	t.endpoint = Endpoint{Kind: TransportStdio, Address: cfg.Command, Auth: AuthProcess, Required: placeholders(cfg.Required, texts...)}
	return t, nil
}

type stdioTransport struct {
	cfg      StdioConfig
	opts     StdioOptions
	endpoint Endpoint
	remember Remembered
}

func (t *stdioTransport) Describe() Endpoint {
	e := t.endpoint
	e.Required = slices.Clone(e.Required)
	return e
}

func (t *stdioTransport) Dial(ctx context.Context, dial *DialOptions) (Session, error) {
	opts := dial.withDefaults()
	known, _ := t.remember.known()
	s, err := t.start(ctx, opts)
	// Some servers from before 2026-07-28 exit if they get a request before initialize:
	// they are tried again in the order that they expect.
	if errors.Is(err, ErrSessionLost) && known == EraUnknown && ctx.Err() == nil && len(opts.allowed(rpc.SessionVersions[:])) > 0 {
		t.remember.learn(EraSession, false)
		if s, err = t.start(ctx, opts); err != nil {
			t.remember.learn(EraUnknown, false)
		}
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (t *stdioTransport) start(ctx context.Context, opts *DialOptions) (*session, error) {
	if err := ctx.Err(); err != nil {
		return nil, &ConnError{Class: classOf(err), Op: "dial", Endpoint: t.Describe(), Err: err}
	}
	r := &resolver{lookup: t.opts.Lookup, endpoint: t.Describe()}
	command, dir := r.text("command", t.cfg.Command), r.text("cwd", t.cfg.Dir)
	args := make([]string, len(t.cfg.Args))
	for i, arg := range t.cfg.Args {
		args[i] = r.text(fmt.Sprintf("args[%d]", i), arg)
	}
	var env []string
	inherited := safeEnv[:]
	if t.cfg.Inherit != nil {
		inherited = t.cfg.Inherit
	}
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.cfg.Env)) { // the last value of a name counts
		env = append(env, name+"="+r.text("env "+name, t.cfg.Env[name]))
	}
	r.required(t.cfg.Required)
	start := (*exec.Cmd).Start
	if t.cfg.Sandbox != nil {
		start = t.cfg.Sandbox.resolved(r).start
	}
	mask, err := r.finish()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(command, args...)
	cmd.Dir, cmd.Env = dir, env
	conn, err := startChild(cmd, start, &t.opts, opts.MaxMessage)
	if err != nil {
		return nil, &ConnError{Class: ConnTransport, Op: "dial", Endpoint: t.Describe(), Err: &maskedError{"cannot start the program: " + mask.String(err.Error()), err}}
	}
	return connectDuplex(ctx, conn, t.Describe(), opts, mask, &t.remember, true)
}

// child is a running program; it implements Conn.
type child struct {
	cmd    *exec.Cmd
	opts   *StdioOptions
	in     *os.File // its standard input
	out    *os.File // its standard output
	lines  *lineReader
	stderr *ring
	noise  int  // bytes so far that were not messages
	spoke  bool // it has sent a message
	gone   chan struct{}
	exit   string // how it exited, once gone is closed

	hurry   atomic.Bool // it never became a server, so it gets little time to exit
	closing sync.Once
}

var _ Conn = (*child)(nil)

func startChild(cmd *exec.Cmd, start func(*exec.Cmd) error, opts *StdioOptions, limit int64) (*child, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, childIn.Close(), in.Close())
	}
	c := &child{cmd: cmd, opts: opts, in: in, out: out, lines: newLineReader(out, limit), stderr: newRing(stderrKept), gone: make(chan struct{})}
	ownGroup(cmd)
	if opts.Prepare != nil {
		err = opts.Prepare(cmd)
	}
	if err == nil {
		// Set after Prepare, because a change of them would break the protocol. A process
		// that outlives the program must not keep Wait waiting.
		cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = childIn, childOut, c.stderr, 500*time.Millisecond
		if err = descriptors.Keep(); err == nil {
			err = start(cmd)
		}
	}
	_ = childIn.Close() // the program has its own copy
	_ = childOut.Close()
	if err != nil {
		_ = in.Close()
		_ = out.Close()
		return nil, err
	}
	go c.reap()
	return c, nil
}

// reap waits until the program exits.
func (c *child) reap() {
	waitGroup(c.cmd)
	c.exit = c.cmd.ProcessState.String()
	// Its last output may still be read, but a process that inherited its output must not
	// keep the reader waiting.
	_ = c.out.SetReadDeadline(time.Now().Add(250 * time.Millisecond))
	close(c.gone)
}

func (c *child) Read() ([]byte, error) {
	for {
		line, err := c.lines.next()
		switch {
		case err == nil && (c.spoke || line[0] == '{' || line[0] == '['):
			c.spoke = true
			return line, nil
		case err == nil:
			if c.noise += len(line); c.noise > noiseKept {
				return nil, fmt.Errorf("%w: the program writes to its standard output what is no message: %.200q", ErrProtocol, line)
			}
			_, _ = c.stderr.Write(append(line, '\n')) // it never fails
		case errors.Is(err, ErrTooLarge):
			return nil, err
		default:
			return nil, c.ended(err)
		}
	}
}

// ended reports how the program exited if that is why nothing can be read.
func (c *child) ended(err error) error {
	select {
	case <-c.gone:
		return fmt.Errorf("the program ended: %s", c.exit)
	case <-time.After(exitGrace): // it closed its output but is still running
	}
	if errors.Is(err, io.EOF) {
		return errors.New("the program closed its standard output")
	}
	return err
}

func (c *child) Write(message []byte) error {
	_, err := c.in.Write(append(message[:len(message):len(message)], '\n'))
	if err != nil {
		select {
		case <-c.gone:
			return fmt.Errorf("the program ended: %s", c.exit)
		case <-time.After(exitGrace):
		}
	}
	return err
}

func (c *child) Close() error {
	c.closing.Do(func() {
		_ = c.in.Close()
		grace, last := c.opts.CloseGrace, c.opts.KillGrace
		if c.hurry.Load() {
			grace, last = min(grace, hurriedGrace), min(last, hurriedGrace)
		}
		if !c.goneWithin(grace) {
			signalGroup(c.cmd.Process, false)
			if !c.goneWithin(last) {
				signalGroup(c.cmd.Process, true)
			}
		}
		<-c.gone
		_ = c.out.Close()
	})
	return nil
}

func (c *child) goneWithin(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-c.gone:
		return true
	case <-t.C:
		return false
	}
}

func (c *child) detail() string { return c.stderr.String() }

// ring keeps the end of the data written to it.
type ring struct {
	mu   sync.Mutex
	size int
	buf  []byte
	at   int // position of the next byte, once buf is full
}

func newRing(size int) *ring { return &ring{size: size} }

func (r *ring) Write(p []byte) (int, error) {
	n := len(p)
	if n > r.size {
		p = p[n-r.size:]
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if room := r.size - len(r.buf); room > 0 {
		part := min(room, len(p))
		r.buf, p = append(r.buf, p[:part]...), p[part:]
	}
	for len(p) > 0 {
		part := copy(r.buf[r.at:], p)
		r.at, p = (r.at+part)%r.size, p[part:]
	}
	return n, nil
}

// String returns the kept data, starting at the beginning of a line if earlier data was
// lost.
func (r *ring) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := string(r.buf[r.at:]) + string(r.buf[:r.at])
	if len(r.buf) == r.size {
		if _, rest, ok := strings.Cut(text, "\n"); ok {
			text = rest
		}
	}
	return text
}
