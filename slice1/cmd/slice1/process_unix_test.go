//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// Names of environment variables. If argsEnv is set, the test program runs as the command, with the
// arguments that argsEnv lists, one per line. stateEnv is then empty, or a word that TestMain knows
// and its arguments: what to do before the command, or what to observe. emulatedEnv is not empty if
// the tests run on an emulated processor, where processes are not tested: signals and files are
// those of the host.
const (
	argsEnv     = "SLICE1_TEST_ARGS"
	stateEnv    = "SLICE1_TEST_STATE"
	emulatedEnv = "SLICE1_EMULATED"
)

func TestMain(m *testing.M) {
	args, child := os.LookupEnv(argsEnv)
	if !child {
		os.Exit(m.Run())
	}
	os.Args = append(os.Args[:1], strings.Split(args, "\n")...)
	switch state := append(strings.Fields(os.Getenv(stateEnv)), ""); state[0] {
	case "limit":
		must(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 2000, Max: 2000}))
	case "files":
		n, err := strconv.ParseUint(state[1], 10, 64)
		must(err)
		limitFiles(n)
	case "user":
		n, err := strconv.Atoi(state[1])
		must(err)
		must(syscall.Setgid(n))
		must(syscall.Setuid(n))
	case "nohup":
		signal.Ignore(syscall.SIGHUP)
	case "peak":
		measured()
	}
	main()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// process returns the command as a process of its own in the given state. It does not start it. It
// replaces "./" at the beginning of an argument by the directory. When statements are counted, a
// process writes its counts to a file before it ends. A process with limits or of another user
// cannot do that.
func (d dir) process(state string, args ...string) *exec.Cmd {
	if word, _, _ := strings.Cut(state, " "); testing.CoverMode() != "" && slices.Contains([]string{"limit", "files", "user"}, word) {
		d.Skip("such a process cannot write its counts of statements")
	}
	if os.Getenv(emulatedEnv) != "" {
		d.Skip("processes are not tested on an emulated processor")
	}
	cmd := exec.Command(os.Args[0])
	for i, a := range args {
		if name, ok := strings.CutPrefix(a, "./"); ok {
			args[i] = d.at(name)
		}
	}
	cmd.Env = append(os.Environ(), argsEnv+"="+strings.Join(args, "\n"), stateEnv+"="+state)
	cmd.Stderr = new(bytes.Buffer)
	return cmd
}

// ends waits for the end of a command that was started. It returns the exit code, which is -1 if a
// signal ended the command, and what it wrote to standard error.
func (d dir) ends(cmd *exec.Cmd) (code int, stderr string) {
	d.Helper()
	err := cmd.Wait()
	if cmd.ProcessState == nil {
		require.NoError(d, err)
	}
	return cmd.ProcessState.ExitCode(), cmd.Stderr.(*bytes.Buffer).String()
}

// fails runs a command that must end with exitError and one line on standard error. It returns that
// line.
func (d dir) fails(cmd *exec.Cmd) (stderr string) {
	d.Helper()
	require.NoError(d, cmd.Start())
	code, stderr := d.ends(cmd)
	assert.Equal(d, exitError, code, stderr)
	assertOneLine(d.T, "", stderr)
	return stderr
}

// sparse makes an .npy file of zeros that take no space on the disk.
func (d dir) sparse(name string, fortran bool, shape ...int) {
	d.Helper()
	header, size := npyFile(npy.Header{Type: slice1.Uint8, Shape: shape}, nil), int64(1)
	for _, extent := range shape {
		size *= int64(extent)
	}
	if fortran {
		header = bytes.Replace(header, []byte("False,"), []byte("True, "), 1)
	}
	d.write(name, header)
	require.NoError(d, os.Truncate(d.at(name), int64(len(header))+size))
}

// started starts a command. If a shell started the tests in its background, they ignore some
// signals, and so would the command. It does not inherit this for signals that are caught while it
// is started.
func (d dir) started(cmd *exec.Cmd) {
	d.Helper()
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	require.NoError(d, cmd.Start())
	signal.Stop(caught)
}

// midway starts a command that slices ./in.npy, of more and more rows, and calls act when a file of
// the pattern is there, until act makes a command fail. It returns the exit code and the standard
// error of that command.
func (d dir) midway(act func(*os.Process), pattern string, args ...string) (code int, stderr string) {
	d.Helper()
	for rows := 64; ; rows *= 2 { // a PNG of 256 such rows is too large for 32 bits
		require.LessOrEqual(d, rows, 1<<15, "the command is done before anything can happen to it")
		d.sparse("in.npy", false, rows, 1<<20)
		d.number("in.npy", rows, 1<<20)
		cmd := d.process("", slices.Clone(args)...)
		d.started(cmd)
		for found, looks := []string(nil), 0; len(found) == 0; time.Sleep(time.Millisecond) {
			found, _ = filepath.Glob(d.at(pattern)) // what is unfinished or, if the command is done, the output
			looks++
			require.Less(d, looks, 100_000, "the command writes nothing")
		}
		act(cmd.Process)
		if code, stderr = d.ends(cmd); code != exitOK {
			return code, stderr
		}
		left, err := filepath.Glob(d.at("*out*"))
		require.NoError(d, err)
		for _, name := range append(left, d.at("out/in.npy")) {
			_ = os.Remove(name)
		}
	}
}

// blocked returns both ends of a pipe that is full. The caller closes them.
func blocked(t *testing.T) (r, w *os.File) {
	t.Helper()
	var ends [2]int
	require.NoError(t, unix.Pipe(ends[:]))
	require.NoError(t, unix.SetNonblock(ends[1], true))
	for {
		if _, err := unix.Write(ends[1], make([]byte, 4096)); err != nil {
			require.ErrorIs(t, err, unix.EAGAIN)
			break
		}
	}
	require.NoError(t, unix.SetNonblock(ends[1], false))
	return os.NewFile(uintptr(ends[0]), "r"), os.NewFile(uintptr(ends[1]), "w")
}

// A signal ends a command even if nobody reads its standard error, and even while it waits to write
// a note there.
func TestSignalsEndACommandWhoseStandardErrorIsBlocked(t *testing.T) {
	d := newDir(t)
	d.sparse("in.npy", false, 64, 1<<20)
	for _, args := range [][]string{{"[:]", "-", "./out.npy"}, {"-v", "[::-1]", "./in.npy", "./out.npy"}} {
		killed, wait := -1, 300*time.Millisecond
		for code := killed; code == killed; wait *= 2 { // the signal came before the command was ready for it
			r, w := blocked(t)
			cmd := d.process("", slices.Clone(args)...)
			_, err := cmd.StdinPipe() // standard input stays open
			require.NoError(t, err)
			cmd.Stderr = w
			d.started(cmd)
			time.Sleep(wait)
			require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
			require.Error(t, cmd.Wait())
			require.NoError(t, errors.Join(r.Close(), w.Close()))
			if code = cmd.ProcessState.ExitCode(); code != killed {
				assert.Equal(t, exitError, code)
				assert.Equal(t, []string{"in.npy"}, d.files())
			}
		}
	}
}

// A signal ends every kind of job, and leaves nothing. What a killed command leaves hinders no
// other.
func TestSignalsEndEveryKindOfJob(t *testing.T) {
	for i, args := range [][]string{
		{"[::-1, ::64]", "./in.npy", "./out.npy"}, {"[1:]", "./in.npy", "./out.npy"}, {"[::-1]", "./in.npy", "./out.png"}, {"-q", "[::-1]", "./in.npy", "./out"}, {"[:, ::-2]", "./in.npy", "./out.npy"},
	} {
		d, want, begun := newDir(t), []string{"in.npy"}, "*[.u]*t[m.]*" // a temporary file or the output
		s := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, os.Interrupt, os.Kill}[i]
		if args[len(args)-1] == "./out" {
			d.folder("out")
			want, begun = append(want, "out"), "out/*"
			t.Cleanup(func() { assert.Empty(t, d.folder("out").files()) })
		}
		code, stderr := d.midway(func(p *os.Process) { _ = p.Signal(s) }, begun, args...)
		if s != os.Kill {
			assert.Equal(t, exitError, code, args)
			assert.Equal(t, "slice1: interrupted\n", stderr)
			assert.Equal(t, want, d.files())
			continue
		}
		left := d.files()
		require.Len(t, left, 2)
		d.sparse("in.npy", false, 3, 1<<20)
		d.works(args...)
		assert.Equal(t, append(left, "out.npy"), d.files())
	}
}

// Inputs and the file of -desc are opened only once, since a pipe can be read only once.
func TestPipesAreInputsOfFolders(t *testing.T) {
	d := newDir(t)
	d.write("a.npy", npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{5, 4}}, counting(20)))
	d.saveJob("job", "[3]", "./a.npy")
	out := d.folder("out")
	for fifo, of := range map[string]string{"in.npy": "a.npy", "job.json": "job"} {
		for _, row := range [][]string{{"[3]"}, {"[::-1, 1]"}, {"-raw", "u1", "-skip", "128", "-shape", "-1,4", "[:, 2:]"}} {
			in := "./in.npy"
			if fifo == "job.json" {
				row, in = []string{"-desc", "./job.json"}, "./a.npy"
			}
			require.NoError(t, unix.Mkfifo(d.at(fifo), 0o600))
			go func() { _ = os.WriteFile(d.at(fifo), d.read(of), 0) }()
			d.works(append(append([]string{"-q", "-force"}, row...), in, out.path)...)
			if fifo == "job.json" {
				row = []string{"[3]"}
			}
			d.works(append(append([]string{"-q", "-force"}, row...), "./a.npy", "./want.npy")...)
			assert.Equal(t, d.read("want.npy"), out.read(in[2:]), row)
			require.NoError(t, os.Remove(d.at(fifo)))
		}
	}
}

// What reads the output may go away: a pipeline then ends in silence, a named pipe is an error.
func TestReaderThatIsGoneEndsTheCommand(t *testing.T) {
	d := newDir(t)
	d.sparse("in.npy", false, 64, 1<<20)
	require.NoError(t, unix.Mkfifo(d.at("pipe"), 0o600))
	for _, format := range []string{"npy", "npz", "raw"} {
		cmd := d.process("", "-to", format, "[::-1]", "./in.npy", "-")
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		_, err = io.ReadFull(out, make([]byte, 100))
		require.NoError(t, err)
		require.NoError(t, out.Close())
		_, stderr := d.ends(cmd)
		assert.Equal(t, syscall.SIGPIPE, cmd.ProcessState.Sys().(syscall.WaitStatus).Signal())
		assert.Empty(t, stderr)

		cmd = d.process("", "-to", format, "[::-1]", "./in.npy", "./pipe")
		require.NoError(t, cmd.Start())
		pipe, err := os.Open(d.at("pipe"))
		require.NoError(t, err)
		require.NoError(t, pipe.Close())
		code, stderr := d.ends(cmd)
		assert.Equal(t, exitError, code)
		assertOneLine(t, "pipe: broken pipe", stderr)
		assert.Equal(t, []string{"in.npy", "pipe"}, d.files())
	}
}

// A command does its job even if nobody reads its standard error any more.
func TestStandardErrorThatIsGoneIsNoError(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 20)
	cmd := d.process("", "-v", "[::-1]", "./in.npy", "./out.npy")
	r, w, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, r.Close())
	cmd.Stderr = w
	require.NoError(t, cmd.Run())
	require.NoError(t, w.Close())
	assert.Equal(t, []string{"in.npy", "out.npy"}, d.files())
}

// A limit on the size of files stands for a full disk. Each format finds it in its own way.
func TestFileThatCanNotGrowLeavesNothing(t *testing.T) {
	d := newDir(t)
	d.sparse("in.npy", false, 1024, 1024)
	for _, out := range []string{"./out.npy", "./out.raw", "./out.npz", "./out.png"} {
		stderr := d.fails(d.process("limit", "[::-1]", "./in.npy", out))
		assert.Contains(t, stderr, out[1:]+": file too large")
		assert.Equal(t, []string{"in.npy"}, d.files(), out)

		d.write(out[2:], []byte("precious"))
		stderr = d.fails(d.process("limit", "-force", "[::-1]", "./in.npy", out))
		assert.Contains(t, stderr, out[1:]+": file too large")
		assert.Equal(t, "precious", string(d.read(out[2:])))
		require.NoError(t, os.Remove(d.at(out[2:])))
	}
}

// Root may write to any directory. So tests that run as root run the command as another user.
func TestDirectoryThatIsReadOnlyIsAnError(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 5)
	d.write("out.npy", []byte("precious"))
	require.NoError(t, os.Chmod(d.path, 0o555))
	defer func() { require.NoError(t, os.Chmod(d.path, 0o700)) }()
	state := ""
	if os.Getuid() == 0 {
		state = "user 65534"
	}
	for _, args := range [][]string{{"[:]", "./in.npy", "./new.npy"}, {"-force", "[:]", "./in.npy", "./out.npy"}} {
		out := d.at(args[len(args)-1][2:])
		assert.Equal(t, "slice1: "+out+": permission denied\n", d.fails(d.process(state, args...)))
	}
	assert.Equal(t, "precious", string(d.read("out.npy")))
	assert.Equal(t, []string{"in.npy", "out.npy"}, d.files())
}
