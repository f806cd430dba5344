package scan

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// runner is how a program that fetches packages and runs them reads its arguments.
type runner struct {
	commands []string // the words before the package, one of which must come; nil: none
	packages []string // options whose value is a package
	values   []string // other options that take a value
	flags    []string // options without one
	exact    *regexp.Regexp
	write    string // how an exact version is written
}

var (
	npmExact   = regexp.MustCompile(`^(?:npm:)?(?:@[\w.-]+/)?[\w.-]+@v?\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$`)
	pythonName = regexp.MustCompile(`^(?:[\w.-]+(?:\[[\w,.-]+\])?(?:==|@)v?\d+(?:\.\d+)+[\w.+-]*|git\+https://\S+@[0-9a-f]{40})$`)
	imageExact = regexp.MustCompile(`^\S+@sha256:[0-9a-f]{64}$`)
	goExact    = regexp.MustCompile(`^[\w.-]+(?:/[\w.~-]+)+@v\d+\.\d+\.\d+[\w.+-]*$`)

	npmRunner = runner{packages: []string{"-p", "--package"}, values: []string{"--registry", "--prefix", "--cache", "--loglevel", "-w", "--workspace"},
		flags: []string{"-y", "--yes", "-q", "--quiet", "--silent", "--no-install", "--no", "--prefer-offline", "--offline", "--ignore-existing", "--bun", "--"},
		exact: npmExact, write: "package@1.2.3"}
	pythonRunner = runner{packages: []string{"--from", "--with", "--spec"}, values: []string{"--python", "-p", "--index", "--index-url", "--directory", "--cache-dir"},
		flags: []string{"-q", "--quiet", "--isolated", "--offline", "--no-cache", "--refresh", "--no-config", "--no-progress", "--"}, exact: pythonName, write: "package==1.2.3"}
	imageRunner = runner{commands: []string{"run"}, exact: imageExact, write: "image@sha256: and its 64 digits",
		values: []string{"-e", "--env", "--env-file", "-v", "--volume", "--mount", "--tmpfs", "--name", "--network", "-p", "--publish", "-u", "--user", "-w", "--workdir", "-l", "--label",
			"-m", "--memory", "--cpus", "--entrypoint", "--platform", "--pull", "--add-host", "--cap-add", "--cap-drop", "--security-opt", "--log-driver", "--hostname", "-h", "--pids-limit"},
		flags: []string{"-i", "-t", "-it", "-ti", "--rm", "--init", "--interactive", "--tty", "--read-only", "--privileged", "-d", "--detach", "-q", "--quiet"}}
)

// with returns the runner with other words before the package.
func (r runner) with(commands ...string) *runner {
	r.commands = commands
	return &r
}

// runners are programs that fetch a package and run it.
var runners = map[string]*runner{
	"npx": npmRunner.with(), "bunx": npmRunner.with(), "npm": npmRunner.with("exec", "x"), "bun": npmRunner.with("x"), "pnpm": npmRunner.with("dlx"), "pnpx": npmRunner.with(),
	"yarn": npmRunner.with("dlx"), "uvx": pythonRunner.with(), "pipx": pythonRunner.with("run"), "uv": pythonRunner.with("tool run", "x"), "docker": imageRunner.with("run"), "podman": imageRunner.with("run"),
	"go": {commands: []string{"run"}, exact: goExact, write: "module/path@v1.2.3"},
	"deno": {commands: []string{"run"}, exact: npmExact, write: "npm:package@1.2.3", flags: []string{"-A", "--allow-all", "-q", "--quiet", "--no-prompt", "--allow-net", "--allow-read", "--allow-write",
		"--allow-env", "--allow-run", "--allow-sys", "--no-check"}},
}

// Unpinned looks at a command that may fetch a package and run it, as npx, uvx and docker do. If
// no exact version of the package is named, it returns the argument that should name it and a
// sentence that says how; both are empty for an exact version, and for a command that fetches
// nothing. Options that it does not know and a command line for a shell count as not exact,
// because what they run cannot be told. A script that runs such a command is not seen.
func Unpinned(command string, args []string) (found, why string) {
	program := programOf(command)
	switch {
	case shells[program]:
		for i, arg := range args {
			option := strings.ToLower(arg)
			switch {
			case !strings.HasPrefix(option, "-") && (program != "cmd" || !strings.HasPrefix(option, "/")): // a script
				return "", ""
			case option == "/c" && i+1 < len(args) && !strings.ContainsAny(args[i+1], " &|"):
				return Unpinned(args[i+1], args[i+2:])
			case option == "/k" || option == "/c" || strings.Contains(option, "c") || strings.HasPrefix(option, "-e"):
				return arg, "the program is a shell with a command line: name the program and its arguments instead"
			}
		}
		return "", ""
	case strings.Contains(command, "${"):
		return command, "the program is a placeholder: write its name"
	case program == "env":
		for i, arg := range args {
			if !strings.Contains(arg, "=") {
				return Unpinned(arg, args[i+1:])
			}
		}
		return "", ""
	}
	r := runners[program]
	if r == nil {
		return "", ""
	}
	return r.unpinned(program, args)
}

func (r *runner) unpinned(program string, args []string) (found, why string) {
	if r.commands != nil {
		rest, fetches := args, false
		for _, words := range r.commands {
			if n := len(strings.Fields(words)); len(args) >= n && strings.Join(args[:n], " ") == words {
				rest, fetches = args[n:], true
				break
			}
		}
		if !fetches && slices.ContainsFunc(args, func(arg string) bool { return slices.Contains(r.commands, arg) }) {
			return args[0], program + " has options before its command: write them after it"
		}
		if !fetches {
			return "", ""
		}
		args = rest
	}
	notExact := program + " must run an exact version: write " + r.write
	named := false
	for i := 0; i < len(args); i++ {
		arg := args[i]
		option, value, joined := strings.Cut(arg, "=")
		switch {
		case !strings.HasPrefix(arg, "-"):
			switch {
			case named, r.exact.MatchString(arg):
				return "", ""
			case (program == "go" || program == "deno") && (strings.HasPrefix(arg, ".") || path.IsAbs(arg)): // a file of this machine
				return "", ""
			}
			return arg, notExact
		case slices.Contains(r.packages, option):
			if !joined {
				if i++; i == len(args) {
					return arg, notExact
				}
				value = args[i]
			}
			if !r.exact.MatchString(value) {
				return value, notExact
			}
			named = named || option != "--with"
		case slices.Contains(r.values, option):
			if !joined {
				i++
			}
		case joined && strings.HasPrefix(arg, "--") && option != "--call", slices.Contains(r.flags, arg):
		default:
			return arg, "what " + program + " runs cannot be told with the option " + option + ": leave it out, or write it after the package"
		}
	}
	if named {
		return "", ""
	}
	return "", notExact
}

// programOf returns the name of a program without its folder and the endings of Windows.
func programOf(command string) string {
	name := strings.ToLower(path.Base(strings.ReplaceAll(command, `\`, "/")))
	return strings.TrimSuffix(strings.TrimSuffix(name, ".exe"), ".cmd")
}
