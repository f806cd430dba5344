package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/catalog"
)

// newSpec writes an example spec to start from. It never overwrites a file.
func newSpec(_ context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("mcpserver new", flag.ContinueOnError)
	flags.SetOutput(stderr)
	dir := flags.String("in", ".", "write it into `DIR`")
	flags.Usage = func() { usage(flags, "mcpserver new") }
	var names []string
	for { // the name may precede the flags
		if err := flags.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return err
			}
			return errUsage
		}
		if flags.NArg() == 0 {
			break
		}
		names, args = append(names, flags.Arg(0)), flags.Args()[1:]
	}
	if len(names) != 1 {
		fmt.Fprintf(stderr, "mcpserver: name the new tool with one NAME, such as myTool\n\n")
		flags.Usage()
		return errUsage
	}
	spec, err := toolspec.Starter(names[0])
	if err != nil {
		return err
	}
	pins, err := catalog.Pins()
	if err != nil {
		return err
	}
	if _, taken := pins[spec.Name]; taken {
		return fmt.Errorf("%s is the name of a bundled tool, and no other tool can have it; choose another, such as my%s%s", spec.Name, strings.ToUpper(spec.Name[:1]), spec.Name[1:])
	}
	file := filepath.Join(*dir, spec.Name+".json")
	if err := writeNew(file, spec); err != nil {
		return err
	}
	shown := quoted(file)
	fmt.Fprintf(stdout, `wrote %s

next:
  mcpserver pass %s
      runs its tests; change the file and run it again
  mcpserver call -args '{"text": "Some words to shorten", "limit": 12}' %s
      calls it once
  mcpserver -specs %s
      serves it over MCP
`, file, shown, shown, shown)
	return nil
}

// writeNew writes the file. It fails if the file exists.
func writeNew(file string, spec *toolspec.Spec) error {
	text, err := spec.MarshalJSON()
	if err != nil {
		return err
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, text, "", "  "); err != nil {
		return err
	}
	pretty.WriteByte('\n')
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s is there already and stays as it is; choose another name, or another folder with -in", file)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no folder %s; make it first, or choose another with -in", filepath.Dir(file))
	case err != nil:
		return fmt.Errorf("cannot write the new spec: %w; choose another folder with -in", err)
	}
	_, err = pretty.WriteTo(f)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(file) // remove the incomplete file, so that a second attempt works
		return fmt.Errorf("cannot write %s: %w", file, err)
	}
	return nil
}

// quoted quotes a path for a shell.
func quoted(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./\\:") == "" && !strings.HasPrefix(path, "-") {
		return path
	}
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
