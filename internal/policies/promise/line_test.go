package promise

import (
	"context"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/maths/avail"
	"github.com/slackline/slackline/internal/maths/draw"
	"github.com/slackline/slackline/internal/maths/finish"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/reserve"
	"github.com/slackline/slackline/internal/policies/reservetest"
	"github.com/slackline/slackline/internal/worlds/adverse"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// plain is a claim whose chances are found by walking the queue from its begin each time.
type plain struct {
	*scheduler
	v     sched.View
	claim reserve.Claim
	t     *trial // for its place by a deadline, and its law

	runs []([2]busy) // until when the running tasks of each job are expected to
	held [2][]units.Time
}

// look finds when running tasks are expected to end, each by its attempt in the book.
func (p *plain) look() {
	for _, j := range p.Queue {
		var runs [2]busy
		if r := p.terms[j]; p.Of(j).Rank > 0 && r.Odds != nil && p.v.Job(j) != nil {
			for k, l := range []*likelihood{r.Odds.Map, r.Odds.Reduce} {
				stage := sched.Map + sched.Stage(k)
				for a := p.v.Youngest(j, stage, 0); a != 0; a = p.v.Youngest(j, stage, a) {
					end := p.v.Now()
					if l.Mean > 0 {
						age := p.v.Now().Sub(p.v.Attempt(a).Started)
						end = end.Add(l.Residual[min(int(age/max(1, l.Mean/4)), len(l.Residual)-1)])
					}
					p.held[k] = append(p.held[k], end)
					runs[k] = busy{max(runs[k].last, end), runs[k].n + 1}
				}
			}
		}
		p.runs = append(p.runs, runs)
	}
	slices.Sort(p.held[0])
	slices.Sort(p.held[1])
}

// takes is that of the scheduler by records, without rows.
func (p *plain) takes(f *forecast, i int) units.Time {
	j := p.Queue[i]
	r, job := p.Of(j), p.v.Job(j)
	if job == nil || p.terms[j].Odds == nil {
		return 0
	}
	c := r.Claim
	c.Maps, c.Reduces = int(reserve.Owed(job, sched.Map)), int(reserve.Owed(job, sched.Reduce))
	if r.Master == reserve.Running || r.Master == reserve.Without {
		c.Ready, c.Startup = 0, 0
	}
	_, end := f.take(&c, &p.terms[j].Odds.expects, p.runs[i])
	return end
}

// before is the forecast before the i-th job, and what was expected of each of those before it.
func (p *plain) before(i int) (*forecast, []stop) {
	f := forecast{now: p.v.Now()}
	for k, to := range []*avail.Steps{&f.maps, &f.reduces} {
		for _, end := range p.held[k] {
			to.Put(end)
		}
		to.Resize([]int{p.Slots.Maps, p.Slots.Reduces}[k], f.now)
	}
	var stops []stop
	for k := range i {
		was := f.variance
		stops = append(stops, stop{was, p.takes(&f, k)})
	}
	return &f, stops
}

// rises walks behind the i-th place with and without the claim, side by side.
func (p *plain) rises(o *odds, i int) (all []rise, ok bool) {
	with, _ := p.before(i)
	without, _ := p.before(i)
	with.take(&p.claim, &o.expects, [2]busy{})
	for ; i < len(p.Queue); i++ {
		was, before := without.variance, with.variance
		sooner, later := p.takes(without, i), p.takes(with, i)
		r, deadline := &p.terms[p.Queue[i]], p.Of(p.Queue[i]).Claim.Deadline
		if r.Odds == nil {
			continue
		}
		from := r.Odds.risk(deadline, sooner, was)
		to := r.Odds.risk(deadline, later, before)
		if to <= from {
			continue
		}
		if !r.Budget.Affords(from, to) {
			return []rise{{p.Queue[i], from, to}}, false
		}
		all = append(all, rise{p.Queue[i], from, to})
	}
	return all, true
}

// chances are what weigh finds, and offer what offer does.
func (p *plain) chances() (c chances, place int) {
	for place = 0; place < len(p.Queue) && !p.t.goesBefore(place); place++ {
	}
	f, _ := p.before(place)
	o := *p.t.odds
	_, expected := f.deviates(&o, p.t.law, &p.claim, &p.t.failures, p.v.World().Heartbeat)
	c.Risk = o.risk(p.claim.Deadline, expected, f.variance)
	c.Half = o.by(expected, f.variance, finish.Certain/2)
	c.Ninety = o.by(expected, f.variance, finish.Certain/10)
	if c.Finish = o.by(expected, f.variance, o.Most); c.Risk <= o.Most {
		c.Rises, c.OK = p.rises(&o, place)
	}
	return c, place
}

func (p *plain) offer(place int) (at units.Time, exact bool) {
	for tried := 0; ; tried, place = tried+1, place+1 {
		exact = tried < mostPlaces || tried == mostPlaces && place == len(p.Queue)
		if tried >= mostPlaces {
			place = len(p.Queue)
		}
		f, _ := p.before(place)
		o := *p.t.odds
		_, expected := f.deviates(&o, p.t.law, &p.claim, &p.t.failures, p.v.World().Heartbeat)
		at = o.by(expected, f.variance, o.Most)
		if at == units.Never {
			return at, exact
		}
		if place > 0 {
			at = max(at, p.Of(p.Queue[place-1]).Claim.Deadline.Add(1))
		}
		if place == len(p.Queue) {
			return at, exact
		}
		p.t.claim.Deadline = at
		if p.t.goesBefore(place) {
			if _, ok := p.rises(&o, place); ok {
				return at, exact
			}
		}
	}
}

// promisedAgain promises a job that has not started its deadline again, as after an amendment: at the same
// place, a moment later, and its tasks are expected to take a tenth longer.
func promisedAgain(s *scheduler, job *sched.Job) {
	was, on := *s.Of(job.ID), s.terms[job.ID]
	s.Forget(job.ID)
	r := s.Note(job, reserve.Promised)
	odds := *on.Odds
	slower := func(l likelihood) *likelihood {
		l.Mean += l.Mean / 10
		return &l
	}
	odds.expects = expects{slower(*odds.Map), slower(*odds.Reduce)}
	r.Claim, r.Master = was.Claim, was.Master
	on.Odds = &odds
	s.terms[job.ID] = on
	r.Claim.Deadline++
	s.Enqueue(job.ID)
}

// walksFor tells how far the jobs behind a claim are asked for. All behind are safe.
func (s *scheduler) walksFor(t *trial) string {
	var with forecast
	with.copy(t.at)
	mapsEnd, end := with.take(&t.claim, &t.odds.expects, [2]busy{})
	until := s.harmless(t.place, t.at, &with, &t.claim, mapsEnd, end)
	for i := t.place; i < len(t.Queue); i++ {
		before := with.variance
		later, w := t.takes(&with, i), &t.sheets.rows[i]
		if i >= until && w.is != rowGone && !safe(w.deadline, later, w.sure, before) {
			return "too little"
		}
	}
	switch until {
	case t.place:
		return "nowhere"
	case len(t.Queue):
		return "to the end"
	}
	return "on"
}

// A claim whose maps wait for long takes one of two free reduce slots late. That is no delay for jobs
// whose reduces wait for maps too, but it is for one that has only reduces left.
func TestALateReduceIsInTheWayOfJobsWithoutMaps(t *testing.T) {
	second := func(s int64) units.Time { return units.Time(0).Add(units.Duration(s) * units.Second) }
	for _, maps := range []int32{0, 1} {
		s := newScheduler(usual)
		l := &s.sheets.line
		l.kept, l.apart = true, marksApart
		l.first.maps.Resize(2, second(1000))
		l.first.reduces.Resize(2, 0)
		l.front.copy(&l.first)
		s.Queue = []sched.JobID{1}
		waits := row{job: 1, owed: [2]int32{maps, 2}, deadline: second(105 + 1010*int64(maps)), sure: 10}
		waits.expects = expects{&likelihood{Mean: 10 * units.Second}, &likelihood{Mean: 50 * units.Second}}
		s.sheets.rows = []row{waits}
		c, of := reserve.Claim{Maps: 1, Reduces: 1}, expects{&likelihood{Mean: 10 * units.Second}, &likelihood{Mean: units.Second}}
		var at, with forecast
		at.copy(&l.first)
		with.copy(&at)
		mapsEnd, end := with.take(&c, &of, [2]busy{})
		if until := s.harmless(0, &at, &with, &c, mapsEnd, end); until != 1-int(maps) {
			t.Errorf("of a job with %d maps in the queue, %d are looked at behind the claim", maps, until)
		}
	}
}

// lineWorld is a world of many promises: of two in three seeds the simulator, else the unkind one, where some jobs
// have masters, and some grow.
func lineWorld(t *testing.T, seed int) drive.World {
	cfg := chancy(uint64(seed+1), 0.4, 0.2, units.Duration(seed%2)*3*units.Second)
	for i, j := range cfg.Workload.Jobs {
		if i%8 != seed%8 {
			j.Deadline = j.Arrive.Add(j.Deadline.Sub(j.Arrive) * units.Duration(2+12*(seed%2))) // for longer queues
		}
	}
	if seed%3 == 2 {
		for i, j := range cfg.Workload.Jobs {
			if i%3 == 0 {
				master := workload.StageSpec{Kind: sched.Master, Tasks: make([]workload.Task, 1)}
				j.Stages = append([]workload.StageSpec{master}, j.Stages...)
			}
			j.Stages[len(j.Stages)-1].Grows = i%5 == 1
		}
		unkind := adverse.Config{Cluster: cfg.Cluster, Jobs: cfg.Workload.Jobs, Seed: uint64(seed), Calm: 800, Cancels: true, Watching: seed%2 == 0}
		return &lectured{adverse.New(unkind), cfg.Profiles[0]}
	}
	if seed%4 == 0 {
		cfg.Sizes = []sim.SizeStep{{At: 200 * units.Time(units.Second), Nodes: 3}, {At: 400 * units.Time(units.Second), Nodes: 4}}
	}
	world, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return world
}

// lectured is a world that also tells what is known of a class, now and then.
type lectured struct {
	drive.World
	of *profile.Class
}

func (w *lectured) Next(ctx context.Context) (drive.Batch, error) {
	b, err := w.World.Next(ctx)
	if len(b.Events) > 0 && (int64(b.At/units.Time(units.Second))%7 == 1 || b.Events[0].Kind == sched.Resync) {
		learned := sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: w.of}}
		i := slices.IndexFunc(b.Events, func(e sched.Event) bool { return e.Kind > sched.ProfileLearned })
		b.Events = slices.Insert(slices.Clone(b.Events), max(0, i), learned)
	}
	return b, err
}

// after notes what has happened since the last decision.
type after struct {
	kinds [sched.EventKinds]bool
	then  func()
}

func (a *after) Batch(_ int64, _ units.Time, events []sched.Event) error {
	for i := range events {
		a.kinds[events[i].Kind] = true
	}
	return nil
}

func (a *after) Plan(int64, units.Time, *sched.Plan) error {
	a.then()
	a.kinds = [sched.EventKinds]bool{}
	return nil
}

// A verdict, a question and an outlook find what the plain walk does, asked in any order and again, after each kind
// of event.
func TestTheLineIsThePlainWalk(t *testing.T) {
	seeds := 6
	if os.Getenv("SLACKLINE_FULLER") != "" || os.Getenv("SLACKLINE_LONG") != "" {
		seeds = 24
	}
	walks, afters := map[string]int{}, [sched.EventKinds]bool{}
	asked, granted, late, refused, rising, offered, far, kept, amended := 0, 0, 0, 0, 0, 0, 0, 0, 0
	for seed := range seeds {
		config := usual
		config.Most, config.Behind = 100_000>>(seed%4), seed%3 == 0
		world := lineWorld(t, seed)
		s := newScheduler(config)
		s.sheets.line.apart = 1 + seed%5
		recipe := compose.Recipe{Name: "promise"}
		assemble(&recipe, s)
		policy, err := compose.New(recipe)
		if err != nil {
			t.Fatal(err)
		}
		var loop *drive.Loop
		batches := 0
		key := draw.Of(uint64(seed), "asked")
		what := &after{}
		loop = drive.New(world, policy, what)
		what.then = func() {
			batches++
			d := key.Number(uint64(batches))
			now := loop.Ledger.Now()
			// At one instant all its batches, which change the book in between, or none.
			if len(s.Queue) == 0 || key.Number(uint64(now)).Job("whether").Below(8) > 0 {
				return
			}
			for _, j := range s.Queue {
				if d.Job("spent").Below(2) == 0 {
					s.terms[j].Budget.Left = 0 // by others
				}
			}
			if j := s.Queue[d.Job("which").Below(len(s.Queue))]; s.Of(j).Rank == 0 && d.Job("amended").Below(4) == 0 {
				promisedAgain(s, loop.Ledger.Job(j))
				amended++
			}
			for kind, is := range what.kinds {
				afters[kind] = afters[kind] || is
			}
			for q := range 5 {
				spec := &workload.Job{ID: "new", Class: "load", Weight: 1, Soft: units.Never, SlowStart: 1, Arrive: now}
				for stage, most := range []int{30 << (4 * (q % 2)), 6} {
					n := d.At(stage, q, 0).Below(most)
					if stage == 0 {
						n++
					}
					if n > 0 {
						st := workload.StageSpec{Kind: sched.Map + sched.Stage(stage), Tasks: make([]workload.Task, n)}
						spec.Stages = append(spec.Stages, st)
					}
				}
				spec.Deadline = now.Add(units.Second.Scale(d.At(2, q, 0).Exponential(150)))
				view := sched.At(loop.Ledger, now.Add(units.Duration(d.At(3, q, 0).Below(2))*units.Second/2))
				job := sched.Asked(view, spec)
				r := reserve.Record{Claim: reserve.ClaimOf(job)}
				if as, _ := s.Weigh(view, job, &r); as != reserve.Promised {
					continue
				}
				if l := &s.sheets.line; l.kept && l.first.now == view.Now() {
					kept++
				}
				a := admission{s}.Ask(view, job)
				mine := s.try(view, job, &r)
				c := mine.weigh()
				p := plain{scheduler: s, v: view, claim: r.Claim, t: &trial{scheduler: s, v: view, claim: r.Claim}}
				p.look()
				p.t.odds, p.t.law, _ = s.likely(view, job, &r)
				want, place := p.chances()
				if d := cmp.Diff(want, c, cmp.AllowUnexported(rise{})); d != "" {
					t.Fatalf("seed %d, batch %d, question %d: plain, and by the line:\n%s", seed, batches, q, d)
				}
				if c.Risk <= mine.odds.Most {
					walks[s.walksFor(mine)]++
				}
				at, exact := mine.offer()
				if due, sure := p.offer(place); at != due || exact != sure {
					t.Fatalf("seed %d, batch %d, question %d: offers %v (exact %v), and by the plain walk %v (%v)",
						seed, batches, q, at, exact, due, sure)
				}
				if a.Offer != sched.Offer(at, exact) || a.Outlook.Foreseen() != c.OK || c.OK && a.Outlook.By != c.Finish {
					t.Fatalf("seed %d, batch %d, question %d: answers %+v, and finds %+v, %v, %v",
						seed, batches, q, a, c, at, exact)
				}
				if q%2 == 0 {
					_, stops := p.before(len(s.Queue))
					for i, want := range stops {
						if got := s.stop(i); got != want {
							t.Fatalf("seed %d, batch %d, job %d: %v, and by the plain walk %v", seed, batches, i, got, want)
						}
					}
				}
				asked++
				switch {
				case c.OK:
					granted++
				case c.Rises != nil:
					refused++
				default:
					late++
				}
				if c.OK && len(c.Rises) > 0 {
					rising++
				}
				if mine.place > place {
					offered++
				}
				if !exact {
					far++
				}
			}
		}
		if err := loop.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("asked %d times, %d by a kept line: %d granted, %d with a rise, %d too late, %d refused for another; "+
		"%d offers behind, %d not exact; %d promised again; walked %v",
		asked, kept, granted, rising, late, refused, offered, far, amended, walks)
	if n := walks["too little"]; n > 0 {
		t.Errorf("%d walks ended before a job that has a risk", n)
	}
	for _, n := range []int{kept, granted - rising, rising, late, refused, offered, far, amended, walks["nowhere"], walks["on"], walks["to the end"]} {
		if n == 0 {
			t.Error("a case did not happen")
		}
	}
	for kind := sched.Resync; kind < sched.EventKinds; kind++ {
		switch kind {
		case sched.Tick, sched.Progress: // nobody asks for one, and nobody tells the other
		default:
			if !afters[kind] {
				t.Errorf("no question came after %v", kind)
			}
		}
	}
}

// A row of a job that has not started is read again when others start a task of it: a stock scheduler, or a world where
// a start was on its way when all was told again.
func TestRowsAreReadAgain(t *testing.T) {
	for _, first := range [][]sched.Event{nil, reservetest.Watch} {
		config := usual
		config.Most, config.Behind = 100_000, true
		d := newDesk(t, config)
		told := reservetest.Opening(reservetest.Claims("a", 2, 900))
		for _, stage := range []sched.Stage{sched.Map, sched.Reduce} {
			told[1].Detail.Profile.Models = append(told[1].Detail.Profile.Models, &profile.Model{Key: profile.Key{Stage: stage, Part: profile.Run}, Fixed: 10,
				Own: profile.LogNormal(0.1), Shared: profile.LogNormal(0.1), Total: profile.LogNormal(0.2), Tasks: 100, Jobs: 10})
		}
		d.Starts(0, append(slices.Clone(first), told...)...)
		d.s.lookUp(d.Book)
		d.Starts(1, sched.Event{Kind: sched.Started, Attempt: 1, Job: 1, Stage: sched.Map, Task: 1, Node: 1, Locality: sched.Anywhere})
		d.s.lookUp(d.Book)
		if w := d.s.sheets.rows[0]; w.is == rowGone || w.owed[0] != 1 || w.runs[0] != 1 {
			t.Errorf("watched %v: one of two maps runs, and the row is %+v", first != nil, w)
		}
	}
}
