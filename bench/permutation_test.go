package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAListIsReadLineByLine(t *testing.T) {
	list, err := parsePermutations(strings.NewReader(`# a list

float64 2,0,1 3,4,5   # with a comment
2 1,0 6,7 in=2,1 out=1,3
uint8 1,2,0 3,4,5 order=F in=1,2,3
`), "")
	require.NoError(t, err)
	require.Len(t, list, 3)
	assert.Equal(t, cell{"float64 2,0,1 3,4,5", 8, "rank2", wholeOf(slice1.Float64, []axis{{5, 1, 12}, {12, 5, 1}})}, list[0])
	assert.Equal(t, cell{"2 1,0 6,7 in=2,1 out=1,3", 2, "rank2", wholeOf(types[2], []axis{{7, 1, 18}, {6, 14, 3}})}, list[1])
	assert.Equal(t, cell{"uint8 1,2,0 3,4,5 order=F in=1,2,3", 1, "rank3", wholeOf(slice1.Uint8, []axis{{3, 1, 20}, {5, 72, 4}, {4, 6, 1}})}, list[2])
}

func TestLinesThatMeanNothingAreErrors(t *testing.T) {
	for line, want := range map[string]string{
		"float64 1,0":                           `line 1: "float64 1,0" is not an element type, a permutation and sizes`,
		"complex128 1,0 2,3":                    `line 1: no element type "complex128"`,
		"float64 1,1 2,3":                       "line 1: 1,1 is no permutation of 0 to 1",
		"float64 1,-1 2,3":                      `line 1: "1,-1" is no list of numbers of at least 0`,
		"float64 1,0 2,0":                       `line 1: "2,0" is no list of numbers of at least 1`,
		"float64 1,0 2,3,4":                     `line 1: "float64 1,0 2,3,4" has not as many sizes or spacings as axes`,
		"float64 1,0 2,3 in=1":                  `line 1: "float64 1,0 2,3 in=1" has not as many sizes or spacings as axes`,
		"float64 1,0 2,3 order=C":               `line 1: "order=C" is neither order=F nor in= nor out=`,
		"float64 1,0 65536,65536":               "line 1: more than 1 GiB",
		"\n1 1,0 2,3 out=1,2000000000":          "line 2: more than 1 GiB",
		"1 8,7,6,5,4,3,2,1,0 2,2,2,2,2,2,2,2,2": "line 1: slice1: Input.Sizes has 9 entries, must have 1 to 8",
		"# nothing":                             "no permutation in it",
	} {
		_, err := parsePermutations(strings.NewReader(line), "")
		assert.EqualError(t, err, want, line)
	}
}

// permuted returns, for each byte of the output of a permutation, the position in the input of the
// byte that the reference copies there, or -1 if it copies none.
func permuted(t *testing.T, line string) []int {
	t.Helper()
	c, err := parsePermutation(line, "")
	require.NoError(t, err)
	return slicedBy(t, c.desc)
}

func TestAPermutationMovesWhatItSays(t *testing.T) {
	for line, want := range map[string][]int{
		"1 1,0 2,3":                {0, 3, 1, 4, 2, 5},
		"1 1,0 2,3 order=F":        {0, 2, 4, 1, 3, 5},
		"1 0,1 2,2 in=1,2":         {0, 2, 4, 6},
		"1 0,1 2,2 in=2,1":         {0, 1, 4, 5},
		"1 1,0 2,2 out=1,2":        {0, -1, 2, -1, 1, -1, 3},
		"1 0,1 2,2 out=2,1":        {0, 1, -1, -1, 2, 3},
		"1 1,0 2,2 order=F in=2,1": {0, 4, 2, 6},
		// out[i][j][k] = in[j][k][i], both row-major.
		"1 2,0,1 2,2,3": {0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11},
		// Nine axes with eight that continue each other, and nine axes of one element.
		"1 8,0,1,2,3,4,5,6,7 2,1,1,1,1,1,1,2,2": {0, 2, 4, 6, 1, 3, 5, 7},
		"1 0,1,2,3,4,5,6,7,8 1,1,1,1,1,1,1,1,1": {0},
	} {
		assert.Equal(t, want, permuted(t, line), line)
	}
}

func TestRankIsThatOfJoinedAxes(t *testing.T) {
	for line, want := range map[string]int{
		"1 0,1,2 2,3,4": 1, "1 0 1": 1, "1 1,0 2,3": 2, "1 0,2,1 2,3,4": 3, "1 2,0,1 2,3,4": 2, "1 3,1,2,0 64,224,224,3": 3,
	} {
		c, err := parsePermutation(line, "")
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprint("rank", want), c.size, line)
	}
}

func TestListsAreValidAndComplete(t *testing.T) {
	counts := map[string]int{}
	files, err := filepath.Glob("../testdata/permutations/*.txt")
	require.NoError(t, err)
	for _, name := range files {
		file, err := os.Open(name)
		require.NoError(t, err)
		list, err := parsePermutations(file, "")
		require.NoError(t, err, name)
		require.NoError(t, file.Close())
		counts[filepath.Base(name)] = len(list)
	}
	assert.Equal(t, map[string]int{"hptt.txt": 57, "numpy.txt": 13, "random.txt": 40, "strided.txt": 100, "tenferro.txt": 10, "xla.txt": 53}, counts)
}

func TestPermutationsAreScaledAlongTheirLongestAxis(t *testing.T) {
	for line, want := range map[string]string{
		"4 1,0 32,48":                         "4 1,0 32,8", // 4096 bytes are 32 x 32
		"4 1,0 8,16":                          "4 1,0 8,32", // also longer
		"2 2,1,0 30,3,5 order=F":              "2 2,1,0 34,3,5 order=F",
		"8 1,0 4,4 in=1,2":                    "8 1,0 32,4 in=1,2",
		"float64 2,1,0 100,90,80  # too much": "float64 2,1,0 1,90,80",
		"uint8 0 7":                           "uint8 0 1024",
	} {
		list, err := parsePermutations(strings.NewReader(line), "1024")
		require.NoError(t, err)
		require.Len(t, list, 1)
		assert.Equal(t, want, list[0].work)
		assert.Regexp(t, `^1024-rank\d$`, list[0].size)
	}
	_, err := parsePermutations(strings.NewReader("1 1,0 2,3"), "big")
	assert.EqualError(t, err, `line 1: "big" is no size: S, M, L, or bytes, a multiple of 8`)

	files, err := filepath.Glob("../testdata/permutations/*.txt")
	require.NoError(t, err)
	for _, name := range files {
		o, err := parse("-cases", name, "-sizes", "L")
		require.NoError(t, err)
		cells, err := o.cells()
		require.NoError(t, err, name)
		for _, c := range cells {
			assert.LessOrEqual(t, c.width*elementsOf(c.desc), sizes["L"], c.work)
			if strings.Contains(name, "hptt") || strings.Contains(name, "random") {
				assert.Greater(t, c.width*elementsOf(c.desc), sizes["L"]/10*9, c.work)
			}
		}
	}
}

// randomPermutations returns 40 lines of a list: permutations that keep their rank when axes that
// continue each other are joined. The logarithms of the extents are in a ratio of at most 8.
func randomPermutations() (lines []string) {
	rng := rand.New(rand.NewPCG(48, 0))
	for len(lines) < 40 {
		rank, width := 2+len(lines)%6, 1<<rng.IntN(4)
		logs, sum, extents := make([]float64, rank), 0.0, make([]int, rank)
		for i := range logs {
			logs[i] = 1 + 7*rng.Float64()
			sum += logs[i]
		}
		for i := range extents {
			extents[i] = max(2, int(math.Exp2(math.Log2(64<<20/float64(width))*logs[i]/sum)))
		}
		line := fmt.Sprint(width, " ", joined(rng.Perm(rank)), " ", joined(extents))
		if c, err := parsePermutation(line, "67108864"); err == nil && strings.HasSuffix(c.size, fmt.Sprint(rank)) && c.width*elementsOf(c.desc) > 60<<20 {
			lines = append(lines, c.work)
		}
	}
	return lines
}

func TestTheRandomListIsThatOfItsSeed(t *testing.T) {
	text, err := os.ReadFile("../testdata/permutations/random.txt")
	require.NoError(t, err)
	var lines []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	assert.Equal(t, randomPermutations(), lines)
}
