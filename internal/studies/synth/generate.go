package synth

import (
	"io"
	"math"
	"sort"
	"strconv"

	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/studies/trace"
	"github.com/slackline/slackline/units"
)

// Generate draws jobs from the model: so many of them, or all that arrive within a span; 0 means
// that this sets no bound. Each job is a draw of its own, so a longer workload begins as a shorter
// one of the same seed.
func (m *Model) Generate(seed uint64, jobs int, span units.Duration) trace.Reader {
	g := &generator{m: m, key: draw.Of(seed, "generate"), in: Hourly(m.Rates, m.Burst, seed), jobs: jobs, span: span}
	for _, c := range m.Cells {
		g.total += c.Jobs
		g.upTo = append(g.upTo, g.total)
	}
	return g
}

type generator struct {
	m     *Model
	key   draw.Draw
	in    Arrivals
	jobs  int
	span  units.Duration
	n     int
	upTo  []int // jobs in the cells up to each
	total int
}

// Account is empty: a model says all that it draws.
func (g *generator) Account() trace.Account { return trace.Account{} }

// Line is 0: the jobs stand in no file.
func (g *generator) Line() int64 { return 0 }

// Next draws the next job.
func (g *generator) Next() (*trace.Job, error) {
	at := g.in.Next()
	if g.jobs > 0 && g.n == g.jobs || at == units.Never || g.span > 0 && at >= units.Time(g.span) {
		return nil, io.EOF
	}
	key := g.key.Number(uint64(g.n))
	g.n++
	j := &trace.Job{ID: "g" + strconv.Itoa(g.n), Submit: at, Input: trace.Unknown, Shuffle: trace.Unknown, Output: trace.Unknown}
	levels := g.m.Cells[sort.SearchInts(g.upTo, 1+key.Below(g.total))].Levels
	for k, level := range levels {
		q := &g.m.Quantities[k]
		switch set := quantities[quantityIndex(q.Name)].set; {
		case level == 0:
			set(j, 0)
		case level > 0:
			set(j, q.at(key.Number(uint64(k)).Between(g.m.edge(level-1), g.m.edge(level))))
		}
	}
	for i := range j.Stages {
		s := &j.Stages[i]
		s.Tasks = spread(s.Tasks[0], g.m.Spread[s.Kind.String()])
	}
	return j, nil
}

// at is the quantile at a probability, on a straight line between the logarithms of those that are known.
func (q *Marginal) at(p float64) float64 {
	i := sort.SearchFloat64s(probabilities, p)
	if i == 0 || i == len(probabilities) {
		return q.Quantiles[min(i, len(probabilities)-1)]
	}
	low, high := q.Quantiles[i-1], q.Quantiles[i]
	return low * math.Pow(high/low, (p-probabilities[i-1])/(probabilities[i]-probabilities[i-1]))
}

// spread makes tasks of log-normal times around that of one, with that coefficient of variation, in
// up to a hundred runs of equal ones: those at the middles of equal parts of the distribution.
func spread(t trace.Task, cv float64) []trace.Task {
	if cv == 0 || t.Time <= 0 || t.Count == 1 {
		return []trace.Task{t}
	}
	runs := min(t.Count, 100)
	sigma := math.Sqrt(math.Log(1 + cv*cv))
	var s trace.Stage
	for i := range runs {
		z := math.Sqrt2 * math.Erfinv(2*(float64(i)+0.5)/float64(runs)-1)
		u := t
		u.Count = t.Count*(i+1)/runs - t.Count*i/runs
		u.Time = min(t.Time.Scale(math.Exp(sigma*z-sigma*sigma/2)), 1_000_000_000*units.Second)
		s.Add(u)
	}
	return s.Tasks
}
