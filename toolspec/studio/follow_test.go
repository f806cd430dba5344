package studio_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/studio"
)

// following is a studio that follows a folder.
type following struct {
	*bench
	t    *testing.T
	dir  string
	next func() (studio.Followed, error, bool)
	stop func()
}

func follow(t *testing.T, opts studio.FollowOptions, before func(f *following)) *following {
	t.Helper()
	leak.Check(t)
	f := &following{bench: newBench(t, nil), t: t, dir: filepath.Join(t.TempDir(), "specs")}
	require.NoError(t, os.Mkdir(f.dir, 0o755))
	if before != nil {
		before(f)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	opts.Interval, opts.Settle = 10*time.Millisecond, 20*time.Millisecond
	if opts.Grace == 0 {
		opts.Grace = time.Hour
	}
	f.next, f.stop = iter.Pull2(f.Follow(ctx, []string{f.dir}, &opts))
	t.Cleanup(func() { f.stop(); cancel() })
	return f
}

// spec is a spec that gives back its arguments; wrong makes its test fail.
func followSpec(name, text string) string {
	return fmt.Sprintf(`{"name":%q,"description":%q,"codeType":"Javascript","code":"return {n};","params":[{"name":"n","type":"STRING","required":true,"testValue":"1"}],
		"x-tests":[{"args":{"n":"x"},"want":{"n":"x"}}]}`, name, text)
}

// write puts a whole file in its place, as editors do: one that is written there is
// empty for a moment, which a busy machine may draw out.
func (f *following) write(name, text string) {
	f.t.Helper()
	aside := filepath.Join(filepath.Dir(f.dir), "aside")
	require.NoError(f.t, os.WriteFile(aside, []byte(text), 0o644))
	require.NoError(f.t, os.Rename(aside, filepath.Join(f.dir, name)))
}

func (f *following) expect() (studio.Followed, error) {
	f.t.Helper()
	e, err, ok := f.next()
	require.True(f.t, ok, "nothing came")
	return e, err
}

// published waits for a tool to come on the air.
func (f *following) published(name string) studio.Followed {
	f.t.Helper()
	e, err := f.expect()
	require.NoError(f.t, err)
	require.NotNil(f.t, e.Passed, "%+v", e)
	assert.Equal(f.t, name, e.Passed.Definition().Name)
	require.NoError(f.t, e.Passed.Err())
	return e
}

func (f *following) withdrawn(name string) {
	f.t.Helper()
	e, err := f.expect()
	require.NoError(f.t, err)
	require.True(f.t, e.Withdrawn, "%+v", e)
	assert.Equal(f.t, name, e.Document.Spec.Name)
}

func (f *following) names() (names []string) {
	for _, p := range f.Published() {
		names = append(names, p.Definition().Name)
	}
	return names
}

func TestFollow(t *testing.T) {
	f := follow(t, studio.FollowOptions{}, func(f *following) { f.write("a.json", followSpec("a", "first")) })
	f.published("a")
	f.write("b.json", followSpec("b", "first"))
	e := f.published("b")
	assert.Equal(t, filepath.Join(f.dir, "b.json"), e.Document.Source)
	assert.True(t, e.Report.OK)

	f.write("b.json", followSpec("b", "second"))
	assert.Equal(t, "second", f.published("b").Passed.Definition().Description, "an edit comes on the air")
	f.write("b.json", strings.Replace(followSpec("b", "third"), `"want":{"n":"x"}`, `"want":{"n":"y"}`, 1))
	e, err := f.expect()
	require.ErrorIs(t, err, studio.ErrNoPass)
	assert.ErrorContains(t, err, `not "y"`)
	assert.Nil(t, e.Passed)
	assert.False(t, e.Report.OK)
	assert.Equal(t, []string{"a"}, f.names(), "what does not pass is not served, in no version")
	f.write("b.json", followSpec("b", "second"))
	f.published("b")

	require.NoError(t, os.Remove(filepath.Join(f.dir, "a.json")))
	f.withdrawn("a")
	assert.Equal(t, []string{"b"}, f.names())
	require.NoError(t, os.RemoveAll(f.dir))
	f.withdrawn("b")
	require.NoError(t, os.MkdirAll(filepath.Join(f.dir, "deep"), 0o755))
	f.write("deep/b.json", followSpec("b", "second"))
	f.published("b")
}

// A file that is being written is waited for, and what is on the air stays.
func TestFollowHalfWritten(t *testing.T) {
	f := follow(t, studio.FollowOptions{}, func(f *following) { f.write("a.json", followSpec("a", "first")) })
	passed := f.published("a").Passed
	whole := followSpec("a", "second")
	file, err := os.Create(filepath.Join(f.dir, "a.json"))
	require.NoError(t, err)
	_, err = file.WriteString(whole[:40])
	require.NoError(t, err)
	f.write("marker.json", followSpec("marker", "comes later than the half file"))
	f.published("marker")
	assert.NoError(t, passed.Err(), "half a file takes nothing off the air")
	_, err = file.WriteString(whole[40:])
	require.NoError(t, err)
	require.NoError(t, file.Close())
	assert.Equal(t, "second", f.published("a").Passed.Definition().Description)
}

// A file that stays broken takes its tool off the air, and its author one read.
func TestFollowBroken(t *testing.T) {
	f := follow(t, studio.FollowOptions{Grace: time.Millisecond}, func(f *following) { f.write("a.json", followSpec("a", "first")) })
	f.published("a")
	f.write("a.json", "{\n  oops")
	e, err := f.expect()
	assert.ErrorContains(t, err, "line 2")
	assert.ErrorContains(t, err, "a.json")
	assert.Nil(t, e.Document.Spec)
	f.withdrawn("a")
	f.write("other.json", "{")
	_, err = f.expect()
	assert.ErrorContains(t, err, "other.json", "what was said of a.json is not said again")
	f.write("a.json", followSpec("a", "first"))
	f.published("a")
}

// A renamed file is the same tool: it stays on the air, and is not tested again.
func TestFollowRename(t *testing.T) {
	f := follow(t, studio.FollowOptions{}, func(f *following) { f.write("z.json", followSpec("a", "first")) })
	passed := f.published("a").Passed
	f.runner.mu.Lock()
	runs := f.runner.runs
	f.runner.mu.Unlock()
	require.NoError(t, os.Rename(filepath.Join(f.dir, "z.json"), filepath.Join(f.dir, "b.json")))
	f.write("marker.json", followSpec("marker", "comes later"))
	f.published("marker")
	require.NoError(t, os.Remove(filepath.Join(f.dir, "marker.json")))
	f.withdrawn("marker")
	assert.NoError(t, passed.Err())
	assert.Equal(t, []string{"a"}, f.names())
	f.runner.mu.Lock()
	defer f.runner.mu.Unlock()
	assert.Equal(t, runs+2, f.runner.runs, "the marker alone was tested")
}

func TestFollowClash(t *testing.T) {
	f := follow(t, studio.FollowOptions{}, func(f *following) { f.write("a.json", followSpec("a", "first")) })
	f.published("a")
	f.write("b.json", followSpec("a", "the same name"))
	_, err := f.expect()
	assert.ErrorContains(t, err, `"a" is also the name of`)
	require.NoError(t, os.Remove(filepath.Join(f.dir, "a.json")))
	assert.Equal(t, "the same name", f.published("a").Passed.Definition().Description, "it takes the place of the one that has gone")
}

func TestFollowManyAtOnce(t *testing.T) {
	const n = 500
	var caughtUp atomic.Int32
	f := follow(t, studio.FollowOptions{CaughtUp: func() { caughtUp.Add(1) }}, nil)
	for i := range n {
		f.write(fmt.Sprintf("t%03d.json", i), followSpec(fmt.Sprintf("t%03d", i), "one of many"))
	}
	seen := map[string]bool{}
	for len(seen) < n {
		e, err := f.expect()
		require.NoError(t, err)
		seen[e.Document.Spec.Name] = true
	}
	assert.Len(t, f.names(), n)
	require.NoError(t, os.RemoveAll(f.dir))
	for range n {
		e, err := f.expect()
		require.NoError(t, err)
		require.True(t, e.Withdrawn)
	}
	assert.Empty(t, f.names())
	assert.EqualValues(t, 1, caughtUp.Load(), "of the first look, when its last tool was told of")
}

// A test under way is given up for the newer version, which alone is published.
func TestFollowEditDuringTest(t *testing.T) {
	started := make(chan struct{}, 8)
	f := follow(t, studio.FollowOptions{}, func(f *following) {
		f.runner.run = func(ctx context.Context, req *toolspec.RunRequest) (*toolspec.Outcome, error) {
			if req.Spec.Description == "slow" {
				started <- struct{}{}
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return echoes(ctx, req)
		}
		f.write("a.json", followSpec("a", "slow"))
	})
	go func() {
		<-started
		f.write("a.json", followSpec("a", "quick"))
	}()
	assert.Equal(t, "quick", f.published("a").Passed.Definition().Description)
	f.write("a.json", followSpec("a", "slow"))
	go func() {
		<-started
		_ = os.Remove(filepath.Join(f.dir, "a.json"))
	}()
	f.withdrawn("a")
	assert.Empty(t, f.names())
}

// Leaving the loop ends everything but what is on the air.
func TestFollowEnds(t *testing.T) {
	started := make(chan struct{})
	f := follow(t, studio.FollowOptions{}, func(f *following) { f.write("a.json", followSpec("a", "first")) })
	f.published("a")
	f.runner.mu.Lock()
	f.runner.run = func(ctx context.Context, _ *toolspec.RunRequest) (*toolspec.Outcome, error) {
		close(started)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	f.runner.mu.Unlock()
	f.write("b.json", followSpec("b", "never done"))
	go func() {
		<-started
		f.write("c.json", "{") // something to wake the loop with
	}()
	_, err := f.expect()
	assert.ErrorContains(t, err, "c.json")
	f.stop()
	assert.Equal(t, []string{"a"}, f.names())
}

// An edit that keeps the size and sets the time back is an edit.
func TestFollowEditThatKeepsSizeAndTime(t *testing.T) {
	past := time.Now().Add(-time.Hour).Truncate(time.Second)
	place := func(f *following, text string) {
		aside := filepath.Join(filepath.Dir(f.dir), "aside")
		require.NoError(f.t, os.WriteFile(aside, []byte(text), 0o644))
		require.NoError(f.t, os.Chtimes(aside, past, past))
		require.NoError(f.t, os.Rename(aside, filepath.Join(f.dir, "a.json")))
	}
	f := follow(t, studio.FollowOptions{}, func(f *following) { place(f, followSpec("a", "one")) })
	f.published("a")
	place(f, followSpec("a", "two"))
	assert.Equal(t, "two", f.published("a").Passed.Definition().Description)
}
