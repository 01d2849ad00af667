package rds

import (
	"math"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/maths/fuzzy"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// The inputs of a model (eq. 6): slots of this interval, progress of the n_y before and slots of the n_u before,
// and the size of the job. Progress is a part of the tasks of the stage; slots are what they would do of them by
// the mean time of a task; the size is the logarithm of their number.
const (
	mostLags = 3
	window   = 96 // samples from which rules are found: that takes as long as to plan 60 jobs
)

// inputs counts them.
func (s *settings) inputs() int { return 2 + s.outputLags + s.inputLags }

// regress writes them.
func (s *settings) regress(into []float64, slots float64, past *[2][mostLags]float64, tasks int32) []float64 {
	into = append(append(into, slots), past[0][:s.outputLags]...)
	return append(append(into, past[1][:s.inputLags]...), math.Log1p(float64(tasks))/10)
}

// shift puts what was last before what was earlier.
func shift(past *[mostLags]float64, last float64) {
	copy(past[1:], past[:])
	past[0] = last
}

// performance is the model of a class (section 3.2): one for maps, one for reduces.
type performance struct {
	Name   string   `json:"name"`
	Stages [2]model `json:"stages"`
	// Used is the number of the last interval in which it had jobs.
	Used int64 `json:"used"`
	// Like says that it started from a class that was known.
	Like bool `json:"like,omitempty"`
}

// mostClasses bounds what is remembered: beyond it, classes whose jobs were last seen longest ago go.
const mostClasses = 200

// prune forgets classes of which no job is there.
func (c *controller) prune() {
	c.Intervals++
	for len(c.Classes) > mostClasses {
		oldest := 0
		for i, k := range c.Classes {
			if k.Used < c.Classes[oldest].Used {
				oldest = i
			}
		}
		if c.Classes[oldest].Used >= c.Intervals-1 {
			return
		}
		c.Classes, c.asked = slices.Delete(c.Classes, oldest, oldest+1), nil
	}
}

// model is the model of a stage.
type model struct {
	// Mean is what a task takes on a node of speed 1, in seconds.
	Mean    float64        `json:"mean"`
	Known   bool           `json:"known"` // by the profile of the class
	Tasks   float64        `json:"tasks"` // of the last job
	Learner *fuzzy.Learner `json:"learner"`
	Samples int            `json:"samples"` // of its own jobs, in this run
}

func (k *performance) clone() *performance {
	o := *k
	for i := range o.Stages {
		o.Stages[i].Learner = o.Stages[i].Learner.Clone()
	}
	return &o
}

// proportional is a model of a stage of which no run is stored: progress is what slots do by the mean time of a
// task.
func (s *settings) proportional() *fuzzy.Learner {
	n := s.inputs()
	r := fuzzy.Rule{Center: make([]float64, n), Width: slices.Repeat([]float64{1}, n), Then: make([]float64, n+1)}
	r.Then[0] = 1
	return fuzzy.Learn(fuzzy.Model{Inputs: n, Rules: []fuzzy.Rule{r}}, forgetting, 1)
}

// class finds the model of a job's class. A class that is new starts from the nearest one of which
// something is known: that whose jobs have the most similar numbers of tasks.
func (c *controller) class(v sched.View, job *sched.Job) *performance {
	name := job.Spec.Class
	if c.asked != nil && c.asked.Name == name {
		c.asked.Used = c.Intervals
		return c.asked
	}
	i, ok := slices.BinarySearchFunc(c.Classes, name, func(k *performance, name string) int { return strings.Compare(k.Name, name) })
	if !ok {
		k := &performance{Name: name}
		var nearest *performance
		best := int64(math.MaxInt64)
		for _, o := range c.Classes {
			d := int64(0)
			for s, stage := range planned {
				far := math.Log((1 + float64(job.Spec.Tasks(stage))) / (1 + o.Stages[s].Tasks))
				d += int64(units.Rounded(1e6 * math.Abs(far)))
			}
			if o.Stages[0].Known && d < best {
				nearest, best = o, d
			}
		}
		for s := range k.Stages {
			m := &k.Stages[s]
			m.Mean, m.Learner = guess.Seconds(), c.set.proportional()
			if nearest != nil {
				m.Mean, m.Learner = nearest.Stages[s].Mean, nearest.Stages[s].Learner.Clone()
			}
		}
		k.Like = nearest != nil
		c.Classes = slices.Insert(c.Classes, i, k)
		if p := v.Profile(name); p != nil {
			c.profiled(k, p)
		}
	}
	c.asked = c.Classes[i]
	c.asked.Used = c.Intervals
	return c.asked
}

// taught takes in what was learned of a class.
func (c *controller) taught(_ sched.View, p *profile.Class) {
	i, ok := slices.BinarySearchFunc(c.Classes, p.Name, func(k *performance, name string) int { return strings.Compare(k.Name, name) })
	if ok {
		c.profiled(c.Classes[i], p)
	}
}

// profiled takes mean times from a profile. With the first one a model begins again, trained off line by what runs
// are stored: what it has learned before corrects another time of a task, a guess or that of another class.
func (c *controller) profiled(k *performance, p *profile.Class) {
	for s, stage := range planned {
		if mean, _, ok := estimate.Task(p, stage); ok && mean > 0 {
			m := &k.Stages[s]
			m.Mean = mean.Seconds()
			if !m.Known {
				*m = model{Known: true, Mean: m.Mean, Tasks: m.Tasks, Learner: c.set.proportional()}
				c.train(m, stage, p.Courses)
			}
		}
	}
}

// train finds rules by clustering and ANFIS from what stages of stored runs did in an interval (section 5.2),
// beginning each quarter of one. They are taken if they fit that better than what slots do by the mean time of a
// task.
func (c *controller) train(m *model, stage sched.Stage, courses []profile.Course) {
	var xs, ys []float64
	interval := c.set.interval.Seconds()
	for i := range courses {
		of := &courses[i]
		if of.Stage != stage {
			continue
		}
		all := 1 / float64(of.Tasks)
		within := func(from float64) (did, used float64) {
			was, had := of.Until(from)
			done, has := of.Until(from + interval)
			return (done - was) * all, (has - had) / m.Mean * all
		}
		for quarter := range int(units.Rounded(4*float64(len(of.Done))*of.Step/interval)) - 3 {
			from := float64(quarter) / 4 * interval
			did, used := within(from)
			var past [2][mostLags]float64
			for lag := range mostLags {
				past[0][lag], past[1][lag] = within(from - float64(lag+1)*interval)
			}
			if used > 0 {
				xs, ys = c.set.regress(xs, used, &past, int32(of.Tasks)), append(ys, did)
			}
		}
	}
	n := c.set.inputs()
	if more := len(ys) - window; more > 0 {
		xs, ys = xs[more*n:], ys[more:]
	}
	found := fuzzy.Start(xs, n, 0.5, min(mostRules, len(ys)/(2*n))) // two samples at least for each of its coefficients
	if len(found.Rules) == 0 {
		return
	}
	off := c.trainer.Train(&found, xs, ys, 5)
	if units.Rounded(off) < units.Rounded(m.Learner.RMSE(xs, ys)) {
		m.Learner = fuzzy.Learn(found, forgetting, 1)
		m.Learner.Noise, m.Learner.Weight = off*off, float64(len(ys))
	}
}

// known tells whether anything is known of the class from its own jobs. A learner may have seen those of another.
func (k *performance) known() bool { return k.Stages[0].Known || k.Stages[0].Samples > 0 }

// unit is the part of the stage's tasks that one slot of a node of speed 1 does in an interval, by the
// mean time of a task.
func (m *model) unit(interval units.Duration, tasks int32) float64 {
	return interval.Seconds() / max(m.Mean, 1e-3) / float64(max(tasks, 1))
}

// effects are a model with firing strengths frozen: progress by slots of the interval and of those before, by
// progress in those before, and without any.
type effects struct {
	inputs  [1 + mostLags]float64
	outputs [mostLags]float64
	rest    float64
}

// affine finds them, held to what progress can be.
func (m *model) affine(set *settings, x []float64) (e effects) {
	var s [mostRules]float64
	var room [2 + 2*mostLags + 1]float64
	n := len(x)
	then := room[:n+1]
	m.Learner.Affine(x, s[:len(m.Learner.Rules)], then)
	held := func(x, low, high float64) float64 { return min(max(units.Rounded(x), low), high) }
	e.inputs[0] = held(then[0], 0.2, 2)
	for lag := range set.outputLags {
		e.outputs[lag] = held(then[1+lag], -0.5, 0.8)
	}
	for lag := range set.inputLags {
		e.inputs[1+lag] = held(then[1+set.outputLags+lag], -0.1, 1)
	}
	e.rest = held(float64(then[n-1]*x[n-1])+then[n], -0.2, 0.2)
	return e
}

// measure teaches the models what jobs have done in the interval that ends, and notes where they stand.
func (c *controller) measure(v sched.View) {
	for _, m := range c.Members {
		job := v.Job(m.Job)
		running := job.Standing() == sched.Admitted
		k := c.class(v, job)
		for s, stage := range planned {
			t := &job.Stages[stage]
			if t.Total == 0 {
				continue
			}
			of := &k.Stages[s]
			of.Tasks = float64(t.Total)
			unit := of.unit(c.set.interval, t.Total)
			used := float64(m.Held[s]+t.Occupied) / 2 * c.Pace * unit
			did := float64(max(0, t.Done-m.Done[s])) / float64(t.Total)
			if m.Whole && running && m.Held[s] > 0 && t.Open > 0 {
				of.Learner.Add(c.set.regress(nil, used, &m.Past[s], t.Total), did)
				of.Samples++
			}
			if m.Whole {
				shift(&m.Past[s][0], did)
				shift(&m.Past[s][1], used)
			}
			m.Done[s], m.Held[s] = t.Done, t.Occupied
		}
		m.Whole = running
	}
}
