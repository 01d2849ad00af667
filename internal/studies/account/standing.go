package account

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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
	Queue string `json:"queue,omitempty"` // where that is another one
	Slots int    `json:"slots,omitempty"`
	// when the first of them is expected to be free, or the job to end; 0 = nobody knows
	Free units.Time `json:"free_ns,omitempty"`
}

// Standing says what a job waits for at a time, which the book may not have come to; nil: the book has no such
// job. Of a class it reads what is known, to say when slots come free. It costs a step for each job that waits,
// each attempt that runs and each node.
func Standing(v sched.View, now units.Time, id string, known func(class string) *profile.Class) *Wait {
	h := v.Find(id)
	if h == 0 {
		return nil
	}
	s := standing{v, max(now, v.Now()), v.Job(h), known}
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

// standing is a job in a book.
type standing struct {
	v     sched.View
	now   units.Time
	job   *sched.Job
	known func(class string) *profile.Class
}

// stage says what tasks of a stage wait for.
func (s *standing) stage(w *Wait, st *workload.StageSpec, t *sched.Tally) {
	if w.Cause == Held && t.Sample >= 0 {
		w.Cause = Sample
	}
	if w.Cause != "" {
		return
	}
	for j := s.v.Waiting(st.Kind, 0); j != 0; j = s.v.Waiting(st.Kind, j) {
		if w.Among++; j == s.job.ID {
			w.Place = w.Among
		}
	}
	needs := new(st.Container(0).Needs)
	serve, room := 0, false
	for n := sched.NodeID(1); n <= s.v.Nodes(); n++ {
		if node := s.v.Node(n); node != nil && node.Serves() && node.Spec != nil && node.Suits(s.job.Spec) && node.Spec.Class.Capacity.Fits(needs) {
			serve++
			room = room || node.Free.Fits(needs)
		}
	}
	switch {
	case t.Withheld || t.Limit >= 0 && t.Occupied >= t.Limit:
		w.Cause, w.Why = Limit, s.why()
	case serve == 0:
		w.Cause = NoNode
	case room && w.Place == 1 && s.v.World().Heartbeat > 0:
		w.Cause = Beat
	case room:
		w.Cause = Limit
	default:
		w.Cause = Slots
		s.holders(w, needs)
	}
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

// Words says what the job waits for; clock tells a time.
func (w *Wait) Words(clock func(units.Time) string) string {
	text := "it waits for nothing: its tasks run"
	if w.Cause != "" {
		text = "it " + nowadays.Replace(w.Cause.Words())
	}
	if w.Why != "" {
		text += ": " + w.Why
	}
	if w.Tasks > 0 {
		text += ", with " + units.Count(int(w.Tasks), w.Stage.String()) + " to start"
	}
	if w.Place > 0 {
		text += fmt.Sprintf(", as number %d of %s in line", w.Place, units.Count(w.Among, "job"))
	}
	if w.Queue != "" {
		text += ", in queue " + w.Queue
	}
	var who []string
	for _, h := range w.Jobs {
		one := h.Job
		if h.Queue != "" {
			one += " of queue " + h.Queue
		}
		if h.Slots > 0 {
			one += " holds " + slots(float64(h.Slots))
		}
		if h.Free > 0 && h.Slots == 0 {
			one += ", expected to end at " + clock(h.Free)
		}
		who = append(who, one)
	}
	if w.More > 0 {
		who = append(who, units.Count(w.More, "more job"))
	}
	if who != nil {
		text += "; " + strings.Join(who, ", ")
	}
	if w.Next != nil {
		when := "at " + clock(w.Next.Free)
		if w.Next.Free <= w.At {
			when = "any time now"
		}
		text += "; the first is expected to be free " + when + ", of " + w.Next.Job
	}
	return text
}
