package scenario

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/slackline/slackline/internal/config"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Capacity is what stands in a file for slackline capacity: classes of jobs, and what machines cost
// (paper 004, table 1).
type Capacity struct {
	Name          string          `json:"name" label:"yes" doc:"what the plan is called; the file's name if left out"`
	Currency      string          `json:"currency" doc:"the currency of prices and penalties, such as EUR; printed with costs, and not used otherwise"`
	Prices        MachinePrices   `json:"prices" need:"yes" doc:"what machines cost"`
	ReservedLimit float64         `json:"reserved_limit" min:"0" max:"1e9" doc:"how many machines can be reserved (r̄); none if left out"`
	Integer       *bool           `json:"integer" doc:"whether machines and jobs are whole numbers; true if left out"`
	Bound         string          `json:"bound" enum:"mean|upper" def:"mean" doc:"which bound must meet the deadlines: the mean of the lower and the upper one, as in the paper, or the upper one"`
	WholeShares   *bool           `json:"whole_shares" doc:"whether each admitted job gets at least one map slot and one reduce slot, as with less the bounds do not hold; true if left out, false is the paper's problem as it is printed"`
	Classes       []CapacityClass `json:"classes" need:"yes" some:"yes" doc:"classes of jobs, each with jobs that run side by side"`

	src *config.Document
}

// MachinePrices are what a machine costs, in the currency an hour.
type MachinePrices struct {
	OnDemand float64 `json:"on_demand" need:"yes" min:"0" max:"1e9" doc:"price of a machine on demand, in the currency an hour (δ)"`
	Reserved float64 `json:"reserved" min:"0" max:"1e9" doc:"price of a reserved machine, in the currency an hour (ρ); below that on demand, or none is reserved"`
}

// CapacityClass is a class of jobs with equal profiles and deadlines.
type CapacityClass struct {
	Name    string `json:"name" need:"yes" label:"yes" doc:"name of the class"`
	Maps    int    `json:"maps" need:"yes" min:"0" max:"1e9" doc:"maps of a job (N_M)"`
	Reduces int    `json:"reduces" min:"0" max:"1e9" doc:"reduces of a job (N_R); none if left out"`

	Profile      string    `json:"profile" doc:"class whose runs taught the times that are left out here (--from-profiles); the class of the same name if left out"`
	Map          TaskTimes `json:"map" doc:"what a map takes (M)"`
	FirstShuffle TaskTimes `json:"first_shuffle" doc:"how long a reduce of the first wave fetches after the last map (Sh¹); no time if left out"`
	Shuffle      TaskTimes `json:"shuffle" doc:"how long a reduce of a later wave fetches (Sh); no time if left out"`
	Reduce       TaskTimes `json:"reduce" doc:"what a reduce takes, without fetching (R)"`

	MapSlots    float64 `json:"map_slots" need:"yes" min:"0.001" max:"1e9" doc:"maps that a machine runs side by side (c_M)"`
	ReduceSlots float64 `json:"reduce_slots" min:"0.001" max:"1e9" def:"1" doc:"reduces that a machine runs side by side when it runs no maps (c_R); 1 if left out"`

	Deadline config.Span   `json:"deadline" need:"yes" doc:"how long a job may take (D)"`
	Quantile config.Chance `json:"quantile" doc:"the part of its jobs that must meet the deadline, such as 99%, instead of bound"`
	AtLeast  float64       `json:"at_least" min:"0" max:"1e9" doc:"jobs that must be admitted side by side (H_low); none if left out"`
	AtMost   float64       `json:"at_most" need:"yes" min:"0" max:"1e9" doc:"jobs that ask to run side by side (H_up)"`
	Penalty  float64       `json:"penalty" min:"0" max:"1e9" doc:"what a job that is not admitted costs, in the currency an hour (p); nothing if left out"`
}

// TaskTimes are the mean and the longest time of tasks.
type TaskTimes struct {
	Mean      config.Span `json:"mean" need:"yes" doc:"mean time of a task"`
	Max       config.Span `json:"max" need:"yes" doc:"longest time of a task"`
	Deviation config.Span `json:"deviation" above:"0" doc:"standard deviation of the time of a task, for quantile; as large as mean and max allow if left out"`

	Spread  profile.Spread `json:"-"` // distribution, where runs taught it
	Samples int64          `json:"-"` // how many tasks taught it, 0 for none
}

// Whole tells whether machines and jobs are whole numbers.
func (c *Capacity) Whole() bool { return c.Integer == nil || *c.Integer }

// Shares tells whether each job gets a slot of each kind or more.
func (c *Capacity) Shares() bool { return c.WholeShares == nil || *c.WholeShares }

// Reservable tells whether a reserved machine has a price.
func (c *Capacity) Reservable() bool {
	return c.Prices.Reserved > 0 || c.ReservedLimit > 0 || c.src != nil && c.src.Has("prices.reserved")
}

// ReadCapacity reads a file for slackline capacity. Times that it leaves out come from these profiles, if
// there are any. The error, if any, is a config.Errors.
func ReadCapacity(file string, src []byte, known ...*profile.Class) (*Capacity, error) {
	doc, err := config.ParseOne(file, src)
	if err != nil {
		return nil, err
	}
	c := &Capacity{src: doc}
	capacityFile.read(doc, c)
	c.Name = cmp.Or(c.Name, stem(file))
	if len(c.src.Errs) == 0 {
		for i := range c.Classes {
			c.Classes[i].learn(c.src, fmt.Sprintf("classes[%d]", i), known)
		}
		c.check()
	}
	if err := c.src.Err(); err != nil {
		return nil, err
	}
	return c, nil
}

// learnsFrom is the class whose runs taught what is left out.
func (k *CapacityClass) learnsFrom() string { return cmp.Or(k.Profile, k.Name) }

// learn takes times that are left out from what runs taught, cold ones as well.
func (k *CapacityClass) learn(d *config.Document, at string, known []*profile.Class) {
	i := slices.IndexFunc(known, func(p *profile.Class) bool { return p.Name == k.learnsFrom() })
	if i < 0 {
		return // check says what is missing
	}
	whole := known[i].Whole()
	maps, reduces := whole.Any(workload.Map), whole.Any(workload.Reduce)
	first, later := reduces.Shuffles()
	for _, t := range []struct {
		key    string
		tasks  int
		to     *TaskTimes
		from   profile.Estimate
		spread profile.Spread
	}{
		{"map", k.Maps, &k.Map, maps.Task, maps.Spread},
		{"first_shuffle", k.Reduces, &k.FirstShuffle, first, nil},
		{"shuffle", k.Reduces, &k.Shuffle, later, nil},
		{"reduce", k.Reduces, &k.Reduce, reduces.Task, reduces.Spread},
	} {
		if own := at + "." + t.key; t.tasks > 0 && t.from.N > 0 && !d.Has(own) {
			*t.to = TaskTimes{config.Span(units.FromSeconds(t.from.Mean)), config.Span(units.FromSeconds(t.from.Max)),
				config.Span(units.FromSeconds(t.from.Std())), t.spread, t.from.N}
			d.Supplied(own)
		}
	}
}

// check looks for what tags cannot say.
func (c *Capacity) check() {
	d := c.src
	if c.ReservedLimit > 0 && d.Has("prices") && !d.Has("prices.reserved") {
		d.Failf("reserved_limit", "reserved_limit is %v, but prices.reserved, what a reserved machine costs, is missing", c.ReservedLimit)
	}
	first := map[string]int{}
	for i := range c.Classes {
		k := &c.Classes[i]
		at := fmt.Sprintf("classes[%d]", i)
		if k.Name == "" {
			d.Failf(at+".name", "name is empty; give the class one")
		} else if _, twice := first[k.Name]; twice {
			d.Failf(at+".name", "the class %q is used twice; give each its own name", k.Name)
		}
		first[k.Name] = i
		if k.Deadline <= 0 {
			d.Failf(at+".deadline", "deadline is %v, it must be above 0", k.Deadline)
		}
		if k.AtLeast > k.AtMost {
			d.Failf(at+".at_least", "at_least is %v and at_most %v: at_least must not be above at_most", k.AtLeast, k.AtMost)
		}
		if c.Whole() {
			for _, n := range []struct {
				key   string
				value float64
			}{{"at_least", k.AtLeast}, {"at_most", k.AtMost}} {
				if n.value != math.Trunc(n.value) {
					d.Failf(at+"."+n.key, "%s is %v, but jobs are whole numbers; write one, or set integer to false", n.key, n.value)
				}
			}
		}
		k.checkTasks(d, at)
	}
}

// checkTasks holds the times to the tasks that a job has.
func (k *CapacityClass) checkTasks(d *config.Document, at string) {
	if k.Maps == 0 && k.Reduces == 0 {
		d.Failf(at+".maps", "a job of class %q has neither maps nor reduces; give it some", k.Name)
		return
	}
	for _, t := range []struct {
		key, stage string
		times      TaskTimes
		tasks      int
		need       bool
	}{
		{"map", "maps", k.Map, k.Maps, true},
		{"first_shuffle", "reduces", k.FirstShuffle, k.Reduces, false},
		{"shuffle", "reduces", k.Shuffle, k.Reduces, false},
		{"reduce", "reduces", k.Reduce, k.Reduces, true},
	} {
		own := at + "." + t.key
		there := d.Has(own)
		switch {
		case t.need && t.tasks > 0 && !there:
			d.Failf(at+"."+t.stage, "%s is %d, but %s, the time of one, is missing: write %s: {mean: 20s, max: 60s}, "+
				"or use --from-profiles once jobs of class %q have run", t.stage, t.tasks, t.key, t.key, k.learnsFrom())
		case there && t.tasks == 0:
			d.Failf(own, "%s and %s contradict each other: a job of class %q has no %s; leave %s out", t.key, t.stage, k.Name, t.stage, t.key)
		case t.times.Mean < 0:
			d.Failf(own+".mean", "mean is %v, it must not be negative", t.times.Mean)
		case t.times.Mean == 0 && t.times.Max > 0:
			d.Failf(own+".mean", "mean is %v and max %v: give the mean time of a task",
				t.times.Mean, t.times.Max)
		case t.times.Max < t.times.Mean:
			d.Failf(own+".max", "max is %v and mean %v: the mean must not be above the longest time; swap them", t.times.Max, t.times.Mean)
		}
	}
}
