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
		time.AfterFunc(patience/4, func() { os.Exit(exitError) }) // if nobody reads a full pipe
		fmt.Fprintln(stderr, "slice1: interrupted")
		os.Exit(exitError)
	}()
}
