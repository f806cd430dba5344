package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/localpass/localpass/examples/internal/boot"
	"github.com/localpass/localpass/examples/playground/server"
	"github.com/localpass/localpass/toolspec/secret"
)

// configName is the file of settings in the home.
const configName = "localpass.json"

// errUsage says that the command line was wrong; why was printed already.
var errUsage = errors.New("wrong command line")

// config is what the program was told. Flags come before the environment, that
// before the file.
type config struct {
	addr, home, workspace, token, mcpToken, tlsCert, tlsKey string
	hosts, dirs, names                                      list
	timeout, approvalTimeout                                time.Duration
	open, insecure, version                                 bool

	origins map[string]string // of each value, by flag: file, environment or flag
}

// list is a flag that may be given more than once.
type list []string

func (l *list) String() string     { return strings.Join(*l, ",") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

// setting is a value that may also stand in the file or the environment.
type setting struct {
	flag, member, env, help string
	secret                  bool
}

func settings() []setting {
	return []setting{
		{"addr", "addr", "LOCALPASS_ADDR", "Where it listens.", false},
		{"home", "", "LOCALPASS_HOME", "Where everything is kept.", false},
		{"workspace", "workspace", "LOCALPASS_WORKSPACE", "Where tools with files work.", false},
		{"token", "token", "LOCALPASS_TOKEN", "What lets people in at the page.", true},
		{"mcp-token", "mcpToken", "LOCALPASS_MCP_TOKEN", "What lets MCP clients in at /mcp.", true},
		{"host", "hosts", "", "Further names of this server.", false},
		{"allow-host", "allowHosts", "", "Internal hosts that tools may declare.", false},
		{"allow-path", "allowPaths", "", "Directories that tools may declare.", false},
		{"tool-timeout", "toolTimeout", "", "How long one call may take.", false},
		{"approval-timeout", "approvalTimeout", "", "How long a person has to answer.", false},
	}
}

const synopsis = `playground [flags]

A page to write tools, let them pass their tests, publish them over MCP, and look
into other MCP servers. Nothing else has to be installed.

flags:
`

func parse(args []string, stderr io.Writer) (*config, error) {
	c := &config{origins: map[string]string{}}
	fs := flag.NewFlagSet("playground", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&c.addr, "addr", "127.0.0.1:8282", "listen at `ADDR`")
	fs.StringVar(&c.home, "home", "", "keep everything in `DIR` (default: $LOCALPASS_HOME, else ~/.localpass)")
	fs.StringVar(&c.workspace, "workspace", "", "let tools that were granted files work in `DIR` (default: workspace in the home)")
	fs.StringVar(&c.token, "token", "", "`TOKEN` that people must know; ${NAME} reads the environment; required off loopback")
	fs.StringVar(&c.mcpToken, "mcp-token", "", "bearer `TOKEN` of MCP clients; ${NAME} reads the environment (default off loopback: a new one, printed)")
	fs.Var(&c.names, "host", "answer to the `NAME` beside loopback ones; may be given again")
	fs.Var(&c.hosts, "allow-host", "let tools that declare the internal host `HOST` reach it; may be given again")
	fs.Var(&c.dirs, "allow-path", "let specs that name the directory `DIR`, or one below it, work there; may be given again")
	fs.DurationVar(&c.timeout, "tool-timeout", 30*time.Second, "end one call of a tool after `DUR`")
	fs.DurationVar(&c.approvalTimeout, "approval-timeout", 2*time.Minute, "take no answer for a no after `DUR`")
	fs.StringVar(&c.tlsCert, "tls-cert", "", "serve TLS with the certificate in `FILE`")
	fs.StringVar(&c.tlsKey, "tls-key", "", "and its key in `FILE`")
	fs.BoolVar(&c.insecure, "insecure", false, "serve others than this machine without TLS")
	fs.BoolVar(&c.open, "open", false, "open the page in a browser")
	fs.BoolVar(&c.version, "version", false, "print the version and end")
	fs.Usage = func() { fmt.Fprint(stderr, synopsis); fs.PrintDefaults() }
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		return nil, errUsage
	}
	if fs.NArg() > 0 {
		fmt.Fprintf(stderr, "playground: unknown argument %q\n\n", fs.Arg(0))
		fs.Usage()
		return nil, errUsage
	}
	fs.Visit(func(f *flag.Flag) { c.origins[f.Name] = "flag" })
	for _, s := range settings() {
		if value := os.Getenv(s.env); s.env != "" && value != "" && c.origins[s.flag] == "" {
			if err := fs.Set(s.flag, value); err != nil {
				return nil, fmt.Errorf("%s: %w", s.env, err)
			}
			c.origins[s.flag] = "environment"
		}
	}
	if err := c.file(fs); err != nil {
		return nil, err
	}
	return c, c.resolve()
}

// fileConfig is the file, strict: a member that is not known is an error.
type fileConfig struct {
	Addr            *string  `json:"addr"`
	Workspace       *string  `json:"workspace"`
	Token           *string  `json:"token"`
	MCPToken        *string  `json:"mcpToken"`
	Hosts           []string `json:"hosts"`
	AllowHosts      []string `json:"allowHosts"`
	AllowPaths      []string `json:"allowPaths"`
	ToolTimeout     *string  `json:"toolTimeout"`
	ApprovalTimeout *string  `json:"approvalTimeout"`
}

// file reads what the home says, where neither a flag nor the environment does.
func (c *config) file(fs *flag.FlagSet) error {
	home, err := boot.Home(c.home)
	if err != nil {
		return err
	}
	name := filepath.Join(home, configName)
	raw, err := os.ReadFile(name)
	if isMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	var in fileConfig
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return fmt.Errorf("%s: %w; the members are addr, workspace, token, mcpToken, hosts, allowHosts, allowPaths, toolTimeout and approvalTimeout", name, err)
	}
	for _, secret := range []*string{in.Token, in.MCPToken} {
		if secret != nil && !strings.HasPrefix(*secret, "${") {
			return fmt.Errorf(`%s: a token does not belong into a file: name a variable of the environment instead, such as "${PLAYGROUND_TOKEN}"`, name)
		}
	}
	one := func(v *string) []string {
		if v == nil {
			return nil
		}
		return []string{*v}
	}
	for _, s := range []struct {
		flag   string
		values []string
	}{
		{"addr", one(in.Addr)}, {"workspace", one(in.Workspace)}, {"token", one(in.Token)}, {"mcp-token", one(in.MCPToken)}, {"host", in.Hosts},
		{"allow-host", in.AllowHosts}, {"allow-path", in.AllowPaths}, {"tool-timeout", one(in.ToolTimeout)}, {"approval-timeout", one(in.ApprovalTimeout)},
	} {
		if c.origins[s.flag] != "" {
			continue
		}
		for _, v := range s.values {
			if err := fs.Set(s.flag, v); err != nil {
				return fmt.Errorf("%s: %s: %w", name, s.flag, err)
			}
			c.origins[s.flag] = "file"
		}
	}
	return nil
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// resolve puts values in the place of ${NAME} and refuses what cannot work.
func (c *config) resolve() error {
	r := &secret.Resolver{Lookup: secret.Env()}
	for _, t := range []struct {
		name  string
		value *string
	}{{"-token", &c.token}, {"-mcp-token", &c.mcpToken}} {
		value, _, err := r.Resolve(*t.value)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		const shortest = 16 // bytes; what is made here has 128 bits and more
		if value != "" && len(value) < shortest {
			return fmt.Errorf("%s has %d characters: give one of at least %d", t.name, len(value), shortest)
		}
		*t.value = value
	}
	switch {
	case c.timeout <= 0 || c.approvalTimeout <= 0:
		return errors.New("-tool-timeout and -approval-timeout must be longer than 0")
	case (c.tlsCert == "") != (c.tlsKey == ""):
		return errors.New("-tls-cert and -tls-key go together")
	}
	return nil
}

// shown is the configuration as the page shows it: no secret is in it.
func (c *config) shown(addr string) []server.Setting {
	values := map[string]string{"addr": addr, "workspace": c.workspace, "host": c.names.String(), "allow-host": c.hosts.String(), "allow-path": c.dirs.String(),
		"tool-timeout": c.timeout.String(), "approval-timeout": c.approvalTimeout.String(), "token": isSet(c.token), "mcp-token": isSet(c.mcpToken)}
	if home, err := boot.Home(c.home); err == nil {
		values["home"] = home
		if values["workspace"] == "" {
			values["workspace"] = filepath.Join(home, "workspace")
		}
	}
	var out []server.Setting
	for _, s := range settings() {
		one := server.Setting{Name: s.flag, Value: values[s.flag], Origin: "default", Help: s.help, Source: "-" + s.flag}
		switch c.origins[s.flag] {
		case "flag":
			one.Origin = "flag"
		case "environment":
			one.Origin, one.Source = "environment", s.env
		case "file":
			one.Origin, one.Source = "file", configName+": "+strconv.Quote(s.member)
		}
		out = append(out, one)
	}
	return out
}

func isSet(v string) string {
	if v == "" {
		return "not set"
	}
	return "set"
}
