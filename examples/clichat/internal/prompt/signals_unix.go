//go:build unix

package prompt

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// watchSize returns a channel that signals changes of the terminal size, and a function
// that stops it.
func watchSize() (<-chan struct{}, func()) {
	signals, out, done := make(chan os.Signal, 1), make(chan struct{}, 1), make(chan struct{})
	signal.Notify(signals, syscall.SIGWINCH)
	go func() {
		for {
			select {
			case <-signals:
				select {
				case out <- struct{}{}:
				default: // a signal is already pending
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

// stopsWithin is how long the system may take to stop the process. A process that no
// shell could continue, such as the first process of a terminal, is not stopped at all.
const stopsWithin = 500 * time.Millisecond

// suspend stops the job of this process until it is continued.
func suspend() error {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	timer := time.NewTimer(stopsWithin)
	defer timer.Stop()
	select {
	case <-continued:
	case <-timer.C:
	}
	return nil
}
