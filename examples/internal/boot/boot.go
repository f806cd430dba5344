// Package boot is the wiring that the example programs share: it finds the home and opens
// the store, the sandbox and the studio in it.
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
	"github.com/localpass/localpass/examples/internal/workspace"
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

// Options configure [Open].
type Options struct {
	// Config holds the location of the home, what tools may do, and the settings of
	// approvals.
	Config *config.Config
	Strict bool
	// Workspace chooses the directory that tools use; nil: each conversation has its own
	// in tools.workspace.
	Workspace *workspace.Workspace
	// ReadOnly leaves the home unchanged, even if it does not exist: the passes stored in
	// it are valid, and whatever the program writes is kept in memory.
	ReadOnly bool
	// Store holds the documents in place of files in the home, which then has only the
	// keys and the workspace. Open does not close it. nil: the files in the home.
	Store localpass.Persistence
	// Lookup finds the values of ${NAME} placeholders; nil: the environment.
	Lookup secret.Lookup
	// Gate creates the gate for tools that need approval. It is called after the store
	// was opened. nil denies the calls of such tools.
	Gate func(*Local) (studio.Gate, error)
	// Poll is how often the store checks for changes that other programs made in the
	// home; 0 is the default of persistence/file.
	Poll   time.Duration
	Logger *slog.Logger
	// Telemetry receives the logs, traces and metrics of all components; nil: logs go to
	// Logger, and traces and metrics are dropped.
	Telemetry *genai.Telemetry
}

// RealWorkspaceUsage is the help text of the flag -workspace-real, which is the same in
// every program.
const RealWorkspaceUsage = "test tools with files in the real workspace; without it each run of a test has a copy of up to 64 MiB and 10,000 files"

// Local is a running execution layer. It must be closed.
type Local struct {
	Home      string
	Store     localpass.Persistence // nil if Options.ReadOnly is set and the home does not exist
	Files     *file.Store           // Store, if it is the files in the home
	Sandbox   *sandbox.Sandbox
	Studio    *studio.Studio
	Telemetry *genai.Telemetry

	config   *config.Config
	unfollow func() // nil if the store is not followed
	opened   sync.Once
	vault    *secret.Vault
}

// Open opens the store, the sandbox and the studio of the home.
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
	if l.Sandbox, err = openSandbox(&opts, l); err != nil {
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

// openStore opens the store of the home for the studio.
func (l *Local) openStore(opts *Options) (localpass.Persistence, error) {
	if _, err := os.Stat(l.Home); opts.ReadOnly && errors.Is(err, fs.ErrNotExist) {
		return memory.New(), nil
	}
	if opts.Store != nil {
		l.Store = opts.Store
		return l.Store, errors.Join(os.MkdirAll(l.Home, 0o700), writable(l.Home))
	}
	var err error
	if l.Files, err = file.Open(l.Home, &file.Options{PollInterval: opts.Poll, Logger: opts.Logger}); err != nil {
		return nil, err
	}
	l.Store = l.Files
	if opts.ReadOnly {
		return &unchanged{Store: memory.New(), home: l.Files}, nil
	}
	return l.Store, writable(l.Home)
}

// Follow keeps the served tools in sync with the home until Close. Programs that serve
// tools call it once.
func (l *Local) Follow() {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	l.unfollow = func() { cancel(); <-ended }
	go func() {
		defer close(ended)
		_ = l.Studio.FollowStore(ctx, nil) // the only error is that ctx was cancelled
	}()
}

// Close stops the workers and closes the files in the home.
func (l *Local) Close() error {
	if l.unfollow != nil {
		l.unfollow()
	}
	var errs []error
	if l.Sandbox != nil {
		errs = append(errs, l.Sandbox.Close())
	}
	if l.Files != nil {
		errs = append(errs, l.Files.Close())
	}
	return errors.Join(errs...)
}

// writable checks at the start that passes and audit records can be written. Otherwise
// every call would fail later.
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

// Bundled returns the active tools of the catalogue: those that the flags select, else
// those stored in the home, else those of the default preset. Tools that were unpublished
// on this home are included only if a flag selects tools.
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
