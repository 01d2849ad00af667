package adverse_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/slackline/slackline/cluster"
	"github.com/slackline/slackline/internal/kernel/drive"
	"github.com/slackline/slackline/internal/worlds/adverse"
	"github.com/slackline/slackline/internal/worlds/conform"
	"github.com/slackline/slackline/sched"
	"github.com/slackline/slackline/units"
	"github.com/slackline/slackline/workload"
)

// honest follows what the world says beside what was asked of it, from package sched alone, and says what cannot
// both be true. All that it knows of the run itself is which tasks there are, and which attempts there were.
type honest struct {
	w     *adverse.World
	specs map[string]*workload.Job // as they are
	wrong []string

	now     units.Time
	demands map[placeOf]*demand

	// since all was told
	again bool // in this batch
	jobs  map[sched.JobID]*workload.Job
	items map[sched.ItemID]*asked
}

type placeOf struct {
	job   sched.JobID
	stage sched.Stage
}

// asked is a start that was proposed.
type asked struct {
	item                     sched.Item
	granted, started, denied int32
	counted                  bool // a demand has, as over
}

// demand is what a stage asked for last, and what has started since.
type demand struct {
	count, started int32
}

func (h *honest) Plan(_ int64, _ units.Time, p *sched.Plan) error {
	for _, it := range p.Items {
		if it.Verb == sched.Start && it.Refused == sched.OK && !it.Held && h.items[it.ID] == nil {
			h.items[it.ID] = &asked{item: it}
		}
	}
	return nil
}

func (h *honest) Batch(_ int64, at units.Time, events []sched.Event) error {
	h.now, h.again = at, false
	for i := range events {
		h.take(&events[i])
	}
	return nil
}

func (h *honest) say(e *sched.Event, what string, args ...any) {
	h.wrong = append(h.wrong, fmt.Sprintf("at %v, %v of job %d: %s", h.now, e.Kind, e.Job, fmt.Sprintf(what, args...)))
}

func (h *honest) take(e *sched.Event) {
	of, a := placeOf{e.Job, e.Stage}, h.items[e.Item]
	switch e.Kind {
	case sched.Resync:
		h.jobs, h.items, h.again = map[sched.JobID]*workload.Job{}, map[sched.ItemID]*asked{}, true
	case sched.JobArrived, sched.JobAmended:
		h.jobs[e.Job] = e.Detail.Job
	case sched.Granted:
		if a == nil || a.granted > 0 || e.Count > a.item.Count {
			h.say(e, "%d containers for %+v", e.Count, a)
		} else {
			a.granted = e.Count
		}
	case sched.Refused:
		if a != nil && !e.Derived { // the book says itself what was not granted
			a.denied += e.Count
		}
	case sched.Started:
		switch d := h.demands[of]; {
		case h.again: // it may have started before
		case d == nil:
			h.say(e, "nobody asked for it")
		case d.started == d.count:
			h.say(e, "%d were asked for, and as many have started since", d.count)
		default:
			d.started++
		}
		if e.Item == 0 || h.again {
			return
		}
		if a == nil || a.started+a.denied >= a.granted || a.item.Job != e.Job || a.item.Stage != e.Stage || a.item.Node != e.Node || a.item.Container != e.Container {
			h.say(e, "for an item that did not ask for it, or for no more: %+v", a)
			return
		}
		if a.started++; a.counted {
			h.say(e, "item %d starts, and a demand has counted it", e.Item)
		}
	case sched.Demand:
		h.demands[of] = &demand{count: e.Count}
		for id, a := range h.items { // one that was held back until now is none of these
			a.counted = a.counted || id <= e.Item && a.item.Job == e.Job
		}
	case sched.JobEnded:
		if e.Outcome == sched.Committed {
			h.ended(e)
		}
	}
}

// ended holds a job that has committed to the tasks that it has, and to how many it was said to have.
func (h *honest) ended(e *sched.Event) {
	told := h.jobs[e.Job]
	if told == nil {
		return
	}
	for _, st := range h.specs[told.ID].Stages {
		if is := told.Stage(st.Kind); !is.Grows && len(is.Tasks) < len(st.Tasks) {
			h.say(e, "%d tasks of %v were all that it has, and it had %d", len(is.Tasks), st.Kind, len(st.Tasks))
		}
	}
}

// early are reduces that were done before all maps of their jobs: each of them needs their output.
func (h *honest) early() (n int) {
	for _, l := range h.w.Lives {
		if l.Stage != sched.Reduce || l.Outcome != sched.Committed {
			continue
		}
		maps := 0
		for _, m := range h.w.Lives {
			if m.Job == l.Job && m.Stage == sched.Map && (m.Outcome == sched.Committed || m.Unseen) && m.Ended <= l.Ended {
				maps++
			}
		}
		if maps < len(h.specs[l.Job].Stage(sched.Map).Tasks) {
			n++
		}
	}
	return n
}

// The unkind world is honest: it starts no more than was asked for, and nothing that nobody planned in the name of
// an item; it never counts what is still to start among what was counted; and no reduce ends before the maps.
func TestTheUnkindWorldIsHonest(t *testing.T) {
	grown := 0
	for seed := range uint64(120) {
		c := cluster.Uniform(4, 2, cluster.Class{Name: "small", Speed: 1, Capacity: units.Slots(2, 1)})
		w := adverse.New(adverse.Config{Cluster: c, Jobs: batchJobs(), Seed: seed, Calm: 200, Cancels: seed%4 == 3, Watching: seed%5 == 4})
		h := &honest{w: w, specs: map[string]*workload.Job{}, jobs: map[sched.JobID]*workload.Job{}, items: map[sched.ItemID]*asked{}, demands: map[placeOf]*demand{}}
		for _, j := range batchJobs() {
			h.specs[j.ID] = j
		}
		policy := sched.Policy(conform.Friendly{})
		if seed%3 == 0 {
			policy = &conform.Brutal{Seed: seed}
		}
		if err := drive.New(w, policy, h).Run(context.Background()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, wrong := range h.wrong {
			t.Errorf("seed %d: %s", seed, wrong)
		}
		if n := h.early(); n > 0 {
			t.Errorf("seed %d: %d reduces were done before the maps of their jobs", seed, n)
		}
		for _, j := range h.jobs {
			if j.Growing() != nil {
				grown++
			}
		}
	}
	if grown == 0 {
		t.Error("no stage grew: this tests nothing")
	}
}
