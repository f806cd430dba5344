package files_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/leak"
	"github.com/localpass/localpass/sandbox/internal/files"
)

// swap does something over and over until stop is called.
func swap(t *testing.T, do func()) (stop func()) {
	leak.Check(t)
	var done atomic.Bool
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for !done.Load() {
			do()
		}
	}()
	return func() {
		if !done.Swap(true) {
			<-ended
		}
	}
}

// A directory or a file that is a link to the outside at times never lets
// anything through, whichever of 2,000 times and ways it is used.
func TestRaceWithLink(t *testing.T) {
	for _, kind := range []string{"directory", "file"} {
		t.Run(kind, func(t *testing.T) {
			w := newWorld(t)
			w.write("ws/d/swap/secret.txt", "inside\n")
			w.write("ws/in.txt", "inside\n")
			name, target := "swap", w.outside
			if kind == "file" {
				name, target = "swap/secret.txt", filepath.Join(w.outside, "secret.txt")
			}
			place, aside, link := filepath.Join(w.ws, "d", name), filepath.Join(w.dir, "aside"), filepath.Join(w.dir, "link")
			if err := os.Symlink(target, link); err != nil {
				t.Skipf("no symbolic links here: %v", err)
			}
			stop := swap(t, func() {
				_ = os.Rename(place, aside)
				_ = os.Rename(link, place)
				_ = os.Rename(place, link)
				_ = os.Rename(aside, place)
			})
			defer stop()
			require.NoError(t, w.vm.Set("P", "d/swap/secret.txt"))
			require.NoError(t, w.vm.Set("D", "d/swap"))
			uses := []string{
				`fs.readText(P)`, `fs.grep('.', P)`, `fs.stat(P).size`, `fs.list(D)`, `fs.find('d')`, `fs.searchInFiles('d', '*', '.')`, `fs.copy(P, 'copied') && fs.readText('copied')`,
				`fs.writeText(P, 'inside\n')`, `fs.appendText(P, '')`, `fs.editText(P, 'inside', 'inside')`, `fs.copy('in.txt', P)`, `fs.writeText(D + '/new', 'x')`, `fs.delete(D + '/new')`,
				`fs.delete('d/swap/sub/deep.txt')`, `fs.deleteDir('d/swap/sub')`, `fs.move(D + '/new', 'd/moved')`, `fs.move('d/moved', D + '/new')`,
			}
			answered := 0
			for i := range 1000 {
				use := uses[i%len(uses)]
				got := w.eval(use)
				if strings.Contains(got, "CANARY") || strings.Contains(got, "deep") {
					t.Fatalf("%s: %s", use, got)
				}
				if !strings.HasPrefix(got, "SECURITY") && !strings.HasPrefix(got, "HELPER_RUNTIME") {
					answered++
				}
			}
			stop()
			assert.Positive(t, answered, "the race was never won by the code")
			w.untouched()
		})
	}
}

// Reading through a root that holds the workspaces of all conversations never
// shows those of others, also while links to them come and go.
func TestRaceWithConversations(t *testing.T) {
	w := newWorld(t, func(w *world, s *files.Scope) {
		w.write("all/mine/swap/x.txt", "inside\n")
		w.write("all/other/x.txt", secret)
		s.Workspace, s.Conversation = filepath.Join(w.dir, "all"), "mine"
		s.ReadRoots = []string{w.dir}
		w.ws = filepath.Join(w.dir, "all", "mine")
	})
	place, aside, link := filepath.Join(w.ws, "swap"), filepath.Join(w.dir, "aside"), filepath.Join(w.dir, "link")
	if err := os.Symlink("../other", link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	stop := swap(t, func() {
		_ = os.Rename(place, aside)
		_ = os.Rename(link, place)
		_ = os.Rename(place, link)
		_ = os.Rename(aside, place)
	})
	defer stop()
	for range 1000 {
		for _, use := range []string{`fs.readText('swap/x.txt')`, `fs.searchInFiles('.', '*', '.')`} {
			if got := w.eval(use); strings.Contains(got, "CANARY") {
				t.Fatalf("%s: %s", use, got)
			}
		}
	}
}
