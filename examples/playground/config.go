package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/url"
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

// config is the configuration of the program. Flags come before the environment, that
// before the file.
type config struct {
	addr, home, workspace, token, mcpToken, tlsCert, tlsKey string
	tokenFile, publicURL                                    string
	file                                                    string // of settings; empty: configName in the home
	profile, model, baseURL                                 string
	demoPace                                                time.Duration
	hosts, dirs, names                                      list
	timeout, approvalTimeout                                time.Duration
	open, insecure, version                                 bool

	origins map[string]string // of each value, by flag: file, environment or flag
}

// list is a flag that may be given more than once.
type list []string

func (l *list) String() string     { return strings.Join(*l, ",") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

// setting is a value that may also come from the file or the environment.
type setting struct {
	flag, member, env, section, help string
}

// sectionModels are the settings of the profile.
const sectionModels = "models"

func settings() []setting {
	return []setting{
		{"addr", "addr", "LOCALPASS_ADDR", "network", "Where it listens."},
		{"host", "hosts", "", "network", "Further names of this server."},
		{"token", "token", "LOCALPASS_TOKEN", "network", "What lets people in at the page."},
		{"token-file", "tokenFile", "LOCALPASS_TOKEN_FILE", "network", "The file that holds that token."},
		{"public-url", "publicURL", "LOCALPASS_PUBLIC_URL", "network", "How people reach it by way of a proxy."},
		{"tls-cert", "", "", "network", "The certificate that it shows."},
		{"insecure", "", "", "network", "Others than this machine are served without TLS."},
		{"mcp-token", "mcpToken", "LOCALPASS_MCP_TOKEN", "mcp", "What lets MCP clients in at /mcp."},
		{"profile", "profile", "LOCALPASS_PROFILE", sectionModels, "Which provider of models answers: ollama, openai, compatible or demo."},
		{"model", "model", "LOCALPASS_MODEL", sectionModels, "Its model."},
		{"base-url", "baseURL", "LOCALPASS_BASE_URL", sectionModels, "Where that provider is."},
		{"tool-timeout", "toolTimeout", "", "safety", "How long one call may take."},
		{"approval-timeout", "approvalTimeout", "", "safety", "How long a person has to answer."},
		{"allow-host", "allowHosts", "", "safety", "Internal hosts that tools may reach."},
		{"allow-path", "allowPaths", "", "safety", "Directories that tools may declare."},
		{"home", "", "LOCALPASS_HOME", "storage", "Where everything is kept."},
		{"workspace", "workspace", "LOCALPASS_WORKSPACE", "storage", "Where tools with files work."},
		{"config", "", "", "storage", "The file of settings."},
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
	fs.StringVar(&c.file, "config", "", "read settings from `FILE` (default: localpass.json in the home)")
	fs.StringVar(&c.workspace, "workspace", "", "let tools that were granted files work in `DIR` (default: workspace in the home)")
	fs.StringVar(&c.token, "token", "", "`TOKEN` that people must know; ${NAME} reads the environment; required off loopback and behind a proxy")
	fs.StringVar(&c.tokenFile, "token-file", "", "read that token from `FILE`, which only you may read")
	fs.StringVar(&c.publicURL, "public-url", "", "people and clients reach it by way of a proxy at `URL`, such as https://tools.example.com; needs a -token")
	fs.StringVar(&c.mcpToken, "mcp-token", "", "bearer `TOKEN` of MCP clients; ${NAME} reads the environment (default off loopback: a new one, printed)")
	fs.StringVar(&c.profile, "profile", "", "chat with the provider `NAME`: ollama (at OLLAMA_HOST), openai (OPENAI_API_KEY, at OPENAI_BASE_URL), compatible (-base-url) or demo (default: the first that is there)")
	fs.StringVar(&c.model, "model", "", "and its model `NAME`, or PROVIDER/NAME without -profile (default: one that is there)")
	fs.StringVar(&c.baseURL, "base-url", "", "and find it at `URL`")
	fs.DurationVar(&c.demoPace, "demo-pace", 15*time.Millisecond, "let the demo model wait `DUR` between two words")
	fs.Var(&c.names, "host", "answer to the `NAME` beside loopback ones; may be given again")
	fs.Var(&c.hosts, "allow-host", boot.AllowHostUsage)
	fs.Var(&c.dirs, "allow-path", "let specs that name the directory `DIR`, or one below it, work there; may be given again")
	fs.DurationVar(&c.timeout, "tool-timeout", 30*time.Second, "end one call of a tool after `DUR`")
	fs.DurationVar(&c.approvalTimeout, "approval-timeout", 2*time.Minute, "decline a request that has no decision after `DUR`")
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
		if s.section == sectionModels {
			continue // chooseProfile reads them, as one
		}
		if value := os.Getenv(s.env); s.env != "" && value != "" && c.origins[s.flag] == "" {
			if err := fs.Set(s.flag, value); err != nil {
				return nil, fmt.Errorf("%s: %w", s.env, err)
			}
			c.origins[s.flag] = "environment"
		}
	}
	in, err := c.readFile(fs)
	if err != nil {
		return nil, err
	}
	if err := c.chooseProfile(in); err != nil {
		return nil, err
	}
	return c, c.resolve()
}

// fileConfig is the file, strict: a member that is not known is an error, unless
// its name begins with //, which makes it a comment.
type fileConfig struct {
	Addr            *string  `json:"addr"`
	Workspace       *string  `json:"workspace"`
	Token           *string  `json:"token"`
	TokenFile       *string  `json:"tokenFile"`
	PublicURL       *string  `json:"publicURL"`
	MCPToken        *string  `json:"mcpToken"`
	Profile         *string  `json:"profile"`
	Model           *string  `json:"model"`
	BaseURL         *string  `json:"baseURL"`
	Hosts           []string `json:"hosts"`
	AllowHosts      []string `json:"allowHosts"`
	AllowPaths      []string `json:"allowPaths"`
	ToolTimeout     *string  `json:"toolTimeout"`
	ApprovalTimeout *string  `json:"approvalTimeout"`
}

// decodeFile reads a file of settings.
func decodeFile(raw []byte) (in fileConfig, err error) {
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &members); err != nil {
		return in, err
	}
	for name := range members {
		if strings.HasPrefix(name, "//") {
			delete(members, name)
		}
	}
	if raw, err = json.Marshal(members); err != nil {
		return in, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return in, d.Decode(&in)
}

// underUser puts the home directory of the user in the place of a leading ~/.
func underUser(dir string) string {
	rest, ok := strings.CutPrefix(dir, "~/")
	if user, err := os.UserHomeDir(); ok && err == nil {
		return filepath.Join(user, filepath.FromSlash(rest))
	}
	return dir
}

// fileName is where settings are read from.
func (c *config) fileName() (string, error) {
	if c.file != "" {
		return c.file, nil
	}
	home, err := boot.Home(c.home)
	return filepath.Join(home, configName), err
}

// readFile takes what the file says, where neither a flag nor the environment does.
// The profile it only returns.
func (c *config) readFile(fs *flag.FlagSet) (in fileConfig, err error) {
	name, err := c.fileName()
	if err != nil {
		return in, err
	}
	raw, err := os.ReadFile(name)
	if isMissing(err) && c.file == "" {
		return in, nil
	}
	if err != nil {
		return in, fmt.Errorf("the settings: %w", err)
	}
	if in, err = decodeFile(raw); err != nil {
		return in, fmt.Errorf("%s: %w; the members are addr, workspace, token, tokenFile, publicURL, mcpToken, profile, model, baseURL, hosts, allowHosts, allowPaths, toolTimeout and approvalTimeout, and comments, whose names begin with //", name, err)
	}
	for _, secret := range []*string{in.Token, in.MCPToken} {
		if secret != nil && !strings.HasPrefix(*secret, "${") {
			return in, fmt.Errorf(`%s: a token does not belong into a file: name a variable of the environment instead, such as "${PLAYGROUND_TOKEN}"`, name)
		}
	}
	one := func(v *string) []string {
		if v == nil {
			return nil
		}
		return []string{*v}
	}
	if in.TokenFile != nil {
		*in.TokenFile = underUser(*in.TokenFile)
	}
	if in.Workspace != nil {
		*in.Workspace = underUser(*in.Workspace)
	}
	for i, dir := range in.AllowPaths {
		in.AllowPaths[i] = underUser(dir)
	}
	for _, s := range []struct {
		flag   string
		values []string
	}{
		{"addr", one(in.Addr)}, {"workspace", one(in.Workspace)}, {"token", one(in.Token)}, {"token-file", one(in.TokenFile)}, {"public-url", one(in.PublicURL)}, {"mcp-token", one(in.MCPToken)},
		{"host", in.Hosts},
		{"allow-host", in.AllowHosts}, {"allow-path", in.AllowPaths}, {"tool-timeout", one(in.ToolTimeout)}, {"approval-timeout", one(in.ApprovalTimeout)},
	} {
		if c.origins[s.flag] != "" {
			continue
		}
		for _, v := range s.values {
			if err := fs.Set(s.flag, v); err != nil {
				return in, fmt.Errorf("%s: %s: %w", name, s.flag, err)
			}
			c.origins[s.flag] = "file"
		}
	}
	return in, nil
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
		if value != "" && len(value) < shortestToken {
			return fmt.Errorf("%s has %d characters: give one of at least %d", t.name, len(value), shortestToken)
		}
		*t.value = value
	}
	if c.tokenFile != "" {
		if c.token != "" {
			return errors.New("-token and -token-file are two tokens: give one of them")
		}
		token, err := readToken(c.tokenFile)
		if err != nil {
			return fmt.Errorf("-token-file: %w", err)
		}
		c.token = token
	}
	if err := c.resolvePublic(); err != nil {
		return err
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
	values := map[string]string{"addr": addr, "workspace": c.workspace, "profile": c.profile, "model": c.model, "base-url": withoutUser(c.baseURL), "host": c.names.String(), "allow-host": c.hosts.String(), "allow-path": c.dirs.String(),
		"tool-timeout": c.timeout.String(), "approval-timeout": c.approvalTimeout.String(), "token": isSet(c.token), "mcp-token": isSet(c.mcpToken), "tls-cert": c.tlsCert, "insecure": yes(c.insecure), "token-file": c.tokenFile, "public-url": c.publicURL}
	values["config"], _ = c.fileName()
	if home, err := boot.Home(c.home); err == nil {
		values["home"] = home
		if values["workspace"] == "" {
			values["workspace"] = filepath.Join(home, "workspace")
		}
	}
	var out []server.Setting
	for _, s := range settings() {
		one := server.Setting{Name: s.flag, Section: s.section, Value: values[s.flag], Origin: "default", Help: s.help, Source: "-" + s.flag, Member: s.member, Variable: s.env, Restart: true}
		switch c.origins[s.flag] {
		case "flag":
			one.Origin = "flag"
		case "environment":
			one.Origin, one.Source = "environment", s.env
		case "file":
			one.Origin, one.Source = "file", configName+": "+strconv.Quote(s.member)
			if c.file != "" {
				one.Source = filepath.Base(c.file) + ": " + strconv.Quote(s.member)
			}
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

func yes(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}

// withoutUser leaves credentials out of a URL.
func withoutUser(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	u.User = nil
	return u.String()
}
