// Package queues describes the queues, or pools, in which jobs stand: what each is promised and how
// far it may go.
//
// Fair and Capacity orders, limits on running jobs and preemption all read this one description,
// which a scenario file fills:
//
//	queues:
//	  - {name: prod, weight: 2, min_maps: 20, min_reduces: 5, capacity: 60}
//	  - name: research
//	    capacity: 40
//	    maximum: 80
//	    queues:
//	      - {name: vision, capacity: 50, minimum_user_limit: 25}
//	      - {name: speech, capacity: 50, max_running: 3}
//	max_running_per_user: 5
//
// Where queues are described, a job stands in one of them or is refused (Check): a queue that
// nobody described is most likely misspelt. Hadoop does the same: in Hadoop 1.2.1 a job's queue
// must be one of mapred.queue.names, and YARN's capacity scheduler rejects jobs of unknown queues
// and of queues that are no leaves. The fair scheduler makes a pool that nobody declared unless it
// is told not to (mapred.fairscheduler.allow.undeclared.pools, by default true); here it has to be
// told to: undeclared_queues: allow.
//
// The keys are those of Hadoop's allocation file and capacity-scheduler.xml in this file's spelling.
package queues

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/slackline/slackline/internal/maths/spelling"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Default is the queue of jobs that name none.
const Default = "default"

// What becomes of jobs whose queue is not described where others are.
const (
	Refuse = "refuse" // they are refused
	Allow  = "allow"  // the queue exists with default settings, as undeclared pools do in Hadoop's fair scheduler
)

// Config is the description of all queues. Its zero value has none: each queue that a job names
// then exists with default settings, as undeclared pools do in Hadoop.
type Config struct {
	Queues []Queue `json:"queues,omitempty" doc:"queues, or pools, below the root; if there are any, jobs name one of them or none"`
	// Undeclared is Refuse, the same as "", or Allow.
	Undeclared string `json:"undeclared_queues,omitempty" enum:"refuse|allow" doc:"jobs of queues, or pools, that are not described where others are: refuse, or allow with default settings (not under capacity); refuse if left out"`
	// MaxRunning bounds the running jobs of the whole cluster, 0 = no bound.
	MaxRunning int `json:"max_running,omitempty" above:"0" doc:"bound on the running jobs of the whole cluster; none if left out"`
	// MaxRunningPerUser bounds the running jobs of each user (userMaxJobsDefault), 0 = no bound.
	MaxRunningPerUser int `json:"max_running_per_user,omitempty" above:"0" doc:"bound on the running jobs of each user; none if left out"`
	// MaxRunningPerQueue bounds the running jobs of each queue without a bound of its own
	// (poolMaxJobsDefault), 0 = no bound.
	MaxRunningPerQueue int `json:"max_running_per_queue,omitempty" above:"0" doc:"bound on the running jobs of each queue without one of its own; none if left out"`
	// MaxMasterShare is the percentage of what a queue is promised, without queues of the cluster,
	// that the ApplicationMasters of its running jobs may take (maximum-am-resource-percent,
	// queueMaxAMShareDefault), 0 = as the policy says.
	MaxMasterShare float64 `json:"max_master_share,omitempty" above:"0" max:"100" doc:"percent of what a queue is promised, of the cluster without queues, that ApplicationMasters may take; 50 under fair and 10 else if left out"`
}

// Queue is one queue. Which fields count depends on the order; the others are ignored by it.
type Queue struct {
	Name   string  `json:"name" label:"yes" doc:"name of the queue; no dots"`
	Queues []Queue `json:"queues,omitempty" doc:"queues below it (capacity only); jobs stand in those without any"`
	// MaxRunning bounds its running jobs (maxRunningJobs), nil = no bound of its own; 0 closes it.
	MaxRunning *int `json:"max_running,omitempty" min:"0" doc:"bound on its running jobs; 0 closes the queue, and its jobs are refused; none if left out"`
	// MaxMasterShare is what ApplicationMasters may take of what the queue is promised, in percent,
	// 0 = as for all (maxAMShare)
	MaxMasterShare float64 `json:"max_master_share,omitempty" above:"0" max:"100" doc:"percent of what it is promised (capacity: its guaranteed part, fair: its weight among pools with jobs, else the cluster) that ApplicationMasters of its jobs may take; its first may always start; as for all queues if left out"`

	// Confidence is how likely the deadlines of its jobs are to be met that are promised, 0 = as
	// the policy has it.
	Confidence Chance `json:"confidence,omitempty" doc:"how likely deadlines of its jobs are to be met that are promised, such as 99%; as promise says if left out; other policies do not read it"`

	// Fair: pools. A weight of 0 is 1. Jobs (schedulingMode) is "fair", "fifo", or "" for what the
	// order says.
	Weight          float64 `json:"weight,omitempty" min:"0.001" max:"1000000" doc:"fair: its share against that of others; 1 if left out"`
	MinMaps         int     `json:"min_maps,omitempty" min:"0" doc:"fair: minimum share of map slots"`
	MinReduces      int     `json:"min_reduces,omitempty" min:"0" doc:"fair: minimum share of reduce slots"`
	Jobs            string  `json:"jobs,omitempty" doc:"fair: fair or fifo among its jobs; as the policy says if left out"`
	MinShareTimeout Span    `json:"min_share_timeout,omitempty" above:"0" doc:"fair: how long it may stay below its minimum share before others are preempted; for good if left out"`

	// Capacity: hierarchical queues, whose capacities add up to at most 100. A maximum
	// (maximum-capacity) or user limit of 0 is 100, a factor of 0 is 1.
	Capacity         float64 `json:"capacity,omitempty" min:"0" max:"100" doc:"capacity: percent of its parent that it is guaranteed; 0, or left out: none, it has what others leave (with elastic=false one container at a time)"`
	Maximum          float64 `json:"maximum,omitempty" above:"0" max:"100" doc:"capacity: percent of its parent that it gets at most; 100 if left out"`
	Preempted        bool    `json:"preempted,omitempty" doc:"promise: on YARN, what it has beyond its capacity is taken back for others, so promises count on its capacity alone"`
	MinimumUserLimit float64 `json:"minimum_user_limit,omitempty" above:"0" max:"100" doc:"capacity: percent of the queue that each of many users gets; 100 if left out"`
	UserLimitFactor  float64 `json:"user_limit_factor,omitempty" doc:"capacity: how often its capacity one user may have; 1 if left out, -1 = no limit"`
}

// Span is a span of time that is written with its unit ("300s").
type Span units.Duration

// UnmarshalText reads "90s", "10m".
func (s *Span) UnmarshalText(text []byte) error {
	d, err := units.ParseDuration(string(text))
	*s = Span(d)
	return err
}

// MarshalText is the inverse of UnmarshalText.
func (s Span) MarshalText() ([]byte, error) { return []byte(units.Duration(s).String()), nil }

// String prints it as it is written.
func (s Span) String() string { return units.Duration(s).String() }

// Chance is a probability that is written as a percentage ("99%").
type Chance float64

// UnmarshalText reads it.
func (c *Chance) UnmarshalText(text []byte) error {
	p, err := units.ParseChance(string(text))
	if err != nil {
		return fmt.Errorf("it is %w", err)
	}
	*c = Chance(p)
	return nil
}

// MarshalText is the inverse of UnmarshalText.
func (c Chance) MarshalText() ([]byte, error) {
	return append(strconv.AppendFloat(nil, math.Round(float64(c)*1e6)/1e4, 'f', -1, 64), '%'), nil
}

// Of returns the name of the queue that a job asks for: a leaf's name, or its path with or without
// "root." before it.
func Of(j *workload.Job) string { return named(j.Queue) }

func named(queue string) string {
	if name := strings.TrimPrefix(queue, "root."); name != "" {
		return name
	}
	return Default
}

// Closed is the error of a queue of that path into which no job can come, as it, or one above, may run
// none.
type Closed string

// Error says so.
func (c Closed) Error() string {
	return fmt.Sprintf("the queue %q is closed: its max_running is 0", string(c))
}

// Check tells, in one sentence, why no job can stand in the queue that it names ("" = it names
// none); nil if it can.
func (c *Config) Check(queue string) error {
	if len(c.Queues) == 0 {
		return nil
	}
	name := named(queue)
	leaf, below, closed := false, []string(nil), ""
	shut := map[string]bool{} // closed, or below a closed one
	var names, paths []string
	walk("", c.Queues, func(path string, q *Queue) {
		above := path[:max(0, strings.LastIndexByte(path, '.'))]
		if shut[path] = shut[above] || q.MaxRunning != nil && *q.MaxRunning == 0; shut[path] && (q.Name == name || path == name) {
			closed = path
		}
		if len(q.Queues) == 0 {
			leaf = leaf || q.Name == name || path == name
			names, paths = append(names, q.Name), append(paths, path)
			if strings.HasPrefix(path, name+".") {
				below = append(below, path)
			}
		}
	})
	switch {
	case closed != "":
		return Closed(closed)
	case leaf:
		return nil
	case len(below) > 0:
		return fmt.Errorf("jobs belong in the queues below %q, not in it: %s", name, strings.Join(below, ", "))
	case c.Undeclared == Allow:
		return nil
	case queue == "":
		return fmt.Errorf("no queue is named, and there is no queue %q%s", Default, spelling.Hint(Default, names))
	case strings.Contains(name, "."):
		names = paths
	}
	return fmt.Errorf("there is no queue %q%s", name, spelling.Hint(name, names))
}

// Confidence is what the queue that a job names says of its jobs' promises, 0 if it says nothing.
func (c *Config) Confidence(queue string) (chance float64) {
	name := named(queue)
	walk("", c.Queues, func(path string, q *Queue) {
		if len(q.Queues) == 0 && chance == 0 && (q.Name == name || path == name) {
			chance = float64(q.Confidence)
		}
	})
	return chance
}

// Bounded is a queue that may not have all.
type Bounded struct {
	Path string
	Part float64 // of the cluster
}

// Bounds are the queues that bound any other (Bound).
func (c *Config) Bounds() (all []Bounded) {
	walk("", c.Queues, func(at string, q *Queue) {
		if path, part := c.Bound(at); len(q.Queues) == 0 && path != "" && !slices.ContainsFunc(all, func(b Bounded) bool { return b.Path == path }) {
			all = append(all, Bounded{path, part})
		}
	})
	return all
}

// Bound is the most of the cluster that the queue which a job names may have for certain, as part of 1, and the
// highest queue that bounds it so: all below share that. Where nothing bounds it the part is 1.
func (c *Config) Bound(queue string) (path string, part float64) {
	name := named(queue)
	part = 1
	var leaf string
	preempted := false
	walk("", c.Queues, func(at string, q *Queue) {
		if leaf == "" && len(q.Queues) == 0 && (q.Name == name || at == name) {
			leaf, preempted = at, q.Preempted
		}
	})
	whole := 1.0
	walk("", c.Queues, func(at string, q *Queue) { // each before those below it
		if leaf != at && !strings.HasPrefix(leaf, at+".") {
			return
		}
		switch {
		case preempted && q.Capacity > 0:
			whole = units.Rounded(whole * (q.Capacity / 100))
		case q.Maximum > 0:
			whole = units.Rounded(whole * (q.Maximum / 100))
		}
		if units.Rounded(whole) < units.Rounded(part) {
			path, part = at, whole
		}
	})
	return path, part
}

// Says is what the queue which a job names is promised and bound to, for people; "" if that is nothing, or nobody
// described it.
func (c *Config) Says(queue string) string {
	name, whole, said := named(queue), 1.0, ""
	walk("", c.Queues, func(at string, q *Queue) {
		if said != "" || len(q.Queues) > 0 || q.Name != name && at != name {
			return
		}
		var list []string
		add := func(is bool, format string, x ...any) {
			if is {
				list = append(list, fmt.Sprintf(format, x...))
			}
		}
		walk("", c.Queues, func(above string, u *Queue) {
			if above == at || strings.HasPrefix(at, above+".") {
				whole *= u.Capacity / 100
			}
		})
		add(units.Rounded(whole) > 0, "guaranteed %s", percent(whole))
		_, most := c.Bound(at)
		add(units.Rounded(most) < 1, "at most %s", percent(most))
		add(q.Weight > 0, "weight %v", q.Weight)
		add(q.MinMaps > 0, "at least %s", units.Count(q.MinMaps, "map"))
		add(q.MinReduces > 0, "at least %s", units.Count(q.MinReduces, "reduce"))
		said = strings.Join(list, ", ")
	})
	return said
}

func percent(part float64) string {
	return strconv.FormatFloat(math.Round(part*1000)/10, 'f', -1, 64) + " %"
}

// MinShares tells whether a leaf has a minimum share, and whether one that has also has a time-out on it.
func (c *Config) MinShares() (shares, timeouts bool) {
	walk("", c.Queues, func(_ string, q *Queue) {
		if len(q.Queues) == 0 && q.MinMaps+q.MinReduces > 0 {
			shares = true
			timeouts = timeouts || q.MinShareTimeout > 0
		}
	})
	return shares, timeouts
}

// walk visits all queues with their paths, each before those below it.
func walk(parent string, qs []Queue, visit func(path string, q *Queue)) {
	for i := range qs {
		path := qs[i].Name
		if parent != "" {
			path = parent + "." + path
		}
		visit(path, &qs[i])
		walk(path, qs[i].Queues, visit)
	}
}

// Validate reports the first thing that cannot be, as one sentence that names the queue.
func (c *Config) Validate() error {
	if c.MaxRunning < 0 || c.MaxRunningPerUser < 0 || c.MaxRunningPerQueue < 0 {
		return fmt.Errorf("queues: a bound on running jobs is negative; leave it out for no bound")
	}
	if c.Undeclared != "" && c.Undeclared != Refuse && c.Undeclared != Allow {
		return fmt.Errorf("queues: undeclared_queues is %q, it must be \"refuse\" or \"allow\"", c.Undeclared)
	}
	if !(c.MaxMasterShare >= 0 && c.MaxMasterShare <= 100) {
		return fmt.Errorf("queues: max_master_share is %v, it must be above 0 and at most 100 %%", c.MaxMasterShare)
	}
	return validate("", c.Queues, map[string]string{})
}

// validate checks siblings and what is below them. leaves maps the names of leaves seen so far to
// their paths.
func validate(parent string, qs []Queue, leaves map[string]string) error {
	sum := 0.0
	names := make(map[string]bool, len(qs))
	for i := range qs {
		q := &qs[i]
		path := q.Name
		if parent != "" {
			path = parent + "." + q.Name
		}
		if q.Name == "" {
			return fmt.Errorf("queues: a queue%s has no name", below(parent))
		}
		if strings.Contains(q.Name, ".") {
			return fmt.Errorf("queue %q: a name must not contain a dot, which separates the names of a path", q.Name)
		}
		if names[q.Name] {
			return fmt.Errorf("queue %q: it is described twice", path)
		}
		names[q.Name] = true
		if err := q.validate(path); err != nil {
			return err
		}
		sum += q.Capacity
		if len(q.Queues) > 0 {
			if err := validate(path, q.Queues, leaves); err != nil {
				return err
			}
			continue
		}
		if other, dup := leaves[q.Name]; dup {
			return fmt.Errorf("queue %q: the queue %q has the same name, so a job could not name either", path, other)
		}
		leaves[q.Name] = path
	}
	if units.Rounded(sum) > 100 {
		return fmt.Errorf("queues: the capacities%s add up to %g %%, which is more than 100", below(parent), sum)
	}
	return nil
}

func below(parent string) string {
	if parent == "" {
		return ""
	}
	return fmt.Sprintf(" below %q", parent)
}

func (q *Queue) validate(path string) error {
	switch {
	case !(q.Weight >= 0) || q.Weight > 1e6 || q.Weight > 0 && q.Weight < 1e-3:
		return fmt.Errorf("queue %q: weight is %v, it must be from 0.001 to 1000000", path, q.Weight)
	case q.MinMaps < 0 || q.MinReduces < 0:
		return fmt.Errorf("queue %q: a minimum share is negative", path)
	case q.MaxRunning != nil && *q.MaxRunning < 0:
		return fmt.Errorf("queue %q: max_running is %d; leave it out for no bound", path, *q.MaxRunning)
	case !(q.MaxMasterShare >= 0 && q.MaxMasterShare <= 100):
		return fmt.Errorf("queue %q: max_master_share is %v, it must be above 0 and at most 100 %%", path, q.MaxMasterShare)
	case q.Confidence > 0 && len(q.Queues) > 0:
		return fmt.Errorf("queue %q: confidence has no effect on a queue with queues below it; set it for those", path)
	case q.MaxMasterShare > 0 && len(q.Queues) > 0:
		return fmt.Errorf("queue %q: max_master_share has no effect on a queue with queues below it; set it for those", path)
	case q.Jobs != "" && q.Jobs != "fair" && q.Jobs != "fifo":
		return fmt.Errorf("queue %q: jobs is %q, it must be \"fair\" or \"fifo\"", path, q.Jobs)
	case q.MinShareTimeout < 0:
		return fmt.Errorf("queue %q: min_share_timeout is negative", path)
	case q.MinShareTimeout > 0 && q.MinMaps+q.MinReduces == 0:
		return fmt.Errorf("queue %q: min_share_timeout has no effect without a minimum share; set min_maps or min_reduces", path)
	case !(q.Capacity >= 0 && q.Capacity <= 100):
		return fmt.Errorf("queue %q: capacity is %v, it must be from 0 to 100 %%", path, q.Capacity)
	case !(q.Maximum >= 0 && q.Maximum <= 100):
		return fmt.Errorf("queue %q: maximum is %v, it must be from 0 to 100 %%", path, q.Maximum)
	case q.Maximum > 0 && units.Rounded(q.Maximum) < units.Rounded(q.Capacity):
		return fmt.Errorf("queue %q: maximum is %v %%, below its capacity of %v %%", path, q.Maximum, q.Capacity)
	case !(q.MinimumUserLimit >= 0 && q.MinimumUserLimit <= 100):
		return fmt.Errorf("queue %q: minimum_user_limit is %v, it must be from 0 to 100 %%", path, q.MinimumUserLimit)
	case !(q.UserLimitFactor >= 0 || q.UserLimitFactor == -1) || math.IsInf(q.UserLimitFactor, 0):
		return fmt.Errorf("queue %q: user_limit_factor is %v, it must be above 0, or -1 for no limit", path, q.UserLimitFactor)
	case q.UserLimitFactor > 0 && q.Capacity == 0:
		return fmt.Errorf("queue %q: user_limit_factor has no effect without a capacity, which it multiplies", path)
	}
	return nil
}
