package studio

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/localpass/localpass/toolspec"
)

// FollowOptions are the options of [Studio.Follow]. The zero value works.
type FollowOptions struct {
	// Parse is how files are read.
	Parse toolspec.ParseOptions
	// Test is how specs are tested.
	Test TestOptions
	// Interval is how often the files are checked. Default 150 ms. If a check is slow,
	// the interval grows to ten times its duration, so that a large folder uses at most a
	// tenth of one core.
	Interval time.Duration
	// Settle is how long a file must be unchanged before it is read, so that no
	// half-written file is read. Default 100 ms.
	Settle time.Duration
	// Grace is how long the previous tool of a file stays published after the file can no
	// longer be read as a spec. Default 2 s.
	Grace time.Duration
	// Parallel is how many specs are tested at once. Default: the number of processors.
	Parallel int
	// CaughtUp is called once, when every spec found by the first check has been handled.
	// It must not block.
	CaughtUp func()
}

func (o *FollowOptions) defaults() {
	set := func(d *time.Duration, value time.Duration) {
		if *d <= 0 {
			*d = value
		}
	}
	set(&o.Interval, 150*time.Millisecond)
	set(&o.Settle, 100*time.Millisecond)
	set(&o.Grace, 2*time.Second)
	if o.Parallel <= 0 {
		o.Parallel = runtime.GOMAXPROCS(0)
	}
}

// Followed describes what happened to one spec in a followed file.
type Followed struct {
	// Document is the spec as it was read; its Spec is nil if it could not be read.
	Document toolspec.Document
	// Passed is the published tool, nil when there is none now.
	Passed *Passed
	// Report is the result of the test; nil if there was no test.
	Report *Report
	// Withdrawn says that the tool was unpublished because its file, or the spec in it,
	// no longer exists.
	Withdrawn bool
}

// Follow keeps the published tools in step with spec files, until ctx ends or the loop
// is left: paths are files and folders as in [specfile.Load]. A spec that is new
// or was changed is tested and published; one that does not pass, and one whose file
// has gone, is withdrawn: what is served is what the files contain. A file that is
// being written, and a path that is not there, is waited for.
//
// It yields one value per event, with the error if the spec cannot be served. While a new
// version is tested, the previous tool of the same id stays published. When the loop
// ends, the tools stay published.
//
// Files are polled rather than watched, because polling also finds renames, deleted
// folders and changes on network drives.
func (s *Studio) Follow(ctx context.Context, paths []string, opts *FollowOptions) iter.Seq2[Followed, error] {
	return func(yield func(Followed, error) bool) {
		f := &follower{studio: s, paths: slices.Clone(paths), files: map[string]*followedFile{}, tools: map[string]*followedTool{},
			results: make(chan admission)}
		if opts != nil {
			f.opts = *opts
		}
		f.opts.defaults()
		f.slots = make(chan struct{}, f.opts.Parallel)
		ctx, cancel := context.WithCancel(ctx)
		defer f.group.Wait()
		defer cancel()
		f.run(ctx, yield)
	}
}

// follower is one run of Follow. Only the goroutine of the loop uses its fields.
type follower struct {
	studio  *Studio
	paths   []string
	opts    FollowOptions
	files   map[string]*followedFile
	tools   map[string]*followedTool // by tool id
	results chan admission
	slots   chan struct{}
	group   sync.WaitGroup
	first   int  // admissions of the first look under way
	looked  bool // once
	caught  bool
}

// followedTool is a spec that was read from a file.
type followedTool struct {
	document toolspec.Document
	hash     string
	cancel   context.CancelFunc
	done     chan struct{} // closed when its admission has ended
	first    bool
}

// admission is how one went.
type admission struct {
	tool   *followedTool
	id     string
	passed *Passed
	report *Report
	err    error
}

func (f *follower) run(ctx context.Context, yield func(Followed, error) bool) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case r := <-f.results:
			if !f.finished(r, yield) {
				return
			}
		case <-timer.C:
			started := time.Now()
			changed, soon := f.look(started)
			if changed && !f.update(ctx, yield) {
				return
			}
			f.looked = f.looked || !soon
			wait := max(f.opts.Interval, 10*time.Since(started))
			if soon {
				wait = min(wait, max(f.opts.Settle, time.Since(started)))
			}
			timer.Reset(wait)
		}
		if f.first == 0 && f.looked && !f.caught {
			f.caught = true
			if f.opts.CaughtUp != nil {
				f.opts.CaughtUp()
			}
		}
	}
}

// update compares the content of the files with the published tools.
func (f *follower) update(ctx context.Context, yield func(Followed, error) bool) bool {
	now := map[string]bool{}
	for _, doc := range f.documents() {
		if doc.Spec == nil {
			if !f.known(doc) && !yield(Followed{Document: doc}, documentError(doc)) {
				return false
			}
			continue
		}
		id := doc.Spec.ID()
		if err := doc.Problems.Err(); err != nil {
			if !f.known(doc) && !yield(Followed{Document: doc}, documentError(doc)) {
				return false
			}
			continue
		}
		now[id] = true
		hash := doc.Spec.ContentHash()
		old := f.tools[id]
		if old != nil && old.hash == hash {
			old.document.Source = doc.Source // it was renamed
			continue
		}
		f.admit(ctx, id, hash, doc, old)
	}
	for id, tool := range f.tools {
		if now[id] {
			continue
		}
		delete(f.tools, id)
		f.stopAdmission(tool)
		f.studio.Withdraw(id)
		if !yield(Followed{Document: tool.document, Withdrawn: true}, nil) {
			return false
		}
	}
	return true
}

// known reports whether the same error of a document has already been reported.
func (f *follower) known(doc toolspec.Document) bool {
	file := f.files[doc.Source]
	if file == nil {
		return false
	}
	text := documentError(doc).Error()
	if file.told[doc.Pointer] == text {
		return true
	}
	if file.told == nil {
		file.told = map[string]string{}
	}
	file.told[doc.Pointer] = text
	return false
}

// admit tests and publishes a spec in the background. old is the tool that it replaces,
// or nil.
func (f *follower) admit(ctx context.Context, id, hash string, doc toolspec.Document, old *followedTool) {
	ctx, cancel := context.WithCancel(ctx)
	tool := &followedTool{document: doc, hash: hash, cancel: cancel, done: make(chan struct{}), first: !f.caught}
	if tool.first {
		f.first++
	}
	if old != nil {
		old.cancel()
		if old.first {
			f.first--
		}
	}
	f.tools[id] = tool
	outer := ctx
	f.group.Go(func() {
		defer cancel()
		r := admission{tool: tool, id: id}
		func() {
			defer close(tool.done)
			if old != nil {
				<-old.done // otherwise it could publish after this admission
			}
			select {
			case f.slots <- struct{}{}:
				defer func() { <-f.slots }()
			case <-ctx.Done():
				r.err = ctx.Err()
				return
			}
			r.passed, r.report, r.err = f.studio.TestAndPublish(ctx, doc.Spec, &f.opts.Test)
		}()
		select {
		case f.results <- r:
		case <-outer.Done(): // it was replaced, or Follow has ended
		}
	})
}

// finished reports an admission.
func (f *follower) finished(r admission, yield func(Followed, error) bool) bool {
	if f.tools[r.id] != r.tool {
		return true // it was replaced
	}
	if r.tool.first {
		r.tool.first = false
		f.first--
	}
	if r.err != nil {
		f.studio.Withdraw(r.id) // the published tool is not the one in the file
	}
	return yield(Followed{Document: r.tool.document, Passed: r.passed, Report: r.report}, r.err)
}

// stopAdmission stops an admission and waits for it, so that it publishes nothing later.
func (f *follower) stopAdmission(tool *followedTool) {
	tool.cancel()
	<-tool.done
	if tool.first {
		f.first--
	}
}

func documentError(doc toolspec.Document) error {
	err := doc.Problems.Err()
	if err == nil {
		err = errors.New("there is no spec")
	}
	return fmt.Errorf("studio: %s: %w", doc.Place(), err)
}
