package main

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"sync"
)

// unfinished is what a signal removes: temporary files, and a folder that was made if it is empty. A
// file leaves it when it gets its name or is removed.
var unfinished struct {
	sync.Mutex
	files  map[*temporary]bool
	folder string
}

// endOnSignal has the first of the signals in endings that the process does not ignore end it,
// whatever it does, with the exit code of an error. Nothing unfinished is left but the place of a
// -part in its output.
func endOnSignal(stderr io.Writer) {
	caught := slices.DeleteFunc(endings(), signal.Ignored)
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
		fmt.Fprintln(stderr, "slice1: interrupted")
		os.Exit(exitError)
	}()
}
