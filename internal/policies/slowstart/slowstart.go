// Package slowstart decides when the reduces of a job may start, in place of a fixed part of its maps
// (mapreduce.job.reduce.slowstart.completedmaps, 5 % unless told otherwise). A reduce that starts
// while maps run holds its slot and can do no more than fetch.
//
//	remaining  youngest map's start + mean - now + ⌈open maps / running maps⌉ · mean
//	placing    open reduces / nodes · heartbeat
//	fetching   mean shuffle of a reduce · (maps - 1) / maps
//
// The reduces of a job are withheld until its last map has ended, or, when one of its maps ends
// before, until all of this holds:
//
//   - remaining < placing + fetching: a later start would make the job end later. Only what
//     earlier maps have left can be fetched before the last one ends, so a job of a single map
//     gains nothing. Times are those of the class so far (estimate.Task); of a class without a
//     profile the reduces wait for the last map.
//   - All reduces of the job find room, and with them all reduces that wait for maps, those of
//     other jobs too, leave at least one slot that a job whose maps have ended could use.
//   - No reduce of such a job waits for a slot.
//   - Where reduces take memory and cores in place of reduce slots, no map waits for them.
//
// A job whose own slow start is 1 is left alone, as its world holds its reduces back, unless that is told
// when they are withheld already. So are reduces that another part withholds. If map output is lost,
// reduces that have not started are withheld again.
//
// A resync voids what is withheld: it begins again, and reduces that were let go before the last map had
// ended wait again until that pays. At a take-over it looks at all jobs, and what it withheld or let go stands.
//
// It looks at a job when the job comes, when something of it ends, and when it asks for containers.
// O(jobs let go early).
package slowstart

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Late lets reduces start late. The zero value is ready to use.
type Late struct {
	held  []bool        // by handle: this part withholds the job's reduces
	early []sched.JobID // whose reduces may start though maps run
}

// Decide withholds and releases.
func (l *Late) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	for i := range batch {
		switch e := &batch[i]; e.Kind {
		case sched.Resync:
			l.held, l.early = l.held[:0], l.early[:0]
		case sched.Control:
			for j := sched.JobID(1); j <= v.Jobs(); j++ {
				l.look(v, j, p)
			}
		case sched.JobEnded:
			l.forget(e.Job)
		case sched.OutputLost, sched.JobArrived, sched.JobAmended, sched.Demand:
			l.look(v, e.Job, p)
		case sched.Ended:
			if j, stage, _ := v.Ended(e.Attempt); stage == sched.Map {
				l.look(v, j, p)
			}
		}
	}
}

func (l *Late) holds(j sched.JobID) bool { return int(j) < len(l.held) && l.held[j] }

func (l *Late) hold(j sched.JobID, on bool) {
	*sched.Row(&l.held, j) = on
}

func (l *Late) forget(j sched.JobID) {
	if l.holds(j) {
		l.held[j] = false
	}
	l.early = slices.DeleteFunc(l.early, func(e sched.JobID) bool { return e == j })
}

// look decides about one job.
func (l *Late) look(v sched.View, id sched.JobID, p *sched.Plan) {
	j := v.Job(id)
	if j == nil || j.Standing() > sched.Admitted {
		return
	}
	stage, reduces := j.Spec.Stage(sched.Map), &j.Stages[sched.Reduce]
	maps, held, early := &j.Stages[sched.Map], l.holds(id), slices.Contains(l.early, id)
	if stage == nil || j.Spec.Stage(sched.Reduce) == nil || j.Spec.SlowStart >= 1 && !held {
		return
	}
	switch {
	case maps.Done >= maps.Total && !stage.Grows || j.Over(sched.Map):
		l.forget(id)
		if held {
			p.Add(sched.Item{Verb: sched.Release, Job: id, Stage: sched.Reduce, Reason: sched.Because(estimate.MapsOver)})
		}
	case held:
		if why := l.pays(v, j); why.Cause != nil && p.Add(sched.Item{Verb: sched.Release, Job: id, Stage: sched.Reduce, Reason: why}) {
			l.hold(id, false)
			l.early = append(l.early, id)
		}
	case reduces.Withheld || early && maps.Occupied > 0:
	default:
		l.forget(id)
		l.hold(id, p.Add(sched.Item{Verb: sched.Withhold, Job: id, Stage: sched.Reduce, Reason: sched.Because(estimate.MapsFirst)}))
	}
}

// pays says why the job's reduces may start now, nothing if they may not.
func (l *Late) pays(v sched.View, j *sched.Job) (why sched.Reason) {
	maps, reduces := &j.Stages[sched.Map], &j.Stages[sched.Reduce]
	youngest := v.Attempt(v.Youngest(j.ID, sched.Map, 0))
	c := v.Profile(j.Spec.Class)
	if youngest == nil || c == nil || reduces.Open <= 0 {
		return why
	}
	lead := placing(v, reduces.Open) + fetching(c, maps.Total)
	mean, _, known := estimate.Task(c, sched.Map)
	remaining := max(0, youngest.Started.Add(mean).Sub(v.Now()))
	if maps.Open > 0 {
		waves := (maps.Open + maps.Occupied - 1) / max(1, maps.Occupied)
		remaining += mean * units.Duration(waves)
	}
	if !known || remaining >= lead || !l.room(v, j) {
		return why
	}
	return sched.Because(ReducesInTime, int64(remaining), int64(lead))
}

// placing is the time that it takes to start so many reduces, one a node and heartbeat.
func placing(v sched.View, reduces int32) units.Duration {
	return v.World().Heartbeat * units.Duration(reduces) / max(1, units.Duration(v.Nodes()))
}

// fetching is the time for which a reduce can fetch before the last of so many maps has ended.
func fetching(c *profile.Class, maps int32) units.Duration {
	n, sum := int64(0), 0.0
	for i := range c.Stages {
		if k := &c.Stages[i]; k.Stage == sched.Reduce {
			n += k.Shuffle.N
			sum += float64(float64(k.Shuffle.N) * k.Shuffle.Mean)
		}
	}
	if n == 0 || maps < 2 {
		return 0
	}
	return units.FromSeconds(units.Rounded(sum/float64(n))) / units.Duration(maps) * units.Duration(maps-1)
}

// room tells whether the job's reduces may hold their slots while they wait.
func (l *Late) room(v sched.View, j *sched.Job) bool {
	all := v.Queue(sched.Root)
	mine := &j.Stages[sched.Reduce]
	wait, open := int64(mine.Occupied+mine.Open), all.Stages[sched.Reduce].Open
	for _, e := range l.early {
		if job := v.Job(e); job != nil {
			r := &job.Stages[sched.Reduce]
			wait += int64(r.Occupied + r.Open)
			if r.Ready && !r.Withheld && job.Standing() == sched.Admitted {
				open -= r.Open
			}
		}
	}
	container := j.Spec.Stage(sched.Reduce).Container(0)
	if container.Needs[units.ReduceSlots] == 0 && all.Stages[sched.Map].Open > 0 {
		return false
	}
	return open <= 0 && wait < v.Capacity().Times(&container.Needs)
}

// saved is the state.
type saved struct {
	Held  []sched.JobID `json:"held,omitempty"`
	Early []sched.JobID `json:"early,omitempty"`
}

// MarshalJSON writes the state.
func (l *Late) MarshalJSON() ([]byte, error) {
	s := saved{Early: l.early}
	for j, on := range l.held {
		if on {
			s.Held = append(s.Held, sched.JobID(j))
		}
	}
	return json.Marshal(s)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (l *Late) UnmarshalJSON(text []byte) error {
	var s saved
	err := json.Unmarshal(text, &s)
	l.held, l.early = nil, s.Early
	for _, j := range s.Held {
		if j < 0 {
			return fmt.Errorf("there is no job %d", j)
		}
		l.hold(j, true)
	}
	return err
}

// CopyFrom takes it over.
func (l *Late) CopyFrom(other any) {
	o := other.(*Late)
	l.held, l.early = slices.Clone(o.held), slices.Clone(o.early)
}

// ReducesInTime lets reduces start that would otherwise be done later.
var ReducesInTime = &sched.Cause{Name: "reduces-in-time", Text: "its last map is expected to end in {last}, and its reduces take {takes} to be placed and to fetch what earlier maps have left",
	Numbers: []sched.Number{sched.Clock.Named("last", "until its last map ends", 8e9), sched.Clock.Named("takes", "to place its reduces and to fetch what is there", 9e9)}}

// Entry lists the part.
func Entry() compose.Entry {
	return compose.Entry{
		Name: "slowstart",
		Kind: compose.KindShare,
		Doc:  "reduces start with the end of their job's maps, before it only by as much as they have to fetch; those that wait never hold the last slot",
		Cite: "Slackline; Hadoop's mapreduce.job.reduce.slowstart.completedmaps is the fixed part that it replaces",
		Traits: compose.Traits{
			Reads:  compose.Reads{Profiles: true},
			Heeds:  sched.EventsOf(sched.JobArrived, sched.JobAmended, sched.Ended, sched.JobEnded, sched.OutputLost, sched.Demand),
			Causes: []*sched.Cause{ReducesInTime, estimate.MapsFirst, estimate.MapsOver},
		},
		Step: func(compose.Args) (compose.Step, error) { return &Late{}, nil },
	}
}
