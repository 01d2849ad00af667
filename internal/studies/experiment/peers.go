package experiment

import (
	"math"
	"slices"

	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/maths/heap"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// foreteller says when jobs are done as others do, and promises a deadline that it gives 99 %: by how long earlier jobs
// of the class took, from submission to end; by the mean and deviation of these, as if they were normal, where what is
// long ago counts less; or by plays of the work ahead, by deadline, with task times drawn from those of the class. A
// baseline of 003-promise: it protects nothing and learns from nothing but ends.
type foreteller struct {
	by      string
	classes map[string]*pastOf
	draws   uint64
}

// pastOf is what is remembered of a class.
type pastOf struct {
	Responses      []float64
	Maps, Reduces  []float64
	Mean, Variance float64
}

const (
	remembered  = 200 // responses and task times of a class
	enoughKnown = 20  // before anything is said
	plays       = 100
	forgets     = 0.05
)

// Decide remembers what ended and lets in what comes, with what is foretold of it.
func (f *foreteller) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	for i := range batch {
		switch e := &batch[i]; e.Kind {
		case sched.Ended:
			id, stage, _ := v.Ended(e.Attempt)
			j := v.Job(id)
			if e.Outcome != sched.Committed || j == nil || j.Spec == nil {
				break
			}
			k, took := f.of(j.Spec.Class), 0.0
			for _, s := range e.Spans {
				took += s.Seconds()
			}
			if stage == sched.Map {
				k.Maps = remember(k.Maps, took)
			} else {
				k.Reduces = remember(k.Reduces, took)
			}
		case sched.JobEnded:
			if j := v.Job(e.Job); e.Outcome == sched.Committed && j != nil && j.Spec != nil {
				f.of(j.Spec.Class).met(v.Now().Sub(j.Arrived).Seconds())
			}
		case sched.JobArrived:
			if j := v.Job(e.Job); j != nil && (j.Standing() == sched.Waiting || j.Standing() == sched.Pending) {
				p.Admit(j.ID, f.outlook(v, j), sched.Because(sched.AdmitAll))
			}
		}
	}
}

// of is what is remembered of a class.
func (f *foreteller) of(class string) *pastOf {
	k := f.classes[class]
	if k == nil {
		k = &pastOf{}
		f.classes[class] = k
	}
	return k
}

// remember appends to what is remembered, and forgets the first.
func remember(xs []float64, x float64) []float64 {
	if len(xs) == remembered {
		xs = slices.Delete(xs, 0, 1)
	}
	return append(xs, x)
}

// met takes in how long a job took.
func (k *pastOf) met(took float64) {
	if k.Responses = remember(k.Responses, took); len(k.Responses) == 1 {
		k.Mean = took
		return
	}
	off := took - k.Mean
	k.Mean += float64(forgets * off)
	k.Variance = float64((1 - forgets) * (k.Variance + float64(forgets*off*off)))
}

// outlook is what is foretold of a job; nothing before enough is known of its class.
func (f *foreteller) outlook(v sched.View, j *sched.Job) sched.Outlook {
	k := f.of(j.Spec.Class)
	if len(k.Responses) < enoughKnown {
		return sched.Outlook{}
	}
	var times []float64
	switch f.by {
	case "responses":
		times = slices.Clone(k.Responses)
	case "average":
		for i := range plays {
			times = append(times, max(0, k.Mean+float64(math.Sqrt(2*k.Variance)*math.Erfinv(2*(float64(i)+0.5)/plays-1))))
		}
	default:
		times = f.played(v, j)
	}
	slices.Sort(times)
	at := func(part float64) units.Time {
		return v.Now().Add(units.FromSeconds(times[min(len(times)-1, int(float64(part*float64(len(times)+1))))]))
	}
	o := sched.Outlook{Half: at(0.5), Ninety: at(0.9), By: at(0.99), Confidence: 0.99 * sched.Certain}
	in := 0
	for _, t := range times {
		if v.Now().Add(units.FromSeconds(t)) <= j.Deadline {
			in++
		}
	}
	o.Chance = int32(float64(sched.Certain * (float64(in) + 0.5) / (float64(len(times)) + 1)))
	if o.By <= j.Deadline {
		o.Word, o.By = sched.Promised, j.Deadline
	}
	return o
}

// played is how long the job takes in plays of its own tasks behind those of all jobs that are due before it.
func (f *foreteller) played(v sched.View, j *sched.Job) (times []float64) {
	var slots [2]int64
	for c := sched.ClassID(1); c <= v.Classes(); c++ {
		k := v.Class(c)
		slots[0] += int64(k.Nodes[sched.Awake]) * k.Spec.Capacity[units.MapSlots]
		slots[1] += int64(k.Nodes[sched.Awake]) * k.Spec.Capacity[units.ReduceSlots]
	}
	var before []*sched.Job
	for id := sched.JobID(1); id <= v.Jobs(); id++ {
		if o := v.Job(id); o != nil && o.Spec != nil && id != j.ID && o.Standing() == sched.Admitted && o.Deadline <= j.Deadline {
			before = append(before, o)
		}
	}
	for range plays {
		sooner := func(a, b *float64) bool { return *a < *b }
		maps := &heap.Heap[float64]{List: make([]float64, slots[0]), Before: sooner}
		reduces := &heap.Heap[float64]{List: make([]float64, slots[1]), Before: sooner}
		for _, o := range before {
			f.place(o, sched.Map, maps, 0)
			f.place(o, sched.Reduce, reduces, 0)
		}
		over := f.place(j, sched.Map, maps, 0)
		times = append(times, max(over, f.place(j, sched.Reduce, reduces, over)))
	}
	return times
}

// place puts the tasks that a job has left on the slots that are free first, not before an instant, and returns when
// the last ends.
func (f *foreteller) place(j *sched.Job, stage sched.Stage, free *heap.Heap[float64], from float64) (last float64) {
	past := f.of(j.Spec.Class).Maps
	if stage == sched.Reduce {
		past = f.of(j.Spec.Class).Reduces
	}
	if len(free.List) == 0 || len(past) == 0 {
		return 0
	}
	t := &j.Stages[stage]
	for range t.Open + t.Occupied {
		f.draws++
		free.List[0] = max(from, free.List[0]) + past[draw.Of(f.draws, "foretell").Below(len(past))]
		last = max(last, free.List[0])
		free.Fix(0)
	}
	return last
}

func foretellerEntry() compose.Entry {
	return compose.Entry{Name: "foretell", Kind: compose.KindAdmit, Doc: "admits all, and foretells their ends by those of earlier jobs", Cite: "baseline",
		Params: []compose.Param{{Name: "by", Type: compose.Choice, Default: "responses", Choices: []string{"responses", "average", "draws"}, Doc: "what it goes by"}},
		Traits: compose.Traits{Heeds: sched.EventsOf(sched.Ended, sched.JobEnded, sched.JobArrived), Causes: []*sched.Cause{sched.AdmitAll}},
		Step: func(a compose.Args) (compose.Step, error) {
			return &foreteller{by: a.Choice("by"), classes: map[string]*pastOf{}}, nil
		}}
}
