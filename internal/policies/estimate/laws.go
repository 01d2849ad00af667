package estimate

import (
	"math"

	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Laws are what a job's tasks take, as distributions: a task of a stage takes so many typical
// seconds, times a factor that all tasks of the job share, times one of its own.
type Laws struct {
	Map, Reduce Law
	Shared      finish.Dist
	Master      float64 // seconds that its ApplicationMaster takes to start up, typically; 0 = it has none
}

// A Law is what a task takes: seconds, and the factor that it has for itself.
type Law struct {
	Typical float64
	Own     finish.Dist
}

// Mean is the seconds that a task takes on the average, if the tasks of its job share a factor of mean 1.
func (l *Law) Mean() float64 { return l.Typical * l.Own.Mean() }

// Chances returns the distributions of a job. It is false if nothing is known of its class. skew is
// that of Worst.
func Chances(v sched.View, job *workload.Job, skew float64) (l Laws, known bool) {
	c := v.Profile(job.Class)
	if c == nil {
		return l, false
	}
	l.Shared = finish.Sure(1)
	widest := 0.0
	read := units.Bytes(0)
	for i := range job.Stages {
		st := &job.Stages[i]
		if st.Grows {
			return l, false
		}
		switch st.Kind {
		case sched.Map:
			read += inputOf(st)
			if l.Map, known = mapsOf(c, st, &l.Shared, &widest); !known {
				return l, false
			}
		case sched.Reduce:
			share := c.Ratio.Mean * float64(read) / float64(max(1, len(st.Tasks))) * max(1, skew)
			if l.Reduce, known = reducesOf(c, share, &l.Shared, &widest); !known {
				return l, false
			}
		case sched.Master:
			k := c.Any(sched.Master)
			if l.Master = k.Start.Mean; k.Start.N == 0 {
				return l, false
			}
		default:
			return l, false
		}
	}
	return l, true
}

func inputOf(st *workload.StageSpec) (sum units.Bytes) {
	for i := range st.Tasks {
		sum += st.Tasks[i].Input
	}
	return sum
}

// mapsOf is the law of a job's maps. They may differ in size: then what is typical is that of all
// together, and how far each is from it counts as a factor of its own.
func mapsOf(c *profile.Class, st *workload.StageSpec, shared *finish.Dist, widest *float64) (l Law, known bool) {
	n := float64(len(st.Tasks))
	if n == 0 {
		return l, false
	}
	own, sum, square := finish.Dist{}, 0.0, 0.0
	last, typical := units.Bytes(-1), 0.0
	for i := range st.Tasks {
		if in := st.Tasks[i].Input; in != last {
			if typical, own, known = part(c, sched.Map, float64(in), shared, widest); !known {
				return l, false
			}
			last = in
		}
		sum, square = sum+typical, square+typical*typical
	}
	l = Law{sum / n, own}
	if spread := square/n/(l.Typical*l.Typical) - 1; units.Rounded(spread) > 1e-6 {
		sizes := finish.LogNormal(math.Sqrt(math.Log1p(spread)))
		l.Own = own.Times(&sizes)
	}
	return l, true
}

// reducesOf is the law of a job's reduces, each of which fetches so many bytes.
func reducesOf(c *profile.Class, share float64, shared *finish.Dist, widest *float64) (l Law, known bool) {
	l.Typical, l.Own, known = part(c, sched.Reduce, share, shared, widest)
	return l, known
}

// part is what one task of a stage takes that reads so many bytes.
func part(c *profile.Class, stage sched.Stage, bytes float64, shared *finish.Dist, widest *float64) (typical float64, own finish.Dist, known bool) {
	k := c.Any(stage)
	if k.Task.N == 0 {
		return 0, own, false
	}
	seconds := k.Expect(bytes)
	if stage == sched.Reduce {
		seconds += k.Shuffle.Mean
	}
	e := &k.Task
	cv := e.Std() / max(1e-9, e.Mean)
	deviation := math.Sqrt(math.Log1p(cv*cv)) + 1/math.Sqrt(float64(e.N))
	if wide := 0.1; units.Rounded(wide) > units.Rounded(*widest) {
		*widest, *shared = wide, finish.LogNormal(wide)
	}
	return seconds * math.Exp(-deviation*deviation/2), finish.LogNormal(deviation), true
}
