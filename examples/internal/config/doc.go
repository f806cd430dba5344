// Package config is the configuration of the example programs: one table of knobs,
// one file, one order of strength.
//
// A value is that of a flag, else of a variable of the environment, else of the
// file localpass.json in the home, else its default. [Knobs] is the one list of what
// can be set: the parser, -help, the JSON Schema, docs/configuration.md and
// "config show" are made of it.
//
//	fs := flag.NewFlagSet("clichat", flag.ContinueOnError)
//	flags := config.Register(fs, config.Clichat, nil)
//	if err := fs.Parse(args); err != nil {
//		return err
//	}
//	cfg, err := flags.Load(secret.Env())
//
// # The file
//
// It is JSON in which // and /* */ begin comments and a comma may follow the last
// member. It is strict: a member that is not known, given twice, of a wrong type or
// out of bounds is an [Error] with file, line and column, and every one is told, up to
// twenty. Secrets stand in it as ${NAME} alone.
//
// # Profiles
//
// A [Profile] says which server of models answers, and is whole: provider, URL, key,
// headers, model. No URL, key or header of one profile is ever used with another. The
// variables OPENAI_BASE_URL, OPENAI_API_KEY and OLLAMA_HOST are profiles of their
// own, openai and ollama, together env. Only the name of the model may come from
// elsewhere, and the URL by -base-url: then the key and the headers stay behind,
// unless it leads to the same server.
//
// The syntax tree of the file is that of github.com/tailscale/hujson, which keeps
// comments when a value is saved.
package config
