package estimate

import (
	"math"

	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Laws are what a job's tasks take, as distributions.
type Laws struct {
	Map, Reduce Law
	Master      float64 // seconds that its ApplicationMaster takes to start up, typically; 0 = it has none
}

// A Law is what a task of a stage takes: typical seconds, times a factor of its own, times one that all
// tasks of the stage in a job share. Where that of maps is high, so is that of reduces.
type Law struct {
	Typical     float64
	Own, Shared finish.Dist
	Wait        float64 // seconds that its slot stays empty behind it, on the average
	Jobs        float64 // from which this is known; 0 = it is a guess
}

// Mean is the seconds that a task takes on the average, if the tasks of its job share a factor of mean 1.
func (l *Law) Mean() float64 { return l.Typical * l.Own.Mean() }

// ServedEvery says that nodes get tasks only so often, in seconds: so a task holds its slot until the end of the
// interval in which it ends. Where tasks are long, that is half of an interval more; where they are shorter than one,
// it may be nearly all of it. A task that would end just before a node is served is not counted on to do so: no slot
// waits for less than half of an interval.
func (l *Law) ServedEvery(beat float64) {
	if l.Wait = 0; !(beat > 0 && l.Typical > 0) {
		return
	}
	share := finish.Shares()
	for i, own := range l.Own {
		for k, shared := range l.Shared {
			t := l.Typical / beat * own * shared
			l.Wait += share[i] * share[k] * beat * (math.Ceil(units.Rounded(t)) - t)
		}
	}
	l.Wait = units.Rounded(max(l.Wait, beat/2))
}

// Chances returns the distributions of a job, by the cost models of its class. It is false if there
// are none. node is the class of nodes on which the job runs, "" if it may be any. skew is that of Worst.
func Chances(v sched.View, job *workload.Job, node string, skew float64) (l Laws, known bool) {
	c := v.Profile(job.Class)
	if c == nil {
		return l, false
	}
	read := 0.0
	for i := range job.Stages {
		st := &job.Stages[i]
		if st.Grows || len(st.Tasks) == 0 {
			return l, false
		}
		switch st.Kind {
		case sched.Map:
			for k := range st.Tasks {
				read += float64(st.Tasks[k].Input)
			}
			l.Map, known = maps(c, st, node)
		case sched.Reduce:
			l.Reduce, known = reduces(c, node, read, skew/float64(len(st.Tasks)))
		case sched.Master:
			m := c.Model(sched.Master, node, profile.StartUp)
			if known = m != nil; known {
				l.Master = m.Typical(0, 0)
			}
		default:
			known = false
		}
		if !known {
			return l, false
		}
	}
	return l, len(job.Stages) > 0
}

// maps is the law of a job's maps. They may differ in size: then what is typical is the mean of all,
// and how far each is from it counts as a factor of its own, which is that of any of them.
func maps(c *profile.Class, st *workload.StageSpec, node string) (law Law, known bool) {
	m := c.Model(sched.Map, node, profile.Run)
	if m == nil {
		return law, false
	}
	sum, least, most, largest := 0.0, math.Inf(1), 0.0, 0.0
	for i := range st.Tasks {
		in := float64(st.Tasks[i].Input)
		t := m.Typical(in, -1)
		sum, least, most, largest = sum+t, min(least, t), max(most, t), max(largest, in)
	}
	n := float64(len(st.Tasks))
	shared := m.SharedAt(largest, -1)
	law = Law{Typical: sum / n, Own: finish.Of(&m.Own), Shared: finish.Of(&shared), Jobs: m.Jobs}
	if units.Rounded((most-least)/max(law.Typical, 1e-9)) > 1e-3 {
		each := make([]float64, len(st.Tasks))
		for i := range st.Tasks {
			each[i] = m.Typical(float64(st.Tasks[i].Input), -1) / law.Typical
		}
		sizes := finish.AnyOf(each)
		law.Own = law.Own.Times(&sizes)
	}
	return law, true
}

// reduces is the law of a job's reduces, each of which fetches that part of what the maps emit. They
// start behind the last map, so they fetch all of it by themselves.
func reduces(c *profile.Class, node string, read, part float64) (law Law, known bool) {
	run, emitted := c.Model(sched.Reduce, node, profile.Run), c.Model(sched.Map, "", profile.Emitted)
	if run == nil {
		return law, false
	}
	in := 0.0
	if emitted != nil {
		in = emitted.Typical(read, -1) * part
	}
	shared := run.SharedAt(in, -1)
	law = Law{Typical: run.Typical(in, -1), Own: finish.Of(&run.Own), Shared: finish.Of(&shared), Jobs: run.Jobs}
	if fetch := c.Model(sched.Reduce, node, profile.Later); fetch != nil {
		seconds := fetch.Typical(in, -1)
		if all := law.Typical + seconds; units.Rounded((seconds+fetch.Beside)/max(all, 1e-12)) > 1e-3 {
			ofJob := fetch.SharedAt(in, -1)
			part := func(f *profile.Factor) finish.Dist { // that the shuffle is of all, with such a factor
				return finish.Of(f).Scale((seconds + fetch.Beside) / all).Shift(-fetch.Beside / all)
			}
			work, own, shuffles := law.Typical/all, part(&fetch.Own), part(&ofJob)
			law.Own = law.Own.Scale(work)
			law.Typical, law.Own = all, law.Own.Plus(&own)
			for i := range law.Shared { // where that of the rest is high, so is that of shuffles
				law.Shared[i] = law.Shared[i]*work + shuffles[i]
			}
		}
	}
	return law, true
}
