package yarn

import (
	"github.com/slackline/slackline/internal/worlds/yarn/wire"
	"github.com/slackline/slackline/sched"
)

// whole puts a full state together that comes in parts; nil while parts are missing.
func (w *World) whole(x *wire.Snapshot, from *session) *wire.Snapshot {
	if b := w.begun; b != nil && w.now == from && b.Next == x.Next {
		b.Nodes, b.Applications = append(b.Nodes, x.Nodes...), append(b.Applications, x.Applications...)
		b.Asks, b.Containers, b.More = append(b.Asks, x.Asks...), append(b.Containers, x.Containers...), x.More
		x = b
	}
	w.now, w.begun = from, nil
	if x.More {
		w.begun, w.lost = x, true
		return nil
	}
	return x
}

// snapshot takes in the full state, in one batch that voids the book.
func (w *World) snapshot(x *wire.Snapshot, life string) {
	if !w.dated {
		w.originMs, w.dated = x.TimeMs, true
		for _, a := range x.Applications {
			w.originMs = min(w.originMs, a.SubmitTimeMs)
		}
	}
	before := w.apps
	w.forget()
	w.lost, w.next, w.acked = false, x.Next, 0
	w.clock(x.TimeMs)
	w.batches.flush(w.at)
	w.batches.whole = true
	w.tell(sched.Event{Kind: sched.Resync})
	if w.mode != x.Mode || x.Mode != wire.Mode_MODE_OURS { // that it goes on to place work need not be said
		w.tell(sched.Event{Kind: sched.Control, Control: controlOf(x.Mode)})
	}
	w.mode = x.Mode
	for _, p := range w.cfg.Profiles { // a book keeps what it knows of classes
		w.tell(sched.Event{Kind: sched.ProfileLearned, Detail: &sched.Detail{Profile: p}})
	}
	w.cfg.Profiles = nil
	w.queuesAre(x.Queues)
	w.goShopping()
	for _, n := range x.Nodes {
		w.nodeUp(n)
	}
	w.stand()
	var apps []*app
	due := map[string]string{} // a ResourceManager that was restarted has yet to read it again
	for _, a := range before {
		due[a.name] = a.due
	}
	for _, y := range x.Applications {
		if y.Files == nil && due[y.Id] != "" {
			y.Files = &wire.Files{Deadline: due[y.Id]}
		}
		a, err := w.enter(y)
		if err != nil && y.Held {
			a.refused = true
			w.verdict(a, wire.Judgement_JUDGEMENT_REJECT, err.Error())
			continue
		}
		apps = append(apps, a)
		w.remember(a, y, before, life == w.life)
	}
	w.life = life
	for _, c := range x.Containers {
		w.container(c)
	}
	for _, r := range x.Asks {
		r.Whole = true
		w.asks(r)
	}
	for _, a := range apps {
		for i := range a.spec.Stages {
			a.spec.Stages[i] = w.stageSpec(a, a.spec.Stages[i].Kind)
		}
		w.arrived(a)
		for s := range sched.Stages {
			if s != sched.Master && a.stages[s].ready {
				w.tell(sched.Event{Kind: sched.StageReady, Job: a.id, Stage: s})
			}
		}
	}
	w.batches.flush(w.at)
}

// remember sets how many tasks of an application are done. The plug-in counts the ends of containers
// as long as its ResourceManager lives, and that some of this work was lost again it does not know. So
// what we knew counts, and what has ended since.
func (w *World) remember(a *app, x *wire.Application, before map[sched.JobID]*app, same bool) {
	for _, d := range x.Done {
		a.stages[a.stageOf(d.Priority)].ended += d.Count
	}
	for s := range a.stages {
		a.stages[s].done = a.stages[s].ended
	}
	for _, b := range before {
		if b.name != a.name {
			continue
		}
		a.broken, a.left = b.broken, b.left
		for s := range a.stages {
			st, was := &a.stages[s], &b.stages[s]
			fresh := st.ended
			if same {
				fresh = max(0, fresh-was.ended)
			}
			st.done = was.done + fresh
			if len(was.kinds) > 0 {
				st.kinds = was.kinds
			}
		}
	}
}
