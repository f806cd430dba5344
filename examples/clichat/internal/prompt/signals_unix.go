//go:build unix

package prompt

import (
	"os"
	"os/signal"
	"syscall"
)

// watchSize tells when the terminal has another size.
func watchSize() (<-chan struct{}, func()) {
	signals, out, done := make(chan os.Signal, 1), make(chan struct{}, 1), make(chan struct{})
	signal.Notify(signals, syscall.SIGWINCH)
	go func() {
		for {
			select {
			case <-signals:
				select {
				case out <- struct{}{}:
				default: // it is known already
				}
			case <-done:
				return
			}
		}
	}()
	return out, func() {
		signal.Stop(signals)
		close(done)
	}
}

// suspend stops the job that this process is, until it is continued.
func suspend() error { return syscall.Kill(0, syscall.SIGTSTP) }
