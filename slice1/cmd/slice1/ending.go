//go:build !wasm

package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// endOnSignal has the first interrupt, SIGTERM or SIGHUP that the process does not ignore end it,
// whatever it does, with the exit code of an error. Nothing unfinished is left but the place of a
// -part in its output.
func endOnSignal(stderr io.Writer) {
	caught := slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}, signal.Ignored)
	if len(caught) == 0 {
		return
	}
	came := make(chan os.Signal, 1)
	signal.Notify(came, caught...)
	go func() {
		<-came
		unfinished.Lock() // for good: no file is made or gets its name from here on
		for f := range unfinished.files {
			if runtime.GOOS == "windows" { // which removes no open file
				f.Close()
			}
			os.Remove(f.Name())
		}
		if unfinished.folder != "" {
			os.Remove(unfinished.folder)
		}
		said := make(chan struct{})
		go func() {
			fmt.Fprintln(stderr, "slice1: interrupted")
			close(said)
		}()
		select { // if nobody reads a full pipe, nothing can be said
		case <-said:
		case <-time.After(patience / 4):
		}
		os.Exit(exitError)
	}()
}
