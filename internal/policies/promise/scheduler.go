package promise

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/maths/heap"
	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/internal/policies/queues"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Config is what people can set.
type Config struct {
	Most   finish.Risk   // that a promise leaves
	Reject bool          // what cannot be promised is rejected
	Queues queues.Config // which may say otherwise what promises leave
	Wakes  bool          // nodes that sleep are woken in time
	Plans  bool          // somebody rents nodes, or has them sleep, by what is left of jobs
}

// scheduler is what the parts share.
type scheduler struct {
	Config
	admits admit.All

	jobs     []record      // by handle
	line     []sched.JobID // all of them, by deadline
	classes  map[string]*class
	kin      map[string]string // by family of classes, that of which something was learned last
	any      [2]lately         // the logarithm of the seconds that jobs' first tasks took
	arrivals arrivals
	errors   errs
	failures failures
	next     units.Time // when all are looked at again
	watched  bool       // since the last resync: what was told nobody heard
	looked   bool       // at the nodes

	// what follows from the book
	serving units.Vector        // also what is rented and on its way
	served  int32               // how often that has changed
	coming  []coming            // of it, what that is
	kinds   []kindOf            // of nodes
	whole   int32               // what all containers come to, in parts (containers.go)
	least   units.Vector        // the container that has fewest of them
	caps    []*ceiling          // of queues
	pace    float64             // how fast nodes are, to what they are at full speed
	needs   [pools]units.Vector // a container of each pool
	runs    []runs              // by handle (runs.go)
	came    []sched.JobID
	was     []stands

	// of one look, reused
	pools  [pools]pool
	places []place
	waits  bool // some wait for others
	gaveUp bool // a promise, in this look
	rents  bool // nodes were rented, in this batch
	looks  int  // how many there were
	strays []stray
	above  []int32 // of the places, promises that are at more risk than was said
	list   []int32 // and jobs that came
	behind []*sched.Job
	// by handle, who waits for the job
	behindIt [][]sched.JobID
	long     []long1
	large    heap.Heap[heavy]
	known    map[lawBits]*law
}

// stands is where a job stood before a look.
type stands struct {
	inTime  bool
	density int64
}

func newScheduler(c Config) *scheduler {
	s := &scheduler{Config: c, classes: make(map[string]*class), kin: make(map[string]string), pace: 1}
	s.needs = [pools]units.Vector{mapSlots: units.Slots(1, 0), reduceSlots: units.Slots(0, 1)}
	s.large.Before = func(a, b *heavy) bool { return a.takes > b.takes || a.takes == b.takes && a.at > b.at }
	return s
}

// order is by deadline among the jobs that can be in time; behind them stand the others by density,
// and last those without a deadline.
type order struct {
	sched.Flat
	*scheduler
}

// JobKey is the place of the job. It is the same for all stages.
func (o order) JobKey(_ sched.View, j *sched.Job, _ sched.Stage) sched.Key {
	switch r := o.of(j); {
	case j.Due() == units.Never:
		return sched.Key{3, j.Seq}
	case r == nil || r.ranks():
		return sched.Key{0, int64(r.stands(j)), j.Seq}
	default:
		return sched.Key{1, r.Density, j.Seq}
	}
}

// Line ranks jobs that wait to be admitted.
func (order) Line(j *sched.Job) sched.Key { return sched.Key{int64(j.Due()), j.Seq} }

// Follows says that a job stands where the last look has put it.
func (order) Follows() sched.Tallies { return sched.NoTally }

// saved is the saved form.
type saved struct {
	Jobs     []savedRecord     `json:"jobs,omitempty"`
	Classes  map[string]*class `json:"classes,omitempty"`
	Kin      map[string]string `json:"kin,omitempty"`
	Any      [2]lately         `json:"any"`
	Arrivals arrivals          `json:"arrivals,omitzero"`
	Errors   errs              `json:"errors,omitzero"`
	Failures failures          `json:"failures,omitzero"`
	Next     units.Time        `json:"next,omitempty"`
	Watched  bool              `json:"watched,omitempty"`
	Line     []sched.JobID     `json:"line,omitempty"`
}

type savedRecord struct {
	Job sched.JobID `json:"job"`
	record
}

func (s *scheduler) save() ([]byte, error) {
	st := saved{Classes: s.classes, Kin: s.kin, Any: s.any, Arrivals: s.arrivals, Errors: s.errors, Failures: s.failures, Next: s.next, Watched: s.watched, Line: s.line}
	for j := range s.jobs {
		if s.jobs[j].ID != "" {
			st.Jobs = append(st.Jobs, savedRecord{sched.JobID(j), s.jobs[j]})
		}
	}
	return json.Marshal(st)
}

func (s *scheduler) load(text []byte) error {
	n := newScheduler(s.Config)
	st := saved{Classes: n.classes, Kin: n.kin}
	if err := json.Unmarshal(text, &st); err != nil {
		return err
	}
	n.admits = s.admits
	for _, r := range st.Jobs {
		if r.Job < 1 || r.Job > 1<<24 || r.ID == "" || r.Laws[0] == nil || r.Laws[1] == nil || r.Deviation == nil {
			return fmt.Errorf("it is damaged at job %d", r.Job)
		}
		*sched.Row(&n.jobs, r.Job) = r.record
		sched.Row(&n.runs, r.Job)
		n.jobs[r.Job].Until = cmp.Or(r.Until, r.Due)
	}
	for _, j := range st.Line {
		if j < 1 || int(j) >= len(n.jobs) || n.jobs[j].ID == "" {
			return fmt.Errorf("it is damaged: job %d stands in a line and has no record", j)
		}
	}
	n.classes, n.kin, n.line, n.any, n.arrivals, n.errors, n.failures, n.next = st.Classes, st.Kin, st.Line, st.Any, st.Arrivals, st.Errors, st.Failures, st.Next
	n.watched = st.Watched
	*s = *n
	return nil
}

// copy takes over what another scheduler of the same parameters remembers.
func (s *scheduler) copy(o *scheduler) {
	n := newScheduler(s.Config)
	n.admits = s.admits
	n.jobs, n.line, n.runs, n.served = slices.Clone(o.jobs), slices.Clone(o.line), make([]runs, len(o.jobs)), o.served
	for _, name := range slices.Sorted(maps.Keys(o.classes)) {
		is := *o.classes[name]
		n.classes[name] = &is
	}
	n.kin, n.any, n.arrivals, n.failures, n.next = maps.Clone(o.kin), o.any, arrivals{List: slices.Clone(o.arrivals.List), First: o.arrivals.First}, o.failures, o.next
	n.watched, n.errors = o.watched, o.errors
	*s = *n
}
