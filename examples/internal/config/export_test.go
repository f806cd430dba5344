package config

import (
	"flag"
	"io"

	"github.com/localpass/localpass/toolspec/secret"
)

// WithModel is what SaveModel writes.
func WithModel(raw []byte, profile, model string) ([]byte, error) {
	return withModel(raw, profile, model)
}

// Parsed is Load with the text of a file.
func Parsed(p Program, text string, args []string, env secret.Lookup) (*Config, error) {
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	flags := Register(fs, p, nil)
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	c, err := flags.start(env)
	if err == nil {
		err = parse(FileName, []byte(text), c)
	}
	if err != nil {
		return nil, err
	}
	return flags.settle(c, env)
}
