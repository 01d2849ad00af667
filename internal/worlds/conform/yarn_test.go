package conform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/adverse"
	"github.com/slackline/slackline/internal/worlds/yarn"
	"github.com/slackline/slackline/internal/worlds/yarn/yarnfake"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// attached is the unkind world behind the stream to YARN: with ApplicationMasters, and with what YARN has a
// word for.
func attached(seeds int) Subject {
	s := unkind(seeds)
	s.Name, s.Unkind = "yarn", false // how many tasks there will be YARN never tells
	s.Refuses = []sched.Code{sched.UnknownJob, sched.UnknownNode, sched.BadItem, sched.NodeAway, sched.NotAdmitted, sched.NotReady, sched.Stale, sched.NoRoom}
	s.New = func(t *testing.T, seed uint64) drive.World {
		return fake(t, yarn.Config{}, yarnJobs(units.Vector{units.VCores: 1, units.Memory: 1 << 30}),
			units.Vector{units.VCores: 3, units.Memory: 4 << 30}, seed, 200)
	}
	return s
}

// yarnJobs are jobs as YARN knows them: each has an ApplicationMaster, and none names another job, a label or
// how many tasks it could have as well.
func yarnJobs(takes units.Vector) []*workload.Job {
	jobs := work()
	for _, j := range jobs {
		j.After, j.Labels = nil, nil
		for k := range j.Stages {
			st := &j.Stages[k]
			st.MinTasks, st.MaxTasks, st.Works, st.Containers = 0, 0, nil, []cluster.Container{{Needs: takes}}
		}
		j.Stages = append([]workload.StageSpec{{Kind: workload.Master, Tasks: make([]workload.Task, 1), Containers: []cluster.Container{{Needs: takes}}}}, j.Stages...)
	}
	return jobs
}

// fake is a world of YARN with nodes of that capacity, unkind for so many beats.
func fake(t *testing.T, cfg yarn.Config, jobs []*workload.Job, capacity units.Vector, seed uint64, calm int) drive.World {
	nodes := machines()
	nodes.Classes[0].Capacity = capacity
	for _, n := range nodes.Nodes {
		n.Labels = nil
	}
	cfg.Secret, cfg.Heartbeat = []byte("test"), adverse.Beat
	w, err := yarnfake.New(cfg, adverse.New(adverse.Config{Cluster: nodes, Jobs: jobs, Seed: seed, Calm: calm, Retires: seed%3 == 1,
		Begin: units.Time(0).Add(units.Duration(seed%4) * 40 * units.Hour), Watching: seed%5 == 4}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

func TestYARN(t *testing.T) { Suite(t, attached(runs(60))) }

// What the unkind world does comes through: it yields and lets watch, tells old facts as old, takes maps back
// and moves jobs.
func TestYARNMeetsAllOfIt(t *testing.T) {
	s, told := attached(1), kinds{}
	s.sinks = []drive.Sink{told}
	var old, since, yields, watches, advised int
	for seed := range uint64(12) {
		w := s.run(t, seed, func() sched.Policy { return Friendly{} }, nil)
		old, since, yields, watches, advised = old+w.Old, since+w.Since, yields+w.Yields, watches+w.Watches, advised+w.Advised
	}
	if old == 0 || since == 0 || yields == 0 || watches == 0 || advised == 0 {
		t.Errorf("%d old facts, %d old ends of jobs, %d yields, %d watches, %d pieces of advice: these runs test nothing", old, since, yields, watches, advised)
	}
	if told[counted] == 0 {
		t.Error("of no job was the number of tasks told at its arrival")
	}
	for _, k := range []sched.EventKind{sched.Resync, sched.NodeChanged, sched.NodeDown, sched.Granted, sched.Refused, sched.OutputLost, sched.JobAmended} {
		if told[k] == 0 {
			t.Errorf("no %v came through", k)
		}
	}
}

// kinds counts the events that a world has sent.
type kinds map[sched.EventKind]int

// counted stands in kinds for arrivals of jobs all of whose tasks are known.
const counted = sched.EventKind(255)

func (k kinds) Batch(_ int64, _ units.Time, events []sched.Event) error {
	for i := range events {
		if !events[i].Derived {
			k[events[i].Kind]++
			if events[i].Kind == sched.JobArrived && events[i].Detail.Job.Growing() == nil {
				k[counted]++
			}
		}
	}
	return nil
}

func (kinds) Plan(int64, units.Time, *sched.Plan) error { return nil }

// Nodes are cut into slots, which policies that promise deadlines need. They meet all that the unkind world does, and
// jobs that have other handles with each snapshot.
func TestYARNInSlots(t *testing.T) {
	if !testing.Short() && !fuller() {
		t.Skip("in the gate")
	}
	unit := units.Vector{units.VCores: 1, units.Memory: 1 << 30}
	cut := func(name string, seeds, calm int) Subject {
		s := attached(seeds)
		s.Name, s.Cut = name, calm > 0
		s.New = func(t *testing.T, seed uint64) drive.World {
			split := &yarn.Split{Masters: units.Vector{units.VCores: 2, units.Memory: 2 << 30}, Slot: unit}
			w := fake(t, yarn.Config{Slots: split}, yarnJobs(unit), units.Vector{units.VCores: 6, units.Memory: 6 << 30}, 3*seed, calm)
			if calm > 0 {
				w = &school{World: w, early: true}
			}
			return w
		}
		return s
	}
	for _, text := range []string{"rtmr", "edf-p", "fair"} {
		t.Run(text, func(t *testing.T) { holds(t, cut("yarn in slots", 3, 0), text) })
	}
	for _, text := range []string{"rtmr", "promise", "dc", "rds"} {
		t.Run(text+", unkind", func(t *testing.T) { holds(t, cut("yarn in slots, unkind", runs(12), 200), text) })
	}
}

// processes are a world of YARN that one process after the other schedules: with each full state but the first it
// is a new one, which knows nothing of the cluster but what it is told.
type processes struct {
	*yarnfake.World
	starts func() *yarnfake.World
	played *life
	number int
}

func (p *processes) Next(ctx context.Context) (drive.Batch, error) {
	b, err := p.World.Next(ctx)
	if errors.Is(err, io.EOF) && p.played.again != nil {
		p.World.Close()
		p.World = p.starts()
		p.number++
		return p.World.Next(ctx)
	}
	return b, err
}

// life ends before all is told again, which is then the first that the next one tells.
type life struct {
	drive.World
	begun bool
	again *drive.Batch
}

func (l *life) Next(ctx context.Context) (drive.Batch, error) {
	if b := l.again; b != nil {
		l.again = nil
		return *b, nil
	}
	b, err := l.World.Next(ctx)
	if err == nil && l.begun && b.Events[0].Kind == sched.Resync {
		l.again = &b
		return drive.Batch{}, io.EOF
	}
	l.begun = true
	return b, err
}

// What one process has saved the next one loads, and goes on: all jobs end, and no promise of the contract is broken.
func TestYARNInAnotherProcess(t *testing.T) {
	for _, text := range []string{"edf-p+matchmaking", "fair+delay"} {
		t.Run(text, func(t *testing.T) {
			s, number := attached(1), 0
			for seed := range uint64(runs(12)) {
				s.New = func(t *testing.T, seed uint64) drive.World {
					nodes := machines()
					nodes.Classes[0].Capacity = units.Vector{units.VCores: 3, units.Memory: 4 << 30}
					jobs := yarnJobs(units.Vector{units.VCores: 1, units.Memory: 1 << 30})
					p := &processes{played: &life{World: adverse.New(adverse.Config{Cluster: nodes, Jobs: jobs, Seed: seed, Calm: 200, Watching: seed%5 == 4})}}
					p.starts = func() *yarnfake.World {
						w, err := yarnfake.New(yarn.Config{Secret: []byte("test"), Heartbeat: adverse.Beat, Origin: time.UnixMilli(0)}, p.played)
						if err != nil {
							t.Fatal(err)
						}
						return w
					}
					p.World = p.starts()
					t.Cleanup(func() {
						p.World.Close()
						number += p.number
					})
					return p
				}
				t.Run("", func(t *testing.T) {
					s.finished(t, s.run(t, seed, func() sched.Policy { return fromCatalogue(t, text)() }, forget))
				})
			}
			if number == 0 {
				t.Error("no process followed another: this tests nothing")
			}
		})
	}
}

// noter notes what the world that is played was asked for.
type noter struct {
	drive.World
	asked map[sched.ItemID]string
}

func (n *noter) Enact(p *sched.Plan) error {
	for i := range p.Items {
		n.asked[p.Items[i].ID] = inShort(&p.Items[i])
	}
	return n.World.Enact(p)
}

// inShort is what of an item has to come through.
func inShort(it *sched.Item) string {
	text := fmt.Sprint(it.Verb)
	switch it.Verb {
	case sched.Start:
		far := it.Locality
		if far == sched.Anywhere { // at any distance, as YARN has it
			far = sched.Remote
		}
		text += fmt.Sprintf(" %v on %d, %d times, at most %v", it.Stage, it.Node, it.Count, far)
	case sched.Sample:
		text += fmt.Sprintf(" %v, %d times", it.Stage, it.Count)
	case sched.Kill:
		text += fmt.Sprintf(" %d", it.Attempts.Len())
	}
	return text
}

// wanted notes what a plan asked the world for.
type wanted map[sched.ItemID]string

// void marks kills that were refused as their container had gone: before the cluster was asked, or by it.
const void = ", void"

func (w wanted) Batch(_ int64, _ units.Time, events []sched.Event) error {
	for i := range events {
		e := &events[i]
		if item := w[e.Item]; e.Kind == sched.Refused && e.Why == sched.Stale && strings.HasPrefix(item, "kill ") && !strings.HasSuffix(item, void) {
			w[e.Item] += void
		}
	}
	return nil
}

func (w wanted) Plan(_ int64, _ units.Time, p *sched.Plan) error {
	for i := range p.Items {
		it := &p.Items[i]
		switch it.Verb {
		case sched.Start, sched.Kill, sched.Admit, sched.Hold, sched.Reject, sched.Sample:
			if it.Refused == sched.OK && !it.Held {
				w[it.ID] = inShort(it)
			}
		}
	}
	return nil
}

// curious is Brutal, but that it first wants a sample of each job.
type curious struct{ Brutal }

func (c *curious) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	wantSamples(batch, sched.Map, p)
	c.Brutal.Decide(v, batch, p)
}

func wantSamples(batch []sched.Event, s sched.Stage, p *sched.Plan) {
	for i := range batch {
		if batch[i].Kind == sched.JobArrived {
			p.Add(sched.Item{Verb: sched.Sample, Job: batch[i].Job, Stage: s, Count: 1, Reason: sched.Because(whim)})
		}
	}
}

// slow is hesitant, but that ApplicationMasters run before it has decided.
type slow struct{ hesitant }

func (s slow) Decide(v sched.View, batch []sched.Event, p *sched.Plan) {
	wantSamples(batch, sched.Master, p)
	s.hesitant.Decide(v, batch, p)
}

// A sample of a job runs before its verdict, and nothing else of it.
func TestYARNSamples(t *testing.T) {
	s := attached(1)
	for seed := range uint64(4) {
		s.finished(t, s.run(t, seed, func() sched.Policy { return slow{hesitant{delay: 6 * units.Second}} }, nil))
	}
}

// All that a plan asks for is asked of the cluster, and nothing else.
func TestYARNIsAskedForAllOfIt(t *testing.T) {
	verbs := map[string]int{}
	for seed := range uint64(runs(78)) {
		s, want, got := attached(1), wanted{}, map[sched.ItemID]string{}
		s.sinks = []drive.Sink{want}
		jobs := yarnJobs(units.Vector{units.VCores: 1, units.Memory: 1 << 30})
		s.New = func(t *testing.T, seed uint64) drive.World {
			nodes := machines()
			nodes.Classes[0].Capacity = units.Vector{units.VCores: 3, units.Memory: 4 << 30}
			w, err := yarnfake.New(yarn.Config{Secret: []byte("test"), Heartbeat: adverse.Beat},
				&noter{adverse.New(adverse.Config{Cluster: nodes, Jobs: jobs, Seed: seed, Calm: 100}), got})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(w.Close)
			return w
		}
		s.run(t, seed, func() sched.Policy { return &curious{Brutal{Seed: seed, Calm: 60, Gentle: seed%2 == 0}} }, nil)
		for id, item := range want {
			item, gone := strings.CutSuffix(item, void)
			if _, asked := got[id]; gone && !asked {
				delete(want, id)
			} else if got[id] != item {
				t.Errorf("seed %d: item %d is %q, the cluster was asked for %q", seed, id, item, got[id])
			}
			verb, _, _ := strings.Cut(item, " ")
			verbs[verb]++
		}
		if len(got) != len(want) {
			t.Errorf("seed %d: %d items, the cluster was asked for %d", seed, len(want), len(got))
		}
	}
	for _, v := range []sched.Verb{sched.Start, sched.Kill, sched.Admit, sched.Hold, sched.Reject, sched.Sample} {
		if verbs[v.String()] == 0 && !testing.Short() { // then few games are played
			t.Errorf("no plan asked for %v: this tests nothing", v)
		}
	}
}
