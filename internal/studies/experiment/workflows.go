package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/maths/mold"
	"github.com/slackline/slackline/internal/maths/optimize"
	"github.com/slackline/slackline/internal/studies/lab"
	"github.com/slackline/slackline/internal/studies/scenario"
	"github.com/slackline/slackline/units"
)

// machines of paper 001 (table 7 of its reference 23), with what is known of them from elsewhere: cores, GHz, and
// watts of a core under load.
var machines = []struct {
	name       string
	cores      int
	ghz, watts float64
}{{"e7450", 18, 2.4, 15}, {"xeon", 6, 3.2, 92}, {"x7150n", 12, 3.5, 75}, {"itanium", 8, 1.66, 52}}

// drawnJob is a job of a random workflow (paper 001, section VI-B1).
type drawnJob struct {
	serial float64 // seconds on the first kind of machine, if all of it is work of the CPU
	mu     [4]int  // by kind of machine, tenths of the time in which the CPU works
	most   int     // tasks
	slope  float64
	after  []int
}

// on is what so much work takes on a kind of machine.
func (j *drawnJob) on(kind int, work float64) float64 {
	return work * machines[0].ghz / machines[kind].ghz * 10 / float64(j.mu[kind])
}

// class has the jobs that spend the same part of their time on the CPU of each kind of machine.
func (j *drawnJob) class() string { return fmt.Sprint("w", j.mu) }

func (j *drawnJob) work(tasks int) float64 { return j.serial * (1 + j.slope*float64(tasks-1)) }

// drawnWorkflow is a workflow with when it comes and how long it may take, in seconds.
type drawnWorkflow struct {
	at, due float64
	jobs    []drawnJob
}

// drawWorkflows draws those of a seed.
func (c *computed) drawWorkflows(seed uint64) (list []drawnWorkflow) {
	d := draw.Of(seed, "workflows")
	n := uint64(0)
	next := func() draw.Draw { n++; return d.Number(n) }
	for at := 0.0; ; {
		if at += next().Exponential(1800 / c.Load); at > c.Hours*3600 && len(list) > 0 {
			return list
		}
		w := drawnWorkflow{at: at, jobs: make([]drawnJob, c.Size*4/5+next().Below(c.Size*2/5+1))}
		size := len(w.jobs)
		for edges := 0; edges < min(size*3/2, size*(size-1)/2); {
			a, b := next().Below(size), next().Below(size)
			if from, to := min(a, b), max(a, b); a != b && !slices.Contains(w.jobs[to].after, from) {
				w.jobs[to].after = append(w.jobs[to].after, from)
				edges++
			}
		}
		path := make([]float64, size)
		for i := range w.jobs {
			j := &w.jobs[i]
			j.serial, j.most = next().Between(0.6e12, 21.6e12)/(machines[0].ghz*1e9), 30+next().Below(91)
			j.slope = next().Between(c.Slope*9/11, c.Slope*13/11)
			for _, b := range j.after {
				path[i] = max(path[i], path[b])
			}
			for k := range machines {
				j.mu[k] = 8 + next().Below(3)
				path[i] += j.on(k, j.serial) / float64(len(machines))
			}
		}
		w.due = c.Factor * slices.Max(path)
		list = append(list, w)
	}
}

// scene writes workflows as a scenario.
func (c *computed) scene(list []drawnWorkflow) string {
	var b strings.Builder
	b.WriteString("name: workflows\npolicies: [edf-p]\ncluster:\n  heartbeat: 0s\n  replicas: 0\n  classes:\n")
	for kind, m := range machines {
		fmt.Fprintf(&b, "    - name: %s\n      nodes: %d\n      map_slots: %d\n      reduce_slots: 0\n      speed: %.6f\n      dynamic_power: %gW\n      rates:\n",
			m.name, c.Machines, m.cores, m.ghz/machines[0].ghz, m.watts*float64(m.cores))
		said := map[string]bool{}
		for k := range list {
			for i := range list[k].jobs {
				// a CPU that waits draws nothing, so that the energy is that of the work alone
				if j := &list[k].jobs[i]; !said[j.class()] {
					said[j.class()] = true
					fmt.Fprintf(&b, "        - {container: map-slot, jobs: %q, speed: %.6f, power: %gW}\n", j.class(), 1/j.on(kind, 1), m.watts*float64(j.mu[kind])/10)
				}
			}
		}
	}
	b.WriteString("workload:\n  jobs:\n")
	for k := range list {
		w := &list[k]
		for i := range w.jobs {
			j := &w.jobs[i]
			var after []string
			for _, p := range j.after {
				after = append(after, fmt.Sprintf("w%dj%d", k, p))
			}
			fmt.Fprintf(&b, "    - {id: w%dj%d, class: %q, workflow: w%d, workflow_deadline: +%.3fs, arrive: %.3fs, maps: %d, map_time: %.6fs, moldable: {slope: %.6f}, after: [%s]}\n",
				k, i, j.class(), k, w.due, w.at, j.most, j.work(j.most)/float64(j.most), j.slope, strings.Join(after, ", "))
		}
	}
	return b.String()
}

// options are the ways to run a job that no other beats.
func (c *computed) options(j *drawnJob) []mold.Option {
	var all []mold.Option
	for kind, m := range machines {
		for k := 1; k <= min(j.most, m.cores*c.Machines); k++ {
			work := j.work(k)
			all = append(all, mold.Option{Tasks: int32(k), Class: int32(kind), Time: units.FromSeconds(j.on(kind, work) / float64(k)),
				Cost: int64(work * machines[0].ghz / m.ghz * m.watts * 1e6)})
		}
	}
	return mold.Front(all)
}

// optimum names the cheapest choices by a workflow's deadline, if each job has all machines for itself: to be found
// where there are few jobs.
const optimum = "optimum"

// least is what a workflow costs at least, in joules: by linear programming, in which a job may be a mixture of numbers
// of tasks and kinds of machines, each of which it has for itself. Whole: no job is one.
func (c *computed) least(w *drawnWorkflow, whole bool) float64 {
	var l optimize.Linear
	finish := make([][]optimize.Term, len(w.jobs))
	for i := range w.jobs {
		j := &w.jobs[i]
		start, one := l.Add(0, 0, 1), optimize.Row{Lower: 1, Upper: 1}
		finish[i] = []optimize.Term{{Variable: start, Coefficient: 1}}
		for _, o := range c.options(j) {
			v := l.Add(float64(o.Cost)/1e6, 0, 1)
			one.Terms = append(one.Terms, optimize.Term{Variable: v, Coefficient: 1})
			finish[i] = append(finish[i], optimize.Term{Variable: v, Coefficient: o.Time.Seconds() / w.due})
		}
		l.Rows = append(l.Rows, one, optimize.Row{Terms: finish[i], Lower: math.Inf(-1), Upper: 1})
		for _, b := range j.after {
			l.Rows = append(l.Rows, optimize.Row{Terms: append(slices.Clone(finish[b]), optimize.Term{Variable: start, Coefficient: -1}), Lower: math.Inf(-1)})
		}
	}
	if l.Whole = make([]bool, len(l.Cost)); whole {
		for v := range l.Whole {
			l.Whole[v] = l.Cost[v] > 0
		}
		return l.Mixed(100_000, 1e-4, math.Inf(1)).Cost
	}
	return l.Solve().LowerBound
}

// with is a file with what a series says behind its policy: flow factor=0.2 load=4.
func (c *computed) with(said []string) (*computed, error) {
	of, err := *c, error(nil)
	for _, s := range said {
		key, value, _ := strings.Cut(s, "=")
		err = errors.Join(err, json.Unmarshal(fmt.Appendf(nil, "{%q: %s}", key, value), &of))
	}
	return &of, err
}

// workflows plays those of a seed by a policy: the dynamic energy of one, the part that missed their deadlines, and, of
// a file as it is, how far the energy is above the least.
func workflows(series string) func(context.Context, *computed, float64, uint64) (map[string]float64, error) {
	return func(ctx context.Context, c *computed, _ float64, seed uint64) (map[string]float64, error) {
		said := strings.Fields(series)
		policy := said[0]
		c, err := c.with(said[1:])
		if err != nil {
			return nil, err
		}
		list, least := c.drawWorkflows(seed), 0.0
		joules, missed := 0.0, 0
		switch policy {
		case bawmee:
			joules, missed = c.statically(list)
		case optimum:
			for i := range list {
				joules += c.least(&list[i], true)
			}
		default:
			s, err := scenario.Read("workflows.yaml", []byte(c.scene(list)))
			if err != nil {
				return nil, err
			}
			cells, err := cellsOf(s, policy, nil, 0, []uint64{seed})
			if err != nil {
				return nil, err
			}
			run, err := lab.Run(ctx, cells[0])
			if err != nil {
				return nil, err
			}
			joules = *run.Summary.Energy * 3.6e6 // no machine draws anything when idle
			missed = run.Summary.WorkflowsMissed
		}
		values := map[string]float64{"energy of a workflow": joules / 1e6 / float64(len(list)), "missed": float64(missed) / float64(len(list))}
		if len(said) > 1 {
			return values, nil
		}
		if was, known := c.bounds.Load(seed); known {
			least = was.(float64)
		} else {
			for i := range list {
				least += c.least(&list[i], false)
			}
			c.bounds.Store(seed, least)
		}
		values["above the bound"] = joules/least - 1
		return values, nil
	}
}
