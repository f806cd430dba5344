// Package boot is the wiring that the example programs share: where the home
// is, and how store, sandbox and studio are arranged in it.
package boot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/examples/internal/config"
	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/persistence/file"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/catalog"
	"github.com/localpass/localpass/toolspec/secret"
	"github.com/localpass/localpass/toolspec/studio"
)

// Options say what the program was asked for.
type Options struct {
	// Config says where the home is, what tools may do, and how people are asked.
	Config *config.Config
	Strict bool
	// ReadOnly leaves the home as it is, also where there is none: the passes that it
	// keeps count, and what is written is kept in memory.
	ReadOnly bool
	// Lookup finds the values of ${NAME} placeholders; nil: the environment.
	Lookup secret.Lookup
	// Gate makes what answers for tools that want approval; the store is open by
	// then. nil: their calls are denied.
	Gate func(*Local) (studio.Gate, error)
	// Poll is how often is looked for what other programs changed in the home; 0 is
	// the default of persistence/file.
	Poll   time.Duration
	Logger *slog.Logger
	// Telemetry is where everything tells what it does; nil: its log lines go to
	// Logger, and the rest nowhere.
	Telemetry *genai.Telemetry
}

// RealWorkspaceUsage is the help of -workspace-real, the same in every program.
const RealWorkspaceUsage = "test tools with files in the real workspace; without it each run of a test has a copy of up to 64 MiB and 10,000 files"

// Local is a running execution layer: close it when done.
type Local struct {
	Home      string
	Store     *file.Store // nil: a home that is only read, and is not there
	Sandbox   *sandbox.Sandbox
	Studio    *studio.Studio
	Telemetry *genai.Telemetry

	config   *config.Config
	unfollow func() // nil: the store is not followed
	opened   sync.Once
	vault    *secret.Vault
}

// Open brings store, sandbox and studio up in the home.
func Open(ctx context.Context, opts Options) (_ *Local, err error) {
	l := &Local{Telemetry: cmp.Or(opts.Telemetry, &genai.Telemetry{Logger: opts.Logger}), Home: opts.Config.Home, config: opts.Config}
	defer func() {
		if err != nil {
			l.Close()
		}
	}()
	store, err := l.openStore(&opts)
	if err != nil {
		return nil, homeError(l.Home, err)
	}
	if l.Sandbox, err = openSandbox(&opts.Config.Tools, l); err != nil {
		return nil, err
	}
	pins, err := catalog.Pins()
	if err != nil {
		return nil, err
	}
	var gate studio.Gate
	if opts.Gate != nil {
		if gate, err = opts.Gate(l); err != nil {
			return nil, err
		}
	}
	if opts.Lookup == nil {
		opts.Lookup = secret.Env()
	}
	l.Studio, err = studio.New(ctx, l.Sandbox, store, &studio.Options{
		Host:      HostFor(&opts.Config.Tools),
		Lookup:    opts.Lookup,
		Gate:      gate,
		Pins:      pins,
		Bundled:   catalog.Specs,
		Strict:    opts.Strict,
		Telemetry: l.Telemetry,
	})
	if err != nil {
		return nil, homeError(l.Home, err)
	}
	return l, nil
}

// openStore opens the store of the home, for what a studio keeps.
func (l *Local) openStore(opts *Options) (localpass.Persistence, error) {
	if _, err := os.Stat(l.Home); opts.ReadOnly && errors.Is(err, fs.ErrNotExist) {
		return memory.New(), nil
	}
	var err error
	if l.Store, err = file.Open(l.Home, &file.Options{PollInterval: opts.Poll, Logger: opts.Logger}); err != nil {
		return nil, err
	}
	if opts.ReadOnly {
		return &unchanged{Store: memory.New(), home: l.Store}, nil
	}
	return l.Store, writable(l.Home)
}

// Follow keeps what is served in step with the home until Close. It is called
// once, by programs that serve tools.
func (l *Local) Follow() {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	l.unfollow = func() { cancel(); <-ended }
	go func() {
		defer close(ended)
		_ = l.Studio.FollowStore(ctx, nil) // that ctx ended
	}()
}

// Close ends the workers and the store.
func (l *Local) Close() error {
	if l.unfollow != nil {
		l.unfollow()
	}
	var errs []error
	if l.Sandbox != nil {
		errs = append(errs, l.Sandbox.Close())
	}
	if l.Store != nil {
		errs = append(errs, l.Store.Close())
	}
	return errors.Join(errs...)
}

// writable finds out at the start what would otherwise refuse every call later:
// passes and audit records have to be written.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return fmt.Errorf("%w: %w", localpass.ErrReadOnly, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func homeError(home string, err error) error {
	return fmt.Errorf("the home %s cannot be used: %w; choose another with -home or LOCALPASS_HOME", home, err)
}

// Bundled gives the active tools of the catalogue: as the flags say, else as the
// home remembers, else those of the default preset. Those that were unpublished on
// this home are among them only where a flag asks for tools.
func (l *Local) Bundled(ctx context.Context, preset, changes string) ([]toolspec.Document, error) {
	exposure, saved, err := mcphub.SavedExposure(ctx, l.Store)
	if err != nil {
		return nil, err
	}
	var ids []string
	if saved {
		ids = append([]string{}, exposure.Exposed...)
	}
	published, err := l.Studio.PublishedBundled(ctx)
	if err != nil {
		return nil, err
	}
	specs, err := catalog.Activate(preset, changes, ids)
	if preset == "" && changes == "" {
		specs = slices.DeleteFunc(specs, func(s *toolspec.Spec) bool {
			on, known := published[s.ID()]
			return known && !on
		})
	}
	documents := make([]toolspec.Document, len(specs))
	for i, spec := range specs {
		documents[i] = toolspec.Document{Spec: spec, Source: "bundled"}
	}
	return documents, err
}
