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

// The inputs of a model: slots of this interval, progress and slots of the one before, size of the
// job. Progress is a part of the tasks of the stage; slots are what they would do of them by the mean
// time of a task; the size is the logarithm of their number.
const (
	inputs    = 4
	window    = 96 // samples from which rules are found
	fresh     = 32 // samples after which they are found again, at the end of an interval,
	refreshed = 4  // for so many models at most: what is found for one takes as long as to plan 60 jobs
)

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
	Inputs  []float64      `json:"inputs,omitempty"`
	Outputs []float64      `json:"outputs,omitempty"`
	Since   int            `json:"since"` // samples since rules were found
}

func (k *performance) clone() *performance {
	o := *k
	for i := range o.Stages {
		s := &o.Stages[i]
		s.Learner, s.Inputs, s.Outputs = s.Learner.Clone(), slices.Clone(s.Inputs), slices.Clone(s.Outputs)
	}
	return &o
}

// proportional is the first model of a stage: progress is what slots do by the mean time of a task.
func proportional() *fuzzy.Learner {
	r := fuzzy.Rule{Center: make([]float64, inputs), Width: []float64{1, 1, 1, 1}, Then: make([]float64, inputs+1)}
	r.Then[0] = 1
	return fuzzy.Learn(fuzzy.Model{Inputs: inputs, Rules: []fuzzy.Rule{r}}, forgetting, 1)
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
			m.Mean, m.Learner = guess.Seconds(), proportional()
			if nearest != nil {
				m.Mean, m.Learner = nearest.Stages[s].Mean, nearest.Stages[s].Learner.Clone()
			}
		}
		k.Like = nearest != nil
		c.Classes = slices.Insert(c.Classes, i, k)
		if p := v.Profile(name); p != nil {
			k.profiled(p)
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
		c.Classes[i].profiled(p)
	}
}

// profiled takes mean times from a profile. With the first one a model begins again: what it has learned before
// corrects another time of a task, a guess or that of another class.
func (k *performance) profiled(p *profile.Class) {
	for s, stage := range planned {
		if mean, _, ok := estimate.Task(p, stage); ok && mean > 0 {
			m := &k.Stages[s]
			if !m.Known {
				*m = model{Known: true, Tasks: m.Tasks, Learner: proportional()}
			}
			m.Mean = mean.Seconds()
		}
	}
}

// known tells whether anything is known of the class from its own jobs. A learner may have seen those of another.
func (k *performance) known() bool { return k.Stages[0].Known || len(k.Stages[0].Outputs) > 0 }

// unit is the part of the stage's tasks that one slot of a node of speed 1 does in an interval, by the
// mean time of a task.
func (m *model) unit(interval units.Duration, tasks int32) float64 {
	return interval.Seconds() / max(m.Mean, 1e-3) / float64(max(tasks, 1))
}

// size is the input that stands for the job's size.
func size(tasks int32) float64 { return math.Log1p(float64(tasks)) / 10 }

// affine is the model with firing strengths frozen: progress by slots, by progress and slots before,
// and without any. It is held to what progress can be.
func (m *model) affine(x []float64) (slots, lagged, before, rest float64) {
	var s [mostRules]float64
	var then [inputs + 1]float64
	m.Learner.Affine(x, s[:len(m.Learner.Rules)], then[:])
	slots = min(max(units.Rounded(then[0]), 0.2), 2)
	lagged = min(max(units.Rounded(then[1]), -0.5), 0.8)
	before = min(max(units.Rounded(then[2]), -0.1), 1)
	rest = min(max(units.Rounded(float64(then[3]*x[3])+then[4]), -0.2), 0.2)
	return slots, lagged, before, rest
}

// learn takes a sample.
func (m *model) learn(x []float64, y float64) {
	m.Learner.Add(x, y)
	m.Inputs, m.Outputs = append(m.Inputs, x...), append(m.Outputs, y)
	if more := len(m.Outputs) - window; more > 0 {
		m.Inputs = slices.Delete(m.Inputs, 0, more*inputs)
		m.Outputs = slices.Delete(m.Outputs, 0, more)
	}
	m.Since++
}

// refresh finds rules again from the last samples: they replace the ones before if they fit what was seen better.
func (m *model) refresh(w *fuzzy.Trainer) {
	m.Since = 0
	found := fuzzy.Start(m.Inputs, inputs, 0.5, mostRules)
	if len(found.Rules) == 0 {
		return
	}
	old, young := m.Learner.RMSE(m.Inputs, m.Outputs), w.Train(&found, m.Inputs, m.Outputs, 5)
	if units.Rounded(young) < units.Rounded(0.9*old) {
		seen := m.Learner.Seen
		m.Learner = fuzzy.Learn(found, forgetting, 1)
		m.Learner.Seen, m.Learner.Noise, m.Learner.Weight = seen, young*young, float64(len(m.Outputs))
	}
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
				of.learn([]float64{used, m.Was[s], m.Used[s], size(t.Total)}, did)
			}
			if m.Whole {
				m.Was[s], m.Used[s] = did, used
			}
			m.Done[s], m.Held[s] = t.Done, t.Occupied
		}
		m.Whole = running
	}
	for range refreshed {
		if m := c.stalest(); m != nil {
			m.refresh(&c.trainer)
		}
	}
}

// stalest is the model with most samples since its rules were found, nil if none has enough.
func (c *controller) stalest() (most *model) {
	least := fresh
	for _, k := range c.Classes {
		for s := range k.Stages {
			if m := &k.Stages[s]; m.Since >= least {
				most, least = m, m.Since+1
			}
		}
	}
	return most
}
