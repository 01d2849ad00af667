package referee

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// chances plays a job that asks for a promise, and those before it, many times over by the cost models of
// their classes, and so finds by itself when the job is done. The rules, as docs/probability.md and package
// profile have them:
//
//   - A task takes what its class's model says for its bytes, times a factor of its own, times one that all
//     tasks of the stage in the job share. Where the one that maps share is high, so is that of reduces; it
//     is wider where little is known of that size. A factor is what its quantiles say at normal scores from
//     -3 to 4 in halves, by a line between their logarithms, and a Pareto tail beyond.
//   - A reduce fetches, and works on, its share of what the maps of all of the job emit, as much as skew says
//     at most. It fetches by the model of later shuffles, as it starts behind the last map.
//   - Jobs take slots in the order of promises, each map the slot that is free first; reduces follow the last
//     map. A task that runs goes on as one that has run for so long does.
//   - Where nodes beat at intervals, each task waits for half of one, and the job's end is told one later.
//   - A job's tasks wait for its ApplicationMaster as long as that may take to start. One in a map slot waits its turn
//     first, and gives the slot back when the job ends.
//   - Nodes fail at the rate at which they did, for as long as they served. One that fails takes with it what runs
//     of the job's last maps; or of its reduces, whose maps run again with them, or alone where only they were there;
//     each takes as long again as one task. Till the end the others have its part of the work to do.
//
// What a verdict says has to be near that: no more than a seventh sooner or a quarter later, beside what is chance
// in so many plays, and half a beat: nobody waits behind the last task, and short ones may wait longer. Both are
// wider by as many parts as nodes are likely to fail until then: the rule counts failures for as long as a job
// takes on average, and each play has its own. Where others with a promise run, or stand before the job, it may be
// later by any amount, as whatever they may be off by is counted as the job's own delay, also where it need not
// wait for them; and sooner by four tenths, as how long a task runs on is told by its own factor, and not by the
// one that its job shares.
//
// Nothing is played of jobs whose class has no models, and where there are no slots of a kind.
type chances struct {
	laws map[*job]*law // of who has a promise, as at its verdict
	dice *rand.Rand

	// since all was told
	failed  int     // nodes, of those that served
	served  float64 // seconds, of all nodes
	since   int64   // until when that is counted
	serving []bool
	nodes   int // of these
}

// plays is how often a job is played.
const plays = 1500

// factor is one by its quantiles.
type factor struct {
	Log  [15]float64 `json:"log"`
	Tail float64     `json:"tail"`
}

// at is the quantile at a normal score.
func (f *factor) at(z float64) float64 {
	if z > 4 {
		beyond := math.Erfc(z/math.Sqrt2) / math.Erfc(4/math.Sqrt2)
		return math.Exp(f.Log[14] - f.Tail*math.Log(beyond))
	}
	i := min(max(int(math.Floor(2*(z+3))), 0), 13)
	return math.Exp(f.Log[i] + (f.Log[i+1]-f.Log[i])*(2*(z+3)-float64(i)))
}

// costModel is that of a part of a stage.
type costModel struct {
	Stage      string     `json:"stage"`
	Node       string     `json:"node"`
	Container  string     `json:"container"`
	Part       string     `json:"part"`
	Fixed      float64    `json:"fixed"`
	PerByte    float64    `json:"per_byte"`
	Beside     float64    `json:"beside"`
	Covariance [6]float64 `json:"covariance"`
	Shared     factor     `json:"shared"`
	Own        factor     `json:"own"`
}

func (m *costModel) of(bytes float64) float64 { return m.Fixed + m.PerByte*bytes }

// doubt is the deviation of the logarithm of what is typical at that size.
func (m *costModel) doubt(bytes float64) float64 {
	v := m.Covariance[0] + 2*m.Covariance[1]*bytes + m.Covariance[3]*bytes*bytes
	return math.Sqrt(max(0, v)) / max(m.of(bytes)+m.Beside, 1e-12)
}

// model finds the one of all nodes together.
func (p *profile) model(stage, part string) *costModel {
	for i := range p.Models {
		if m := &p.Models[i]; m.Stage == stage && m.Part == part && m.Node == "" && m.Container == "" {
			return m
		}
	}
	return nil
}

// law is what the tasks of a job take.
type law struct {
	maps, reduces, fetch *costModel
	inputs               []float64 // of maps
	largest, share       float64   // of these; of a reduce
	deviations           [2]float64
}

// lawOf is that of a job by what is known now; nil if it is not played.
func (b *book) lawOf(j *job, skew float64) *law {
	p, l, read := b.profiles[j.Class], &law{}, 0.0
	if p == nil {
		return nil
	}
	if s := j.stage[mapStage]; s != nil {
		for _, t := range s.Tasks {
			l.inputs, l.largest = append(l.inputs, float64(t.Input)), max(l.largest, float64(t.Input))
			read += float64(t.Input)
		}
		if l.maps = p.model("map", "run"); l.maps == nil {
			return nil
		}
		l.deviations[0] = l.maps.doubt(l.largest)
	}
	if s := j.stage[reduceStage]; s != nil {
		if m := p.model("map", "emitted"); m != nil {
			l.share = m.of(read) * max(skew, 1) / float64(len(s.Tasks))
		}
		if l.reduces, l.fetch = p.model("reduce", "run"), p.model("reduce", "later shuffle"); l.reduces == nil {
			return nil
		}
		l.deviations[1] = l.reduces.doubt(l.share)
	}
	return l
}

// shared draws what the tasks of a job share, maps and reduces.
func (c *chances) shared(l *law) (s [2]float64) {
	z := c.dice.NormFloat64()
	for i, m := range []*costModel{l.maps, l.reduces} {
		if m != nil {
			wide := math.Copysign(math.Hypot(math.Log(m.Shared.at(z)), l.deviations[i]*z), z)
			s[i] = math.Exp(wide)
		}
	}
	if f := l.fetch; f != nil { // the mean of both, by what they take
		run, shuffle := l.reduces.of(l.share), f.of(l.share)
		wide := math.Copysign(math.Hypot(math.Log(f.Shared.at(z)), f.doubt(l.share)*z), z)
		s[1] = (s[1]*run + (shuffle+f.Beside)*math.Exp(wide) - f.Beside) / max(run+shuffle, 1e-9)
	}
	return s
}

// task draws what a task takes.
func (c *chances) task(l *law, stage int) float64 {
	if stage == mapStage {
		return l.maps.of(l.inputs[c.dice.IntN(len(l.inputs))]) * l.maps.Own.at(c.dice.NormFloat64())
	}
	t := l.reduces.of(l.share) * l.reduces.Own.at(c.dice.NormFloat64())
	if l.fetch != nil {
		t += max(0, (l.fetch.of(l.share)+l.fetch.Beside)*l.fetch.Own.at(c.dice.NormFloat64())-l.fetch.Beside)
	}
	return t
}

// late draws how much longer a task runs that has run for so long.
func (c *chances) late(l *law, stage int, shared, age float64) float64 {
	for range 200 {
		if t := shared * c.task(l, stage); t > age {
			return t - age
		}
	}
	return 0.1 * age // hardly ever does one take so long
}

// note sees nodes serve and fail, and forgets that with all else when all is told again.
func (c *chances) note(b *book, events []*line) {
	c.served += float64(c.nodes) * float64(b.now-c.since) / 1e9
	for _, e := range events {
		if n := e.int("node"); e.name == "node-down" && n < len(c.serving) && c.serving[n] {
			c.failed++
		}
	}
	if b.resyncs {
		c.failed, c.served = 0, 0
	}
	c.since, c.serving, c.nodes = b.now, make([]bool, len(b.nodes)), 0
	for i, n := range b.nodes {
		if n != nil && n.serves() && n.Class.Capacity[0]+n.Class.Capacity[1] > 0 {
			c.serving[i] = true
			c.nodes++
		}
	}
}

// rate is how many nodes fail in a second.
func (c *chances) rate() float64 {
	if c.failed == 0 || c.served <= 0 {
		return 0
	}
	return float64(c.failed) / c.served * float64(c.nodes)
}

// setback draws by how much failures delay a job that would end then.
func (c *chances) setback(mine *claim, l *law, own [2]float64, mapsEnd, end float64) (late float64) {
	rate := c.rate()
	if rate == 0 {
		return 0
	}
	holds := func(tasks int) bool { return c.dice.IntN(c.nodes) < tasks }
	again := func(stage int) float64 {
		if [2]int{mine.maps, mine.reduces}[stage-mapStage] == 0 {
			return 0
		}
		return own[stage-mapStage] * c.task(l, stage)
	}
	for at := c.dice.ExpFloat64() / rate; at < end; at += c.dice.ExpFloat64() / rate {
		late += (end - at) / max(1, float64(c.nodes-1))
		maps, reduces := again(mapStage), again(reduceStage)
		switch {
		case at > end-again(reduceStage) && holds(mine.reduces):
			late += maps + reduces
		case (at > end-again(reduceStage) || at > mapsEnd-again(mapStage) && at <= mapsEnd) && holds(mine.maps):
			late += maps
		}
	}
	return late
}

// unlike says what the numbers of a verdict should be, "" if they are near that, or the job is not played.
func (r *rtmr) unlike(b *book, name string, n [3]int64, list []proof, c *claim, at int, most int64, l *line) string {
	ends := r.play(b, c, at)
	said := []proof{{at: n[1], amount: most}}
	switch {
	case ends == nil || name != "likely" && name != "behind" && name != "unlikely":
		return ""
	case name == "likely":
		said = append(quantiles(l), proof{at: l.num64("by"), amount: most}, proof{at: c.deadline, amount: list[0].amount})
	}
	b.played++
	sooner, later := 6.0/7, 5.0/4
	rate, beat := r.likely.chances.rate(), float64(b.world.World.Heartbeat)/1e9
	for _, o := range r.plan.queue {
		if at > 0 || o.job.occupied > 0 {
			sooner, later = 0.6, math.Inf(1)
		}
	}
	for _, x := range said {
		done := 1 - float64(x.amount)/1e6
		wide := 3*math.Sqrt(done*(1-done)/plays) + 3.0/plays
		from, to := int((done-wide)*plays), int((done+wide)*plays)
		open := to >= plays
		takes := float64(x.at-b.now) / 1e9
		from, to = max(from, 0), min(to, plays-1)
		low := (ends[from] - beat/2) * sooner / (1 + rate*ends[from])
		high := (ends[to] + beat/2) * later * (1 + rate*ends[to])
		if takes < low || !open && takes > high {
			return fmt.Sprintf("%.1f %% of all such jobs done %.1f s from now, as they were played, and not %.1f s", done*100, ends[min(int(done*plays), plays-1)], takes)
		}
	}
	return ""
}

// play returns when the claim is done, in seconds from now, by so many plays in ascending order; nil if
// it is not played.
func (r *rtmr) play(b *book, c *claim, at int) []float64 {
	ch := &r.likely.chances
	mine := b.lawOf(c.job, r.skew)
	ch.laws[c.job] = mine
	if mine == nil || min(r.slots[0], r.slots[1]) == 0 || slices.ContainsFunc(r.plan.queue, func(o *claim) bool { return ch.laws[o.job] == nil }) {
		return nil
	}
	beat := float64(b.world.World.Heartbeat) / 1e9
	ch.dice = rand.New(rand.NewPCG(uint64(c.job.id), uint64(b.now)))
	ends := make([]float64, plays)
	for i := range ends {
		ends[i] = beat + ch.once(r, c, mine, at, b.now, beat)
	}
	slices.Sort(ends)
	return ends
}

// once plays the claim once, and returns when it ends.
func (c *chances) once(r *rtmr, mine *claim, l *law, at int, now int64, beat float64) float64 {
	var free [2][]float64 // slots, by when they fall free
	stage := func(i, n int, from float64, l *law, shared [2]float64) (end float64) {
		end = from
		for range n {
			first := slices.Index(free[i], slices.Min(free[i]))
			free[i][first] = max(free[i][first], from) + shared[i]*(c.task(l, mapStage+i)+beat/2)
			end = max(end, free[i][first])
		}
		return end
	}
	factors, runs := make([][2]float64, len(r.plan.queue)), make([]float64, at)
	for k, o := range r.plan.queue {
		factors[k] = c.shared(c.laws[o.job])
		for i := range free {
			if st := o.job.stage[mapStage+i]; st != nil {
				for _, a := range st.youngest {
					left := c.late(c.laws[o.job], mapStage+i, factors[k][i], float64(now-a.started)/1e9)
					if free[i] = append(free[i], left); i == 0 && k < at {
						runs[k] = max(runs[k], left)
					}
				}
			}
		}
	}
	for i, n := range r.slots { // some of those that run may be on nodes that drain
		slices.Sort(free[i])
		free[i] = append(make([]float64, max(0, n-len(free[i]))), free[i][max(0, len(free[i])-n):]...)
	}
	job := func(o *claim, l *law, shared [2]float64, maps, reduces int, runs float64) (mapsEnd, end float64) {
		from := 0.0
		if o.master != nobody && o.master != running {
			from = max(0, float64(o.ready-now)/1e9)
		}
		if o.slot {
			slices.Sort(free[0])
			if from = max(from, free[0][0]); o.master != running {
				from += float64(o.startup) / 1e9
			}
			free[0] = free[0][1:]
		}
		mapsEnd = max(runs, stage(0, maps, from, l, shared))
		end = stage(1, reduces, mapsEnd, l, shared)
		if o.slot {
			free[0] = append(free[0], end)
		}
		return mapsEnd, end
	}
	for k, o := range r.plan.queue[:at] {
		job(o, c.laws[o.job], factors[k], o.job.left(mapStage), o.job.left(reduceStage), runs[k])
	}
	own := c.shared(l)
	mapsEnd, end := job(mine, l, own, mine.maps, mine.reduces, 0)
	return end + c.setback(mine, l, own, mapsEnd, end)
}

// left are the tasks of a stage that are still to start.
func (j *job) left(kind int) int {
	if s := j.stage[kind]; s != nil {
		return s.open
	}
	return 0
}
