//go:build unix

package main

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"io"
	"math/rand/v2"
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
// and its arguments: what to do before the command, or what to observe. execEnv is the command line
// of the emulator if the tests run on an emulated processor.
const (
	argsEnv  = "SLICE1_TEST_ARGS"
	stateEnv = "SLICE1_TEST_STATE"
	execEnv  = "SLICE1_TEST_EXEC"
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
	case "addresses": // MiB more than the process has
		n, err := strconv.ParseInt(state[1], 10, 64)
		must(err)
		limitAddresses(n << 20)
	case "user":
		n, err := strconv.Atoi(state[1])
		must(err)
		must(syscall.Setgid(n))
		must(syscall.Setuid(n))
	case "nohup":
		signal.Ignore(syscall.SIGHUP)
	case "mount":
		mounted(state[1], state[2])
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
	if word, _, _ := strings.Cut(state, " "); testing.CoverMode() != "" && slices.Contains([]string{"limit", "files", "addresses", "user"}, word) {
		d.Skip("such a process cannot write its counts of statements")
	}
	argv := append(strings.Fields(os.Getenv(execEnv)), os.Args[0])
	cmd := exec.Command(argv[0], argv[1:]...)
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

// temporaries returns the paths of the command's temporary files.
func (d dir) temporaries() []string {
	d.Helper()
	names, err := filepath.Glob(d.at(".slice1-*.tmp"))
	require.NoError(d, err)
	return names
}

// midway lets the command slice larger and larger inputs. It calls act when there is a temporary
// file or the command has ended. It stops when a command leaves no output, and returns the exit
// code, which must not be exitOK, and the standard error of that command. The outputs of the
// commands before must be complete.
func (d dir) midway(state, index string, act func(*os.Process)) (code int, stderr string) {
	d.Helper()
	const columns = 1 << 20
	for rows := 256; ; rows *= 2 {
		require.LessOrEqual(d, rows, 1<<15, "the command is done before anything can happen to it")
		d.sparse("in.npy", false, rows, columns)
		cmd := d.process(state, index, "./in.npy", "./out.npy")
		// If a shell started the tests in its background, they ignore some signals, and so
		// would the command. It does not inherit this for signals that are caught while it is
		// started.
		caught := make(chan os.Signal, 1)
		signal.Notify(caught, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		require.NoError(d, cmd.Start())
		signal.Stop(caught)
		exited := make(chan struct{})
		go func() {
			code, stderr = d.ends(cmd)
			close(exited)
		}()
		for seen, running := false, true; running && !seen; {
			select {
			case <-exited:
				running = false
			case <-time.After(time.Millisecond):
				seen = len(d.temporaries()) > 0
			}
		}
		act(cmd.Process)
		<-exited
		if _, err := os.Stat(d.at("out.npy")); err != nil {
			require.NotEqual(d, exitOK, code, stderr)
			return code, stderr
		}
		_, got := d.array("out.npy")
		_, shape, err := slice1.ParseIndex(index, []int{rows, columns})
		require.NoError(d, err)
		require.Len(d, got, shape[0]*shape[1])
		require.NoError(d, os.Remove(d.at("out.npy")))
		for _, name := range d.temporaries() {
			require.NoError(d, os.Remove(name))
		}
	}
}

// ways has an index for a slice by a kernel, and one for a copy by the system.
var ways = []string{"[::-1, ::64]", "[1:]"}

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

// A signal ends a command within a second even if nobody reads its standard error, and even while
// it waits to write a note there.
func TestSignalsEndACommandWhoseStandardErrorIsBlocked(t *testing.T) {
	d := newDir(t)
	d.sparse("in.npy", false, 64, 1<<20)
	for _, args := range [][]string{{"[:]", "-", "./out.npy"}, {"-v", "[::-1]", "./in.npy", "./out.npy"}} {
		killed, wait := -1, 300*time.Millisecond
		for code := killed; code == killed; wait *= 2 { // the signal came before the command was ready for it
			require.Less(t, wait, 20*time.Second)
			r, w := blocked(t)
			cmd := d.process("", slices.Clone(args)...)
			_, err := cmd.StdinPipe() // standard input stays open
			require.NoError(t, err)
			cmd.Stderr = w
			require.NoError(t, cmd.Start())
			time.Sleep(wait)
			require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
			start := time.Now()
			require.Error(t, cmd.Wait())
			assert.Less(t, time.Since(start), time.Second)
			require.NoError(t, errors.Join(r.Close(), w.Close()))
			if code = cmd.ProcessState.ExitCode(); code != killed {
				assert.Equal(t, exitError, code)
				assert.Equal(t, []string{"in.npy"}, d.files())
			}
		}
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

// Inputs and the file of -desc are opened only once, since a pipe can be read only once.
func TestPipesAreInputsOfFolders(t *testing.T) {
	d := newDir(t)
	d.write("a.npy", npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{5, 4}}, counting(20)))
	out := d.folder("out")
	fifo := func(name, of string) {
		require.NoError(t, unix.Mkfifo(d.at(name), 0o600))
		go func() { _ = os.WriteFile(d.at(name), d.read(of), 0) }()
	}
	for _, row := range [][]string{{"[3]"}, {"[::-1, 1]"}, {"-raw", "u1", "-skip", "128", "-shape", "-1,4", "[:, 2:]"}} {
		fifo("in.npy", "a.npy")
		d.works(append(append([]string{"-q", "-force"}, row...), "./in.npy", out.path)...)
		d.works(append(append([]string{"-q", "-force"}, row...), "./a.npy", "./want.npy")...)
		assert.Equal(t, d.read("want.npy"), out.read("in.npy"), row)
		require.NoError(t, os.Remove(d.at("in.npy")))
	}
	code, saved, stderr := d.run("-explain", "-json", "[3]", "./a.npy")
	require.Equal(t, exitOK, code, stderr)
	d.write("job", []byte(saved))
	fifo("job.json", "job")
	d.works("-q", "-force", "-desc", "./job.json", "./a.npy", out.path)
	_, got := out.array("a.npy")
	assert.Equal(t, []byte{12, 13, 14, 15}, got)
}

// A pipe in Fortran order is held in memory, even if it comes in more than one piece.
func TestPipesInFortranOrderAreHeld(t *testing.T) {
	d := newDir(t)
	d.sparse("in.npy", true, 300, 1000)
	d.number("in.npy", 200, 300)
	cmd := d.process("", "[::-1, 5:]", "-", "-")
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	for part := range slices.Chunk(d.read("in.npy"), 50_000) {
		_, err := in.Write(part)
		require.NoError(t, err)
		time.Sleep(10 * time.Millisecond)
	}
	require.NoError(t, in.Close())
	code, stderr := d.ends(cmd)
	require.Equal(t, exitOK, code, stderr)
	d.works("[::-1, 5:]", "./in.npy", "./want.npy")
	assert.Equal(t, string(d.read("want.npy")), stdout.String())
}

func TestKilledCommandHindersNoOther(t *testing.T) {
	for _, index := range ways {
		d := newDir(t)
		d.midway("", index, func(p *os.Process) { _ = p.Kill() })
		left := d.temporaries()
		require.Len(t, left, 1)
		d.sparse("in.npy", false, 3, 1<<20)
		d.works(index, "./in.npy", "./out.npy")
		_, got := d.array("out.npy")
		assert.NotEmpty(t, got)
		assert.Equal(t, left, d.temporaries())
	}
}

func TestSignalsEndWithoutARemainder(t *testing.T) {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		for _, index := range ways {
			d := newDir(t)
			code, stderr := d.midway("", index, func(p *os.Process) { _ = p.Signal(s) })
			assert.Equal(t, exitError, code, "%v", s)
			assert.Equal(t, "slice1: interrupted\n", stderr)
			assert.Equal(t, []string{"in.npy"}, d.files())
		}
	}
}

// A signal ends a job of several inputs and one of one input within a second, whatever is left to
// do, and leaves only outputs that are complete.
func TestSignalsEndEveryKindOfJob(t *testing.T) {
	noise := image.NewNRGBA64(image.Rect(0, 0, 1500, 1500))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range noise.Pix {
		noise.Pix[i] = byte(r.Uint32())
	}
	var file bytes.Buffer
	require.NoError(t, (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&file, noise))
	for _, row := range []struct {
		args   []string
		begins string // a pattern of files that show that the job has begun
		s      os.Signal
	}{
		{[]string{"-j", "1", "[:, ::-1]", "INPUTS", "./out/"}, "out/*", os.Interrupt},
		{[]string{"[:, ::-1]", "INPUTS", "./out/"}, "out/*", syscall.SIGTERM},
		{[]string{"[::-1]", "./0.png", "./out.png"}, ".slice1-*.tmp", syscall.SIGHUP},
	} {
		d := newDir(t)
		out := d.folder("out")
		var inputs []string
		for i := range 8 {
			name := strconv.Itoa(i) + ".png"
			require.NoError(t, os.WriteFile(d.at(name), file.Bytes(), 0o666))
			inputs = append(inputs, d.at(name))
		}
		args := slices.Clone(row.args)
		if i := slices.Index(args, "INPUTS"); i >= 0 {
			args = slices.Replace(args, i, i+1, inputs...)
		}
		for i, a := range args {
			if a == "./out/" {
				args[i] = d.at("out") + "/"
			}
		}
		caught := make(chan os.Signal, 1)
		signal.Notify(caught, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		cmd := d.process("", args...)
		require.NoError(t, cmd.Start())
		signal.Stop(caught)
		for {
			if found, err := filepath.Glob(d.at(row.begins)); err != nil || len(found) > 0 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		require.NoError(t, cmd.Process.Signal(row.s))
		code, stderr := d.ends(cmd)
		assert.Equal(t, exitError, code, row.args)
		assert.True(t, strings.HasSuffix(stderr, "slice1: interrupted\n"), stderr)
		left, err := filepath.Glob(d.at("*/.slice1-*"))
		require.NoError(t, err)
		assert.Empty(t, append(left, d.temporaries()...))
		for _, name := range out.files() {
			_, err := png.Decode(bytes.NewReader(out.read(name)))
			assert.NoError(t, err, name)
		}
	}
}

func TestInputTruncatedMidwayIsAnError(t *testing.T) {
	for _, index := range ways {
		for _, length := range []int64{0, 100, 1 << 20} {
			d := newDir(t)
			code, stderr := d.midway("", index, func(*os.Process) { require.NoError(t, os.Truncate(d.at("in.npy"), length)) })
			assert.Equal(t, exitError, code, stderr)
			assertOneLine(t, "in.npy: "+errShorter.Error(), stderr)
			assert.Equal(t, []string{"in.npy"}, d.files())
		}
	}
}

func TestReaderThatIsGoneEndsTheCommand(t *testing.T) {
	for _, format := range []string{"npy", "npz", "raw"} {
		d := newDir(t)
		d.sparse("in.npy", false, 64, 1<<20)
		cmd := d.process("", "-to", format, "[::-1]", "./in.npy", "-")
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		_, err = io.ReadFull(out, make([]byte, 100))
		require.NoError(t, err)
		require.NoError(t, out.Close())
		code, stderr := d.ends(cmd)
		assert.Equal(t, -1, code)
		assert.Equal(t, syscall.SIGPIPE, cmd.ProcessState.Sys().(syscall.WaitStatus).Signal())
		assert.Empty(t, stderr)
		assert.Equal(t, []string{"in.npy"}, d.files())

		require.NoError(t, unix.Mkfifo(d.at("pipe"), 0o600))
		cmd = d.process("", "-to", format, "[::-1]", "./in.npy", "./pipe")
		require.NoError(t, cmd.Start())
		pipe, err := os.Open(d.at("pipe"))
		require.NoError(t, err)
		require.NoError(t, pipe.Close())
		code, stderr = d.ends(cmd)
		assert.Equal(t, exitError, code)
		assertOneLine(t, "pipe: broken pipe", stderr)
		assert.Equal(t, []string{"in.npy", "pipe"}, d.files())
	}
}

func TestStandardInputThatEndsEarlyIsAnError(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 1000)
	whole := d.read("in.npy")
	for _, n := range []int{0, 5, 11, 100, len(whole) - 1} {
		for _, out := range []string{"./out.npy", "-"} {
			cmd := d.process("", "[::-1]", "-", out)
			var stdout bytes.Buffer
			cmd.Stdin, cmd.Stdout = bytes.NewReader(whole[:n]), &stdout
			says := "standard input: truncated .npy file"
			if n == 0 {
				says = "standard input: is empty"
			}
			assert.Contains(t, d.fails(cmd), says)
			assert.Empty(t, stdout.Bytes())
			assert.Equal(t, []string{"in.npy"}, d.files())
		}
	}
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
