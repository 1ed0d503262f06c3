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

// endOnSignal makes the first interrupt, SIGTERM or SIGHUP end the process, whatever it does, with
// the exit code of an error. Signals that the process ignores do not end it. Only a -part leaves
// something unfinished: its place in the output.
func endOnSignal(stderr io.Writer) {
	caught := slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}, signal.Ignored)
	if len(caught) == 0 {
		return
	}
	came := make(chan os.Signal, 1)
	signal.Notify(came, caught...)
	go func() {
		<-came
		unfinished.Lock() // for good: from here on no file is made or gets its name
		for f := range unfinished.files {
			if runtime.GOOS == "windows" { // Windows removes no open file
				f.Close()
			}
			os.Remove(f.Name())
		}
		removeFolders()
		said := make(chan struct{})
		go func() {
			fmt.Fprintln(stderr, "slice1: interrupted")
			close(said)
		}()
		select { // if the pipe is full and nobody reads it, nothing can be said
		case <-said:
		case <-time.After(patience / 4):
		}
		os.Exit(exitError)
	}()
}
