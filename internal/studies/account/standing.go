package account

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/slackline/slackline/internal/maths/each"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// Wait is what a job that has not ended waits for, as the book has it.
type Wait struct {
	At    units.Time   `json:"at_ns"`           // of the run, when the book was asked
	Cause Cause        `json:"cause,omitempty"` // "" = nothing: its tasks run, or its end follows
	Stage *sched.Stage `json:"stage,omitempty"` // with tasks that are to start
	Tasks int32        `json:"tasks,omitempty"` // how many these are
	Why   string       `json:"why,omitempty"`   // why the policy has it wait
	Queue string       `json:"queue,omitempty"` // its own
	Place int          `json:"place,omitempty"` // among the jobs that may start tasks of the stage, 1 = it is the next
	Among int          `json:"among,omitempty"` // how many these are
	Next  *Holder      `json:"next,omitempty"`  // whose slots come free first
	// that hold slots, the largest first and at most three, or that have to end first
	Jobs []Holder `json:"jobs,omitempty"`
	More int      `json:"more_jobs,omitempty"`
}

// Holder is a job that another waits for.
type Holder struct {
	Job   string `json:"job"`
	Self  bool   `json:"self,omitempty"`  // it is the job itself
	Queue string `json:"queue,omitempty"` // where that is another one
	Slots int    `json:"slots,omitempty"`
	// when the first of them is expected to be free, or the job to end; 0 = nobody knows
	Free units.Time `json:"free_ns,omitempty"`
}

// Standing says what jobs wait for at a time, which the book may not have come to, nil where the book has no such
// job. Of a class it reads what is known, to say when slots come free. It costs a step for each job that waits and
// each attempt that runs, once, and for each of the jobs one for each node.
func Standing(v sched.View, now units.Time, known func(class string) *profile.Class, ids ...string) []*Wait {
	b := book{v: v, now: max(now, v.Now()), known: known, held: make(map[room]*Wait)}
	return each.Of(ids, func(id string) *Wait {
		h := v.Find(id)
		if h == 0 {
			return nil
		}
		return (&standing{&b, v.Job(h)}).wait()
	})
}

// book is what is looked up once for all jobs.
type book struct {
	v     sched.View
	now   units.Time
	known func(class string) *profile.Class
	line  [sched.Stages][]int32 // the place of each job in line, 0 = none; nil: not looked up
	held  map[room]*Wait        // who holds what jobs need
}

// room is what jobs of a queue need.
type room struct {
	needs units.Vector
	queue string
}

// standing is a job in a book.
type standing struct {
	*book
	job *sched.Job
}

func (s *standing) wait() *Wait {
	w := &Wait{At: s.now, Queue: s.job.Spec.Queue}
	switch s.job.State {
	case sched.Waiting:
		w.Cause, w.Jobs = Predecessors, s.predecessors()
		w.Jobs, w.More = few(w.Jobs)
		return w
	case sched.Pending:
		w.Cause = Verdict
	case sched.HeldBack:
		w.Cause, w.Why = Held, s.why()
	}
	for i := range s.job.Spec.Stages {
		st := &s.job.Spec.Stages[i]
		t := &s.job.Stages[st.Kind]
		if t.Open <= 0 || !t.Ready {
			continue
		}
		w.Stage, w.Tasks = &st.Kind, t.Open
		s.stage(w, st, t)
		break
	}
	return w
}

// stage says what tasks of a stage wait for.
func (s *standing) stage(w *Wait, st *workload.StageSpec, t *sched.Tally) {
	if w.Cause == Held && t.Sample >= 0 {
		w.Cause = Sample
	}
	if w.Cause != "" {
		return
	}
	w.Place, w.Among = s.place(st.Kind)
	needs := new(st.Container(0).Needs)
	serve, free := 0, false
	for n := sched.NodeID(1); n <= s.v.Nodes(); n++ {
		if node := s.v.Node(n); node != nil && node.Serves() && node.Spec != nil && node.Suits(s.job.Spec) && node.Spec.Class.Capacity.Fits(needs) {
			serve++
			free = free || node.Free.Fits(needs)
		}
	}
	switch {
	case t.Withheld || t.Limit >= 0 && t.Occupied >= t.Limit:
		w.Cause, w.Why = Limit, s.why()
	case serve == 0:
		w.Cause = NoNode
	case free && w.Place == 1 && s.v.World().Heartbeat > 0:
		w.Cause = Beat
	case free:
		w.Cause = Limit
	default:
		w.Cause = Slots
		s.holders(w, needs)
	}
}

// place is where the job stands in line, 0 = nowhere, and how long that is.
func (s *standing) place(kind sched.Stage) (place, among int) {
	line := s.line[kind]
	if line == nil {
		line = make([]int32, s.v.Jobs()+1) // the first has how many there are
		for j := s.v.Waiting(kind, 0); j != 0; j = s.v.Waiting(kind, j) {
			line[0]++
			line[j] = line[0]
		}
		s.line[kind] = line
	}
	return int(line[s.job.ID]), int(line[0])
}

// why is the reason of the last verdict.
func (s *standing) why() string {
	return (&sched.Plan{}).Why(&sched.Item{Job: s.job.ID, Reason: s.job.Why, Outlook: s.job.Outlook}, func(j sched.JobID) *workload.Job {
		if other := s.v.Job(j); other != nil {
			return other.Spec
		}
		return nil
	})
}

// predecessors are the jobs that have to end first, and when they are expected to.
func (s *standing) predecessors() (list []Holder) {
	for _, id := range s.job.Spec.After {
		if j := s.v.Job(s.v.Find(id)); j != nil {
			list = append(list, Holder{Job: id, Free: cmp.Or(j.Outlook.Half, j.Outlook.By)})
		}
	}
	return list
}

// holders are the jobs that hold what the job needs.
func (s *standing) holders(w *Wait, needs *units.Vector) {
	of := room{*needs, s.job.Spec.Queue}
	is := s.held[of]
	if is == nil {
		is = new(Wait)
		s.look(is, needs)
		s.held[of] = is
	}
	mine := func(h Holder) Holder {
		h.Self = h.Job == s.job.Spec.ID
		return h
	}
	if w.Jobs, w.More = each.Of(is.Jobs, mine), is.More; is.Next != nil {
		w.Next = new(mine(*is.Next))
	}
}

// look finds them.
func (s *standing) look(w *Wait, needs *units.Vector) {
	for id := sched.JobID(1); id <= s.v.Jobs(); id++ {
		j := s.v.Job(id)
		if j == nil || j.State == sched.Finished || !j.Begun() {
			continue
		}
		h := Holder{Job: j.Spec.ID}
		if j.Spec.Queue != s.job.Spec.Queue {
			h.Queue = j.Spec.Queue
		}
		for i := range j.Spec.Stages {
			st := &j.Spec.Stages[i]
			if j.Stages[st.Kind].Running == 0 {
				continue
			}
			for a := s.v.Youngest(id, st.Kind, 0); a != 0; a = s.v.Youngest(id, st.Kind, a) {
				at := s.v.Attempt(a)
				if at == nil || !rivals(needs, new(st.Container(int(at.Container)).Needs)) {
					continue
				}
				h.Slots++
				if free := s.free(j, st, at); free > 0 && (h.Free == 0 || free < h.Free) {
					h.Free = free
				}
			}
		}
		if h.Slots > 0 {
			w.Jobs = append(w.Jobs, h)
			if h.Free > 0 && (w.Next == nil || h.Free < w.Next.Free) {
				w.Next = &h
			}
		}
	}
	slices.SortStableFunc(w.Jobs, func(a, b Holder) int { return cmp.Compare(b.Slots, a.Slots) })
	w.Jobs, w.More = few(w.Jobs)
}

// rivals tells whether two containers take of the same thing.
func rivals(a, b *units.Vector) bool {
	for d := range a {
		if a[d] > 0 && b[d] > 0 {
			return true
		}
	}
	return false
}

// free is when an attempt is expected to end: by how far it is, else by what such tasks take; 0 = nobody knows.
func (s *standing) free(j *sched.Job, st *workload.StageSpec, a *sched.Attempt) units.Time {
	takes := units.Duration(0)
	if t := int(a.Task); t > 0 && t <= len(st.Tasks) {
		takes = st.Tasks[t-1].Work + st.Tasks[t-1].Shuffle
	}
	if c := s.known(j.Spec.Class); c != nil && takes == 0 {
		takes = units.FromSeconds(c.Told().Any(st.Kind).Task.Mean)
	}
	if ran := s.now.Sub(a.Started); a.Progress >= 0.1 && a.Progress < 1 && ran > 0 { // all is read before all is done
		takes = ran.Scale(1 / a.Progress)
	}
	if takes <= 0 {
		return 0
	}
	return max(s.now, a.Started.Add(takes))
}

// few are the first, and how many there are besides.
func few(list []Holder) ([]Holder, int) {
	n := min(len(list), mostOthers)
	return list[:n], len(list) - n
}

// nowadays says of what was that it is.
var nowadays = strings.NewReplacer("waited ", "waits ", "was held", "is held")

// Words says what the job waits for, who frees it and when, and its place in line; clock tells a time.
func (w *Wait) Words(clock func(units.Time) string) string {
	text := "it waits for nothing: its tasks run"
	if w.Cause != "" {
		text = "it " + nowadays.Replace(w.Cause.Words())
	}
	if w.Why != "" {
		text += ": " + strings.TrimPrefix(w.Why, "waits: ")
	}
	who := each.Of(w.Jobs, func(h Holder) string {
		one := h.name()
		if h.Queue != "" {
			one += " of queue " + h.Queue
		}
		if h.Slots > 0 {
			one += map[bool]string{true: " hold ", false: " holds "}[h.Self] + slots(float64(h.Slots))
		} else if h.Free > 0 {
			one += ", expected to end at " + clock(h.Free)
		}
		return one
	})
	if w.More > 0 {
		who = append(who, units.Count(w.More, "more job"))
	}
	if len(who) > 0 {
		text += ": " + strings.Join(who, ", ")
	}
	if w.Next != nil {
		text += "; " + w.free(clock)
	}
	if w.Tasks > 0 {
		text += "; " + units.Count(int(w.Tasks), w.Stage.String()) + " to start"
	}
	if w.Place > 0 {
		text += map[bool]string{true: ", next", false: fmt.Sprintf(", number %d", w.Place)}[w.Place == 1] + " of " + units.Count(w.Among, "job") + " in line"
	}
	if w.Queue != "" {
		text += ", in queue " + w.Queue
	}
	return text
}

// Short says the same where there is little room, "" if it waits for nothing.
func (w *Wait) Short(clock func(units.Time) string) string {
	text := w.Cause.Words()
	for _, less := range []string{"waited ", "was ", "for "} {
		text = strings.TrimPrefix(text, less)
	}
	switch {
	case w.Why != "":
		text += ": " + strings.TrimPrefix(w.Why, "waits: ")
	case w.Next != nil:
		text = "slots of " + w.Next.name()
		if w.Next.Free > w.At {
			text += ", free at " + clock(w.Next.Free)
		} else {
			text += ", overdue"
		}
	case len(w.Jobs) > 0 && w.Cause == Predecessors:
		text = "end of " + w.Jobs[0].Job
	case len(w.Jobs) > 0:
		text = "slots of " + w.Jobs[0].name()
	}
	if w.Place > 0 && text != "" {
		text += fmt.Sprintf("; %d of %d", w.Place, w.Among)
	}
	return text
}

func (h *Holder) name() string { return (&Other{Job: h.Job, Self: h.Self}).name() }

// free is when the first slots come free.
func (w *Wait) free(clock func(units.Time) string) string {
	if w.Next.Free <= w.At {
		return w.Next.name() + " should have freed one by now, as its task takes longer than such tasks do"
	}
	text := "the first is expected to be free at " + clock(w.Next.Free)
	if len(w.Jobs)+w.More > 1 {
		text += ", of " + w.Next.name()
	}
	return text
}
