package promise

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/policies/estimate"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
)

// admission states when jobs will be done, promises deadlines, and keeps the order.
type admission struct{ *scheduler }

// CountSleepers counts nodes that sleep as in service.
func (a admission) CountSleepers() { a.Wakes = true }

// MarshalJSON saves what all parts remember.
func (a admission) MarshalJSON() ([]byte, error) { return a.save() }

// UnmarshalJSON loads it.
func (a admission) UnmarshalJSON(text []byte) error { return a.load(text) }

// CopyFrom takes over what all parts of another policy remember.
func (a admission) CopyFrom(other any) { a.copy(other.(admission).scheduler) }

// Follow takes the order in which jobs that wait for masters are let in.
func (a admission) Follow(o sched.Order) error { return a.admits.Follow(o) }

// changes are the events by which nodes serve otherwise.
var changes = sched.EventsOf(sched.NodeUp, sched.NodeChanged, sched.NodeDown, sched.Control, sched.Resync)

// Decide takes in what has happened, judges the jobs that came, and tells what is expected of all now and then.
func (a admission) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	s := a.scheduler
	var kinds sched.Events
	for i := range batch {
		kinds |= 1 << batch[i].Kind
	}
	idle := len(s.line) == 0
	if len(batch) > 0 && batch[0].Kind == sched.Resync {
		s.resync(v)
		p.Rank(0, sched.Because(sched.PlaceChanged)) // all have been ranked by what was remembered of other handles
	}
	if !s.looked || kinds&changes != 0 {
		s.looked = true
		s.serve(v)
	}
	if kinds&changes != 0 {
		s.failures.note(v, batch)
	}
	if s.rents = s.rented(v, batch); s.rents { // jobs may be promised their deadlines that were not when they came
		s.next = v.Now()
	}
	came := s.came[:0]
	meet := func(job *sched.Job) {
		if job == nil || s.of(job) != nil || job.Standing() > sched.Admitted {
			return
		}
		s.note(v, job)
		if job.Standing() < sched.Admitted && !cutting(job) {
			came = append(came, job.ID)
		}
	}
	for i := range batch {
		switch e := &batch[i]; e.Kind {
		case sched.Ended:
			j, stage, n := v.Ended(e.Attempt)
			s.ended(v, v.Job(j), stage, n, e)
		case sched.JobEnded:
			if int(e.Job) < len(s.jobs) && e.Outcome == sched.Committed {
				s.errors.met(&s.jobs[e.Job], v.Now().Add(-e.Age))
			}
			s.forget(e.Job)
		case sched.ProfileLearned:
			s.akins(v, e.Detail.Profile)
			if s.taught(v, e.Detail.Profile.Name) {
				s.next = v.Now() // some waited to be promised their deadlines, and may soon be done
			}
		case sched.JobAmended, sched.Refused:
			if job := v.Job(e.Job); s.of(job) != nil {
				if e.Kind == sched.JobAmended && s.amend(v, job, p) || s.isCut(job, e) && !slices.Contains(came, e.Job) {
					came = append(came, e.Job)
				}
			}
		case sched.JobArrived:
			meet(v.Job(e.Job))
		case sched.Control, sched.Resync:
			s.watched = s.watched || e.Control == sched.Watch
			for j := sched.JobID(1); j <= v.Jobs(); j++ {
				meet(v.Job(j))
			}
		}
	}
	s.came = came
	if kinds&(sched.EventsOf(sched.JobArrived, sched.JobAmended, sched.JobEnded, sched.ProfileLearned)|changes) != 0 {
		s.deadlines(v, func(job *sched.Job, at units.Time) {
			p.Add(sched.Item{Verb: sched.SetDeadline, Job: job.ID, At: at, Reason: sched.Because(BehindIt, int64(at))})
			s.admits.Again(job.ID)
		})
	}
	// Ends may be told late, so no look may hang on when they are.
	turn := v.Now() >= s.next && len(s.line) > 0 && kinds&^sched.EventsOf(sched.Heartbeat, sched.Ended) != 0
	if turn {
		for _, j := range s.line {
			s.errors.passes(&s.jobs[j], v.Now())
		}
	}
	if turn || len(came) > 0 {
		s.look(v, turn, came, p)
	}
	for i, j := range came {
		if s.judge(v, v.Job(j), p) && i+1 < len(came) { // the others need not wait for it
			s.look(v, turn, came[i+1:], p)
		}
	}
	s.admits.Decide(v, batch, p)
	for i := range batch {
		if job := v.Job(batch[i].Job); s.isCut(job, &batch[i]) {
			s.letIn(v, job, sched.Because(sched.AdmitAll), p)
		}
	}
	if turn {
		s.share(v, p)
		s.tell(v, p)
	}
	if turn || len(came) > 0 {
		s.looks++
		for i := range s.places {
			s.plan(v.Now(), &s.places[i])
		}
	}
	if turn {
		s.next = v.Now().Add(s.spacing())
	}
	// A Tick ends all wishes, later ones too, and so does a resync; where no job was there none was asked for again.
	if turn || len(s.line) > 0 && (idle || kinds.Has(sched.Tick) || kinds.Has(sched.Resync)) {
		p.WakeMe(s.next, sched.Because(sched.Wakeup, int64(s.next)))
	}
}

// rented tells whether nodes were rented, or those that were serve now.
func (s *scheduler) rented(v sched.View, batch []sched.Event) bool {
	return slices.ContainsFunc(batch, func(e sched.Event) bool {
		if e.Kind != sched.NodeUp && (e.Kind != sched.NodeChanged || e.State != sched.Waking) {
			return false
		}
		n := v.Node(e.Node)
		return n != nil && n.Spec.Class.Rented()
	})
}

// lookSpacing is how much time there is for each job between two looks at all of them.
const lookSpacing = units.Second / 40

// spacing is the time between two looks at all jobs: an eighth of what tasks take lately, as little moves in less,
// and no less than that for each job.
func (s *scheduler) spacing() units.Duration {
	return max(units.Second, lookSpacing*units.Duration(len(s.line)), ofSeconds(math.Exp(s.any[0].mean(0))/8))
}

// look looks at the cluster, and ranks whom it finds elsewhere: at all jobs, of which any may be in time, or at those
// that could be in time at the last look.
func (s *scheduler) look(v sched.View, all bool, came []sched.JobID, p *sched.Plan) {
	s.arrivals.count(v.Now())
	s.was = s.was[:0]
	for _, j := range s.line {
		r := &s.jobs[j]
		s.was, r.lost = append(s.was, stands{r.InTime, r.Density}), r.lost && !all
		if r.Stale {
			s.learn(v, v.Job(j), r)
		}
	}
	chained := s.carry(v)
	s.hold(v)
	last := units.Time(0) // promise that can be kept
	for _, j := range s.line {
		if r := &s.jobs[j]; r.Promised > 0 && !r.lost {
			last = max(last, v.Job(j).Due())
		}
	}
	for {
		for i, j := range s.line {
			r, due := &s.jobs[j], v.Job(j).Due()
			if r.Away = r.Away && due <= last && v.Now() < r.OwedBy; r.Away {
				r.InTime = false
				continue
			}
			// Who may be in time again stands before nobody who comes, until it is found to be.
			r.InTime = s.was[i].inTime || all && len(came) == 0 && due != units.Never && (due > v.Now() || r.carries)
		}
		s.fill(v, all)
		s.run(v)
		if s.owes(v, came) || all && len(came) > 0 {
			came = nil
			continue
		}
		if s.gaveUp = false; !s.triage(v) {
			break
		}
		s.fill(v, all)
		s.run(v)
		if !chained || !s.gaveUp {
			break
		}
		chained = false // once more: what they wait for need not stand in front
		s.carry(v)
	}
	for i, j := range s.line {
		r, was := &s.jobs[j], s.was[i]
		switch {
		case r.InTime:
			r.Broken = 0
		case r.Promised > 0 && r.Let && r.Broken == 0:
			r.Broken = s.lastBefore(v.Now(), v.Job(j), ofSeconds(s.alone(r, v.Job(j)))) + 1
		}
		switch {
		case r.InTime && !was.inTime:
			p.Rank(j, sched.Because(InTimeAgain, int64(v.Job(j).Due())))
		case !r.InTime && was.inTime && r.Broken > 0:
			p.Rank(j, sched.Because(PromiseLost, int64(v.Job(j).Due()), int64(r.Broken-1)))
		case !r.InTime && was.inTime:
			p.Rank(j, sched.Because(OutOfTime, int64(v.Job(j).Due())))
		case !r.ranks() && r.Density != was.density && v.Job(j).Due() != units.Never:
			p.Rank(j, sched.Because(sched.PlaceChanged))
		}
	}
}

// judge finds what a job that came is told, and whether it is rejected.
func (s *scheduler) judge(v sched.View, job *sched.Job, p *sched.Plan) (rejected bool) {
	r := s.of(job)
	if r == nil {
		return false
	}
	if orphan(v, job) {
		p.Reject(job.ID, sched.Offer(0, false), sched.Because(Orphan))
		s.forget(job.ID)
		return true
	}
	w, st := s.tells(v, job, r)
	if r.Let { // it has another deadline
		s.letIn(v, job, sched.Reason{}, p)
		return false
	}
	if job.Due() != units.Never {
		work := 0.0
		if r.InTime { // else it overtakes nobody
			work = w.takes
		}
		s.arrivals.came(v.Now(), job.Due().Sub(v.Now()).Seconds(), work)
	}
	c := s.classOf(r.Class)
	out := r.Told.Outlook
	if rejected = s.rejects(v, job, out.Word); rejected {
		why, at := unlikely(because(job, r, &out)), st.offer(v.Now(), w)
		s.places = slices.DeleteFunc(s.places, func(w place) bool { return w.job == job })
		c[0].Refused++
		s.forget(job.ID)
		p.Reject(job.ID, s.offer(v, job, at), why)
	} else {
		c[0].Refused = 0
	}
	return rejected
}

// rejects tells whether a job that is told so much is rejected: none is by a guess, nor are more than so many of a
// class in a row, as nothing would ever be learned of it again. Played on two hours of FB-2010: of 2,577 jobs, all of
// one class, 17 and 153 are in time where all are rejected, 1,228 and 1,502 where one in five runs.
func (s *scheduler) rejects(v sched.View, job *sched.Job, word sched.Word) bool {
	return s.Reject && word != sched.Promised && job.Deadline != units.Never && !job.Spec.GoesOn() && !s.guessed(v, job) && s.classOf(job.Spec.Class)[0].Refused < mostRefused
}

// tells finds what a job is told after a look.
func (s *scheduler) tells(v sched.View, job *sched.Job, r *record) (*place, *statement) {
	w := s.at(v, job, r)
	st := s.statement(v.Now(), w)
	out := s.verdict(v.Now(), w, &st)
	r.Promised, r.Unsaid = 0, out.Word != sched.Promised && s.guessed(v, job)
	if out.Word == sched.Promised {
		r.Promised = r.Level
	}
	s.plan(v.Now(), w)
	r.Told = s.toldOf(w, out, v.Now())
	r.First = first{Like: st.like, Strange: r.Strange}
	if w.end != units.Never {
		if !r.Strange {
			r.First.states(v.Now(), &st)
		}
		if job.Deadline != units.Never && job.Deadline > v.Now() {
			r.First.Deadline = true
			r.First.Score = units.Rounded(st.score(job.Deadline.Sub(v.Now()).Seconds()))
			if r.First.Chance = units.Rounded(st.line(r.First.Score)); r.Promised > 0 {
				r.First.Chance = max(r.First.Chance, units.Rounded(1-r.Promised.Share()))
			}
		}
	}
	return w, &st
}

// at is the place of a job after a look. One that goes behind may not have been looked at.
func (s *scheduler) at(v sched.View, job *sched.Job, r *record) *place {
	for i := range s.places {
		if s.places[i].job == job {
			return &s.places[i]
		}
	}
	s.put(v, job, r)
	s.run(v)
	return &s.places[len(s.places)-1]
}

// verdict is what a job is told.
func (s *scheduler) verdict(now units.Time, w *place, st *statement) sched.Outlook {
	job, r := w.job, w.r
	r.Level = r.Asked
	promised := finish.Risk(0)
	if r.InTime && w.end != units.Never && job.Deadline != units.Never && job.Spec.Growing() == nil {
		promised = r.best(st, job.Deadline.Sub(now).Seconds())
		if r.Owed > promised {
			promised = 0
		}
		r.Level = cmp.Or(promised, r.Level)
	}
	out := st.outlook(now, w, sched.Unpromised, r.Level)
	if promised > 0 {
		// Such jobs are as often in time as that asks for.
		out.Word, out.Chance = sched.Promised, max(out.Chance, out.Confidence)
		agree(&out, now, job.Deadline)
	} else if out.Chance >= out.Confidence && out.By != 0 && r.InTime && job.Spec.Growing() == nil {
		// Promises ask for more than what jobs are told, as some were broken of late, or are owed to others.
		out.Chance = out.Confidence - 1
		agree(&out, now, job.Deadline)
	}
	return out
}

// because is why a job is told that.
func because(job *sched.Job, r *record, out *sched.Outlook) sched.Reason {
	switch {
	case job.Deadline == units.Never:
		return sched.Because(estimate.NoDeadline)
	case out.Word == sched.Promised:
		return sched.Because(estimate.Likely, int64(job.Deadline))
	case job.Spec.Growing() != nil:
		return sched.Because(estimate.CountUnknown, int64(job.Spec.Growing().Kind))
	}
	cause := Behind
	if r.Owed > r.Level {
		cause = Owed
	}
	return sched.Because(cause, int64(job.Deadline), int64(out.By), int64(finish.Certain)-int64(out.Chance))
}

// unlikely is why a job is rejected that would be told that it has no promise.
func unlikely(why sched.Reason) sched.Reason {
	if why.Cause == Behind {
		why.Cause = Unlikely
	}
	return why
}

// cutting tells whether the job may be cut otherwise at once: a plan beside the promise has asked for it.
func cutting(job *sched.Job) bool {
	return slices.ContainsFunc(job.Molds[:], func(m sched.Mold) bool { return m.Open() })
}

// isCut tells whether a job that waited for how it is cut is cut now. It is told what it is told and let in by that: a
// promise holds for as many tasks as there will be.
func (s *scheduler) isCut(job *sched.Job, e *sched.Event) bool {
	return (e.Kind == sched.JobAmended || e.Kind == sched.Refused) && e.Item != 0 && s.of(job) != nil && job.Standing() < sched.Admitted && !cutting(job)
}

// letIn admits a job with what it is told.
func (s *scheduler) letIn(v sched.View, job *sched.Job, why sched.Reason, p *sched.Plan) bool {
	r := s.of(job)
	if job != nil && cutting(job) {
		return false
	}
	if r == nil || r.Told.Word == sched.NoWord {
		return p.Admit(job.ID, sched.Outlook{}, why)
	}
	if !r.Let && r.Told.At < v.Now() { // it has waited for room
		s.look(v, false, []sched.JobID{job.ID}, p)
		s.tells(v, job, r)
	}
	r.Let = true
	return p.Admit(job.ID, r.Told.Outlook, because(job, r, &r.Told.Outlook))
}

// ended counts an attempt that has ended.
func (s *scheduler) ended(v sched.View, job *sched.Job, stage sched.Stage, n sched.NodeID, e *sched.Event) {
	r := s.of(job)
	if r == nil || stage < sched.Map || stage > sched.Reduce {
		return
	}
	k := int(stage - sched.Map)
	s.runs[job.ID].ended[k] = true
	if e.Outcome != sched.Committed {
		return
	}
	sum := units.Duration(0)
	for _, d := range e.Spans {
		sum += d
	}
	at := v.Now().Add(-e.Age)
	if stage == sched.Map {
		r.Over = max(r.Over, at)
	} else if job.Stages[sched.Map].Left() == 0 { // it began to work when the maps were over
		sum = min(sum, max(0, at.Sub(r.Over)))
	}
	pace := 1.0
	if node := v.Node(n); s.Wakes && node != nil {
		pace, _ = estimate.Pace(v, node.Spec.Class.Name)
	}
	s.took(job, r, k, units.Rounded(sum.Seconds()*pace))
	// Each time that four times as many have ended they say enough more, to the next look.
	if n := uint(math.Round(units.Rounded(r.Own[k].N))); r.Guess[k] && n > 0 && n&(n-1) == 0 && bits.TrailingZeros(n)%2 == 0 {
		r.Stale = true
	}
}

// akins notes of which class of a family most jobs are known. What earlier runs took of each family says something of
// all jobs.
func (s *scheduler) akins(v sched.View, of *profile.Class) {
	family := profile.Family(of.Name)
	if s.kin[family] == of.Name || of.Any(sched.Map).Task.N == 0 {
		return
	}
	before := v.Profile(s.kin[family])
	if before == nil || before.Runs <= of.Runs {
		s.kin[family] = of.Name
	}
	if before == nil && len(s.jobs) == 0 {
		s.any[0].add(units.Rounded(math.Log(max(of.Any(sched.Map).Task.Mean, 1e-3))), 1, mostAny)
	}
}

// taught takes in what is known now of the class of jobs of which nothing was, or of its family. It tells whether
// there are such jobs.
func (s *scheduler) taught(v sched.View, class string) (any bool) {
	family := profile.Family(class)
	for _, j := range s.line {
		if r, job := &s.jobs[j], v.Job(j); r.Strange && profile.Family(job.Spec.Class) == family {
			s.learn(v, job, r)
			any = true
		}
	}
	return any
}

// amend takes in another deadline, or another number of tasks. It tells whether the deadline is another one, of which
// the job has been told nothing.
func (s *scheduler) amend(v sched.View, job *sched.Job, p *sched.Plan) bool {
	was := s.jobs[job.ID]
	s.forget(job.ID)
	r := s.note(v, job)
	s.keep(v, job, r, &was)
	r.End, r.Density, r.Let = was.End, was.Density, was.Let
	if r.Due == was.Due {
		r.InTime, r.Handed, r.Told, r.Promised, r.First, r.Unsaid = was.InTime, was.Handed, was.Told, was.Promised, was.First, was.Unsaid
		r.Owed, r.OwedBy, r.Away, r.Spent, r.Broken = was.Owed, was.OwedBy, was.Away, was.Spent, was.Broken
		return false
	}
	if r.InTime && !was.InTime {
		p.Rank(job.ID, sched.Because(InTimeAgain, int64(job.Due())))
	}
	return true
}

// resync begins again with what the book says. Who has a promise keeps it.
func (s *scheduler) resync(v sched.View) {
	if s.watched { // nobody was told anything
		admits, kin, any := s.admits, s.kin, s.any
		*s = *newScheduler(s.Config)
		s.admits, s.kin, s.any = admits, kin, any
		return
	}
	jobs := s.jobs
	s.jobs, s.line, s.runs = nil, nil, nil
	s.serve(v)
	for i := range jobs {
		old := &jobs[i]
		if old.ID == "" {
			continue
		}
		job := v.Job(v.Find(old.ID))
		if job == nil || job.Standing() >= sched.Rejected || stated(job) != old.Due || s.of(job) != nil {
			continue
		}
		r := s.note(v, job)
		s.keep(v, job, r, old)
		r.InTime, r.Handed, r.Let, r.Told, r.Promised, r.End, r.Density = old.InTime, old.Handed, old.Let, old.Told, old.Promised, old.End, old.Density
		r.First, r.Unsaid = old.First, old.Unsaid
		r.Owed, r.OwedBy, r.Away, r.Spent, r.Broken = old.Owed, old.OwedBy, old.Away, old.Spent, old.Broken
	}
}

// keep has a record go on by what the job's own tasks took, which an older one has in parts of its own laws.
func (s *scheduler) keep(v sched.View, job *sched.Job, r, was *record) {
	r.Takes = was.Takes
	if r.Over = was.Over; was.Own[0].N > 0 || was.Own[1].N > 0 {
		r.Own, r.Laws = was.Own, was.Laws
		s.learn(v, job, r)
	}
}
