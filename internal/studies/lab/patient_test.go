package lab

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/kernel/follow"
	"github.com/slackline/slackline/internal/policies/catalog"
	"github.com/slackline/slackline/internal/policies/compose"
	"github.com/slackline/slackline/internal/studies/page"
	"github.com/slackline/slackline/internal/studies/report"
	"github.com/slackline/slackline/internal/worlds/sim"
	"github.com/slackline/slackline/profile"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// tale is a sink that writes down what it is told, and when that was.
type tale struct {
	follow.Single
	lines []string
	last  units.Time
	back  string // where time ran back
	late  int    // ends that came with an age
}

func (t *tale) Batch(_ units.Time, records []follow.Record) error {
	for i := range records {
		e := &records[i]
		if e.At < t.last && t.back == "" {
			t.back = fmt.Sprintf("%v at %v is told after %v", e.Kind, e.At, t.last)
		}
		if t.last = e.At; e.Kind == sched.Ended && e.Age > 0 {
			t.late++
		}
		line := fmt.Sprintf("%v %v node %d %v", e.At, e.Kind, e.Node, e.Outcome)
		if e.Attempt != nil {
			line += fmt.Sprintf(" %v %d on %d from %v", e.Attempt.Stage, e.Attempt.Task, e.Attempt.Node, e.Attempt.Began)
		}
		if e.Job != nil {
			line += " of " + e.Job.Spec.ID
		}
		t.lines = append(t.lines, line)
	}
	return nil
}

func (t *tale) Plan(at units.Time, decisions []follow.Decision) error {
	for i := range decisions {
		d := &decisions[i]
		line := fmt.Sprintf("%v %v node %d", at, d.Verb, d.Item.Node)
		if d.Job != nil {
			line += " of " + d.Job.Spec.ID
		}
		t.lines = append(t.lines, line)
	}
	return nil
}

// bides90 is the policy that bides in these tests, as none of the catalogue does.
const bides90 = "promise(level=90%)"

// biding is a policy that may be told late of ends.
type biding struct{ sched.Policy }

// About says so.
func (b biding) About() sched.About {
	a := b.Policy.About()
	a.Late = sched.EventsOf(sched.Ended)
	return a
}

// patience is each policy that can be asked for: the catalogue's schemes and parts, what stands in
// everyPolicy, and one that bides, as none does by its name alone.
func patience() []string {
	texts := append(everyPolicy(), bides90)
	for _, e := range catalog.All() {
		switch {
		case e.Kind == compose.KindPreempt:
			texts = append(texts, "fair+"+e.Name)
		case e.Kind != compose.KindScheme:
			texts = append(texts, e.Name)
		}
	}
	return texts
}

// A world that tells several instants at once tells sinks the same, and in the same order, as one
// that tells each at once. So does a follower that gathers rounds. A policy that bides decides by what
// it is told late, so it is compared with itself, and sinks are to be told each thing at its own time.
func TestPatience(t *testing.T) {
	spared, late := int64(0), 0
	texts := patience()
	seeds := []uint64{774, 861, 1304, 2596, 2762, 2908} // which differed once
	for seed := range uint64(scenarios(300, 3000)) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		p := randomRun(seed, []func(dice, *played){plain, shared}[seed%2])
		p.cfg.Until, p.cfg.Profiles = 2000*units.Time(units.Second), taughtOf(p.cfg.Cluster)
		text := texts[seed%uint64(len(texts))]
		bides := false
		play := func(alone, gather bool) ([]string, int64) {
			w, err := sim.New(p.cfg)
			if err != nil {
				t.Fatal(err)
			}
			made, err := catalog.New(text, NoQueues)
			if err != nil {
				t.Fatal(err)
			}
			var policy sched.Policy = made
			if text == bides90 {
				policy = biding{made}
			}
			told, kept := &tale{}, report.NewBuilder("sim", "patient", text, seed)
			drawn := page.New([]page.Head{{Scenario: "patient", Policy: text, Seed: seed}})
			follower := follow.New(append(drawn.Watch(0), told, kept)...)
			sink, end := drive.Sink(follower), follower.Flush
			if gather {
				later := newLater(follower)
				sink, end = later, later.close
			}
			var world drive.World = w
			if bides = policy.About().Late != 0; alone && !bides {
				world = struct{ drive.World }{w}
			}
			loop := drive.New(world, policy, sink)
			err = loop.Run(context.Background())
			if err := errors.Join(err, end()); err != nil && !errors.Is(err, sim.ErrStuck) {
				told.lines = append(told.lines, err.Error())
			}
			if told.back != "" {
				t.Fatalf("seed %d, %s: time runs back: %s", seed, text, told.back)
			}
			if bides {
				late += told.late
			}
			run, text := kept.Run(), &bytes.Buffer{}
			row, err := json.Marshal(run)
			if err := errors.Join(err, drawn.Write(text, report.New(run))); err != nil {
				t.Fatal(err)
			}
			return append(told.lines, string(row), text.String()), loop.Round
		}
		patient, few := play(false, true)
		each, many := play(true, false)
		for i := range max(len(patient), len(each)) {
			if i >= len(patient) || i >= len(each) || patient[i] != each[i] {
				t.Fatalf("seed %d, %s: %d and %d lines, first here:\n%s\n%s", seed, text, len(patient), len(each), append(patient, "(the end)")[i], append(each, "(the end)")[i])
			}
		}
		spared += many - few
	}
	if spared == 0 || late == 0 {
		t.Errorf("%d rounds were spared, %d ends told late to policies that bide: this tests nothing", spared, late)
	}
}

// taughtOf is what the classes of drawn jobs cost.
func taughtOf(c *cluster.Cluster) (known []*profile.Class) {
	for i := range 2 {
		k := profile.New(fmt.Sprint("c", i))
		for _, on := range c.Classes {
			for n := range 10 {
				k.Attempt(workload.Map, on.Name, units.MB, units.Duration(2+n)*units.Second, 0)
				k.Attempt(workload.Reduce, on.Name, units.MB, units.Duration(2+n)*units.Second, units.Second)
			}
		}
		known = append(known, k)
	}
	return known
}

// punctual is a sink that looks for ends that were told late, though no task of the job ran after them or a
// stage was done by them.
type punctual struct {
	jobs          map[sched.JobID]*workload.Job
	of            map[sched.AttemptID]sched.Event // what started it
	running       map[sched.JobID]int
	done          map[stageOf]int
	late, pressed int
	lost          bool // outputs: what is done is no longer clear
	wrong         string
}

type stageOf struct {
	job   sched.JobID
	stage sched.Stage
}

func (s *punctual) Plan(int64, units.Time, *sched.Plan) error { return nil }

func (s *punctual) Batch(_ int64, at units.Time, events []sched.Event) error {
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b sched.Event) int { return cmp.Compare(b.Age, a.Age) })
	for _, e := range events {
		switch e.Kind {
		case sched.JobArrived:
			s.jobs[e.Job] = e.Detail.Job
			delete(s.running, e.Job)
			maps.DeleteFunc(s.done, func(of stageOf, _ int) bool { return of.job == e.Job })
		case sched.OutputLost:
			s.lost = true
		case sched.Started:
			s.of[e.Attempt] = e
			if e.Stage != sched.Master {
				s.running[e.Job]++
			}
		case sched.Ended:
			a := s.of[e.Attempt]
			stage := stageOf{a.Job, a.Stage}
			if a.Stage == sched.Master {
				continue
			}
			if s.running[a.Job]--; e.Outcome == sched.Committed {
				s.done[stage]++
			}
			ends := s.running[a.Job] == 0 || !s.lost && e.Outcome == sched.Committed && s.done[stage] == s.jobs[a.Job].Tasks(a.Stage)
			switch {
			case ends && e.Age > 0:
				s.wrong = fmt.Sprintf("at %v: an end of %s is told late, after %v: %d tasks of it run, %d of the stage are done", at, s.jobs[a.Job].ID, e.Age, s.running[a.Job], s.done[stage])
			case ends:
				s.pressed++
			case e.Age > 0:
				s.late++
			}
		}
	}
	return nil
}

// A policy that bides, which may be told late of ends, hears at once of one by which a stage is done, or after
// which no task of its job runs.
func TestSomeEndsDoNotWait(t *testing.T) {
	late, pressed := 0, 0
	for seed := range uint64(scenarios(200, 2000)) {
		p := randomRun(seed, plain)
		p.cfg.Until, p.cfg.Profiles = 2000*units.Time(units.Second), taughtOf(p.cfg.Cluster)
		w, err := sim.New(p.cfg)
		if err != nil {
			t.Fatal(err)
		}
		made, err := catalog.New(bides90, NoQueues)
		if err != nil {
			t.Fatal(err)
		}
		policy := biding{made}
		s := &punctual{jobs: map[sched.JobID]*workload.Job{}, of: map[sched.AttemptID]sched.Event{}, running: map[sched.JobID]int{}, done: map[stageOf]int{}}
		if err := drive.New(w, policy, s).Run(context.Background()); err != nil && !errors.Is(err, sim.ErrStuck) {
			t.Fatal(err)
		}
		if s.wrong != "" {
			t.Fatalf("seed %d, %s", seed, s.wrong)
		}
		late, pressed = late+s.late, pressed+s.pressed
	}
	t.Logf("%d ends were told late, %d may not be", late, pressed)
	if late == 0 || pressed == 0 {
		t.Errorf("%d ends were told late, %d may not be: this tests nothing", late, pressed)
	}
}
