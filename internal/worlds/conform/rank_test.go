package conform

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/policies/admit"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/catalog/testdata/laxity"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/policies/placement"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// ranking is a policy that ranks by an order that declares nothing; greedy placement, and all jobs are admitted.
func ranking(t *testing.T, o sched.Order) sched.Policy {
	p, err := compose.New(compose.Recipe{Name: "mine", Order: o,
		Steps: map[compose.Kind]compose.Step{compose.KindAdmit: admit.NewAll(pools()), compose.KindPlace: &placement.Greedy{NonLocal: 1, Reduces: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// school is a world in which each job is of a class of its own, and what the classes cost is
// learned while jobs wait: every few batches of one more, twice in a row, so that jobs have to wait to be ranked
// again, and of each more than once. In an early one they are known before the first job comes.
type school struct {
	drive.World
	early bool
	turns int
}

func (w *school) Next(ctx context.Context) (drive.Batch, error) {
	b, err := w.World.Next(ctx)
	if err != nil {
		return b, err
	}
	w.turns++
	var events []sched.Event
	for _, e := range b.Events {
		if e.Kind == sched.JobArrived {
			spec := *e.Detail.Job
			spec.Class = spec.ID
			e.Detail = &sched.Detail{Job: &spec}
		}
		events = append(events, e)
	}
	if w.turns%7 < 2 && w.turns < 200 {
		c := profile.New(fmt.Sprintf("j%d", w.turns/7*2%5+1))
		c.Attempt(workload.Map, "small", 0, units.Duration(1+w.turns*37%50)*units.Minute, 0)
		events = append(events, sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: c}})
	}
	for i := 1; w.early && w.turns == 1 && i <= 5; i++ {
		c := profile.New(fmt.Sprint("j", i))
		c.Attempt(workload.Map, "small", 0, 9*units.Second, 0)
		c.Attempt(workload.Reduce, "small", 0, 9*units.Second, 20*units.Second)
		events = append(events, sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: c}})
	}
	slices.SortStableFunc(events, func(a, b sched.Event) int { return cmp.Compare(a.Kind, b.Kind) })
	b.Events = events
	return b, nil
}

// A part written from ARCHITECTURE alone passes, an order that reads profiles: it ranks jobs again
// when one is learned, on the kind world and on the unkind one.
func TestOrdersLearn(t *testing.T) {
	for _, s := range []Subject{simulated(runs(6)), unkind(runs(20))} {
		plain := s.New
		s.New = func(t *testing.T, seed uint64) drive.World { return &school{World: plain(t, seed)} }
		t.Run(s.Name, func(t *testing.T) {
			holds(t, s, "least-laxity+laxity", laxity.Order(), laxity.Admission())
			holds(t, s, "edf(feasible)")
		})
	}
}

// fickle is an order whose keys follow the clock, which nothing announces.
type fickle struct{ sched.Flat }

func (fickle) JobKey(v sched.View, j *sched.Job, _ sched.Stage) sched.Key {
	return sched.Key{(int64(v.Now().Sub(0)/(units.Second/4)) + int64(j.ID)) % 3}
}

// An order whose keys follow what nobody announces is found out.
func TestFickleOrdersAreFound(t *testing.T) {
	for _, s := range []Subject{simulated(1), unkind(1)} {
		found := false
		for seed := uint64(0); seed < 20 && !found; seed++ {
			l := drive.New(&school{World: s.New(t, seed)}, ranking(t, fickle{}))
			for l.Step(context.Background()) == nil && !found {
				j, _ := l.Ledger.Misranked()
				found = j != 0
			}
		}
		if !found {
			t.Errorf("%s: an order that changes its mind stands as if it did not", s.Name)
		}
	}
}

// So it is while all jobs wait to be ranked again, as nothing that an order may read has changed since.
// The unkind world beats so rarely that they never wait for long.
func TestFickleOrdersAreFoundWhileRanksWait(t *testing.T) {
	always := &secret{does: func(_ sched.View, p *sched.Plan) { p.Rank(0, sched.Because(sched.PlaceChanged)) }}
	entries := append(catalog.All(), compose.Entry{Name: "fickle", Kind: compose.KindOrder, Order: func(compose.Args) (sched.Order, error) { return fickle{}, nil }},
		compose.Entry{Name: "always", Kind: compose.KindSpeculate, Traits: compose.Traits{Causes: []*sched.Cause{sched.PlaceChanged}},
			Step: func(compose.Args) (compose.Step, error) { return always, nil }})
	s, found, waited := simulated(1), false, 0
	for seed := uint64(0); seed < 20 && !found; seed++ {
		p, err := catalog.Of(entries, "fickle+always", pools())
		if err != nil {
			t.Fatal(err)
		}
		ranks := &earlier{}
		l := drive.New(&school{World: s.New(t, seed)}, p, ranks)
		for l.Step(context.Background()) == nil && !found {
			if views := ranks.look(l.Ledger); ranks.waits {
				waited++
				j, _ := l.Ledger.Misranked(views...)
				found = j != 0
			}
		}
	}
	if !found {
		t.Errorf("an order that changes its mind stands as if it did not, in %d steps in which all jobs waited", waited)
	}
}

// An order that reads profiles and does not say so ends the run, with one sentence.
func TestSecretReaders(t *testing.T) {
	order, err := laxity.Order().Order(compose.Args{})
	if err != nil {
		t.Fatal(err)
	}
	l := drive.New(simulated(1).New(t, 1), ranking(t, order))
	err = l.Run(context.Background())
	if want := `round 1: policy "mine": its order part reads profiles without declaring it: its catalogue entry needs Reads.Profiles`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// secret is a step that does what its entry does not say.
type secret struct {
	does  func(v sched.View, p *sched.Plan)
	order sched.Order
	heard int // events that tell of profiles
	hears func(*profile.Class)
}

func (s *secret) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	for i := range batch {
		if batch[i].Kind == sched.ProfileLearned {
			s.heard++
			if s.hears != nil {
				s.hears(batch[i].Detail.Profile)
			}
		}
	}
	s.does(v, p)
}

func (s *secret) Follow(o sched.Order) error {
	s.order = o
	return nil
}

// besides is a policy with the step, under an order that reads profiles.
func besides(t *testing.T, s *secret, reads ...compose.Reads) *compose.Policy {
	entry := compose.Entry{Name: "secret", Kind: compose.KindSpeculate, Step: func(compose.Args) (compose.Step, error) { return s, nil }}
	for _, r := range reads {
		entry.Reads = r
	}
	p, err := catalog.Of(append(catalog.All(), laxity.Order(), entry), "least-laxity+secret", pools())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A step says itself what it reads and plans, whatever the order says.
func TestSecretSteps(t *testing.T) {
	for want, does := range map[string]func(v sched.View, p *sched.Plan){
		"reads profiles without declaring it: its catalogue entry needs Reads.Profiles": func(v sched.View, _ *sched.Plan) { v.Profile("c") },
		"reads supplies without declaring it: its catalogue entry needs Reads.Supply":   func(v sched.View, _ *sched.Plan) { v.Supply(sched.Price) },
		"reads supplies without declaring it:  its catalogue entry needs Reads.Supply":  func(v sched.View, _ *sched.Plan) { v.Forecast(sched.Price) },
		"gives the reason \"whim\" without declaring it: its catalogue entry needs it in Causes": func(_ sched.View, p *sched.Plan) {
			p.Add(sched.Item{Verb: sched.SetDeadline, Job: 1, At: 1, Reason: sched.Because(whim)})
		},
		"plans to kill without declaring it: its catalogue entry needs the verb in Needs, or in Wants": func(v sched.View, p *sched.Plan) {
			p.Preempt(1, sched.Map, 1, sched.Because(whim))
			p.Add(sched.Item{Verb: sched.Kill, Attempt: v.Youngest(1, sched.Map, 0), Outcome: sched.Killed})
		},
	} {
		l := drive.New(simulated(1).New(t, 1), besides(t, &secret{does: does}))
		err := l.Run(context.Background())
		want = `policy "least-laxity+secret": its speculate part ` + strings.ReplaceAll(want, "  ", " ")
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Who reads profiles and does not say that he reads their cost models, which a simulator then does not
// make, is told so wherever he runs, and however he came to the profile.
func TestSecretModels(t *testing.T) {
	var heard *profile.Class
	model := func(c *profile.Class) {
		if c != nil {
			c.Model(workload.Map, "", profile.Run)
		}
	}
	for _, reads := range []compose.Reads{{Profiles: true}, {Profiles: true, Models: true}} {
		for name, does := range map[string]func(v sched.View, p *sched.Plan){
			"view":  func(v sched.View, _ *sched.Plan) { model(v.Profile("c")) },
			"event": func(sched.View, *sched.Plan) { model(heard) },
		} {
			heard = nil
			s := &secret{does: does, hears: func(c *profile.Class) { heard = c }}
			err := drive.New(&taught{World: simulated(1).New(t, 1)}, besides(t, s, reads)).Run(context.Background())
			want := `policy "least-laxity+secret": a part reads cost models without declaring it: its catalogue entry needs Reads.Models`
			if reads.Models && err != nil || !reads.Models && (err == nil || !strings.HasSuffix(err.Error(), want)) {
				t.Errorf("%s, %+v: %v, want %s", name, reads, err, want)
			}
		}
	}
}

// Who looks at one profile again and again sees one, until another is told.
func TestProfilesStayTheSame(t *testing.T) {
	var seen []*profile.Class
	s := &secret{does: func(v sched.View, _ *sched.Plan) {
		if c := v.Profile("c"); c != nil && (len(seen) == 0 || seen[len(seen)-1] != c) {
			seen = append(seen, c)
		}
	}}
	if err := drive.New(&taught{World: simulated(1).New(t, 1)}, besides(t, s, compose.Reads{Profiles: true})).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 1 || s.heard != 1 {
		t.Errorf("it saw %d profiles and was told %d", len(seen), s.heard)
	}
}

// Whom the order lets look at profiles is the order: a step may ask for its keys, and is not told of profiles.
func TestOrdersReadForThemselves(t *testing.T) {
	s := &secret{}
	s.does = func(v sched.View, _ *sched.Plan) {
		for j := sched.JobID(1); j <= v.Jobs(); j++ {
			if job := v.Job(j); job != nil {
				s.order.JobKey(v, job, sched.Map)
			}
		}
	}
	l := drive.New(&school{World: simulated(1).New(t, 1), early: true}, besides(t, s))
	if err := l.Run(context.Background()); err != nil {
		t.Error(err)
	}
	if s.heard > 0 {
		t.Errorf("it was told %d times what jobs have taught", s.heard)
	}
}

// market is a world whose price goes up and down while jobs wait, and is forecast to.
type market struct {
	drive.World
	turns int
}

func (w *market) Next(ctx context.Context) (drive.Batch, error) {
	b, err := w.World.Next(ctx)
	if w.turns++; err != nil || w.turns%5 > 0 || w.turns > 200 {
		return b, err
	}
	price := float64(w.turns / 5 % 4)
	e := sched.Event{Kind: sched.SupplyChanged, Of: sched.Price, X: price}
	if w.turns%2 == 0 {
		e = sched.Event{Kind: sched.ForecastIssued, Of: sched.Price, Detail: &sched.Detail{
			Forecast: &sched.Forecast{Start: b.At, Interval: units.Second, Mid: []float64{price}}}}
	}
	b.Events = append(slices.Clone(b.Events), e)
	slices.SortStableFunc(b.Events, func(a, b sched.Event) int { return cmp.Compare(a.Kind, b.Kind) })
	return b, nil
}

// tariff is an order whose keys follow a price.
type tariff struct {
	sched.Flat
	forecast bool // the one that is expected
}

func (o tariff) JobKey(v sched.View, j *sched.Job, _ sched.Stage) sched.Key {
	price := 0.0
	if f := v.Forecast(sched.Price); o.forecast && f != nil {
		price = f.Mid[0]
	} else if s := v.Supply(sched.Price); !o.forecast && s != nil {
		price = s.Amount
	}
	return sched.Key{(int64(price) + int64(j.ID)) % 3}
}

// An order that reads supplies ranks jobs again when one changes, or is expected to.
func TestOrdersFollowSupplies(t *testing.T) {
	for _, s := range []Subject{simulated(runs(6)), unkind(runs(20))} {
		plain := s.New
		s.New = func(t *testing.T, seed uint64) drive.World { return &market{World: plain(t, seed)} }
		for _, forecast := range []bool{false, true} {
			entry := compose.Entry{Name: "tariff", Kind: compose.KindOrder, Traits: compose.Traits{Reads: compose.Reads{Supply: true}},
				Order: func(compose.Args) (sched.Order, error) { return tariff{forecast: forecast}, nil }}
			t.Run(fmt.Sprint(s.Name, " forecast ", forecast), func(t *testing.T) {
				holds(t, s, "tariff", entry)
			})
		}
	}
}
