package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/localpass/localpass/mcphub"
	"github.com/localpass/localpass/persistence/memory"
	"github.com/localpass/localpass/sandbox"
	"github.com/localpass/localpass/toolspec/studio"
)

// BenchmarkWatch saves a spec and waits until a client that is connected over
// stdio is told that the tools changed. The limit is one second for a spec that
// takes 100 ms; "spec-ms/op" is what its own test takes of that. 500 saves more,
// at once, stand for a folder that is unpacked.
func BenchmarkWatch(b *testing.B) {
	for _, took := range []int{0, 100} {
		b.Run(fmt.Sprintf("spec=%dms", took), func(b *testing.B) {
			w := newWatched(b)
			w.save("tool", took, "v0")
			w.changed()
			var slowest time.Duration
			b.ResetTimer()
			for i := range b.N {
				start := time.Now()
				w.save("tool", took, fmt.Sprint("v", i+1))
				w.changed()
				slowest = max(slowest, time.Since(start))
			}
			b.ReportMetric(float64(took), "spec-ms/op")
			b.ReportMetric(float64(slowest.Milliseconds()), "slowest-ms")
		})
	}
	b.Run("500 at once", func(b *testing.B) {
		for range b.N {
			b.StopTimer()
			w := newWatched(b)
			b.StartTimer()
			for i := range 500 {
				w.save(fmt.Sprintf("t%03d", i), 0, "v")
			}
			for len(w.studio.Published()) < 500 {
				w.changed()
			}
		}
	})
}

type watched struct {
	b      *testing.B
	dir    string
	studio *studio.Studio
	lines  *bufio.Reader
}

func newWatched(b *testing.B) *watched {
	b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	box, err := sandbox.New(nil)
	check(b, err)
	studio, err := studio.New(ctx, box, memory.New(), nil)
	check(b, err)
	hub, err := mcphub.New(nil)
	check(b, err)
	check(b, hub.Attach(studio))
	w := &watched{b: b, dir: b.TempDir(), studio: studio}
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	w.lines = bufio.NewReader(stdout)
	done := make(chan struct{}, 2)
	go func() {
		_ = hub.ServeStdio(ctx, in, out)
		done <- struct{}{}
	}()
	go func() {
		for _, err := range studio.Follow(ctx, []string{w.dir}, nil) {
			if err != nil {
				b.Error(err)
			}
		}
		done <- struct{}{}
	}()
	b.Cleanup(func() {
		cancel()
		stdin.Close()
		stdout.Close()
		<-done
		<-done
		check(b, hub.Close())
		check(b, box.Close())
	})
	fmt.Fprintln(stdin, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
	_, err = w.lines.ReadString('\n')
	check(b, err)
	fmt.Fprintln(stdin, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return w
}

func (w *watched) save(name string, took int, version string) {
	w.b.Helper()
	code := fmt.Sprintf("// %s\nconst end = clock() + %d; while (clock() < end) {} return n; function clock() { return new Date().getTime(); }", version, took)
	doc, err := json.Marshal(map[string]any{"name": name, "description": "A tool that takes its time, " + version, "codeType": "Javascript", "code": code,
		"params": []any{map[string]any{"name": "n", "type": "INTEGER", "required": true, "testValue": "1"}}})
	check(w.b, err)
	// In one step, as editors do: a file that is looked at while it is written is
	// told as a problem until the next look.
	file := filepath.Join(w.dir, name+".json")
	check(w.b, os.WriteFile(file+".new", doc, 0o644))
	check(w.b, os.Rename(file+".new", file))
}

// changed reads until the client is told.
func (w *watched) changed() {
	w.b.Helper()
	for {
		line, err := w.lines.ReadString('\n')
		check(w.b, err)
		if strings.Contains(line, "list_changed") {
			return
		}
	}
}

func check(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
