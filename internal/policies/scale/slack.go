package scale

import (
	"cmp"
	"math"
	"slices"

	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// Slack keeps as many nodes in service as deadlines need, those first that use least for their work: ours.
//
//	need = max over jobs in the order of deadlines, min(γ · (before + own) / time, γ · before / time + width)
//	       + the most that could not wait at once of late
//
// in parts of what all nodes can do together: before is what is left of the jobs before a job, and own of itself, each
// task as long as its mean; its width is what it takes if all tasks of a stage run at once. What runs has half of its
// mean left. Work may start until its time ends: that is its deadline, less what a node takes to wake, less one task
// of each of its stages, by how much longer than their mean the last of these are, and a beat (sure). What may not
// wait are the tasks of jobs without a deadline, of which nothing is known, or which have no time, and tasks of other
// stages than maps and reduces: for them nodes are in service at once, and they go before jobs that can wait. Others
// like them will come, and work that was put off would be in their way: so the most of them that there was at once
// counts, and fades with a time constant of 20 minutes.
//
//   - Nodes are wanted in the order of what they draw at full load for what they do, until the need is met; of one
//     class those that are awake go first, then those that come first.
//   - A job that can wait goes only to the first nodes, as many as it and those that are due later need: what it
//     leaves on the others would keep them awake until it ends.
//   - Where nodes of the first class use less than others, as many of them are wanted as could do all that can wait in
//     the time that a node takes to wake: what they do now no others have to do later. Not so where costs change.
//   - Nodes that are not wanted get no task, so they empty (Bars), but for as many as still wake of those that are.
//     Those that are empty sleep. One that may not, as others still have to read what is on it, is asked again after a
//     minute. Until then it takes tasks of the jobs that had begun when it was to sleep first, as it sleeps the sooner.
//   - A task goes to no node on which it would on average miss its job's deadline, and would not on the fastest ones
//     (Takes).
//   - Where all nodes are needed, a job must not run everywhere, or one that may not wait has waited for a minute and
//     for what a node takes to wake, it stands aside: all are wanted. Who stands aside is not to be noticed: it asks
//     for no Tick while there are jobs. All are wanted at first, too, twice as long as nodes take to wake, in which
//     it learns what comes.
//
// γ follows misses of jobs that were made to wait: each adds 0.25, and each that was in time takes 0.001, from 1 up
// to 4. It is divided by 1 - c², where c is the part of all nodes that jobs took of late which came later than one
// that can wait, and are due sooner: more of them will come, and matter as far as nodes are busy. With half of the
// serial time in place of all, and γ = 1.5, jobs of a wave or two were late; without c, jobs that others overtook
// where nodes are 90 % busy.
//
// Where prices or carbon are expected to change (tariff), what is left up to a job goes to those nodes at those hours
// of its time at which it costs least: a frugal node in a dear hour may be cheaper than another in a cheap one. It
// needs what that takes now. So work moves within its slack.
//
// Nodes that are offered for nothing are its own, too: a command switches them on and off.
//
// What tasks take is the mean by the job's own tasks and by what its class takes for such input, each as it would be
// over all nodes: it is what they took times the pace of the nodes that they were let run on, half a beat with it.
//
// Limits: a placement that does not ask what may start on a node (efh) is not kept from nodes. While tasks that may not
// wait stand behind jobs that can, a start costs a look at all of these.
type Slack struct {
	slackMemory

	queue   estimate.Queue
	tariff  tariff   // all below is reused
	classes []thrift // by handle, and in the order in which they are wanted
	order   []sched.ClassID
	cells   []cell
	news    []float64 // what each of the jobs in line has left that can wait
	later   bool      // some work waits for a cheaper time
}

// slackMemory is what outlives a look.
type slackMemory struct {
	Own   estimate.Own        `json:"own"`
	Gamma int64               `json:"gamma"`           // in thousandths
	Sizes [][2]units.Duration `json:"sizes,omitempty"` // by handle, tasks by their input; 0 = unknown
	Tails [][2]int64          `json:"tails,omitempty"` // by how much the last are longer, in thousandths
	Lax   []units.Time        `json:"lax,omitempty"`   // by handle, deadlines of jobs that can wait
	Had   []units.Time        `json:"had,omitempty"`   // and of those that once could: who is late no longer can
	Reach []int64             `json:"reach,omitempty"` // by handle, the part of all that they may use, in millionths
	Rush  []sched.JobID       `json:"rush,omitempty"`  // jobs that may not wait, and had tasks to start
	Since []units.Time        `json:"since,omitempty"` // by handle, since when they have had
	Shut  []bool              `json:"shut,omitempty"`  // by handle, nodes that get no task
	Rank  []int64             `json:"rank,omitempty"`  // by handle, the part of nodes wanted sooner, in millionths
	Asked []units.Time        `json:"asked,omitempty"` // by handle, when nodes were to sleep last
	Held  []units.Time        `json:"held,omitempty"`  // by handle, since when nodes are to sleep that may not
	Next  units.Time          `json:"next"`            // when it looks again, at the next end of a task
	Peak  int64               `json:"peak"`            // the most that could not wait of late, in millionths of all
	Came  []bool              `json:"came,omitempty"`  // by handle, jobs that have not been looked at yet
	Over  int64               `json:"over"`            // of late, milliseconds of all nodes that came between
	Seen  units.Time          `json:"seen"`            // the last look, up to which that has faded
	First units.Time          `json:"first"`           // the first; 0 = none
	Wake  compose.Alarm       `json:"wake"`
}

// thrift is what a class of nodes is good for.
type thrift struct {
	there  bool
	share  int64 // of all that nodes can do, what one of them can, in millionths
	draws  int64 // microwatts at full load for each of these
	wanted int32
	open   int32 // of those that are awake, so many get tasks
	from   int64 // millionths that nodes do which are wanted sooner
}

const (
	leastGamma, mostGamma = 1000, 4000
	unpromised            = int32(sched.Certain / 100) // the risk that a job without a promise may have
	missAdds, metTakes    = 250, 1
	slackEvery            = 5 * units.Second
	againAfter            = units.Minute
	peakFades             = 20 * units.Minute
	looksFirst            = 2 // times as long as a node takes to wake
)

// NewSlack returns the part.
func NewSlack() *Slack { return &Slack{slackMemory: slackMemory{Gamma: leastGamma}} }

// slackChanges are the events at which it looks at once; at the ends of tasks it does so once in a while.
var (
	slackChanges = sched.EventsOf(sched.Resync, sched.Control, sched.JobArrived, sched.JobEnded, sched.JobAmended, sched.OutputLost,
		sched.NodeUp, sched.NodeDown, sched.NodeChanged)
	slackTurns = sched.EventsOf(sched.Ended)
)

// Decide wakes whom deadlines need, shuts the others, and lets them sleep. A look costs O(jobs + nodes).
func (s *Slack) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	look, turn, ticked := false, false, false
	for i := range batch {
		e := &batch[i]
		s.notice(v, e)
		look, turn, ticked = look || slackChanges.Has(e.Kind), turn || slackTurns.Has(e.Kind), ticked || e.Kind == sched.Tick
	}
	if !v.World().Can(sched.Wake) {
		return
	}
	look = (look || turn || ticked) && s.Wake.Rings(v.Now(), ticked, p) || look
	if look || turn && v.Now() >= s.Next {
		s.Next = v.Now().Add(slackEvery)
		s.look(v, p)
	}
}

// notice takes in an event.
func (s *Slack) notice(v sched.View, e *sched.Event) {
	even := *e
	if e.Kind == sched.Ended {
		if _, _, n := v.Ended(e.Attempt); v.Node(n) != nil {
			pace, _ := estimate.Pace(v, v.Node(n).Spec.Class.Name)
			for i, span := range e.Spans {
				even.Spans[i] = span.Scale(units.Rounded(pace))
			}
		}
	}
	s.Own.Notice(v, &even)
	switch e.Kind {
	case sched.Resync, sched.Control:
		s.slackMemory = slackMemory{Gamma: s.Gamma}
	case sched.JobArrived, sched.JobEnded:
		*sched.Row(&s.Since, e.Job), *sched.Row(&s.Came, e.Job) = 0, e.Kind == sched.JobArrived
		takes := estimate.Times{}
		if e.Kind == sched.JobEnded { // what a node may not sleep for may be over
			clear(s.Asked)
		}
		if e.Kind == sched.JobArrived && v.Job(e.Job) != nil {
			if takes = estimate.Mean(v, v.Job(e.Job).Spec); takes.Known {
				class := v.Profile(v.Job(e.Job).Spec.Class)
				takes.Map = takes.Map.Scale(units.Rounded(estimate.Evenly(v, class, sched.Map)))
				takes.Reduce = takes.Reduce.Scale(units.Rounded(estimate.Evenly(v, class, sched.Reduce)))
			}
		}
		*sched.Row(&s.Sizes, e.Job) = [2]units.Duration{takes.Map, takes.Reduce}
		*sched.Row(&s.Tails, e.Job) = [2]int64{}
		due := *sched.Row(&s.Had, e.Job)
		*sched.Row(&s.Lax, e.Job), s.Had[e.Job] = 0, 0
		switch {
		case due == 0 || e.Kind == sched.JobArrived || e.Outcome != sched.Committed:
		case v.Now() > due:
			s.Gamma = min(s.Gamma+missAdds, mostGamma)
		default:
			s.Gamma = max(s.Gamma-metTakes, leastGamma)
		}
	}
}

// left is what is left of a job.
func (s *Slack) left(v sched.View, j *sched.Job) (left estimate.Left, known bool) {
	size := [2]units.Duration{}
	if int(j.ID) < len(s.Sizes) {
		size = s.Sizes[j.ID]
	}
	return s.Own.Left(v, j, 0, size)
}

// sure finds by how much longer than their mean one task of each stage takes, each the last of its like, but for the
// risk that the job's promise leaves. It is false where the class does not say.
func (s *Slack) sure(v sched.View, j *sched.Job, left *estimate.Left, all *[units.Dims]float64) (known bool) {
	tails, sum := sched.Row(&s.Tails, j.ID), 0.0
	for k, mean := range left.Mean {
		if mean > 0 && tails[k] == 0 {
			if tails[k] = s.tail(v, j, sched.Map+sched.Stage(k), all); tails[k] == 0 {
				return false
			}
		}
		sum += float64(float64(mean*tails[k]) * float64(mean*tails[k]))
	}
	left.Sure = int64(units.Rounded(math.Sqrt(sum)/1000)) + estimate.Millis(v.World().Served())
	return true
}

// tail is by how much longer than the mean the last of a stage's tasks takes, if as many start at once as there is room
// for, in thousandths of the mean; 0 = nothing is known.
func (s *Slack) tail(v sched.View, j *sched.Job, stage sched.Stage, all *[units.Dims]float64) int64 {
	class, spec, risk := v.Profile(j.Spec.Class), j.Spec.Stage(stage), unpromised
	if class == nil || class.Model(stage, "", profile.Run) == nil {
		return 0
	}
	box, own := spec.Container(0), &class.Model(stage, "", profile.Run).Own
	if j.Outlook.Word == sched.Promised {
		risk = sched.Certain - j.Outlook.Confidence
	}
	n := max(1, min(float64(len(spec.Tasks)), 1/max(s.part(v, &box.Needs, all), 1e-9)))
	last := own.Quantile(math.Pow(1-float64(risk)/sched.Certain, 1/n)) / own.Mean()
	return max(1, int64(math.Round(units.Rounded(1000*min(last-1, 1000)))))
}

// Bars tells whether a node gets no task.
func (s *Slack) Bars(n sched.NodeID) bool { return int(n) < len(s.Shut) && s.Shut[n] }

// Takes tells whether a task of the job may go to the node. O(classes).
func (s *Slack) Takes(v sched.View, j *sched.Job, stage sched.Stage, n *sched.Node) bool {
	rushes := func(id sched.JobID) bool { return v.Job(id) != nil && starts(v.Job(id), stage) > 0 }
	switch lax := int(j.ID) < len(s.Lax) && s.Lax[j.ID] != 0; {
	case lax && slices.ContainsFunc(s.Rush, rushes):
		return false
	case int(n.ID) < len(s.Held) && s.Held[n.ID] != 0:
		return j.Started < s.Held[n.ID]
	case lax && int(n.ID) < len(s.Rank) && s.Rank[n.ID] > s.Reach[j.ID]:
		return false
	case stage != sched.Map && stage != sched.Reduce || j.Due() == units.Never:
		return true
	}
	here, fast := estimate.Pace(v, n.Spec.Class.Name)
	if units.Rounded(here) >= units.Rounded(fast) {
		return true
	}
	left, known := s.left(v, j)
	takes := float64(left.Mean[stage-sched.Map])
	if stage == sched.Map {
		takes += float64(left.Mean[1])
	}
	return !known || units.Rounded(takes/here) <= float64(left.Due) || units.Rounded(takes/fast) > float64(left.Due)
}

// survey finds what each class of nodes is good for, and how long the slowest takes to wake.
func (s *Slack) survey(v sched.View) (all [units.Dims]float64, wake units.Duration) {
	var fast [units.Dims]float64
	s.order = s.order[:0]
	s.classes = append(s.classes[:0], make([]thrift, v.Classes()+1)...)
	for c := range s.classes[1:] {
		k := v.Class(sched.ClassID(c + 1))
		if k == nil || k.Spec.Rented() && !estimate.Free(k.Spec) || estimate.There(k) == 0 {
			continue
		}
		s.order = append(s.order, sched.ClassID(c+1))
		wake = max(wake, k.Spec.WakeTime)
		for d, has := range k.Spec.Capacity {
			all[d] += float64(float64(has) * float64(estimate.There(k)))
			fast[d] += float64(float64(has) * k.Spec.Speed * float64(estimate.There(k)))
		}
	}
	for _, c := range s.order {
		k, t := v.Class(c).Spec, &s.classes[c]
		share := 1.0
		for d, has := range k.Capacity {
			if units.Rounded(fast[d]) > 0 {
				share = min(share, float64(has)*k.Speed/fast[d])
			}
		}
		t.there, t.share = true, max(1, millionths(share))
		t.draws = int64(units.Rounded(float64(k.Idle+k.Dynamic) * 1e6 / float64(t.share)))
	}
	slices.SortStableFunc(s.order, func(a, b sched.ClassID) int { return cmp.Compare(s.classes[a].draws, s.classes[b].draws) })
	return all, wake
}

func millionths(part float64) int64 { return int64(math.Round(units.Rounded(min(part, 1) * 1e6))) }

// pools are what maps, reduces and other containers take from.
const pools = 3

func poolOf(needs *units.Vector) int {
	switch {
	case needs[units.MapSlots] > 0:
		return 0
	case needs[units.ReduceSlots] > 0:
		return 1
	}
	return 2
}

// starts is how many tasks of a stage may start now.
func starts(j *sched.Job, stage sched.Stage) int32 {
	t := &j.Stages[stage]
	if !t.Ready || t.Withheld || j.Standing() != sched.Admitted || j.Cancelled {
		return 0
	}
	if t.Limit >= 0 {
		return max(0, min(t.Open, t.Limit-t.Occupied))
	}
	return max(0, t.Open)
}

// need is the part of all nodes that deadlines need, 1 or more = all. O(jobs).
func (s *Slack) need(v sched.View, all *[units.Dims]float64, wake units.Duration) (most float64) {
	s.Rush = s.Rush[:0]
	if s.later = false; len(s.order) == 0 { // of nothing there are no parts
		return 1
	}
	s.tariff.look(v, s.layers(v))
	stuck, comes := false, min(0.9, float64(s.Over)/float64(peakFades/units.Millisecond))
	s.news = append(s.news[:0], make([]float64, len(s.queue.Jobs))...)
	var work, now [pools]float64 // milliseconds of all nodes, up to a job; and parts of them at once
	for pos, id := range s.queue.Jobs {
		j := v.Job(id)
		if len(j.Spec.Labels)+len(j.Spec.Avoids) > 0 {
			return 1
		}
		left, lax := s.left(v, j)
		lax = lax && j.Due() != units.Never && s.sure(v, j, &left, all)
		time := left.Due - estimate.Millis(wake) - left.Mean[0] - left.Mean[1] - left.Sure
		lax = lax && time > 0
		before, own, width, rush := max(work[0], work[1], work[2]), 0.0, 0.0, false
		for i := range j.Spec.Stages {
			stage := j.Spec.Stages[i].Kind
			t, box := &j.Stages[stage], j.Spec.Stages[i].Container(0)
			if t.ToStart() == 0 && t.Occupied <= 0 {
				continue
			}
			part, pool := s.part(v, &box.Needs, all), poolOf(&box.Needs)
			if part == 0 {
				return 1
			}
			if k := int(stage) - int(sched.Map); lax && k >= 0 && k < len(left.Mean) {
				takes := float64(part * float64(left.Open[k]*left.Mean[k]+int64(t.Occupied)*left.Mean[k]/2))
				own, work[pool] = own+takes, work[pool]+takes
				width = max(width, float64(part*float64(left.Open[k]+int64(t.Occupied))))
				continue
			}
			tasks := starts(j, stage)
			now[pool] += float64(part * float64(tasks+t.Occupied))
			rush = rush || tasks > 0
		}
		*sched.Row(&s.Lax, id) = 0
		since := sched.Row(&s.Since, id)
		if rush && *since == 0 {
			*since = max(1, v.Now())
		} else if !rush {
			*since = 0
		}
		stuck = stuck || rush && v.Now().Sub(*since) > wake+againAfter
		if lax {
			s.Lax[id], *sched.Row(&s.Had, id) = j.Due(), j.Due()
			s.news[pos] = own
			g := float64(s.Gamma) / 1000 / (1 - comes*comes)
			all, first := float64(g*(before+own)), float64(g*before)
			part := units.Rounded(min(s.tariff.level(all, time), s.tariff.level(first, time)+width))
			*sched.Row(&s.Reach, id) = millionths(part)
			most, s.later = max(most, part), s.later || part < units.Rounded(min(all/float64(time), first/float64(time)+width))
		} else if rush {
			s.Rush = append(s.Rush, id)
		}
	}
	if stuck { // by a placement, or a queue, that wants others than these nodes
		return 1
	}
	s.Peak = max(s.Peak, millionths(max(now[0], now[1], now[2])))
	// How much of the class that uses least could do all that can wait in the time that a node takes to wake,
	// beside what cannot wait. It is 0 where no other uses more, or where costs change.
	fill, first := 0.0, &s.classes[s.order[0]]
	if len(s.tariff.cells) == 0 && first.draws < s.classes[s.order[len(s.order)-1]].draws {
		fill = max(0, min(float64(first.share)*float64(estimate.There(v.Class(s.order[0])))/1e6, max(work[0], work[1], work[2])/float64(max(1000, estimate.Millis(wake))))-float64(s.Peak)/1e6)
	}
	reach, older := millionths(fill), false // of jobs that are due no sooner; one of them was there before
	for pos, id := range slices.Backward(s.queue.Jobs) {
		came := sched.Row(&s.Came, id)
		if older && *came {
			// at most 35 years, as it is multiplied
			s.Over = min(s.Over+int64(math.Round(units.Rounded(s.news[pos]))), 1<<40)
		}
		older = older || s.Lax[id] != 0 && !*came
		if *came = false; s.Lax[id] != 0 {
			reach = max(reach, s.Reach[id])
			s.Reach[id] = reach + s.Peak
		}
	}
	return units.Rounded(max(most, fill) + float64(s.Peak)/1e6)
}

// part is that of all nodes which a container takes, 0 if some node has no room for it.
func (s *Slack) part(v sched.View, needs *units.Vector, all *[units.Dims]float64) (part float64) {
	for _, c := range s.order {
		if !v.Class(c).Spec.Capacity.Fits(needs) {
			return 0
		}
	}
	for d, n := range needs {
		if n > 0 {
			part = max(part, float64(n)/all[d])
		}
	}
	return part
}

// look finds who is wanted.
func (s *Slack) look(v sched.View, p *sched.Plan) {
	s.queue.Look(v)
	all, wake := s.survey(v)
	if s.First == 0 {
		s.First, s.Seen = max(1, v.Now()), v.Now()
	}
	gone := int64(min(v.Now().Sub(s.Seen), peakFades) / units.Millisecond)
	s.Over -= s.Over * gone / int64(peakFades/units.Millisecond)
	s.Peak, s.Seen = s.Peak-s.Peak*gone/int64(peakFades/units.Millisecond), v.Now()
	need := millionths(s.need(v, &all, wake))
	aside, looks := need == 1e6, v.Now() < s.First.Add(looksFirst*wake)
	if aside {
		clear(s.Lax)
		s.Rush = s.Rush[:0]
	}
	rest, coming, wanted := need, int32(0), int32(0)
	for _, c := range s.order {
		k, t := v.Class(c), &s.classes[c]
		here := estimate.There(k)
		if t.wanted = here; !aside && !looks {
			t.wanted = int32(min(int64(here), (max(0, rest)+t.share-1)/t.share))
		}
		rest -= int64(t.wanted) * t.share
		t.open = min(t.wanted, k.Nodes[sched.Awake])
		coming += t.wanted - t.open
		wanted += t.wanted
	}
	from := int64(0)
	for _, c := range s.order { // while they come, others do
		t := &s.classes[c]
		t.from = from
		few := min(coming, v.Class(c).Nodes[sched.Awake]-t.open)
		t.open, coming = t.open+few, coming-few
		from += int64(t.open) * t.share
		t.wanted = max(0, t.wanted-v.Class(c).Nodes[sched.Awake]-v.Class(c).Nodes[sched.Waking]) // to be woken
	}
	opened, next := s.turn(v, p, int64(wanted), (need+999)/1000)
	switch {
	case opened && !aside: // who has room beats again
		next = v.Now().Add(units.Second)
	case !aside && len(s.queue.Jobs) > 0:
		next = min(next, v.Now().Add(slackEvery))
	case len(s.queue.Jobs) == 0 && (aside || looks || need >= 1000): // that ends, or fades
		next = min(next, v.Now().Add(againAfter))
	}
	s.Wake.Set(next, p)
}

// turn wakes, shuts and puts to sleep node by node. It returns whether a node was shut that is open now, and when one
// may sleep next.
func (s *Slack) turn(v sched.View, p *sched.Plan, wanted, need int64) (opened bool, next units.Time) {
	next = units.Never
	s.Rank = s.Rank[:0]
	for n := sched.NodeID(1); n <= v.Nodes(); n++ {
		nd, shut, asked, held := v.Node(n), sched.Row(&s.Shut, n), sched.Row(&s.Asked, n), sched.Row(&s.Held, n)
		was, since := *shut, *held
		*shut, *held = false, 0
		if nd == nil || !s.classes[nd.Class].there {
			continue
		}
		t := &s.classes[nd.Class]
		switch nd.State {
		case sched.Draining: // it is asked
			*held = since
		case sched.Asleep, sched.Offered:
			if *asked = 0; t.wanted > 0 && p.Add(sched.Item{Verb: sched.Wake, Node: n, Reason: sched.Because(DeadlinesNeed, wanted, need, s.Gamma)}) {
				t.wanted--
			}
		case sched.Awake:
			if t.open > 0 {
				t.open--
				*sched.Row(&s.Rank, n) = t.from - t.share
				t.from += t.share
				*asked, opened = 0, opened || was
				continue
			}
			if *held = since; since == 0 && *asked != 0 {
				*held = *asked
			}
			if *shut = *held == 0; nd.Occupied > 0 {
				continue
			}
			due := nd.Since.Add(units.Second)
			if *asked != 0 {
				due = max(due, asked.Add(againAfter))
			}
			if v.Now() < due {
				next = min(next, due)
				continue
			}
			*asked = max(1, v.Now())
			why := sched.Because(NotWanted, int64(nd.Since), wanted, need)
			if s.later {
				why = sched.Because(CheaperLater, int64(nd.Since), wanted, s.tariff.now)
			}
			p.Add(sched.Item{Verb: sched.Sleep, Node: n, Reason: why})
			next = min(next, v.Now().Add(againAfter))
		}
	}
	return opened, next
}

// Remembers is what outlives a round.
func (s *Slack) Remembers() any { return &s.slackMemory }

// Why nodes wake and sleep.
var (
	// DeadlinesNeed wakes a node.
	DeadlinesNeed = &sched.Cause{Name: "deadlines-need", Text: "{wanted} {wanted?node is|nodes are} wanted: deadlines need {need} thousandths of all, at γ = {gamma} thousandths",
		Numbers: []sched.Number{sched.Count.Named("wanted", "nodes that are wanted", 40), sched.Count.Named("need", "what deadlines need, in thousandths of all nodes", 310),
			sched.Count.Named("gamma", "γ in thousandths", 1250)}}
	// NotWanted lets one sleep.
	NotWanted = &sched.Cause{Name: "not-wanted", Text: "nothing has run on it since {since}, and {wanted} {wanted?node is|nodes are} wanted: deadlines need {need} thousandths of all",
		Numbers: []sched.Number{sched.Clock.Named("since", "since when nothing has run on it", 60e9), sched.Count.Named("wanted", "nodes that are wanted", 40),
			sched.Count.Named("need", "what deadlines need, in thousandths of all nodes", 310)}}
	// CheaperLater lets one sleep while work waits that is cheaper later.
	CheaperLater = &sched.Cause{Name: "cheaper-later", Text: "nothing has run on it since {since}, and {wanted} {wanted?node is|nodes are} wanted, as deadlines leave time for cheaper hours: a joule costs {cost} thousandths of its mean",
		Numbers: []sched.Number{sched.Clock.Named("since", "since when nothing has run on it", 60e9), sched.Count.Named("wanted", "nodes that are wanted", 4),
			sched.Count.Named("cost", "price and carbon now, in thousandths of the mean of what is expected", 1400)}}
)

// SlackEntry lists the part.
func SlackEntry() compose.Entry {
	return compose.Entry{
		Name: "slack",
		Kind: compose.KindScale,
		Doc:  "as many nodes are in service as deadlines need, those first that use least for their work; the others empty, and sleep",
		Cite: "Slackline",
		Traits: compose.Traits{Needs: []sched.Verb{sched.Sleep, sched.Wake}, Reads: compose.Reads{Profiles: true, Models: true, Supply: true},
			Causes: []*sched.Cause{DeadlinesNeed, NotWanted, CheaperLater, sched.Wakeup}, Heeds: (slackChanges | slackTurns | sched.EventsOf(sched.Tick)) &^ sched.EventsOf(sched.Resync, sched.Control)},
		Step: func(compose.Args) (compose.Step, error) { return NewSlack(), nil },
	}
}
