package main

import (
	"bufio"
	"flag"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/localpass/localpass/examples/internal/boot"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// realFlag defines -workspace-real for the commands that test specs.
func realFlag(fs *flag.FlagSet) *bool {
	return fs.Bool("workspace-real", false, boot.RealWorkspaceUsage)
}

// uncopied returns why the workspace could not be copied for a test; empty if it was
// copied.
func uncopied(report *studio.Report) string {
	if report == nil {
		return ""
	}
	for _, run := range report.Runs {
		if run.Result == nil || run.Result.Err == nil {
			continue
		}
		switch run.Result.Err.Reason {
		case toolspec.ReasonWorkspaceTooLarge, toolspec.ReasonWorkspaceCopy:
			return run.Result.Err.Message
		}
	}
	return ""
}

// askReal asks the user at the terminal whether a test may use the real workspace.
// Without a terminal it returns false.
func askReal(name, why string, stdin io.Reader, stderr io.Writer) bool {
	in, ok := stdin.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) || !term.IsTerminal(int(os.Stderr.Fd())) {
		return false
	}
	printLine(stderr, "%s: %s", name, why)
	printLine(stderr, "Test it in the real workspace? It can change and remove what is there. [y/N]")
	line, _ := bufio.NewReader(in).ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}
