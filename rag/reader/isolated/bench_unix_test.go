//go:build unix

package isolated

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/reader/internal/testpdf"
)

// BenchmarkRead is what a small file costs, which is mostly the process that reads it: the
// processor time of both programs.
func BenchmarkRead(b *testing.B) {
	dir, err := os.UserCacheDir()
	require.NoError(b, err)
	for _, file := range []rag.File{{Name: "a.csv", Data: []byte("a,b\n1,2\n")}, {Name: "a.pdf", Data: testpdf.Make("", "A page.")}} {
		b.Run(file.Name, func(b *testing.B) {
			r, err := New(&Options{CacheDir: filepath.Join(dir, "localpass-ci", "pdfium")})
			require.NoError(b, err)
			_, err = r.Read(context.Background(), file)
			require.NoError(b, err)
			began := spent(b)
			for b.Loop() {
				_, err := r.Read(context.Background(), file)
				require.NoError(b, err)
			}
			require.NoError(b, r.Close())
			b.ReportMetric(float64((spent(b)-began).Microseconds())/float64(b.N), "cpu-µs/op")
		})
	}
}

// spent is the processor time of this program and of its processes that ended.
func spent(b *testing.B) time.Duration {
	b.Helper()
	var sum int64
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		require.NoError(b, syscall.Getrusage(who, &u))
		sum += u.Utime.Nano() + u.Stime.Nano()
	}
	return time.Duration(sum)
}
