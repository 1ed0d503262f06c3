package plan

import (
	"math"
	"sync/atomic"

	"github.com/seed2e45c115/dml/csrc"
)

// Bias corrects estimates by what runs have shown: by a factor for each kernel, kind, and level of memory that
// slices come from. The estimates say little about memory, and what they miss is alike for all slices of a
// level. The zero Bias corrects nothing, and so does nil. It is safe for concurrent use.
type Bias [len(csrc.Sets) + 1][kinds][levels + 1]atomic.Int32 // logarithms of factors, times biasUnit

const (
	biasUnit = 1024
	mostBias = 2 * biasUnit // a factor of 7.4
)

// level returns how many caches a slice of so many lines does not fit.
func (h *Host) level(lines int64) (level int) {
	for level < levels && lines > h.lines[level] {
		level++
	}
	return level
}

func (b *Bias) of(c Candidate, level int) *atomic.Int32 { return &b[c.Kernel-Go][c.kind][level] }

// correct returns the corrected cost of a candidate.
func (b *Bias) correct(c Candidate, level int) int64 {
	if b == nil {
		return c.Cost
	}
	log := b.of(c, level).Load()
	if log == 0 || c.Cost >= none/16 {
		return c.Cost
	}
	return int64(float64(c.Cost) * math.Exp(float64(log)/biasUnit))
}

// Learn takes in how long candidates of a slice of so many lines took that List listed: took[i] in any unit is
// the time of cs[i], 0 if it is not known. Only how the times compare matters.
func (h *Host) Learn(b *Bias, lines int64, cs []Candidate, took []int64) {
	var logs [MaxWays]float64
	mean, known := 0., 0.
	for i, c := range cs {
		if took[i] > 0 {
			logs[i] = math.Log(float64(took[i]) / float64(max(1, c.Cost)))
			mean += logs[i]
			known++
		}
	}
	if known < 2 {
		return
	}
	level := h.level(lines)
	for i, c := range cs {
		if took[i] > 0 {
			log := b.of(c, level)
			// Half of the difference: the factors of a level settle between what its slices show.
			log.Store(max(-mostBias, min(mostBias, log.Load()+int32(biasUnit/2*(logs[i]-mean/known)))))
		}
	}
}
