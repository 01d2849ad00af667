package experiment

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/maths/stat"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/studies/scenario"
)

// stream is a kind of random jobs: how the times of tasks vary, and how the jobs do.
type stream struct {
	name    string
	cv      float64                                       // of task times, lognormal; below 0: by values
	values  func(u float64) float64                       // their quantile function, where they are not lognormal
	factor  func(d draw.Draw, part, hour float64) float64 // of all tasks of a job, by how much of the stream is over
	longer  float64                                       // the mean of that over the stream, at least 1
	loose   float64                                       // of deadlines, over those of other streams
	classes int                                           // that the four are split in, -1: they are one
	extra   string                                        // of the cluster
	weights bool
}

// streams of jobs that come and go on 16 small nodes.
var streams = []stream{
	{name: "even", cv: 0.013},
	{name: "cv 0.2", cv: 0.2},
	{name: "cv 0.5", cv: 0.5},
	{name: "cv 1", cv: 1},
	{name: "cv 2", cv: 2, loose: 1.5},
	{name: "Pareto 1.5", values: func(u float64) float64 { return math.Pow(1-u, -1/1.5) }, loose: 2.5},
	{name: "tasks of workflows", values: workflowTasks, loose: 1.5},
	{name: "two kinds of tasks", values: func(u float64) float64 {
		if u < 0.9 {
			return 1
		}
		return 5
	}},
	{name: "two kinds of jobs", cv: 0.25, longer: 1.3, loose: 2, factor: func(d draw.Draw, _, _ float64) float64 {
		if d.Chance(0.1) {
			return 4
		}
		return 1
	}},
	{name: "like within a job", cv: 0.25, loose: 1.4, factor: func(d draw.Draw, _, _ float64) float64 { return lognormal(d, 0.5) }},
	{name: "twice as long from half", cv: 0.25, longer: 1.5, factor: func(_ draw.Draw, part, _ float64) float64 {
		if part > 0.5 {
			return 2
		}
		return 1
	}},
	{name: "three times in the end", cv: 0.25, longer: 1.82, factor: func(_ draw.Draw, part, _ float64) float64 { return math.Pow(3, part) }},
	{name: "ten slow minutes an hour", cv: 0.25, longer: 1.25, loose: 1.4, factor: func(_ draw.Draw, _, hour float64) float64 {
		if hour < 1.0/6 {
			return 2.5
		}
		return 1
	}},
	{name: "a slow node in four", cv: 0.25, longer: 1.15, extra: "classes: [{name: slow, nodes: 4, speed: 0.5}]"},
	{name: "uneven reduces", cv: 0.25, longer: 1, extra: "skew: 2"},
	{name: "400 classes", cv: 0.25, classes: 100},
	{name: "one class", cv: 0.25, classes: -1},
	{name: "weights", cv: 0.5, weights: true},
	{name: "half a cluster half the time", cv: 0.25, longer: 1.33, loose: 1.5, extra: "speed_steps: [%s]"},
}

// workflowTasks is what tasks took in parts of the mean of their kind, in workflows that were measured (WfInstances of
// WfCommons: bwa, 1000genome, cycles, epigenomics, montage, seismology, soykb and srasearch; the three largest of each,
// kinds of 20 tasks and more; each workflow counts alike).
func workflowTasks(u float64) float64 {
	at := [...]float64{0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 1}
	is := [...]float64{0.001, 0.012, 0.015, 0.059, 0.393, 0.627, 0.793, 0.874, 0.985, 1.135, 1.311, 1.629, 2.08, 3.071, 4.824, 7.793, 20.04, 29.22}
	i := max(1, slices.IndexFunc(at[:], func(x float64) bool { return x >= u }))
	return is[i-1] + (is[i]-is[i-1])*(u-at[i-1])/(at[i]-at[i-1])
}

// lognormal is a factor of mean 1.
func lognormal(d draw.Draw, cv float64) float64 {
	s := math.Sqrt(math.Log(1 + cv*cv))
	return math.Exp(d.Normal(-s*s/2, s))
}

// shapes are the four kinds of jobs: how many maps and reduces of how many seconds.
var shapes = [4]struct {
	name            string
	least, most     int
	reduces         int
	mapper, reducer float64
}{{"small", 1, 8, 1, 12, 9}, {"wide", 16, 48, 2, 18, 35}, {"slow", 2, 6, 1, 75, 25}, {"mid", 6, 18, 1, 28, 18}}

const (
	streamSlots = 32.0 // of maps
	speedSpan   = 1800.0
)

// scene writes so many jobs of a seed as a scenario whose map slots are busy for a part of the time.
func (k *stream) scene(jobs int, load float64, seed uint64, profiles string) string {
	work := 0.0
	for _, s := range shapes {
		work += float64(s.least+s.most) / 2 * s.mapper / float64(len(shapes))
	}
	gap := work / (streamSlots * load) * max(1, k.longer)
	law := fmt.Sprintf("law: lognormal, cv: %g", k.cv)
	if k.values != nil {
		const many = 4000
		values := make([]string, many)
		for i := range values {
			values[i] = strconv.FormatFloat(k.values((float64(i)+0.5)/many), 'g', 6, 64)
		}
		law = "law: empirical, values: [" + strings.Join(values, ", ") + "]"
	}
	extra := k.extra
	if strings.Contains(extra, "%s") {
		var steps []string
		for at, n := speedSpan, 0; at < gap*float64(jobs); at, n = at+speedSpan, n+1 {
			steps = append(steps, fmt.Sprintf("{at: %gs, factor: %g}", at, 1/float64(2-n%2)))
		}
		extra = fmt.Sprintf(extra, strings.Join(steps, ", "))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "name: stream\npolicies: [promise]\n%scluster:\n  nodes: 16\n  map_slots: 2\n  reduce_slots: 1\n  heartbeat: 0s\n  task_times: {%s}\n", profiles, law)
	if extra != "" {
		fmt.Fprintf(&b, "  %s\n", extra)
	}
	b.WriteString("workload:\n  jobs:\n")
	at, all := 0.0, draw.Of(seed, k.name)
	for i := range jobs {
		d := all.Number(uint64(i))
		next := func(what string) draw.Draw { return d.Job(what) }
		at += next("gap").Exponential(gap)
		s := &shapes[next("shape").Below(len(shapes))]
		maps, factor, class := s.least+next("maps").Below(s.most-s.least+1), 1.0, s.name
		if k.factor != nil {
			factor = k.factor(next("factor"), float64(i)/float64(jobs), math.Mod(at/3600, 1))
		}
		switch {
		case k.classes < 0:
			class = "all"
		case k.classes > 0: // by Zipf's law
			class += strconv.Itoa(int(math.Pow(float64(k.classes), next("class").Float64())))
		}
		due := (s.mapper*math.Ceil(float64(maps)/streamSlots) + s.reducer) * max(1, k.loose) * next("due").Between(2, 6)
		if k.loose == 0 {
			due *= factor
		}
		weight := ""
		if k.weights {
			weight = fmt.Sprintf(", weight: %d", 1+9*next("weight").Below(2))
		}
		fmt.Fprintf(&b, "    - {id: j%d, class: %s, arrive: %.3fs, deadline: +%.3fs, maps: %d, map_time: %.3fs, reduces: %d, reduce_time: %.3fs%s}\n",
			i, class, at, due, maps, s.mapper*factor, s.reduces, s.reducer*factor, weight)
	}
	return b.String()
}

// rehearsed is a prefix of policies that have seen such jobs before, with other task times.
const rehearsed = "knowing the laws: "

// streaming plays the stream, load in percent and policy that a series names: "cv 0.5, 95: promise".
func streaming(series string) func(context.Context, *computed, float64, uint64) (map[string]float64, error) {
	setting, policy, _ := strings.Cut(series, ": ")
	name, load, _ := strings.Cut(setting, ", ")
	kind := slices.IndexFunc(streams, func(k stream) bool { return k.name == name })
	percent, err := strconv.ParseFloat(load, 64)
	if kind < 0 || err != nil {
		return nil
	}
	policy, knows := strings.CutPrefix(policy, rehearsed)
	profiles := ""
	if knows {
		profiles = "profiles: rehearsed\n"
	}
	return func(ctx context.Context, c *computed, _ float64, seed uint64) (map[string]float64, error) {
		s, err := scenario.Read("stream.yaml", []byte(streams[kind].scene(c.Jobs, percent/100, seed, profiles)))
		if err != nil {
			return nil, err
		}
		cell := lab.Cells(s, []string{policy}, []uint64{seed})[0]
		cell.Catalog = policies
		run, err := lab.Run(ctx, cell)
		if err != nil {
			return nil, err
		}
		return outcomes(run), nil
	}
}

// tenths are the parts of 1 that stated chances are told apart by.
const tenths = 10

// outcomes counts what was said of the jobs of a run, and what came.
func outcomes(run *report.Run) map[string]float64 {
	v := map[string]float64{"jobs": 0, "promised": 0, "kept": 0}
	largest, work := 0.0, 0.0
	for i := range run.Jobs {
		work += known(run.Jobs[i].TaskTime)
	}
	largest = work / 20
	met, all := 0.0, 0.0
	for i := range run.Jobs {
		j := &run.Jobs[i]
		if j.Deadline == nil || j.Finished == nil {
			continue
		}
		v["jobs"]++
		in := 0.0
		if j.Outcome.InTime() {
			in = 1
		}
		v["met"] += in
		if t := known(j.TaskTime); t <= largest {
			all += t
			met += t * in
		}
		if j.Promised != nil {
			v["promised"]++
			v["kept"] += in
		}
		if len(j.Outlooks) == 0 {
			continue
		}
		o := &j.Outlooks[0]
		for _, told := range []struct {
			name string
			by   float64
		}{{"50", o.Half}, {"90", o.Ninety}, {"99", o.Sure}} {
			if told.by > 0 && (told.name != "99" || o.Confidence > 0.985) {
				v["told "+told.name]++
				if *j.Finished <= told.by {
					v["done "+told.name]++
				}
			}
		}
		if o.Half > j.Submitted && o.Confidence > 0.985 {
			v["wide"] += (o.Sure - j.Submitted) / (o.Half - j.Submitted)
			v["widths"]++
		}
		if o.Chance > 0 {
			t := strconv.Itoa(min(tenths-1, int(o.Chance*tenths)))
			v["of "+t]++
			v["said "+t] += o.Chance
			v["came "+t] += in
		}
	}
	v["in time"], v["work in time"] = over(v["met"], v["jobs"]), over(met, all)
	v["99 % by, over half by"] = over(v["wide"], v["widths"])
	return v
}

// sums adds up a value over all seeds.
func (r *Results) sums(s Series, name string) (sum float64) {
	for _, o := range r.outcomes[s] {
		sum += o.Values[name]
	}
	return sum
}

// ratio is one sum over another.
func ratio(name, of, by string) Metric {
	return Metric{name, "%", func(o *Outcome) float64 { return over(o.Values[of], o.Values[by]) }}
}

// keeps claims that of all promises at least the stated part was kept, as far as the exact interval of a series tells.
func keeps(stated float64, rows Rows) Check {
	return everywhere(rows, &Metric{"kept", "%", nil}, func(r *Results, s Series) (is, low, high float64, holds bool) {
		n, kept := r.sums(s, "promised"), r.sums(s, "kept")
		low, high = stat.Exact95(int(kept), int(n))
		return over(kept, n), low, high, n == 0 || high >= stated
	}, false)
}

// tellsTrue claims that stated chances and what came differ by at most a point on average over tenths, and by three in
// any tenth of 400 jobs or more; by three and six where most jobs are of a class of which little is known.
func tellsTrue(rows Rows) Check {
	return everywhere(rows, &Metric{"off", "points", nil}, func(r *Results, s Series) (is, low, high float64, holds bool) {
		off, n, worst := 0.0, 0.0, 0.0
		for t := range tenths {
			name := strconv.Itoa(t)
			if of := r.sums(s, "of "+name); of > 0 {
				d := math.Abs(r.sums(s, "said "+name)-r.sums(s, "came "+name)) / of
				off += d * of
				n += of
				if of >= 400 {
					worst = max(worst, d)
				}
			}
		}
		off = over(off, n)
		most, far := 0.01, 0.03
		if setting, _, _ := strings.Cut(s.Policy, ", "); slices.ContainsFunc(streams, func(k stream) bool { return k.name == setting && k.classes > 0 }) {
			most, far = 0.03, 0.06
		}
		return off, off, max(off, worst), off <= most && worst <= far
	}, true)
}

// doneBy claims that by what is told for a part of the jobs that part is done, within a margin.
func doneBy(percent string, margin float64, rows Rows) Check {
	part, _ := strconv.ParseFloat(percent, 64)
	part /= 100
	return everywhere(rows, &Metric{"done by it", "%", nil}, func(r *Results, s Series) (is, low, high float64, holds bool) {
		n, done := r.sums(s, "told "+percent), r.sums(s, "done "+percent)
		low, high = stat.Exact95(int(done), int(n))
		is = over(done, n)
		return is, low, high, n == 0 || low <= part+margin && high >= part-margin
	}, false)
}

// partOf claims that a value of each series is at least such a part of the largest among the others beside it.
func partOf(part float64, m Metric, rows Rows, beside ...Rows) Check {
	c := everywhere(rows, &Metric{m.Name, "of the best", nil}, func(r *Results, s Series) (is, low, high float64, holds bool) {
		at := slices.IndexFunc(rows, func(o Row) bool { return o.Series == s })
		best := 0.0
		for _, others := range beside {
			mine, _ := mean(r.Sample(others[at].Series, m))
			best = max(best, mine)
		}
		mine, ci := mean(r.Sample(s, m))
		return mine / best, ci[0] / best, ci[1] / best, ci[1]/best >= part
	}, false)
	for _, others := range beside {
		c.of = append(c.of, others...)
	}
	return c
}

// everywhere claims the same of each of several series: it says what the worst has, and how many have it not.
func everywhere(rows Rows, unit *Metric, of func(*Results, Series) (is, low, high float64, holds bool), most bool) Check {
	return Check{Range, rows, func(r *Results, _ Published) verdict {
		v := verdict{holds: true, unit: unit, ours: math.NaN()}
		var not []string
		worst := ""
		for _, row := range rows {
			is, low, high, holds := of(r, row.Series)
			if math.IsNaN(is) {
				continue
			}
			if !holds {
				v.holds = false
				not = append(not, fmt.Sprintf("%s (%s)", row.Name, unit.format(is)))
			}
			if math.IsNaN(v.ours) || (is < v.ours) != most && is != v.ours {
				v.ours, v.ci, worst = is, [2]float64{low, high}, row.Name
			}
		}
		v.note = "the worst is " + worst
		if len(not) > 0 {
			v.note += fmt.Sprintf("; not so in %d of %d: %s", len(not), len(rows), strings.Join(not, ", "))
		}
		return v
	}}
}
