package synth

import (
	"cmp"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/studies/trace"
	"github.com/slackline/slackline/units"
)

// Bounds on what a fit keeps.
const (
	maxSample = 200_000 // jobs, drawn evenly from all
	maxCells  = 4096
)

// Fit finds the model of a trace: rates by hour and bursts from all arrivals, quantities from a
// sample of the jobs if they are many.
func Fit(r trace.Reader) (*Model, error) {
	m := &Model{Version: 1}
	var a arrived
	var sample [][]float64
	key := draw.Of(1, "sample")
	var spread [len(stages)]struct{ tasks, cv float64 }
	last := units.Time(0)
	for {
		j, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		a.add(j.Submit)
		last = j.Submit
		m.Jobs++
		row := make([]float64, len(quantities))
		for i := range quantities {
			row[i] = quantities[i].get(j)
		}
		if len(sample) < maxSample {
			sample = append(sample, row)
		} else if at := key.Number(uint64(m.Jobs)).Below(m.Jobs); at < maxSample {
			sample[at] = row
		}
		for i, kind := range stages {
			if s := j.Stage(kind); s != nil && s.Count() > 1 {
				if mean, cv := times(s); mean > 0 {
					n := float64(s.Count())
					spread[i].tasks += n
					spread[i].cv += n * cv
				}
			}
		}
	}
	m.Span = last.Seconds()
	m.Rates, m.Burst = a.rates(), a.burst()
	for i, kind := range stages {
		if cv := spread[i].cv / spread[i].tasks; cv > 0 {
			if m.Spread == nil {
				m.Spread = map[string]float64{}
			}
			m.Spread[kind.String()] = digits(min(cv, 99))
		}
	}
	m.copula(sample)
	return m, nil
}

// copula finds the quantiles of each quantity, and the cells: in which level of each a job lies.
// There are as many levels, up to 16, as keep the cells few.
func (m *Model) copula(sample [][]float64) {
	var kept []int
	for i := range quantities {
		if slices.ContainsFunc(sample, func(row []float64) bool { return row[i] >= 0 }) {
			kept = append(kept, i)
		}
	}
	ranks := make([][]float64, len(kept)) // of each job in (0,1]; 0 = it has 0, -1 = none
	for k, i := range kept {
		var q []float64
		q, ranks[k] = marginal(sample, i)
		m.Quantities = append(m.Quantities, Marginal{Name: quantities[i].name, Quantiles: q})
	}
	for m.Levels = 16; ; m.Levels /= 2 {
		m.Cells = m.cells(ranks, len(sample))
		if len(m.Cells) <= maxCells {
			return
		}
		if m.Levels == 4 {
			m.Cells = m.cells(ranks, maxCells) // of the first jobs of the sample
			return
		}
	}
}

// marginal returns the quantiles of the values above 0, to three digits, and the rank of each job.
func marginal(sample [][]float64, i int) (quantiles, ranks []float64) {
	var values []float64
	for _, row := range sample {
		if row[i] > 0 {
			values = append(values, row[i])
		}
	}
	slices.Sort(values)
	if len(values) > 0 {
		for _, p := range probabilities {
			at := p * float64(len(values)-1)
			low := int(at)
			x := values[low]
			if low+1 < len(values) {
				x *= math.Pow(values[low+1]/x, at-float64(low))
			}
			quantiles = append(quantiles, min(digits(x), quantities[i].most))
		}
	}
	ranks = make([]float64, len(sample))
	for k, row := range sample {
		if ranks[k] = min(row[i], 0); row[i] > 0 {
			// The middle of those that are equal.
			low, _ := slices.BinarySearch(values, row[i])
			high, _ := slices.BinarySearchFunc(values, row[i], func(v, x float64) int {
				if v <= x {
					return -1
				}
				return 1
			})
			ranks[k] = (float64(low+high) / 2) / float64(len(values))
			ranks[k] = max(ranks[k], math.SmallestNonzeroFloat64)
		}
	}
	return quantiles, ranks
}

func (m *Model) cells(ranks [][]float64, n int) []Cell {
	index := map[string]int{}
	var cells []Cell
	key := make([]byte, len(ranks))
	for j := range n {
		levels := make([]int, len(ranks))
		for k := range ranks {
			switch r := ranks[k][j]; {
			case r < 0:
				levels[k] = -1
			case r > 0:
				for levels[k] = 1; levels[k] < m.Levels && r >= m.edge(levels[k]); levels[k]++ {
				}
			}
			key[k] = byte(levels[k] + 1)
		}
		at, there := index[string(key)]
		if !there {
			at = len(cells)
			index[string(key)] = at
			cells = append(cells, Cell{Levels: levels})
		}
		cells[at].Jobs++
	}
	// Not in order of arrival, which is nobody's business.
	slices.SortFunc(cells, func(a, b Cell) int { return cmp.Or(cmp.Compare(b.Jobs, a.Jobs), slices.Compare(a.Levels, b.Levels)) })
	return cells
}

// digits rounds to three significant digits.
func digits(x float64) float64 {
	if x <= 0 || math.IsInf(x, 0) {
		return x
	}
	e := math.Floor(math.Log10(x)) - 2
	if e >= 0 {
		f := math.Pow(10, e)
		return math.Round(x/f) * f
	}
	f := math.Pow(10, -e)
	return math.Round(x*f) / f
}
